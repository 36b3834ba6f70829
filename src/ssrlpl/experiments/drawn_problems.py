"""Problems whose labeled rows are drawn at random, for experiments on the guarantee.

Besides the paper's data sets there are the made-up populations of ``worlds.py``, which are drawn
again for each seed, and the tables of ``development.py``.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from .._utils.types import Ints
from ..labels import UNLABELED
from .development import SOURCES
from .problems import Problem, Protocol, load_problem, load_rows
from .worlds import LARGE_WORLDS, WORLDS


@dataclass(frozen=True)
class Drawn:
    """Some rows are labeled, whatever their class; none are held out.

    Experiments that draw labels themselves use only their number. Of the ``rows`` of a data set at
    most that many are used, the same for every seed; ``first_seed`` is added to the seed of the
    draw.
    """

    labels: int
    rows: int | None = None
    first_seed: int = 0

    def __str__(self) -> str:
        return f"{self.labels} drawn labels" + (f" of {self.rows} rows" if self.rows else "")


def load_drawn(dataset: str, protocol: Drawn | Protocol, seed: int) -> Problem:
    """Return the problem of a data set, a protocol and a seed.

    ``dataset`` may also be "world NAME" or "development NAME".

    Examples
    --------
    >>> from ssrlpl.experiments.drawn_problems import Drawn, load_drawn
    >>> problem = load_drawn("world moons", Drawn(60), seed=0)
    >>> len(problem.labeled), len(problem.unlabeled)
    (60, 240)
    """
    if not isinstance(protocol, Drawn):
        return load_problem(dataset, protocol, seed)
    if dataset.startswith("world "):
        X, truth = world(dataset.removeprefix("world "), seed)
    else:
        X, truth = some_rows(dataset, protocol.rows)
    return draw_labels(X, truth, protocol, seed)


def draw_labels(X: Any, truth: Ints, protocol: Drawn, seed: int) -> Problem:
    """Return rows as a problem in which some of them are labeled, by a seed."""
    order = np.random.default_rng(protocol.first_seed + seed).permutation(len(truth))
    labeled, unlabeled = order[: protocol.labels], np.sort(order[protocol.labels :])
    return Problem(X, truth, labeled, unlabeled, np.empty(0, np.intp))


def labels_of(rows: Ints, truth: Ints) -> Ints:
    """Return the target in which only these rows are labeled, -1 for all others."""
    y = np.full(len(truth), UNLABELED)
    y[rows] = truth[rows]
    return y


def world(name: str, seed: int) -> tuple[Any, Ints]:
    """Return a fresh draw of a world."""
    # Other seeds than those of the labeled rows: the two draws must not depend on each other.
    return (WORLDS | LARGE_WORLDS)[name](np.random.default_rng(1000 + seed))


@lru_cache(maxsize=32)
def some_rows(dataset: str, count: int | None = 1000) -> tuple[Any, Ints]:
    """Return at most that many rows of a data set, drawn once and for all, and their classes."""
    source = SOURCES.get(dataset.removeprefix("development "))
    X, y = source() if source and dataset.startswith("development ") else load_rows(dataset)
    if count is not None:
        rows = np.random.default_rng(0).permutation(len(y))[:count]
        X, y = X[rows], y[rows]
    return X, np.unique(y, return_inverse=True)[1]
