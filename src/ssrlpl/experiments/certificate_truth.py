"""Certificates and verdicts beside the truth, which only an experiment knows.

With ``audit_truth.py`` the only module of the experiments that uses the inner parts of
:mod:`ssrlpl.guarantee`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.neighbors import KNeighborsClassifier

from .._core.geometry import MapGeometry
from .._core.loo_maps import Products
from .._utils import limits
from .._utils.types import Ints
from ..guarantee.bounds import retained_from_first_order, retained_from_second_order, theorem_bound
from ..guarantee.findings import cross_fitted, retained_at_least, rigorous
from ..guarantee.held_out import (
    control_labels,
    cross_fitted_errors,
    draw_split,
    held_out_errors,
    planned_audits,
)
from ..guarantee.label_errors import LabelErrors
from ..guarantee.verdicts import verdict
from ..labelers.graph import GraphLabeler
from ..labels import UNLABELED, PartialLabels, encode_labels
from ..maps.kernel import KernelSSRLPL
from ..maps.linear import SSRLPL
from ..model_selection.search import SSRLPLCV
from .drawn_problems import labels_of
from .problems import Problem
from .searching import gain_and_verdict
from .theorem import best_objective

DELTA = 0.05
LEVELS = (0.8, 0.9, 0.95)
LABELERS: dict[str, Any] = {"5 nearest": None, "graph": GraphLabeler(10, alpha=0.9, sharpness=4)}
MAPS: dict[str, Any] = {
    **{name: KernelSSRLPL(labeler=labeler) for name, labeler in LABELERS.items()},
    "graph-40": KernelSSRLPL(40, labeler=LABELERS["graph"]),
    "linear": SSRLPL(),
    "kernel": KernelSSRLPL(),
}
"""Maps of C-1 components, and one with further components by variance; methods of the studies."""


def measure_sharpness(problem: Problem, cell: Any) -> dict[str, float] | str:
    """Return what each bound says of the map that a cell names, see :func:`sharpness`."""
    X, truth, best = problem.X, problem.truth, best_objective(cell.dataset)
    found = sharpness(MAPS[cell.method], X, truth, best, len(problem.labeled), cell.seed)
    return found or "A class has no labeled row."


def measure_breaks(problem: Problem, cell: Any) -> dict[str, bool]:
    """Tell which certificates of one draw of labels claim more than the truth."""
    X = np.asarray(problem.X, dtype=np.float64)
    drawn = (MAPS[cell.method], X, problem.truth, len(problem.labeled), cell.seed)
    found, n_teaching = calibrated(*drawn), len(problem.labeled) // 3
    at_levels = {
        f"calibration {level:.0%}": found is not None and found.breaks(level) for level in LEVELS
    }
    looks = {"every look 80%": ever_breaks(*drawn[:3], n_teaching, cell.seed, 0.8)}
    return at_levels | looks | {"loo 95%": loo_breaks(*drawn)}


def measure_verdict(problem: Problem, cell: Any) -> dict[str, Any] | str:
    """Return the verdict on the unlabeled rows beside the truth, see :func:`judge`."""
    if len(np.unique(problem.truth[problem.labeled])) < 2:
        return "All labeled rows are of one class."
    return judge(MAPS[cell.method], problem.X, problem.truth, problem.labeled)


def sharpness(
    estimator: Any, X: Any, truth: Ints, best: float, n_labeled: int, seed: int
) -> dict[str, float] | None:
    """Return what each bound says for one draw of labels, or None if a class has no label.

    That is the retained objective of the map, and what Theorem 3, the first-order bound, the
    calibration and the cross-fitted certificate say of it. The truth uses all labels, and nothing
    is chosen by it.
    """
    rng = np.random.RandomState(seed)
    target = _labeled(truth, rng.permutation(len(truth))[:n_labeled])
    if target is None:
        return None
    products = estimator.products(X, None)
    _, calibration = draw_split(target, rng)
    _, sample = held_out_errors(estimator, X, target, calibration, products)
    found = rigorous(sample, DELTA)
    control = _controlled(sample, estimator, X, target.hiding(calibration), products)
    wrong = float(np.mean(sample.used[calibration].argmax(axis=1) != truth[calibration]))
    crossed = cross_fitted(cross_fitted_errors(estimator, X, target, products), DELTA)
    geometry = products.geometry(estimator.refit(X, target)[2])
    theorem = theorem_bound(len(X), len(sample.population), wrong)
    T = np.eye(truth.max() + 1)[truth]
    return {
        "theorem_3": max(1 - theorem / np.sqrt(best), 0.0) ** 2,
        "first_order": retained_from_first_order(found.used_root, found.epsilon_upper),
        "calibration": found.retained_lower,
        "control variate": rigorous(sample, DELTA, control).retained_lower,
        "truth_of_that_map": sample.geometry.objective(T) / best,
        "loo": crossed.retained_lower,
        "truth": geometry.objective(T) / best,
        "loo_estimate": retained_from_second_order(crossed.root, crossed.residual),
    }


def retained_old_and_new(X: Any, y: Ints, audit: Ints) -> dict[str, float]:
    """Return what is certified of the kernel map, without and with a control variate."""
    map_, target = MAPS["kernel"], encode_labels(y)
    products = map_.products(X, None)
    _, sample = held_out_errors(map_, X, target, audit, products)
    control = _controlled(sample, map_, X, target.hiding(audit), products)
    return {
        "retained, old": retained_at_least(sample, DELTA),
        "retained, new": retained_at_least(control, DELTA),
    }


class Calibrated(NamedTuple):
    """One draw of labels: the held-out sample, its control variate, and what the map retains."""

    sample: LabelErrors
    control: LabelErrors
    retained: float

    def breaks(self, level: float) -> bool:
        """Tell whether the certificate at a level claims more than the truth."""
        # By more than rounding: a map may retain exactly what is certified.
        return retained_at_least(self.control, 1 - level) > self.retained + 1e-9

    def first(self, count: int, planned: int) -> Calibrated:
        """Return what is known after the first held-out rows, for bounds at every look."""
        rows, errors = self.control.rows[:count], self.control.errors[:count]
        return self._replace(
            control=replace(self.control, rows=rows, errors=errors, planned=planned)
        )


def calibrated(
    estimator: Any, X: Any, truth: Ints, n_labeled: int, seed: int, audit: Any = None
) -> Calibrated | None:
    """Return a draw of labels and what is measured, None if no certificate would be issued."""
    order = np.random.default_rng(seed).permutation(len(truth))
    target = _labeled(truth, order[:n_labeled])
    if target is None:
        return None
    audit = None if audit is None else order[audit:n_labeled]
    fit_rows, calibration = draw_split(target, np.random.RandomState(seed), audit)
    if len(np.unique(truth[fit_rows])) < 2:
        return None
    products = estimator.products(X, None)
    _, sample = held_out_errors(estimator, X, target, calibration, products)
    control = _controlled(sample, estimator, X, target.hiding(calibration), products)
    return Calibrated(sample, control, _retained(estimator, X, truth, sample.geometry))


def _controlled(
    sample: LabelErrors, estimator: Any, X: Any, taught: PartialLabels, products: Products
) -> LabelErrors:
    """Return the sample measured from the control variate that ``certify`` uses."""
    Q = control_labels(None, estimator, X, taught)
    return sample if Q is None else sample.measured_from(Q, products)


def calibration_breaks(estimator: Any, X: Any, truth: Ints, n_labeled: int, seed: int) -> bool:
    """Tell whether one calibration certificate claims more than the truth."""
    draw = calibrated(estimator, X, truth, n_labeled, seed)
    return draw is not None and draw.breaks(1 - DELTA)


def ever_breaks(
    estimator: Any, X: Any, truth: Ints, n_teaching: int, seed: int, level: float
) -> bool:
    """Tell whether a certificate is ever too high, looked at after every ten held-out rows."""
    count = 2 * n_teaching
    draw = calibrated(estimator, X, truth, n_teaching + count, seed, audit=n_teaching)
    if draw is None:
        return False
    planned = planned_audits(n_teaching)
    return any(draw.first(m, planned).breaks(level) for m in range(10, count + 1, 10))


def loo_breaks(
    estimator: Any, X: Any, truth: Ints, n_labeled: int, seed: int, level: float = 1 - DELTA
) -> bool:
    """Tell whether one cross-fitted certificate claims more than the truth."""
    target = _labeled(truth, np.random.default_rng(seed).permutation(len(truth))[:n_labeled])
    products = estimator.products(X, None)
    samples = [] if target is None else cross_fitted_errors(estimator, X, target, products)
    if target is None or not samples:
        return False
    geometry = products.geometry(estimator.refit(X, target)[2])
    found = cross_fitted(samples, 1 - level)
    return found.retained_lower > _retained(estimator, X, truth, geometry) + 1e-9


def _labeled(truth: Ints, rows: Ints) -> PartialLabels | None:
    """Return the target with some rows labeled, or None if a class has no label."""
    if len(np.unique(truth[rows])) < len(np.unique(truth)):
        return None
    return encode_labels(labels_of(rows, truth))


def _retained(estimator: Any, X: Any, truth: Ints, geometry: MapGeometry) -> float:
    codes = np.unique(truth, return_inverse=True)[1]
    best = type(estimator)().fit(X, codes).objective_
    return float(geometry.objective(np.eye(codes.max() + 1)[codes]) / best)


def judge(estimator: Any, X: Any, truth: Ints, rows: Ints) -> dict[str, Any]:
    """Return the true gain of the unlabeled rows and the verdict.

    The true gain is the change in the error of 1-NN on the unlabeled rows, after the map with and
    without the unlabeled rows. The verdict sees no label of an unlabeled row.
    """
    y = labels_of(rows, truth)
    hidden = y == UNLABELED
    # A search of a larger table would look at a part of it.
    third = SSRLPLCV().fit(X, y) if len(y) <= limits.SEARCH_ROWS else None
    comparison = verdict(estimator, X, y, third_opinion=third)
    errors = []
    for map_ in (clone(estimator).fit(X[rows], truth[rows]), clone(estimator).fit(X, y)):
        nearest = KNeighborsClassifier(1).fit(map_.transform(X[rows]), truth[rows])
        errors.append(float(np.mean(nearest.predict(map_.transform(X[hidden])) != truth[hidden])))
    return gain_and_verdict(errors[0] - errors[1], comparison)
