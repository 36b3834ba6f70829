"""Fit a method on a problem and measure its errors and its time."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from .._utils.types import Ints
from .problems import Problem


def score(estimator: Any, problem: Problem, *, sees_all_labels: bool = False) -> dict[str, Any]:
    """Fit an estimator and return its errors, its seconds and what it chose.

    One that ``sees_all_labels``, those of all training rows, has no error on unlabeled rows.
    """
    train = problem.train
    y = problem.truth[train] if sees_all_labels else problem.target()
    start = time.perf_counter()
    estimator.fit(problem.X[train], y)
    fitted = time.perf_counter()
    unlabeled = None if sees_all_labels else error_on(estimator, problem, problem.unlabeled)
    test = error_on(estimator, problem, problem.test)
    predicted = time.perf_counter()
    return {
        "n_labeled": len(problem.labeled),
        "error_unlabeled": unlabeled,
        "error_test": test,
        "fit_seconds": round(fitted - start, 4),
        "predict_seconds": round(predicted - fitted, 4),
        "params": _chosen(estimator),
        "loo_error": getattr(estimator, "loo_error_", None),
    }


def error_on(estimator: Any, problem: Problem, rows: Ints) -> float | None:
    """Return the share of some rows that a fitted estimator gets wrong, None if there are none."""
    if not len(rows):
        return None
    return float(np.mean(np.asarray(estimator.predict(problem.X[rows])) != problem.truth[rows]))


def _chosen(estimator: Any) -> dict[str, Any]:
    """Return what an estimator chose, as text where JSON has no word for it."""
    chosen = getattr(estimator, "chosen_params_", getattr(estimator, "best_params_", {}))
    values = {k: v.item() if isinstance(v, np.generic) else v for k, v in chosen.items()}
    plain = bool | int | float | str | None
    return {k: v if isinstance(v, plain) else str(v) for k, v in values.items()}
