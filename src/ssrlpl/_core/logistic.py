r"""Multinomial logistic regression of few rows, and its scores at rows left out.

.. math::

    \min_{\Theta, b} \; \sum_i w_i \, \ell_i(z_i^\top \Theta + b) + \tfrac{\lambda}{2} |\Theta|^2,
    \qquad \ell_i(f) = \log \textstyle\sum_c e^{f_c} - f_{y_i}

The fit without row i is approximated by one Newton step from the fit with it. With the gradient
:math:`g_i = p_i - e_{y_i}`, the curvature :math:`W_i = \mathrm{diag}(p_i) - p_i p_i^\top` and
:math:`S_i = (z_i \otimes I)^\top H^{-1} (z_i \otimes I)` for the Hessian H of the whole problem,
the scores become

.. math:: f_i + w_i S_i (I - w_i W_i S_i)^{-1} g_i

(approximate leave-one-out, Rad and Maleki 2020). H has as many rows as there are coefficients; if
these are too many, ten folds are fitted again instead.
"""

from __future__ import annotations

from itertools import combinations_with_replacement
from typing import Any, NamedTuple

import numpy as np
from scipy.special import softmax

from .._utils import limits
from .._utils.quiet_learners import quiet_learners
from .._utils.types import Floats, Ints
from .._utils.workers import one_blas_thread
from .blocks import block_rows, row_slices
from .cholesky import positive_inverse
from .folds import class_folds
from .least_squares import others_share
from .span import UNSEEN, in_span

_FOLDS = 10
_MOST_STEPS = 200
"""More steps only change the last decimals of probabilities that few rows determine."""
_BLOCK_BYTES = 1 << 27
"""Of the classes × classes matrices of the rows that are left out at a time."""


class Logistic(NamedTuple):
    """A fit: scores are rows @ ``coef`` + ``intercept``."""

    coef: Floats
    intercept: Floats


def logistic(
    rows: Any, codes: Ints, n_classes: int, C: float, weight: Floats | None = None
) -> Logistic:
    """Fit rows of known classes; C is the inverse of the penalty λ, as in scikit-learn."""
    Z, back, point = in_span(rows)
    theta, b = _fit(Z, codes, n_classes, C, weight)
    coef = np.asarray(back @ theta)
    return Logistic(coef, b - (0 if point is None else point @ coef))


def logistic_without(
    rows: Any, codes: Ints, n_classes: int, C: float, weight: Floats | None = None
) -> Floats:
    """Return the scores of each row by a fit to the others, nearly; see :func:`logistic`."""
    Z, _, _ = in_span(rows)
    if (Z.shape[1] + 1) * n_classes <= limits.LOGISTIC_COEFFICIENTS:
        # For two classes scikit-learn has one vector w of coefficients. Here they have -w/2 and
        # w/2, whose penalty is half as large.
        penalty = (2.0 if n_classes == 2 else 1.0) / C
        every = np.vstack(_fit(Z, codes, n_classes, C, weight))
        weight = np.ones(len(codes)) if weight is None else weight
        return _newton_step(np.column_stack([Z, np.ones(len(Z))]), every, codes, penalty, weight)
    scores = np.empty((len(codes), n_classes))
    for part in class_folds(codes, _FOLDS):
        rest = np.setdiff1d(np.arange(len(codes)), part)
        some = None if weight is None else weight[rest]
        theta, b = _fit(Z[rest], codes[rest], n_classes, C, some)
        scores[part] = Z[part] @ theta + b
    return scores


def without_keeping_classes(
    rows: Any, codes: Ints, n_classes: int, C: float, weight: Floats | None = None
) -> Floats:
    """Return :func:`logistic_without` if the other rows of a class take the weight of the hidden.

    :func:`ssrlpl._core.least_squares.left_out_with_class_totals` says why. It takes a Hessian for
    each class, so it is done only if all of them cost no more than the largest one that is allowed.
    """
    size = (min(rows.shape) + 1) * n_classes
    if n_classes * size**3 > limits.LOGISTIC_COEFFICIENTS**3:
        return logistic_without(rows, codes, n_classes, C, weight)
    weight = np.ones(len(codes)) if weight is None else weight
    scores = np.empty((len(codes), n_classes))
    for code in np.unique(codes):
        own = codes == code
        heavier = weight * others_share(own)
        scores[own] = logistic_without(rows, codes, n_classes, C, heavier)[own]
    return scores


def _fit(
    Z: Floats, codes: Ints, n_classes: int, C: float, weight: Floats | None
) -> tuple[Floats, Floats]:
    # Imported here because linear_model alone would double the import time of this package.
    from sklearn.linear_model import LogisticRegression

    seen = np.unique(codes)
    fit = LogisticRegression(C=C, max_iter=_MOST_STEPS)
    theta, b = np.zeros((Z.shape[1], n_classes)), np.zeros(n_classes)
    if len(seen) > 1:
        # Steps are small and alternate between the BLAS of NumPy and that of SciPy. Threads of both
        # would wait for each other: ten times as long on two cores.
        with quiet_learners, one_blas_thread():
            found = fit.fit(Z, codes, np.ones(len(codes)) if weight is None else weight)
        one = len(seen) == 2
        coef = np.vstack([-found.coef_, found.coef_]) / 2 if one else found.coef_
        theta[:, seen] = coef.T
        b[seen] = np.array([-0.5, 0.5]) * found.intercept_ if one else found.intercept_
    b[np.setdiff1d(np.arange(n_classes), seen)] = b.min() + UNSEEN
    return theta, b


def _newton_step(Z: Floats, theta: Floats, codes: Ints, penalty: float, weight: Floats) -> Floats:
    """Return the approximate leave-one-out scores; the last column of Z is the intercept."""
    (n, r), q = Z.shape, theta.shape[1]
    scores = Z @ theta
    chances = softmax(scores, axis=1)
    gradient = chances - np.eye(q)[codes]
    blocks = np.empty((q, r, q, r))
    for a, b in combinations_with_replacement(range(q), 2):
        curvature = chances[:, a] * (a == b) - chances[:, a] * chances[:, b]
        blocks[a, :, b] = blocks[b, :, a] = (Z.T * (weight * curvature)) @ Z
    H = blocks.reshape(q * r, q * r)
    ridge = np.full(r, penalty)
    # The intercept is free; equal intercepts of all classes, which change nothing, stay regular.
    ridge[-1] = 1e-8 * (weight.sum() + penalty)
    H[np.diag_indices_from(H)] += np.tile(ridge, q)
    inverse = positive_inverse(H).reshape(q, r, q, r)
    for part in row_slices(n, block_rows(8 * q * q, _BLOCK_BYTES)):
        some, p = Z[part], chances[part]
        # Blocks z' H⁻¹ z: first the product that all rows share, one pair of classes at a time.
        S = np.empty((len(some), q, q))
        for a, b in combinations_with_replacement(range(q), 2):
            S[:, a, b] = S[:, b, a] = np.einsum("ir,ir->i", some @ inverse[a, :, b], some)
        S *= weight[part, None, None]
        W = p[:, :, None] * np.eye(q) - p[:, :, None] * p[:, None]
        step = np.linalg.solve(np.eye(q) - W @ S, gradient[part, :, None])
        scores[part] += (S @ step)[:, :, 0]
    return np.asarray(scores)
