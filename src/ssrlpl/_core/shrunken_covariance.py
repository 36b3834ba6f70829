r"""Linear discriminant analysis of few rows with a shrunken covariance, and rows left out of it.

With the class means :math:`\mu_c`, the covariance within classes S and d columns, the score of
class c is, but for what all classes share, the logarithm of its probability:

.. math::

    -\tfrac12 (x - \mu_c)^\top A^{-1} (x - \mu_c) + \log n_c,
    \qquad A = (1 - s) S + \Bigl(s \, \tfrac{\mathrm{tr}\,S}{d} + \tfrac{\epsilon}{d}\Bigr) I

Without row i the mean of its class moves along :math:`r_i = x_i - \mu_{y_i}`, S loses a multiple of
:math:`r_i r_i^\top`, and the multiple of I changes. In the eigenvectors of S the first is exact in
closed form by Sherman and Morrison, and the last costs nothing. So one decomposition serves all
rows and all s.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from scipy import linalg

from .._utils.types import Floats, Ints
from .span import UNSEEN, in_span

_FLOOR = 1e-6
"""ε: variance in all columns together that is always added, so that no direction has none. Rows
have mean squared length one."""


def discriminant(rows: Any, codes: Ints, n_classes: int, shrinkage: float) -> tuple[Floats, Floats]:
    """Return coefficients (d×C) and intercepts: scores are rows @ coefficients + intercepts."""
    Z, back, point = in_span(rows)
    counts = np.bincount(codes, minlength=n_classes)
    means, residuals = _class_means(Z, codes, counts)
    A = (1 - shrinkage) / len(Z) * (residuals.T @ residuals)
    A[np.diag_indices_from(A)] += _ridge(np.sum(residuals**2) / len(Z), shrinkage, rows.shape[1])
    found = linalg.solve(A, means.T, assume_a="pos")
    coef = np.asarray(back @ found)
    intercept = _log_counts(counts) - np.sum(means.T * found, axis=0) / 2
    return coef, intercept - (0 if point is None else point @ coef)


def discriminant_without(
    rows: Any, codes: Ints, n_classes: int, shrinkages: Sequence[float], *, keep_counts: bool
) -> Iterator[Floats]:
    """Yield, for each shrinkage, the scores of each row by :func:`discriminant` of the others.

    With ``keep_counts`` the count of its class stays as it is;
    :func:`ssrlpl._core.least_squares.left_out_with_class_totals` says why.
    """
    Z, _, _ = in_span(rows)
    n, d, every = len(Z), rows.shape[1], np.arange(len(Z))
    counts = np.bincount(codes, minlength=n_classes)
    means, residuals = _class_means(Z, codes, counts)
    variances, axes = np.linalg.eigh(residuals.T @ residuals / n)
    variances = np.maximum(variances, 0)
    Z, means, residuals = Z @ axes, means @ axes, residuals @ axes

    own = counts[codes].astype(np.float64)
    # A class of one label has no residual, and no mean without it.
    others = np.maximum(own - 1, 1)
    more = n / max(n - 1, 1)
    loss = own / others / max(n - 1, 1)  # S becomes more · S - loss · r rᵀ
    trace = np.maximum(more * variances.sum() - loss * np.sum(residuals**2, axis=1), 0)
    log_counts = np.tile(_log_counts(counts), (n, 1))
    if not keep_counts:
        log_counts[every, codes] = np.log(others)
    for s in shrinkages:
        # A = (1 - s) · more · (S + ridge) - (1 - s) · loss · r rᵀ, each row with its own ridge.
        scale = (1 - s) * more
        inverse = 1 / (variances + (_ridge(trace, s, d) / scale)[:, None])
        turned = inverse * residuals
        weighted = inverse * Z
        squared = np.sum(weighted * Z, axis=1)[:, None] - 2 * weighted @ means.T
        squared += inverse @ (means**2).T
        along = np.sum(turned * Z, axis=1)[:, None] - turned @ means.T
        # The distance from the mean of its own class, which moved away by r/(count - 1).
        leverage = np.sum(turned * residuals, axis=1)
        squared[every, codes] = (own / others) ** 2 * leverage
        along[every, codes] = own / others * leverage
        share = (loss / more)[:, None]
        squared += share * along**2 / (1 - share * leverage[:, None])
        scores = log_counts - squared / scale / 2
        single = own == 1
        scores[single, codes[single]] = scores[single].min(axis=1) + UNSEEN
        yield scores


def _class_means(Z: Floats, codes: Ints, counts: Ints) -> tuple[Floats, Floats]:
    """Return the mean of each class, and the rows minus the mean of their class."""
    means = np.zeros((len(counts), Z.shape[1]))
    np.add.at(means, codes, Z)
    means /= np.maximum(counts, 1)[:, None]
    return means, Z - means[codes]


def _ridge(trace: Any, shrinkage: float, n_columns: int) -> Any:
    return (shrinkage * trace + _FLOOR) / n_columns


def _log_counts(counts: Ints) -> Floats:
    """Return the logarithms of counts; a class without a label is far below the others."""
    found = np.log(np.maximum(counts, 1))
    return np.where(counts > 0, found, found.min() + UNSEEN)
