"""From label errors of held-out rows to bounds on the deviation of a map, in two ways."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.stats import norm

from ._core.concentration import hilbert_radius, mean_lower, sampled_mean_weights
from ._core.sampling import LabelErrors, VectorSample, residual_vectors, whole_vectors

GAP_SHARE = 0.7
"""Part of the error probability spent on the gap; the rest goes to the objective itself."""


class Findings(NamedTuple):
    """Estimates and bounds; ``used_root`` is √f(V†, Y_p), ``root`` is √f† with the true labels."""

    residual: float
    residual_upper: float
    epsilon: float
    epsilon_upper: float
    root: float
    root_lower: float
    used_root: float


def rigorous(sample: LabelErrors, delta: float) -> Findings:
    """Bound in finite samples: the held-out rows are a random sample of the population.

    √f† ≥ ⟨A(Y), D⟩ for the unit matrix D along A(Y_p), which lies in the span of the map; that is
    √f(V†, Y_p) plus a mean of bounded numbers. The residual is the norm of a mean of vectors.
    """
    values, least = sample.along_the_objective()
    population = len(sample.population)
    lower = mean_lower(values, least, population, (1 - GAP_SHARE) * delta)
    used = sample.objective_root
    return Findings(
        *_norm_bound(sample, residual_vectors(sample), GAP_SHARE * delta),
        *_norm_bound(sample, whole_vectors(sample), delta),
        used + sample.scale * float(values.mean()),
        used + sample.scale * lower,
        used,
    )


def _norm_bound(sample: LabelErrors, vectors: VectorSample, delta: float) -> tuple[float, float]:
    """Return an estimate of, and an upper bound on, the norm of the population's part of ε."""
    population = len(sample.population)
    weights = sampled_mean_weights(len(sample.rows), population)[:-1]
    radius = hilbert_radius(vectors.norms, vectors.largest_norm, population, delta, vectors.guess)
    upper = min(vectors.norm_of_mean(weights) + radius, vectors.largest_norm)
    estimate = np.sqrt(max(vectors.unbiased_square(), 0.0))
    return sample.scale * float(estimate), sample.scale * upper


def cross_fitted(samples: list[LabelErrors], delta: float) -> Findings:
    """Average over folds and take the averages as normal: sharp, but not a theorem."""
    used = float(np.mean([sample.objective_root for sample in samples]))
    shifts, variances = zip(*(_root_shift(sample) for sample in samples), strict=True)
    root = used + float(np.mean(shifts))
    spread = float(np.sqrt(np.sum(variances))) / len(samples)
    quantile = float(norm.ppf(1 - (1 - GAP_SHARE) * delta))
    return Findings(
        *_average_norm([(s.scale, residual_vectors(s)) for s in samples], GAP_SHARE * delta),
        *_average_norm([(s.scale, whole_vectors(s)) for s in samples], delta),
        root,
        root - quantile * spread,
        used,
    )


def _root_shift(sample: LabelErrors) -> tuple[float, float]:
    """Return what label errors add to √f in one fold, and the variance of that estimate.

    One error as bad as can be is added to the variance: it may come though none was seen.
    """
    values, least = sample.along_the_objective()
    variance = (np.var(values) + least**2 / len(values)) / len(values)
    return sample.scale * float(values.mean()), sample.scale**2 * float(variance)


def _average_norm(folds: list[tuple[float, VectorSample]], delta: float) -> tuple[float, float]:
    squares = np.array([scale**2 * vectors.unbiased_square() for scale, vectors in folds])
    errors = np.array([scale**2 * vectors.standard_error_of_square() for scale, vectors in folds])
    square = max(float(squares.mean()), 0.0)
    error = float(np.sqrt(np.sum(errors**2))) / len(folds)
    return float(np.sqrt(square)), float(np.sqrt(square + norm.ppf(1 - delta) * error))
