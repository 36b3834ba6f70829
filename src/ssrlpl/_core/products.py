"""Products of kernel matrices that are never stored: K·B, streamed block by block.

K(X, X) is symmetric, so half of its blocks are computed and each serves twice. Memory is
O(block) whatever the number of rows.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._utils.progress import Progress
from .._utils.workers import AHEAD, blas_threads, in_order
from .blocks import block_rows, row_slices
from .kernels import Kernel

CACHED_SIDE = 448
"""At 256, 320, 384, 448 and 512 the best of 25 runs differ by less than a tenth."""

WAITING_BYTES = 1 << 28


def gram_block_rows(itemsize: int) -> int:
    """Return the side of a square block of K that is looked at as a whole."""
    return block_rows(itemsize * 2048)


def product_block_rows(X: Any) -> int:
    """Return the side of a square block of K that is multiplied and forgotten.

    Such a block stays in the cache from its product through the exponential to its use. Slices of
    sparse rows cost more than that gains.
    """
    return gram_block_rows(X.dtype.itemsize) if hasattr(X, "tocsr") else CACHED_SIDE


def product_workers(kernel: str | Callable[..., Any], n_rows: int, n_columns: int) -> int:
    """Return how many parts of K·B are computed side by side.

    Parts that wait to be added up must not take more than ``WAITING_BYTES``. A kernel of the
    user's own need not bear to be called twice at once.
    """
    if callable(kernel):
        return 1
    affordable = WAITING_BYTES // (AHEAD * 8 * max(n_rows * n_columns, 1))
    return int(np.clip(affordable, 1, blas_threads()))


def product_bytes(
    kernel: str | Callable[..., Any], n_rows: int, n_features: int, n_columns: int, itemsize: int
) -> int:
    """Return the bytes that a product K·B of dense rows needs beside its input and its result."""
    side = min(CACHED_SIDE, n_rows)
    block = side * (2 * (n_features + 2) + 2 * side) * itemsize
    if kernel == "laplacian":
        block += side * side * 24  # scikit-learn computes these distances in float64
    workers = product_workers(kernel, n_rows, n_columns)
    waiting = AHEAD * n_rows * n_columns * 8 if workers > 1 else 0
    return workers * (block + waiting)


def gram_product(
    kernel: Kernel, X: Any, B: NDArray[Any], *, progress: Progress | None = None
) -> NDArray[np.float64]:
    """Return K(X, X) B, summed over blocks in float64."""
    n = X.shape[0]
    result = np.zeros(B.shape, dtype=np.float64)
    right = B.astype(X.dtype, copy=False)
    slices = list(row_slices(n, product_block_rows(X)))
    parts = in_order(
        lambda i: _block_row_product(kernel, X, right, slices[i:]),
        range(len(slices)),
        workers=min(product_workers(kernel.name, *B.shape), len(slices)),
    )
    with closing(parts):  # an error here must not leave workers behind
        for rows, part in zip(slices, parts, strict=True):
            result[rows.start :] += part
            if progress is not None:
                progress.advance((n - rows.start) ** 2 - (n - rows.stop) ** 2)
    return result


def _block_row_product(
    kernel: Kernel, X: Any, right: NDArray[Any], slices: list[slice]
) -> NDArray[np.float64]:
    """Return what the first block row of K, from the diagonal on, and its mirror image give."""
    rows = slices[0]
    part = np.zeros((slices[-1].stop - rows.start, right.shape[1]))
    above, block_of = part[: rows.stop - rows.start], kernel.rows(X[rows])
    above += kernel.square(X[rows]) @ right[rows]
    for columns in slices[1:]:
        block = block_of(X[columns])
        above += block @ right[columns]
        part[columns.start - rows.start : columns.stop - rows.start] += block.T @ right[rows]
    return part


def cross_product(kernel: Kernel, A: Any, X: Any, B: NDArray[Any]) -> NDArray[Any]:
    """Return K(A, X) B in the dtype of A."""
    side = product_block_rows(A)
    columns = list(row_slices(X.shape[0], side))

    def part(rows: slice) -> NDArray[Any]:
        block_of = kernel.rows(A[rows])
        return sum((block_of(X[c]) @ B[c] for c in columns), start=np.zeros(B.shape[1]))

    result = np.empty((A.shape[0], B.shape[1]), dtype=A.dtype)
    slices = list(row_slices(A.shape[0], side))
    workers = min(product_workers(kernel.name, side, B.shape[1]), len(slices))
    with closing(in_order(part, slices, workers=workers)) as parts:
        for rows, values in zip(slices, parts, strict=True):
            result[rows] = values
    return result
