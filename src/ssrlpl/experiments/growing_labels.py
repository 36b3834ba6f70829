"""Labels chosen by ``label_next`` against labels drawn at random."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from .._utils.types import Ints
from ..active import label_next
from ..datasets import hide_labels
from ..labelers.knn import KNNLabeler
from ..labels import UNLABELED
from ..maps.kernel import KernelSSRLPL
from .problems import Problem
from .theorem import best_objective, objective_of

STEPS = (20, 30, 40, 60, 80, 100)
WAYS = {"random": False, "label_next": True}


def measure_curve(problem: Problem, cell: Any) -> dict[str, float]:
    """Return the retained objective at each number of labels, chosen the way a cell names."""
    best = best_objective(cell.dataset)
    values = curve(problem.X, problem.truth, best, cell.seed, active=WAYS[cell.method])
    return {f"retained_{count}": value for count, value in zip(STEPS, values, strict=True)}


def estimator() -> KernelSSRLPL:
    """Return the map of this experiment."""
    return KernelSSRLPL(labeler=KNNLabeler(1))


def curve(X: Any, truth: Ints, best: float, seed: int, *, active: bool) -> list[float]:
    """Return the retained objective f†/f* at each number of labels; both ways start alike."""
    rng = np.random.RandomState(seed)
    y = hide_labels(truth, keep=STEPS[0], random_state=seed)
    values = [objective_of(estimator().fit_transform(X, y), truth) / best]
    for before, after in pairwise(STEPS):
        count = after - before
        rows = (
            label_next(estimator(), X, y, count)
            if active
            else rng.permutation(np.flatnonzero(y == UNLABELED))[:count]
        )
        y[rows] = truth[rows]
        values.append(objective_of(estimator().fit_transform(X, y), truth) / best)
    return values
