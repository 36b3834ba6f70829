"""The bound of Theorem 3 on a problem whose truth is known, beside what it bounds."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from .._core.products import gram_product
from ..guarantee.bounds import first_order_bound, theorem_bound
from ..guarantee.certifying import wta_error
from ..labels import UNLABELED
from .hints import Hints
from .ours import Fixed, build_kernel
from .problems import Problem


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
    T = np.eye(problem.n_classes)[truth]
    best = clone(map_).fit(X, truth).objective_
    wrong = np.asarray(map_.transduction_) != truth
    error = float(wrong.sum() / len(problem.unlabeled))
    guessed = wta_error(
        map_.labeler, X, problem.target(), method="loo", unlabeled=UNLABELED
    ).estimate
    root, root_found = np.sqrt(best), np.sqrt(_objective(map_.transform(X), T))
    n, u = len(truth), len(problem.unlabeled)
    return {
        "error": error,
        "error_loo": guessed,
        "root_best": float(root),
        "deviation": float(root - root_found),
        "retained": float((root_found / root) ** 2),
        "first_order": first_order_bound(_epsilon(map_, X, T)),
        "theorem_3": float(theorem_bound(n, u, error)),
        "theorem_3_loo": float(theorem_bound(n, u, guessed)),
    }


def _objective(Z: NDArray[Any], T: NDArray[Any]) -> float:
    """Return f_X(V, T) of a map with orthonormal V from the representation of all rows."""
    centered = Z.astype(np.float64) - Z.mean(axis=0, dtype=np.float64)
    return float(np.sum((centered.T @ T) ** 2) / (len(Z) - 1) ** 2)


def _epsilon(map_: Any, X: Any, T: NDArray[Any]) -> float:
    """Return ‖A(Y) - A(Y_p)‖, the label error as the feature space sees it."""
    used = np.zeros_like(T)
    used[:, map_.classes_] = map_.label_distributions_
    E = T - used
    E -= E.mean(axis=0)
    return float(
        np.sqrt(max(np.sum(E * gram_product(map_.kernel_on(X), X, E)), 0.0)) / (len(T) - 1)
    )
