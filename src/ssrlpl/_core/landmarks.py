"""Whitening of large tables with landmarks (Nyström features)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import linalg
from sklearn.utils import check_random_state

from .._utils import limits
from .._utils.progress import Progress
from .._utils.types import Array, Floats, Ints
from .blocks import row_slices
from .kernels import Kernel
from .products import gram_block_rows
from .whitening import NOT_POSITIVE, Ridge, feature_dimensions, scatter_solver, whitened_directions

_APART = 1e-6
"""Least squared pivot of landmarks that are far apart, relative to the largest."""


@dataclass(frozen=True)
class Landmarks:
    r"""Nyström features: :math:`\phi(x) = R^{-\top} k(x, \text{landmarks})`, RᵀR = K(landmarks).

    Their inner products equal the kernel between landmarks and approximate it elsewhere.
    """

    kernel: Kernel
    rows: Any
    inverse_factor: Floats

    def __call__(self, X: Any) -> Floats:
        """Return the features of rows."""
        return self.products(X) @ self.inverse_factor

    def products(self, X: Any) -> Floats:
        """Return the kernel between rows and landmarks."""
        return np.asarray(self.kernel(X, self.rows), dtype=np.float64)

    def dual(self, V: Floats) -> Floats:
        """Return coefficients of the kernel functions of the landmarks for directions V."""
        return self.inverse_factor @ V


def drawn_landmarks(n_rows: int, seed: Any) -> Ints:
    """Return the numbers of rows that are drawn at random as landmarks."""
    return np.sort(check_random_state(seed).permutation(n_rows)[: limits.LANDMARKS])


def landmark_features(kernel: Kernel, rows: Any) -> Landmarks:
    """Return the features of given landmarks, whose kernel matrix is factorized."""
    K = np.asarray(kernel.square(rows), dtype=np.float64)
    values, vectors = linalg.eigh(K, overwrite_a=True, check_finite=False)
    kept = values > values[-1] * 1e-10  # smaller eigenvalues are rounding errors
    return Landmarks(kernel, rows, vectors[:, kept] / np.sqrt(values[kept]))


@dataclass(frozen=True)
class LandmarkMoments:
    r"""Scatter of the features :math:`\phi(x) = R^{-\top} k(x, \text{landmarks})` of rows.

    RᵀR is the kernel matrix of the landmarks, ``scatter`` that of the centered features and
    ``cross`` their product with B, ``apart`` tells whether the landmarks are far apart. Moments
    add up over blocks of rows, which are never kept.
    """

    factor: Floats
    center: Floats
    scatter: Floats
    cross: Floats
    total: float
    apart: bool

    def features(self, K: Array) -> Floats:
        """Return R⁻ᵀ K for columns K of kernel values with the landmarks."""
        return _backward(self.factor, K)

    def dual(self, V: Floats) -> Floats:
        """Return coefficients of the kernel functions of the landmarks for directions V."""
        return np.asarray(linalg.solve_triangular(self.factor, V, check_finite=False))


def landmark_moments(
    kernel: Kernel, landmarks: Any, X: Any, B: Floats, weight: Array | None
) -> LandmarkMoments:
    """Return the moments of rows, in one pass over them; B sums to zero.

    Products of rows in single precision are made in it, if the landmarks are far enough apart.
    """
    # In double precision: rounded to single precision, K of a wide kernel is not positive.
    K = np.asarray(kernel.square(landmarks.astype(np.float64)), dtype=np.float64)
    # Landmarks that are copies of each other must not make the factorization fail.
    K[np.diag_indices_from(K)] += 1e-10 * np.trace(K)
    try:
        factor = linalg.cholesky(K, overwrite_a=True, check_finite=False)
    except linalg.LinAlgError as error:
        raise ValueError(NOT_POSITIVE) from error
    pivots = np.diag(factor) ** 2
    apart = bool(pivots.min() > _APART * pivots.max())
    used = np.asfortranarray(factor, dtype=X.dtype if apart else np.float64)
    n, m = X.shape[0], landmarks.shape[0]
    w = np.ones(n) if weight is None else weight
    sums, scatter, cross = np.zeros(m), np.zeros((m, m)), np.zeros((m, B.shape[1]))
    columns = kernel.columns(landmarks)
    with Progress("rows", n) as progress:
        for rows in row_slices(n, gram_block_rows(8)):
            # LAPACK solves for the columns of K as they are in memory, and writes over them.
            K = kernel.rows(X[rows])(columns).astype(used.dtype, copy=False)
            phi = _backward(used, K.T, overwrite=True)
            own = w[rows].astype(used.dtype)
            scatter += phi @ (phi if weight is None else phi * own).T
            sums += phi @ own
            cross += phi @ B[rows].astype(used.dtype)
            progress.advance(len(own))
    total = float(w.sum())
    scatter -= np.outer(sums, sums) / total
    return LandmarkMoments(factor, sums / total, scatter, cross, total, apart)


def _backward(factor: Array, K: Array, *, overwrite: bool = False) -> Array:
    found = linalg.solve_triangular(factor, K, trans=1, check_finite=False, overwrite_b=overwrite)
    return np.asarray(found)


def whitened_landmarks(moments: LandmarkMoments, ridge: Ridge, eps: float) -> tuple[Floats, Floats]:
    """Return the dual coefficients of the landmarks, and λ."""
    scatter, n_rows = moments.scatter, moments.total
    rho = ridge(np.trace(scatter), np.sum(scatter**2), feature_dimensions(n_rows), n_rows)
    V, values = whitened_directions(scatter_solver(scatter, rho), moments.cross, eps)
    return moments.dual(V), values
