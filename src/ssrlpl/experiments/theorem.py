"""The bound of Theorem 3 on a problem whose truth is known, beside what it bounds."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from sklearn.base import clone

from .._core.products import gram_product
from .._utils.types import Array, Ints
from ..guarantee.bounds import first_order_bound, lemma_objective, theorem_bound
from ..guarantee.certifying import wta_error
from ..labels import UNLABELED
from ..maps.kernel import KernelSSRLPL
from .ours import Fixed, build_kernel
from .problems import Hints, Problem, load_rows


def winner_take_all_map(hints: Hints) -> Fixed:
    """Return the map Theorem 3 is about: one-hot labels, as many components as they determine.

    The RBF kernel puts every row on the unit sphere, as the theorem asks.
    """
    k = 5 if hints.k is None else hints.k
    return Fixed(build_kernel, {"p": None, "k": min(k, hints.n_labeled), "wta": True})


def deviation_and_bounds(fitted: Fixed, problem: Problem) -> dict[str, float]:
    """Return the true deviation √f* - √f†, the bounds on it and what goes into them.

    ``error`` is the true error of the labels given to unlabeled rows, ``error_loo`` its estimate
    by leaving labeled rows out: the first is known only here, the second to every user.
    """
    map_ = fitted.estimator_.representation_
    X, truth = problem.X[problem.train], problem.truth[problem.train]
    best = clone(map_).fit(X, truth).objective_
    wrong = np.asarray(map_.transduction_) != truth
    error = float(wrong.sum() / len(problem.unlabeled))
    found = wta_error(map_.labeler, X, problem.target(), method="loo", unlabeled=UNLABELED)
    guessed = found.estimate
    root, root_found = np.sqrt(best), np.sqrt(objective_of(map_.transform(X), truth))
    n, u = len(truth), len(problem.unlabeled)
    return {
        "error": error,
        "error_loo": guessed,
        "root_best": float(root),
        "deviation": float(root - root_found),
        "retained": float((root_found / root) ** 2),
        "first_order": first_order_bound(_epsilon(map_, X, truth)),
        "theorem_3": float(theorem_bound(n, u, error)),
        "theorem_3_loo": float(theorem_bound(n, u, guessed)),
    }


@lru_cache(maxsize=32)
def best_objective(dataset: str) -> float:
    """Return f*: the objective of the kernel map that knows all labels of a data set."""
    return float(KernelSSRLPL().fit(*load_rows(dataset)).objective_)


def objective_of(Z: Array, truth: Ints) -> float:
    """Return f_X(V, Y) of a map with orthonormal V, from the representation Z = XV of all rows.

    With Z in place of X nothing is left to project: V is the identity.
    """
    T = np.eye(truth.max() + 1)[truth]
    return lemma_objective(np.eye(Z.shape[1]), Z.astype(np.float64), T)


def _epsilon(map_: Any, X: Any, truth: Ints) -> float:
    """Return ‖A(Y) - A(Y_p)‖, the label error as the feature space sees it."""
    E = np.eye(truth.max() + 1)[truth]
    E[:, map_.classes_] -= map_.label_distributions_
    E -= E.mean(axis=0)
    image = gram_product(map_.kernel_on(X), X, E)
    return float(np.sqrt(max(np.sum(E * image), 0.0)) / (len(E) - 1))
