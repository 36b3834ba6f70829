"""Bounds on the deviation of a map from label errors of held-out rows, by two methods."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.stats import norm

from .._utils.types import Floats
from .bounds import retained_from_second_order
from .concentration import mean_lower
from .label_errors import LabelErrors, VectorSample, residual_vectors, whole_vectors
from .norm_bounds import norm_upper, ratio_upper, spread_of

GAP_SHARE = 0.7
"""Share of δ used for the bound on the gap; the rest is used for the bound on the objective."""


class Findings(NamedTuple):
    """Estimates and bounds; ``used_root`` is √f(V†, Y_p), ``root`` is √f† with the true labels.

    ``retained_lower`` bounds f†/f* by the second-order identity.
    """

    residual: float
    residual_upper: float
    epsilon: float
    epsilon_upper: float
    root: float
    root_lower: float
    used_root: float
    retained_lower: float


def rigorous(sample: LabelErrors, delta: float, control: LabelErrors | None = None) -> Findings:
    """Return finite-sample bounds for held-out rows that are a random sample of the population.

    √f† ≥ ⟨A(Y), D⟩, where D is A(Q) inside the span of the map, scaled to norm one; the right side
    is √f(V†, Q) plus a mean of bounded numbers. The residual is the norm of a mean of vectors. The
    ratio of the two is bounded directly, see :mod:`ssrlpl.guarantee.norm_bounds`; the separate
    bounds on the two hold simultaneously. ``control`` is the same sample, measured from a control
    variate Q; without it Q = Y_p.
    """
    better = sample if control is None else control
    values = better.along_the_objective()
    least = float(better.along_for_any_label().min())
    lower = mean_lower(values, least, len(sample.population), (1 - GAP_SHARE) * delta)
    known, rehearsal = better.objective_root, better.rehearsal()
    return Findings(
        *_norm_bound(better, rehearsal, residual_vectors, GAP_SHARE * delta),
        *_norm_bound(sample, sample.rehearsal(), whole_vectors, delta),
        known + sample.scale * float(values.mean()),
        known + sample.scale * lower,
        sample.objective_root,
        retained_at_least(better, delta),
    )


def retained_at_least(sample: LabelErrors, delta: float) -> float:
    """Return the lower bound on f†/f* by the second-order identity."""
    if loses_nothing(sample):
        return 1.0
    return float(1 / (1 + _ratio_bound(sample, sample.rehearsal(), delta) ** 2))


def loses_nothing(sample: LabelErrors) -> bool:
    """Tell whether the map keeps all of every row, as a map with p = d does: then f† = f*."""
    geometry = sample.geometry
    return bool(geometry.residual_squared.max() <= 1e-10 * geometry.squared.max())


def _norm_bound(
    sample: LabelErrors,
    rehearsal: LabelErrors,
    vectors_of: Callable[[LabelErrors], VectorSample],
    delta: float,
) -> tuple[float, float]:
    """Return an estimate of, and an upper bound on, the norm of ε or of its residual part."""
    population, vectors = len(sample.population), vectors_of(sample)
    seen, rehearsed = (
        spread_of(found, np.zeros(len(found.gram)), population)
        for found in (vectors, vectors_of(rehearsal))
    )
    upper = norm_upper(seen, rehearsed, vectors.norms, delta, np.sqrt(vectors.square))
    estimate = np.sqrt(max(vectors.unbiased_square(), 0.0))
    return sample.scale * float(estimate), sample.scale * upper


def _ratio_bound(sample: LabelErrors, rehearsal: LabelErrors, delta: float) -> float:
    """Return an upper bound on ‖(I-P†)ε‖/√f†."""
    norms, along = sample.residual_norm_for_any_label(), sample.along_for_any_label()

    def reach(rho: float) -> Floats:
        return np.max(norms - rho * along, axis=1)

    seen, rehearsed = (
        spread_of(residual_vectors(s), s.along_the_objective(), len(s.population))
        for s in (sample, rehearsal)
    )
    return ratio_upper(seen, rehearsed, reach, sample.objective_root / sample.scale, delta)


def cross_fitted(samples: list[LabelErrors], delta: float) -> Findings:
    """Return bounds from averages over folds, assumed normal: sharp, but without a proof."""
    used = float(np.mean([sample.objective_root for sample in samples]))
    shifts, variances = zip(*(_root_shift(sample) for sample in samples), strict=True)
    root = used + float(np.mean(shifts))
    spread = float(np.sqrt(np.sum(variances))) / len(samples)
    quantile = float(norm.ppf(1 - (1 - GAP_SHARE) * delta))
    residual = _average_norm([(s.scale, residual_vectors(s)) for s in samples], GAP_SHARE * delta)
    root_lower = root - quantile * spread
    return Findings(
        *residual,
        *_average_norm([(s.scale, whole_vectors(s)) for s in samples], delta),
        root,
        root_lower,
        used,
        1.0
        if all(map(loses_nothing, samples))
        else retained_from_second_order(root_lower, residual[1]),
    )


def _root_shift(sample: LabelErrors) -> tuple[float, float]:
    """Return the change of √f by label errors in one fold, and the variance of that estimate.

    The variance includes one worst-case error, so that it is never zero.
    """
    values = sample.along_the_objective()
    least = float(sample.along_for_any_label().min())
    variance = (np.var(values) + least**2 / len(values)) / len(values)
    return sample.scale * float(values.mean()), sample.scale**2 * float(variance)


def _average_norm(folds: list[tuple[float, VectorSample]], delta: float) -> tuple[float, float]:
    squares = np.array([scale**2 * vectors.unbiased_square() for scale, vectors in folds])
    errors = np.array([scale**2 * vectors.standard_error_of_square() for scale, vectors in folds])
    square = max(float(squares.mean()), 0.0)
    error = float(np.sqrt(np.sum(errors**2))) / len(folds)
    return float(np.sqrt(square)), float(np.sqrt(square + norm.ppf(1 - delta) * error))
