"""Inner products of centered rows, and of their parts outside the span of a map.

The formulas of the guarantee need no coordinates in the feature space, only these inner products.
So they are the same for a linear map and a kernel map.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._utils.types import Array, Floats, Ints
from .blocks import block_rows, row_slices, squared_norms

Inner = Callable[[Ints], Floats]


@dataclass(frozen=True)
class MapGeometry:
    """A map and the rows it was fitted on.

    Parameters
    ----------
    Z : ndarray of shape (n, p)
        Representation of the rows, centered: coordinates in the span of the map.
    squared : ndarray of shape (n,)
        ‖φ(x) - μ‖² of each row.
    inner : callable
        From row numbers to the matrix of ⟨φ(x_i) - μ, φ(x_j) - μ⟩.
    largest_norm : float
        Largest ‖φ(x)‖, the radius of the ball in Theorem 3.
    row_means : ndarray of shape (n,), optional
        Row means of the kernel matrix, the same for every map with this kernel.
    """

    Z: Floats
    squared: Floats
    inner: Inner
    largest_norm: float
    row_means: Floats | None = None

    @property
    def n(self) -> int:
        """Number of rows."""
        return len(self.Z)

    @property
    def residual_squared(self) -> Floats:
        """‖(I-P)(φ(x) - μ)‖² of each row."""
        # Pythagoras: V is orthonormal, so the part inside the span has norm ‖z‖.
        return np.maximum(self.squared - squared_norms(self.Z), 0)

    def residual_inner(self, rows: Ints) -> Floats:
        """Return inner products of the parts outside the span of the map (the residual kernel)."""
        return self.inner(rows) - self.Z[rows] @ self.Z[rows].T

    def coordinates(self, Y: Array) -> Floats:
        """Return VᵀA(Y), p×C, whose squared norm is f_X(V, Y)."""
        return self.Z.T @ Y.astype(np.float64) / (self.n - 1)

    def objective(self, Y: Array) -> float:
        """Return f_X(V, Y) for any label matrix."""
        return float(np.sum(self.coordinates(Y) ** 2))


def linear_geometry(X: Any, Z: Array, mean: Array) -> MapGeometry:
    """Return the geometry of a linear map, Z = XV."""
    mean = mean.astype(np.float64)
    largest = float(np.sqrt(squared_norms(X).max()))

    def centered(rows: Any) -> Floats:
        block = X[rows].toarray() if hasattr(X, "tocsr") else X[rows]
        return np.asarray(block - mean)  # before squaring, because far from zero squares cancel

    def inner(rows: Ints) -> Floats:
        block = centered(rows)
        return block @ block.T

    slices = row_slices(X.shape[0], block_rows(8 * X.shape[1]))
    squared = np.concatenate([squared_norms(centered(rows)) for rows in slices])
    return MapGeometry(_centered(Z), squared, inner, largest)


def kernel_geometry(
    Z: Array, diagonal: Array, row_means: Floats, block: Callable[[Ints], Array]
) -> MapGeometry:
    """Return the geometry of a kernel map; ``block(rows)`` is K(rows, rows)."""
    total = row_means.mean()
    squared = np.maximum(diagonal - 2 * row_means + total, 0)

    def inner(rows: Ints) -> Floats:
        # ⟨φ_i - μ, φ_j - μ⟩ = K_ij - m_i - m_j + m̄ with the row means m.
        part = block(rows).astype(np.float64) - row_means[rows][:, None]
        return part - (row_means[rows] - total)

    return MapGeometry(_centered(Z), squared, inner, float(np.sqrt(np.max(diagonal))), row_means)


def _centered(Z: Array) -> Floats:
    Z = np.asarray(Z, dtype=np.float64)
    return Z - Z.mean(axis=0)
