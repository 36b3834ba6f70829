"""Bandwidth and ridge of the map that is fitted to label vectors, chosen by held-out rows.

The reading of the map predicts label vectors by ridge regression. How well it does for rows that it
has not seen can be measured without a single given label: every row has a label vector. So the
rows are halved, each half predicts the other, and of the settings that are nearly the best the
smoothest is taken. Much smoothing hardly changes the vectors that a good labeler gives and removes
the noise of a bad one.
"""

from __future__ import annotations

from contextlib import closing
from typing import Any, NamedTuple

import numpy as np

from ..._core.blocks import middle_of
from ..._core.kernels import Kernel
from ..._core.whitening import centered_gram, gram_solver, ridge_of_share
from ..._utils import limits
from ..._utils.types import Floats
from ..._utils.workers import blas_threads, in_order

BANDWIDTHS = (0.25, 1.0, 4.0, 8.0)
"""Factors on the median γ, each a power of two times the one before: squares of a kernel matrix
are cheaper than other powers."""

RHOS = (1e-4, 1e-3, 1e-2)

_NEARLY = 1.05
"""Factor on the smallest held-out error; on the development tables 1.0 to 1.2 differed by 0.1."""

_FEWEST_ROWS = 20
"""Fewer rows cannot be halved in a useful way."""


class MapSettings(NamedTuple):
    """Settings of the map: the factor on γ, ρ, and the lowest held-out error of all settings.

    The error is infinite if there are too few rows to measure it.
    """

    bandwidth: float
    rho: float
    lowest_error: float


def map_settings(X: Any, labels: Floats, gamma: float, seed: Any) -> MapSettings:
    """Return the settings of the smoothest map that predicts held-out label vectors well.

    Parameters
    ----------
    X : ndarray or sparse matrix
        Checked rows.
    labels : ndarray of shape (n_rows, n_classes)
        Their label vectors.
    gamma : float
        γ that the factors multiply.
    seed : int or RandomState
        Draws the halves, of at most ``limits.MAP_CHOICE_ROWS`` rows together.
    """
    if X.shape[0] < _FEWEST_ROWS:
        return MapSettings(BANDWIDTHS[-2], RHOS[0], np.inf)
    rows = np.random.RandomState(seed).permutation(X.shape[0])[: limits.MAP_CHOICE_ROWS]
    some, wanted = X[rows], labels[rows]
    kernel = Kernel("rbf", BANDWIDTHS[0] * gamma, shift=middle_of(some))
    K = kernel.square(some).astype(np.float64)
    half = len(rows) // 2
    halves = slice(0, half), slice(half, None)
    tries = [(rho, *parts) for rho in RHOS for parts in (halves, halves[::-1])]
    errors: dict[tuple[float, float], float] = {}
    for before, bandwidth in zip((BANDWIDTHS[0], *BANDWIDTHS), BANDWIDTHS, strict=False):
        for _ in range(round(np.log2(bandwidth / before))):
            np.multiply(K, K, out=K)
        # In threads of their own: those of BLAS gain nothing in systems as small as these.
        with closing(
            in_order(lambda one: held_out_error(K, wanted, *one), tries, workers=blas_threads())
        ) as found:
            for (rho, *_), error in zip(tries, found, strict=True):
                errors[bandwidth, rho] = errors.get((bandwidth, rho), 0.0) + error
    least = min(errors.values())
    close = [setting for setting, error in errors.items() if error <= _NEARLY * least]
    bandwidth, rho = max(close, key=lambda setting: (setting[1], -setting[0]))
    return MapSettings(bandwidth, rho, least)


def held_out_error(K: Floats, labels: Floats, rho: float, known: slice, held: slice) -> float:
    """Return the squared error at the held rows of the whitened map of the known rows.

    That is ridge regression: coefficients (HKH + ρ tr(HKH) I)⁻¹HY, and a constant.
    """
    inner, mean = K[known, known], labels[known].mean(axis=0)
    centered = centered_gram(inner.copy(), None)
    ridge = ridge_of_share(rho, np.trace(centered))
    dual = gram_solver(centered, ridge)(labels[known] - mean)
    dual -= dual.mean(axis=0)
    predicted = K[held, known] @ dual + (mean - inner.mean(axis=0) @ dual)
    return float(np.sum((predicted - labels[held]) ** 2))
