"""Whitening of large tables with landmarks (Nyström features)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import linalg
from sklearn.utils import check_random_state

from .._utils import limits
from .blocks import row_slices
from .kernels import Kernel
from .products import gram_block_rows
from .whitening import Ridge, feature_dimensions, scatter_solver, whitened_directions


@dataclass(frozen=True)
class Landmarks:
    r"""Nyström features: :math:`\phi(x) = R^{-\top} k(x, \text{landmarks})`, RᵀR = K(landmarks).

    Their inner products equal the kernel between landmarks and approximate it elsewhere.
    """

    kernel: Kernel
    rows: Any
    inverse_factor: NDArray[np.float64]

    def __call__(self, X: Any) -> NDArray[np.float64]:
        """Return the features of rows."""
        return self.products(X) @ self.inverse_factor

    def products(self, X: Any) -> NDArray[np.float64]:
        """Return the kernel between rows and landmarks."""
        return np.asarray(self.kernel.rows(X)(self.rows), dtype=np.float64)

    def dual(self, V: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return coefficients of the kernel functions of the landmarks for directions V."""
        return self.inverse_factor @ V


def choose_landmarks(kernel: Kernel, X: Any, seed: Any) -> Landmarks:
    """Return landmarks drawn at random, with their kernel matrix factorized."""
    drawn = check_random_state(seed).permutation(X.shape[0])[: limits.LANDMARKS]
    rows = X[np.sort(drawn)]
    K = np.asarray(kernel.square(rows), dtype=np.float64)
    values, vectors = linalg.eigh(K, overwrite_a=True, check_finite=False)
    kept = values > values[-1] * 1e-10  # smaller eigenvalues are rounding errors
    return Landmarks(kernel, rows, vectors[:, kept] / np.sqrt(values[kept]))


def whitened_landmarks(
    features: Landmarks,
    X: Any,
    B: NDArray[np.float64],
    weight: NDArray[Any] | None,
    ridge: Ridge,
    eps: float,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the dual coefficients of the landmarks, and λ, in one pass over the rows."""
    w = np.ones(X.shape[0]) if weight is None else weight
    m = features.inverse_factor.shape[1]
    total, scatter, cross = np.zeros(m), np.zeros((m, m)), np.zeros((m, B.shape[1]))
    for rows in row_slices(X.shape[0], gram_block_rows(8)):
        phi = features(X[rows])
        total += w[rows] @ phi
        scatter += (w[rows][:, None] * phi).T @ phi
        cross += phi.T @ B[rows]  # B sums to zero, so this needs no centering
    scatter -= np.outer(total, total) / w.sum()
    n_rows = float(w.sum())
    rho = ridge(np.trace(scatter), np.sum(scatter**2), feature_dimensions(n_rows), n_rows)
    V, values = whitened_directions(scatter_solver(scatter, rho), cross, eps)
    return features.dual(V), values
