r"""All leave-one-out fits of a map at once.

Hiding the label of a row changes only the label vectors Y: neighbors, kernel and scatter depend on
the rows alone. A map is computed from two small matrices, quadratic and linear in B = HY,

.. math:: G = B^\top A B, \qquad I_L = (A B)_L,

where A = K, or its whitened form. So the columns B of all l fits are multiplied by A in one
product, and then each fit only needs an eigenproblem of size C×C.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np

from .._utils.types import Array, Floats, Ints, Mask
from .cholesky import Solver
from .geometry import MapGeometry, kernel_geometry, linear_geometry
from .kernels import Kernel, diagonal
from .products import gram_product

_FEW = 0.2
"""Largest share of changed rows at which :class:`ChangedLabels` is faster than a full product."""

_ROUNDING = 64
"""Label vectors that differ by less than this many eps (of the rows' dtype) are equal."""


def _side_by_side(B: Floats) -> Floats:
    """Return the columns of all fits, stacked horizontally to one matrix of n_rows rows."""
    return np.ascontiguousarray(B.transpose(1, 0, 2)).reshape(B.shape[1], -1)


def _stacked(columns: Array, n_fits: int) -> Floats:
    """Return columns in the shape (n_fits, n_rows, c): the inverse of :func:`_side_by_side`."""
    return columns.reshape(len(columns), n_fits, -1).transpose(1, 0, 2)


class Products(ABC):
    """The products with A that give a map for several label matrices on the same rows.

    Parameters
    ----------
    X : ndarray or sparse matrix
        The rows, or their kernel matrix.
    rows : ndarray of int, optional
        The rows at which AB is returned, by default all.
    """

    def __init__(self, X: Any, rows: Ints | None):
        self.X, self.rows = X, slice(None) if rows is None else rows

    @abstractmethod
    def __call__(self, B: Floats) -> tuple[Floats, Floats]:
        """Return G (n_fits, c, c) and (AB)_rows (n_fits, n_wanted, c) for B (n_fits, n_rows, c)."""

    @abstractmethod
    def geometry(self, Z: Array) -> MapGeometry:
        """Return the geometry of the orthonormal map that represents the rows as Z."""


class LinearProducts(Products):
    """A = XXᵀ, or X(S + ρI)⁻¹Xᵀ if ``solve`` applies the inverse."""

    def __init__(self, X: Any, rows: Ints | None, solve: Solver | None = None):
        super().__init__(X, rows)
        self._solve = solve

    def __call__(self, B: Floats) -> tuple[Floats, Floats]:
        M = np.asarray(self.X.T @ _side_by_side(B))
        D = M if self._solve is None else self._solve(M)
        inner = _stacked(M, len(B)).transpose(0, 2, 1) @ _stacked(D, len(B))
        return inner, _stacked(np.asarray(self.X[self.rows] @ D), len(B))

    def geometry(self, Z: Array) -> MapGeometry:
        total = np.asarray(self.X.sum(axis=0, dtype=np.float64)).ravel()
        return linear_geometry(self.X, Z, total / self.X.shape[0])


class KernelProducts(Products):
    """A = K, streamed, or in memory if there is no ``kernel`` and X is K itself."""

    def __init__(self, kernel: Kernel | None, X: Any, rows: Ints | None):
        super().__init__(X, rows)
        self._kernel = kernel
        self._row_means: Floats | None = None

    def __call__(self, B: Floats) -> tuple[Floats, Floats]:
        columns = _side_by_side(B)
        if self._row_means is None:  # computed as one more column in the first pass over K
            n = len(columns)
            columns = np.column_stack([columns, np.full(n, 1 / n)])
            found = self._product(columns)
            self._row_means, found = found[:, -1], found[:, :-1]
        else:
            found = self._product(columns)
        KB = _stacked(found, len(B))
        return B.transpose(0, 2, 1) @ KB, KB[:, self.rows]

    def _product(self, columns: Floats) -> Floats:
        if self._kernel is None:
            return np.asarray(self.X @ columns, dtype=np.float64)
        return gram_product(self._kernel, self.X, columns)

    def geometry(self, Z: Array) -> MapGeometry:
        if self._row_means is None:
            n = self.X.shape[0]
            self._row_means = self._product(np.full((n, 1), 1 / n))[:, 0]
        kernel, X = self._kernel, self.X
        if kernel is None:
            return kernel_geometry(Z, np.diag(X), self._row_means, lambda r: X[np.ix_(r, r)])
        return kernel_geometry(
            Z, diagonal(kernel, X), self._row_means, lambda r: kernel.square(X[r])
        )


class WhitenedProducts(Products):
    """A = K(HKH + ρI)⁻¹; X is K restricted to the requested rows, ``solve`` applies the inverse."""

    def __init__(self, X: Floats, solve: Solver, ridge: float):
        super().__init__(X, None)
        self._solve, self._ridge = solve, ridge

    def __call__(self, B: Floats) -> tuple[Floats, Floats]:
        D = self._solve(_side_by_side(B))
        D -= D.mean(axis=0)  # zero up to rounding; the product with K would amplify the error
        D = _stacked(D, len(B))
        # BᵀHKH D, since HKH D = B - ρD.
        return B.transpose(0, 2, 1) @ (B - self._ridge * D), self.X @ D

    def geometry(self, Z: Array) -> MapGeometry:
        raise ValueError(f"The {Z.shape[1]} directions of a whitened map are not orthonormal.")


class ChangedLabels:
    r"""Products for label vectors that differ from known ones Y in a few rows.

    With E the change, on rows R, and :math:`K_c = HKH`,

    .. math::

        G = Y^\top K_c Y + E^\top (K_c Y)_R + (K_c Y)_R^\top E + E^\top (K_c)_{RR} E, \qquad
        I_L = (K H Y)_L + (K H)_{LR} E,

    so that one pass over K is enough for all fits, and each fit adds a small block of K.
    """

    def __init__(self, kernel: Kernel, X: Any, labeled: Ints, Y: Floats):
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

    def __call__(self, Y: Floats) -> tuple[Floats, Floats] | None:
        """Return G and I_L for label vectors of shape (n_fits, n_rows, n_classes).

        None if so many rows change that a full product costs less than blocks of K.
        """
        away = np.subtract(Y, self._Y)
        changed = np.abs(away, out=away) @ np.ones(Y.shape[-1]) > self._rounding
        if np.mean(changed) >= _FEW:
            return None
        found = [self._one(*one) for one in zip(Y, changed, strict=True)]
        inner, images = (np.array(parts) for parts in zip(*found, strict=True))
        return inner, images

    def _one(self, Y: Floats, changed: Mask) -> tuple[Floats, Floats]:
        rows = np.flatnonzero(changed)
        if not len(rows):
            return self._inner, self._KHY[self._labeled]
        E = Y[rows] - self._Y[rows]
        half = E.T @ self._KcY[rows]
        means = self._means[rows]
        corner = self._kernel.square(self._X[rows]) - means - means[:, None] + self._means.mean()
        across = self._labeled_rows[:, rows] - self._means[self._labeled, None]
        return self._inner + half + half.T + E.T @ corner @ E, self._KHY[self._labeled] + across @ E


def centered_labels(
    Y: Floats, labeled: Ints, hidden: Sequence[Ints] | Ints, unlabeled: float
) -> Floats:
    """Return B = w(Y - ȳ) of each fit, where unlabeled rows have the weight ``unlabeled``.

    The rows in ``hidden[i]`` are unlabeled in fit i.
    """
    if unlabeled == 1:
        # A matrix product, because NumPy's sums over a middle axis are slow.
        return np.asarray(Y - np.full(Y.shape[1], 1 / Y.shape[1]) @ Y[:, None])
    w = np.full(Y.shape[:2], float(unlabeled))
    w[:, labeled] = 1
    for fit, rows in enumerate(hidden):
        w[fit, rows] = unlabeled
    w = w[:, :, None]
    return w * (Y - (w * Y).sum(axis=1, keepdims=True) / w.sum(axis=1, keepdims=True))


def representations(B: Floats, products: Products, n_components: Ints) -> Floats:
    """Return the representation of the requested rows by each fit, padded with zero columns.

    Rows of B sum to zero, so its last column follows from the others and is omitted in the
    product.
    """
    c = B.shape[2]
    inner, images = products(B[:, :, :-1])
    back = np.hstack([np.eye(c - 1), -np.ones((c - 1, 1))])
    return along_eigenvectors(back.T @ inner @ back, images @ back, n_components)


def distances_to_hidden(Z: Floats, part: slice) -> Floats:
    """Return squared distances from labeled rows to the row that each fit left out.

    Fit i of the batch left out the labeled row at position ``part.start + i``; the distance of
    that row to itself is set to infinity.
    """
    fits, hidden = np.arange(len(Z)), np.arange(part.start, part.stop)
    away = Z - Z[fits, hidden][:, None]
    distances = np.einsum("ijc,ijc->ij", away, away)
    distances[fits, hidden] = np.inf
    return distances


def along_eigenvectors(inner: Floats, images: Floats, n_components: Ints) -> Floats:
    """Return I_L a λ^(-1/2) for the leading eigenpairs of each G; other columns are zero."""
    c = inner.shape[2]
    values, a = np.linalg.eigh(inner)
    values, a = values[:, ::-1], a[:, :, ::-1]
    wanted = np.arange(c) < n_components[:, None]
    wanted &= values > 1e-13 * c * values[:, :1]  # smaller eigenvalues are rounding errors
    scale = np.where(wanted, 1 / np.sqrt(np.where(wanted, values, 1)), 0)
    return np.asarray(images @ (a * scale[:, None, :]))
