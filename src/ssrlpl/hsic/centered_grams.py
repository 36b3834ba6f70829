r"""Centered kernel matrices :math:`K_c = HKH` that are never stored.

A kernel matrix is given either by a factor with few columns (:class:`FactorGram`) or by a function
that computes its entries (:class:`StreamedGram`). Label, linear and cosine kernels have a factor;
it is used if it has few columns.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from .._core.blocks import row_slices, squared_norms, unit_rows
from .._core.kernels import Kernel
from .._core.products import gram_block_rows
from .._utils.types import Array, Floats, Ints

EPS = float(np.finfo(np.float64).eps)

NOT_FINITE = (
    "The kernels of X and Y must give finite numbers. Got NaN or infinity: scale the columns or"
    " lower degree, or check what your callable or precomputed kernel holds."
)

_LABEL_BYTES = 1 << 28
"""Bytes of a label factor beyond which entries are computed instead (above 32 classes)."""

Index: TypeAlias = slice | NDArray[np.int32]


@dataclass(frozen=True)
class FactorGram:
    """K_c = F Fᵀ with a centered factor F that has few columns."""

    factor: Floats

    @property
    def n_rows(self) -> int:
        """Number of rows of K."""
        return len(self.factor)

    @cached_property
    def diagonal(self) -> Floats:
        """Diagonal of K_c."""
        return squared_norms(self.factor)

    @property
    def scale(self) -> float:
        """Trace of K, to which rounding errors are proportional."""
        return float(self.diagonal.sum())

    def block(self, rows: Index, columns: Index) -> Floats:
        """Return a block of K_c."""
        return np.asarray(self.factor[rows] @ self.factor[columns].T)


@dataclass(frozen=True)
class StreamedGram:
    """K by its entries: ``entries(rows, columns)`` returns a block of K, uncentered."""

    n_rows: int
    entries: Callable[[Index, Index], Array]

    @cached_property
    def _marginals(self) -> tuple[Floats, Floats]:
        """Row means and diagonal of K, from one pass over half of its blocks."""
        sums, diagonal = np.zeros(self.n_rows), np.zeros(self.n_rows)
        for rows, columns in block_pairs(self.n_rows):
            block = self.entries(rows, columns)
            sums[rows] += block.sum(axis=1, dtype=np.float64)
            if columns == rows:
                diagonal[rows] = block.diagonal()
            else:
                sums[columns] += block.sum(axis=0, dtype=np.float64)
        return sums / self.n_rows, diagonal

    @cached_property
    def diagonal(self) -> Floats:
        """Diagonal of K_c."""
        means, diagonal = self._marginals
        return diagonal - 2 * means + means.mean()

    @property
    def scale(self) -> float:
        """Trace of K, to which rounding errors are proportional."""
        return float(np.abs(self._marginals[1]).sum())

    def block(self, rows: Index, columns: Index) -> Floats:
        """Return a block of K_c."""
        means, _ = self._marginals
        block = self.entries(rows, columns) - means[rows][:, None]
        block -= means[columns] - means.mean()
        return block


Gram: TypeAlias = FactorGram | StreamedGram


def block_pairs(n_rows: int) -> Iterator[tuple[slice, slice]]:
    """Yield the blocks on and above the diagonal of an n×n matrix."""
    slices = list(row_slices(n_rows, gram_block_rows(8)))
    for i, rows in enumerate(slices):
        for columns in slices[i:]:
            yield rows, columns


def table_gram(X: Any, kernel: Kernel) -> Gram:
    """Return K(X, X), as a factor if it has one with few columns."""
    n, d = X.shape
    has_factor = kernel.name in ("linear", "cosine") and not hasattr(X, "tocsr")
    if not has_factor or d > _most_columns(n):
        return StreamedGram(n, lambda rows, columns: kernel(X[rows], X[columns]))
    F = X if kernel.name == "linear" else unit_rows(X)
    return FactorGram(_centered(np.asarray(F, dtype=np.float64)))


def label_gram(codes: Ints) -> Gram:
    """Return the matrix with entries 1 if y_i = y_j, else 0, for labels coded as 0..C-1."""
    sizes = np.bincount(codes)
    if len(sizes) <= min(_most_columns(len(codes)), _most_classes(len(codes))):
        return FactorGram(_label_factor(codes, sizes))
    return StreamedGram(len(codes), lambda i, j: np.equal.outer(codes[i], codes[j]).astype(float))


def matrix_gram(K: Array) -> StreamedGram:
    """Return the gram for a kernel matrix in memory."""

    def entries(rows: Index, columns: Index) -> Array:
        return K[rows, columns] if isinstance(rows, slice) else K[rows[:, None], columns]

    return StreamedGram(len(K), entries)


def _most_columns(n_rows: int) -> int:
    """Return the number of columns up to which a factor is small compared with K."""
    return max(n_rows // 4, 32)


def _most_classes(n_rows: int) -> int:
    """Return the number of classes up to which a factor is better than computed entries.

    A computed entry costs one comparison, a factor one multiplication per class: above a few
    hundred classes computed entries are as fast and need no memory. Up to 32 classes the factor
    is always used, because it is small and without it the time would be quadratic in the rows.
    """
    return int(np.clip(_LABEL_BYTES // (8 * n_rows), 32, 256))


def _label_factor(codes: Ints, sizes: Ints) -> Floats:
    """Return HF, rotated as in :func:`_centered`, for one-hot rows F, without storing F.

    All rows of a class are equal, so FᵀHF is computed from the class sizes, and one row of HF
    for each class is enough.
    """
    share = sizes / len(codes)
    variances, V = np.linalg.eigh(np.diag(sizes) - np.outer(sizes, share))
    # One axis at least has no variance (vectors sum to one): what is left of it is rounding error.
    V = V[:, variances > 1e-14 * len(codes)]
    return np.asarray((V - share @ V)[codes])


def _centered(F: Floats) -> Floats:
    """Return HF, rotated to principal axes, without the axes of zero variance."""
    centered = F - F.mean(axis=0)
    centered -= centered.mean(axis=0)  # removes the rounding error of the first subtraction
    scatter = centered.T @ centered
    if not np.isfinite(scatter).all():
        raise ValueError(NOT_FINITE)
    variances, V = np.linalg.eigh(scatter)
    return np.asarray(centered @ V[:, variances > 1e-14 * variances.sum()])
