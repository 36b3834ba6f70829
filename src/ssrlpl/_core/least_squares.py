"""Kernel least squares with an intercept, and its leave-one-out values in closed form."""

from __future__ import annotations

from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from .._utils.types import Array, Floats, Ints, Mask
from .kernels import Kernel

FEW_OF_A_CLASS = 10
"""Labels a class up to which leaving one out changes the share of its class noticeably."""


_REFITTED_CLASSES = 60
"""Classes up to which each has a system of its own; with more, one system is updated."""


def centered(X: Any, point: Array | None) -> Any:
    """Subtract a reference point from every row.

    Neither distances nor a fit with intercept depend on it, but their rounding errors do.
    """
    return X if point is None else (X - point).astype(X.dtype, copy=False)


def least_squares(
    K: Array, Y: Floats, ridge: float, weight: Floats | None = None
) -> tuple[Floats, Floats, Floats]:
    r"""Return dual coefficients, intercept and leave-one-out values of least squares.

    With A the inverse of :math:`\begin{pmatrix} K + \rho W^{-1} & 1 \\ 1^\top & 0 \end{pmatrix}`
    (W holds the weights of the rows, by default one), the coefficients are
    :math:`\alpha = A_{LL} Y` and the value at row i without it is :math:`y_i - \alpha_i / A_{ii}`
    (Cawley and Talbot 2004).
    """
    inverse, alpha, intercept = _solved(K, Y, ridge, weight)
    return alpha, intercept, np.asarray(Y - alpha / np.diag(inverse)[: len(K), None])


def _solved(
    K: Array, Y: Floats, ridge: float, weight: Floats | None
) -> tuple[Floats, Floats, Floats]:
    """Return the inverse A of the system, the coefficients, and the intercept."""
    n = len(K)
    system = np.ones((n + 1, n + 1))
    system[:n, :n] = K
    system[np.arange(n), np.arange(n)] += ridge if weight is None else ridge / weight
    system[n, n] = 0
    inverse = np.asarray(np.linalg.inv(system), dtype=np.float64)
    return inverse, inverse[:n, :n] @ Y, inverse[n, :n] @ Y


def left_out_with_class_totals(
    K: Array, Y: Floats, codes: Ints, ridge: float, weight: Floats | None = None
) -> Floats:
    """Return leave-one-out values of :func:`least_squares` in which classes keep their weight.

    Without one of few labels, a class has a smaller share of the labels, and the intercept moves
    away from it: the row that was left out would be judged by that. So the other rows of its
    class share its weight. For all rows of a class these are the same weights, hence one system.
    """
    weight = np.ones(len(K)) if weight is None else weight
    values = np.empty_like(Y)
    known = np.unique(codes)
    if len(known) > _REFITTED_CLASSES:
        return _left_out_by_updates(K, Y, codes, ridge, weight)
    for code in known:
        own = codes == code
        values[own] = least_squares(K, Y, ridge, weight * others_share(own))[2][own]
    return values


def _left_out_by_updates(K: Array, Y: Floats, codes: Ints, ridge: float, weight: Floats) -> Floats:
    r"""Return the values of :func:`left_out_with_class_totals` from a single system.

    Other weights of the rows o of a class add a diagonal D to the system there. By Woodbury's
    identity the rows o of the inverse A become :math:`(I + A_{oo} D)^{-1} A_{o\cdot}`.
    """
    A, alpha, _ = _solved(K, Y, ridge, weight)
    values = np.empty_like(Y)
    order = np.argsort(codes, kind="stable")
    for own in np.split(order, np.flatnonzero(np.diff(codes[order])) + 1):
        inner = A[np.ix_(own, own)]
        lighter = ridge / weight[own] * (1 / others_share(np.ones(len(own), dtype=bool)) - 1)
        update = np.linalg.inv(np.eye(len(own)) + inner * lighter)
        values[own] = Y[own] - (update @ alpha[own]) / np.diag(update @ inner)[:, None]
    return values


def others_share(own: Mask) -> Floats:
    """Return weights of rows if one row of a class is hidden and the others take its weight."""
    count = int(np.count_nonzero(own))
    return np.where(own, count / max(count - 1, 1), 1.0)


class PairwiseFit(NamedTuple):
    """Least squares for each pair of classes (a, b), +1 for a and -1 for b.

    ``coef`` (rows × pairs) has zeros for rows of other classes.
    """

    coef: Floats
    intercept: Floats
    pairs: Ints
    n_classes: int

    def scores(self, K: Array) -> Floats:
        """Return the scores of new rows; K holds their kernel with the fitted ones."""
        return self._votes(K @ self.coef + self.intercept)

    def _votes(self, values: Floats) -> Floats:
        """Return the mean of the values over the pairs of each class.

        Values beyond ±1 are no more certain than those, but would outweigh the other pairs.
        """
        values = np.clip(values, -1, 1)
        sign = np.zeros((len(self.pairs), self.n_classes))
        sign[np.arange(len(self.pairs)), self.pairs[:, 0]] = 1
        sign[np.arange(len(self.pairs)), self.pairs[:, 1]] = -1
        return np.asarray(values @ sign / self.n_classes)


def pairwise_least_squares(
    K: Array, codes: Ints, n_classes: int, ridge: float, weight: Floats | None = None
) -> tuple[PairwiseFit, Floats]:
    """Return the fits of all pairs of classes and the scores of each row without its label.

    Hiding a label changes only the pairs that its class belongs to.
    """
    pairs = np.array(list(combinations(range(n_classes), 2)))
    coef, intercept = np.zeros((len(K), len(pairs))), np.zeros(len(pairs))
    without = np.zeros((len(K), len(pairs)))
    own = np.zeros((len(K), len(pairs)), dtype=bool)
    for place, (a, b) in enumerate(pairs):
        rows = np.flatnonzero((codes == a) | (codes == b))
        sign = np.where(codes[rows] == a, 1.0, -1.0)[:, None]
        part = None if weight is None else weight[rows]
        alpha, at, loo = least_squares(K[np.ix_(rows, rows)], sign, ridge, part)
        if len(rows) <= 2 * FEW_OF_A_CLASS:
            inner = K[np.ix_(rows, rows)]
            loo = left_out_with_class_totals(inner, sign, codes[rows], ridge, part)
        coef[rows, place], intercept[place] = alpha[:, 0], at[0]
        own[rows, place], without[rows, place] = True, loo[:, 0]
    fit = PairwiseFit(coef, intercept, pairs, n_classes)
    return fit, fit._votes(np.where(own, without, K @ coef + intercept))


def ridge_kernel(name: str, gamma: float) -> Kernel:
    """Return exp(-γ|x-x'|²), or γ x·x' for "linear"."""
    if name == "linear":
        return Kernel("polynomial", gamma, degree=1, coef0=0.0)
    return Kernel("rbf", gamma)
