"""Row blocks: how a table is walked through without a second table-sized array."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.extmath import safe_sparse_dot

BLOCK_BYTES = 1 << 24
"""Bytes of one dense working block: large enough for BLAS to be at full speed, small enough that
a handful of them never matters."""

MAX_BLOCK_ROWS = 8192


def block_rows(row_bytes: int, block_bytes: int = BLOCK_BYTES) -> int:
    """Return how many rows of ``row_bytes`` bytes make one block."""
    return int(np.clip(block_bytes // max(row_bytes, 1), 64, MAX_BLOCK_ROWS))


def row_slices(n_rows: int, rows_per_block: int) -> Iterator[slice]:
    """Yield slices that cover ``n_rows`` rows in order."""
    for start in range(0, n_rows, rows_per_block):
        yield slice(start, min(start + rows_per_block, n_rows))


def dense_product(left: Any, right: Any) -> NDArray[Any]:
    """Return ``left @ right`` as a dense array, whichever of the two is sparse."""
    return np.asarray(safe_sparse_dot(left, right, dense_output=True))


def squared_norms(X: Any) -> NDArray[Any]:
    """Return the squared Euclidean norm of each row, dense or sparse."""
    if hasattr(X, "multiply"):
        return np.asarray(X.multiply(X).sum(axis=1)).ravel()
    return np.asarray(np.einsum("ij,ij->i", X, X))
