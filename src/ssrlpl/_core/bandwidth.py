"""The median heuristic for the bandwidth of a kernel."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.metrics.pairwise import manhattan_distances
from sklearn.utils import check_random_state

from .._utils import limits
from .._utils.arrays import take_rows, to_numpy
from .._utils.types import Array, Floats, Ints
from .blocks import dense_product, middle_of, squared_norms

WITH_GAMMA = ("rbf", "laplacian", "polynomial")
"""Kernels that have a parameter γ."""


def median_gamma(
    X: Any, kernel: str | Callable[..., Any] = "rbf", *, weight: Array | None = None, seed: Any = 0
) -> float:
    r"""Return γ by the median heuristic, on a seeded sample of at most 500 rows.

    rbf: :math:`1/(2 \operatorname{median} |x-x'|_2^2)`, that is γ = 1/(2σ²) with σ the median
    distance; laplacian: :math:`1/\operatorname{median} |x-x'|_1`; polynomial:
    :math:`1/\operatorname{median} |x|_2^2`. Zeros are ignored, so that repeated rows have no
    effect; if all rows are equal, γ = 1. Weights count as repetitions up to 500 rows; in larger
    tables the sample is drawn without using them.
    """
    if kernel not in WITH_GAMMA:
        return 1.0
    rows = sample_rows(X.shape[0], weight, seed)
    w = np.ones(len(rows)) if weight is None else weight[rows]
    sample = to_numpy(take_rows(X, rows))
    if kernel == "polynomial":
        return inverse_median(squared_norms(sample), w)
    i, j = np.triu_indices(len(rows), 1)
    distances = manhattan_distances(sample) if kernel == "laplacian" else squared_distances(sample)
    values = distances[i, j] if kernel == "laplacian" else 2 * distances[i, j]
    return inverse_median(values, w[i] * w[j])


def squared_distances(sample: Any) -> Floats:
    """Return squared distances between rows; values within rounding error of zero become zero."""
    rows = sample.astype(np.float64)
    middle = middle_of(rows)
    with np.errstate(over="ignore", invalid="ignore"):  # who needs the squares refuses them
        rows = rows if middle is None else rows - middle
        norms = squared_norms(rows)
        squares = norms[:, None] + norms - 2 * dense_product(rows, rows.T)
    # The difference of two large numbers has a rounding error of some eps times these numbers.
    noise = 64 * np.finfo(np.float64).eps * (norms[:, None] + norms)
    return np.where(squares > noise, squares, 0)


def sample_rows(n_rows: int, weight: Array | None, seed: Any) -> Ints:
    """Return the row numbers that the median heuristic uses, in ascending order."""
    usable = np.arange(n_rows) if weight is None else np.flatnonzero(weight > 0)
    if len(usable) <= limits.MEDIAN_ROWS:
        return usable
    rng = check_random_state(seed)
    return np.sort(rng.choice(usable, limits.MEDIAN_ROWS, replace=False))


def inverse_median(values: Array, weight: Array) -> float:
    """Return one over the lower weighted median of the positive values, 1 if there are none."""
    positive = values > 0
    values, weight = values[positive], weight[positive]
    if not len(values):
        return 1.0
    if weight.min() == weight.max():  # no need to sort
        middle = (len(values) - 1) // 2
        return float(1 / np.partition(values, middle)[middle])
    order = np.argsort(values, kind="stable")
    reach = np.cumsum(weight[order])
    return float(1 / values[order][np.searchsorted(reach, reach[-1] / 2)])
