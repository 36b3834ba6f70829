"""Row blocks: process a table in parts, without a second array of the same size."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.metrics import euclidean_distances
from sklearn.utils.extmath import safe_sparse_dot

from .._utils.arrays import is_foreign, namespace, to_numpy
from .._utils.types import Array, Floats

BLOCK_BYTES = 1 << 24
"""Bytes of one dense working block: large enough for BLAS to run at full speed, small enough that
several of them need little memory."""

CACHE_BYTES = 1 << 20
"""Bytes of a working block that fits in the cache of a core during elementwise operations."""

MAX_BLOCK_ROWS = 8192
"""Rows of a block, however few bytes each of them takes."""


def block_rows(row_bytes: int, block_bytes: int = BLOCK_BYTES) -> int:
    """Return the number of rows of ``row_bytes`` bytes each in one block."""
    return int(np.clip(block_bytes // max(row_bytes, 1), 64, MAX_BLOCK_ROWS))


def row_slices(n_rows: int, rows_per_block: int) -> Iterator[slice]:
    """Yield slices that cover ``n_rows`` rows in order."""
    for start in range(0, n_rows, rows_per_block):
        yield slice(start, min(start + rows_per_block, n_rows))


def dense_product(left: Any, right: Any) -> Array:
    """Return ``left @ right`` as a dense array, whichever of the two is sparse."""
    if is_foreign(left):
        return left @ right
    return np.asarray(safe_sparse_dot(left, right, dense_output=True))


def middle_of(X: Any) -> Array | None:
    """Return a point in the middle of dense rows, None for sparse ones.

    Distances do not change if it is subtracted from all rows, but |x|² becomes small, so that
    |x - y|² is not lost to rounding. The medians of some rows are enough and, unlike means, are
    not moved by a single cell such as 999999999.
    """
    if hasattr(X, "tocsr"):
        return None
    with np.errstate(over="ignore"):  # numbers near 1e308; who needs squares refuses them
        return np.asarray(np.median(to_numpy(X[:: max(1, X.shape[0] // 100), :]), axis=0))


def squares_between(A: Any, B: Any) -> Floats:
    """Return the squared Euclidean distances between rows of A and of B, both dense or sparse.

    The middle is that of A: pass known rows first, so that new ones do not depend on each other.
    """
    middle = middle_of(A)
    if middle is not None:
        A, B = A - middle, B - middle
    return np.asarray(euclidean_distances(A, B, squared=True), dtype=np.float64)


def squared_norms(X: Any) -> Array:
    """Return the squared Euclidean norm of each row, dense or sparse."""
    if is_foreign(X):
        return namespace(X).sum(X * X, axis=1)
    if hasattr(X, "multiply"):
        return np.asarray(X.multiply(X).sum(axis=1)).ravel()
    return np.asarray(np.einsum("ij,ij->i", X, X))


def is_symmetric(K: Array) -> bool:
    """Return whether a square matrix equals its transpose, up to the rounding of a user's kernel.

    Differences of 1e-5 are allowed, relative to an entry or to the diagonal.
    """
    slack = 1e-5 * float(np.abs(K.diagonal()).max(initial=0))
    return all(
        np.allclose(K[rows, rows.start :], K[rows.start :, rows].T, rtol=1e-5, atol=slack)
        for rows in row_slices(len(K), block_rows(K.shape[1] * K.itemsize))
    )


def unit_rows(X: Any) -> Any:
    """Return rows scaled to length one; a row of zeros stays zero.

    scikit-learn's normalize is not used because it does not scale very short nonzero rows.
    """
    xp = namespace(X)
    largest = xp.max(abs(X), axis=1) if is_foreign(X) else abs(X).max(axis=1)
    largest = largest.toarray().ravel() if hasattr(largest, "toarray") else largest
    unit = _divide_rows(X, largest)  # first, so that no square overflows or underflows
    return _divide_rows(unit, xp.sqrt(squared_norms(unit)))


def _divide_rows(X: Any, lengths: Array) -> Any:
    xp = namespace(lengths)
    lengths = xp.where(lengths > 0, lengths, xp.ones_like(lengths))
    if not hasattr(X, "tocsr"):
        return X / lengths[:, None]
    result = X.tocsr(copy=True)
    result.data /= np.repeat(lengths, np.diff(result.indptr))
    return result
