"""Kernel least squares with an intercept, and its leave-one-out values in closed form."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .kernels import Kernel


def middle(X: Any) -> NDArray[Any] | None:
    """Return the mean row of a dense table, None for a sparse one, which would become dense."""
    return None if hasattr(X, "tocsr") else X.mean(axis=0)


def centered(X: Any, point: NDArray[Any] | None) -> Any:
    """Subtract a reference point from every row.

    Neither distances nor a fit with intercept depend on it, but their rounding errors do.
    """
    return X if point is None else (X - point).astype(X.dtype, copy=False)


def least_squares(
    K: NDArray[Any], Y: NDArray[np.float64], ridge: float
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    r"""Return dual coefficients, intercept and leave-one-out values of least squares.

    With A the inverse of :math:`\begin{pmatrix} K + \rho I & 1 \\ 1^\top & 0 \end{pmatrix}`, the
    coefficients are :math:`\alpha = A_{LL} Y` and the value at row i without it is
    :math:`y_i - \alpha_i / A_{ii}` (Cawley and Talbot 2004).
    """
    n = len(K)
    system = np.ones((n + 1, n + 1))
    system[:n, :n] = K
    system[np.arange(n), np.arange(n)] += ridge
    system[n, n] = 0
    inverse = np.linalg.inv(system)
    alpha = inverse[:n, :n] @ Y
    return alpha, inverse[n, :n] @ Y, Y - alpha / np.diag(inverse)[:n, None]


def ridge_kernel(name: str, gamma: float) -> Kernel:
    """Return exp(-γ|x-x'|²), or γ x·x' for "linear"."""
    if name == "linear":
        return Kernel("polynomial", gamma, degree=1, coef0=0.0)
    return Kernel("rbf", gamma)
