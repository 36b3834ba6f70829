r"""All leave-one-out fits of a map at once.

Hiding the label of a row changes the label vectors Y, nothing else: neighbors, kernel and scatter
are those of all rows. A map is found from two small things, both linear or quadratic in B = HY,

.. math:: G = B^\top A B, \qquad I_L = (A B)_L,

where A = K, or its whitened form. So the l fits share one product of A with all their columns
side by side, and each of them is left with an eigenproblem of size C×C.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .cholesky import Solver
from .kernels import Kernel
from .products import gram_product

Products = Callable[[NDArray[np.float64]], tuple[NDArray[np.float64], NDArray[np.float64]]]
"""From B of shape (n_fits, n_rows, c) to G (n_fits, c, c) and I_L (n_fits, n_labeled, c)."""


_FEW = 0.2
"""Share of rows up to which changes are followed one fit at a time."""

_ROUNDING = 64
"""Sums that differ by fewer eps are equal; label vectors have the precision of the rows."""


def _side_by_side(B: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the columns of all fits as one matrix of n_rows rows."""
    return np.ascontiguousarray(B.transpose(1, 0, 2)).reshape(B.shape[1], -1)


def _stacked(columns: NDArray[Any], n_fits: int) -> NDArray[np.float64]:
    """Undo :func:`_side_by_side`."""
    return columns.reshape(len(columns), n_fits, -1).transpose(1, 0, 2)


def linear_products(X: Any, labeled: NDArray[np.intp], solve: Solver | None = None) -> Products:
    """Return the products for A = XXᵀ, or X(S + ρI)⁻¹Xᵀ if ``solve`` applies the inverse."""

    def products(B: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        M = np.asarray(X.T @ _side_by_side(B))
        D = M if solve is None else solve(M)
        M_stack, D_stack = _stacked(M, len(B)), _stacked(D, len(B))
        inner = M_stack.transpose(0, 2, 1) @ D_stack
        return inner, _stacked(np.asarray(X[labeled] @ D), len(B))

    return products


def kernel_products(kernel: Kernel, X: Any, labeled: NDArray[np.intp]) -> Products:
    """Return the products for A = K, streamed."""

    def products(B: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        KB = _stacked(gram_product(kernel, X, _side_by_side(B)), len(B))
        return B.transpose(0, 2, 1) @ KB, KB[:, labeled]

    return products


def matrix_products(K: NDArray[Any], labeled: NDArray[np.intp]) -> Products:
    """Return the products for A = K, in memory."""

    def products(B: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        KB = _stacked(np.asarray(K @ _side_by_side(B), dtype=np.float64), len(B))
        return B.transpose(0, 2, 1) @ KB, KB[:, labeled]

    return products


def whitened_products(labeled_rows: NDArray[Any], solve: Solver, ridge: float) -> Products:
    """Return the products for A = K(HKH + ρI)⁻¹.

    ``solve`` applies the inverse, ``labeled_rows`` holds the labeled rows of K.
    """

    def products(B: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        D = solve(_side_by_side(B))
        D -= D.mean(axis=0)  # zero but for rounding, which K would blow up
        D = _stacked(D, len(B))
        return B.transpose(0, 2, 1) @ (B - ridge * D), labeled_rows @ D

    return products


class ChangedLabels:
    r"""Products for label vectors that differ from known ones Y in a few rows.

    With E the change, on rows R, and :math:`K_c = HKH`,

    .. math::

        G = Y^\top K_c Y + E^\top (K_c Y)_R + (K_c Y)_R^\top E + E^\top (K_c)_{RR} E, \qquad
        I_L = (K H Y)_L + (K H)_{LR} E,

    so that one pass over K serves all fits, and each adds a corner of K.
    """

    def __init__(self, kernel: Kernel, X: Any, labeled: NDArray[np.intp], Y: NDArray[np.float64]):
        n = X.shape[0]
        centered = Y - Y.mean(axis=0)
        passed = gram_product(kernel, X, np.column_stack([centered, np.full(n, 1 / n)]))
        self._kernel, self._X, self._Y = kernel, X, Y
        self._rounding = _ROUNDING * float(np.finfo(X.dtype).eps)
        self._KHY, self._means = passed[:, :-1], passed[:, -1]
        self._KcY = self._KHY - self._KHY.mean(axis=0)
        self._inner = Y.T @ self._KcY
        self._labeled = labeled
        self._labeled_rows = np.asarray(kernel(X[labeled], X), dtype=np.float64)

    def few(self, Y: NDArray[np.float64]) -> bool:
        """Tell whether few enough rows change that corners of K cost less than a product."""
        return bool(np.mean(self._changed(Y)) < _FEW)

    def _changed(self, Y: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Tell which rows change by more than the rounding of sums in another order."""
        away = np.abs(Y - self._Y)
        return np.asarray(away @ np.ones(Y.shape[-1]) > self._rounding)

    def __call__(self, Y: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return G and I_L for label vectors of shape (n_fits, n_rows, n_classes)."""
        found = [self._one(matrix) for matrix in Y]
        inner, images = (np.array(parts) for parts in zip(*found, strict=True))
        return inner, images

    def _one(self, Y: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        rows = np.flatnonzero(self._changed(Y))
        if not len(rows):
            return self._inner, self._KHY[self._labeled]
        E = Y[rows] - self._Y[rows]
        half = E.T @ self._KcY[rows]
        means = self._means[rows]
        corner = self._kernel.square(self._X[rows]) - means - means[:, None] + self._means.mean()
        across = self._labeled_rows[:, rows] - self._means[self._labeled, None]
        return self._inner + half + half.T + E.T @ corner @ E, self._KHY[self._labeled] + across @ E


def centered_labels(
    Y: NDArray[np.float64], hidden: NDArray[np.intp], labeled: NDArray[np.intp], unlabeled: float
) -> NDArray[np.float64]:
    """Return B = w(Y - ȳ) of each fit, where unlabeled rows have the weight ``unlabeled``."""
    if unlabeled == 1:
        # A product, because sums over a middle axis are slow.
        return np.asarray(Y - np.full(Y.shape[1], 1 / Y.shape[1]) @ Y[:, None])
    w = np.full(Y.shape[:2], float(unlabeled))
    w[:, labeled] = 1
    w[np.arange(len(hidden)), hidden] = unlabeled
    w = w[:, :, None]
    return w * (Y - (w * Y).sum(axis=1, keepdims=True) / w.sum(axis=1, keepdims=True))


def representations(
    B: NDArray[np.float64], products: Products, n_components: NDArray[np.intp]
) -> NDArray[np.float64]:
    """Return the labeled rows as each fit represents them, padded with zero columns.

    Rows of B sum to zero, so its last column carries nothing new and is left out of the product.
    """
    c = B.shape[2]
    inner, images = products(B[:, :, :-1])
    back = np.hstack([np.eye(c - 1), -np.ones((c - 1, 1))])
    return along_eigenvectors(back.T @ inner @ back, images @ back, n_components)


def along_eigenvectors(
    inner: NDArray[np.float64], images: NDArray[np.float64], n_components: NDArray[np.intp]
) -> NDArray[np.float64]:
    """Return I_L a λ^(-1/2) for the leading eigenpairs of each G; other columns are zero."""
    c = inner.shape[2]
    values, a = np.linalg.eigh(inner)
    values, a = values[:, ::-1], a[:, :, ::-1]
    wanted = np.arange(c) < n_components[:, None]
    wanted &= values > 1e-13 * c * values[:, :1]
    scale = np.where(wanted, 1 / np.sqrt(np.where(wanted, values, 1)), 0)
    return np.asarray(images @ (a * scale[:, None, :]))
