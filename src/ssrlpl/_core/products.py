"""Products K·B of a kernel matrix that is computed block by block and never stored.

K(X, X) is symmetric, so only half of its blocks are computed and each is used twice. The working
memory does not depend on the number of rows.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._utils.arrays import cast, is_foreign, itemsize, like
from .._utils.progress import Progress
from .._utils.workers import AHEAD, blas_threads, in_order
from .blocks import block_rows, row_slices
from .kernels import Kernel

CACHED_SIDE = 448
"""Side of a block that fits in cache. With 256, 320, 384, 448 and 512 the best of 25 runs differ
by less than 10 %."""

WAITING_BYTES = 1 << 28
"""Bytes of partial results that may wait to be summed."""


def gram_block_rows(itemsize: int) -> int:
    """Return the side of a square block of K for general use."""
    return block_rows(itemsize * 2048)


def product_block_rows(X: Any) -> int:
    """Return the side of a square block of K that is used in one product only.

    A small block stays in the cache while it is computed and used. For sparse rows larger blocks
    are faster, because slicing sparse rows is expensive; so they are on another device, where
    each call has a fixed cost.
    """
    is_large = hasattr(X, "tocsr") or is_foreign(X)
    return gram_block_rows(itemsize(X)) if is_large else CACHED_SIDE


def product_workers(kernel: str | Callable[..., Any], n_rows: int, n_columns: int) -> int:
    """Return how many parts of K·B are computed in parallel.

    Parts that wait to be summed must not need more than ``WAITING_BYTES``. A callable kernel runs
    in one thread, because it may not be thread-safe.
    """
    if callable(kernel):
        return 1
    affordable = WAITING_BYTES // (AHEAD * 8 * max(n_rows * n_columns, 1))
    return int(np.clip(affordable, 1, blas_threads()))


def product_bytes(
    kernel: str | Callable[..., Any], n_rows: int, n_features: int, n_columns: int, itemsize: int
) -> int:
    """Return the bytes that a product K·B of dense rows needs beyond its input and its result."""
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
    result = like(np.zeros(B.shape), X)
    right = cast(B, X.dtype)
    slices = list(row_slices(n, product_block_rows(X)))
    parts = in_order(
        lambda i: _block_row_product(kernel, X, right, slices[i:]),
        range(len(slices)),
        workers=1 if is_foreign(X) else min(product_workers(kernel.name, *B.shape), len(slices)),
    )
    with closing(parts):  # stop the workers also if an error occurs here
        for rows, part in zip(slices, parts, strict=True):
            result[rows.start :, :] += part
            if progress is not None:  # counted in entries of K, because block rows get shorter
                progress.advance((n - rows.start) ** 2 - (n - rows.stop) ** 2)
    return result


def _block_row_product(
    kernel: Kernel, X: Any, right: NDArray[Any], slices: list[slice]
) -> NDArray[np.float64]:
    """Return the contribution to K·B of the first block row, from the diagonal on, and its mirror.

    The mirror image is the transposed block column below the diagonal.
    """
    rows = slices[0]
    part = like(np.zeros((slices[-1].stop - rows.start, right.shape[1])), X)
    above, block_of = part[: rows.stop - rows.start, :], kernel.rows(X[rows, :])
    above += kernel.square(X[rows, :]) @ right[rows, :]
    for columns in slices[1:]:
        block = block_of(X[columns, :])
        above += block @ right[columns, :]
        below = slice(columns.start - rows.start, columns.stop - rows.start)
        part[below, :] += block.T @ right[rows, :]
    return part


def cross_product(kernel: Kernel, A: Any, X: Any, B: NDArray[Any]) -> NDArray[Any]:
    """Return K(A, X) B in the dtype of A."""
    side = product_block_rows(A)
    columns = list(row_slices(X.shape[0], side))
    left = cast(A, X.dtype) if is_foreign(A) else A  # others do not multiply two types of numbers

    def part(rows: slice) -> NDArray[Any]:
        block_of = kernel.rows(left[rows, :])
        start = like(np.zeros(B.shape[1]), A)
        return sum((block_of(X[c, :]) @ B[c, :] for c in columns), start=start)

    result = like(np.empty((A.shape[0], B.shape[1]), dtype=f"f{itemsize(A)}"), A)
    slices = list(row_slices(A.shape[0], side))
    workers = 1
    if not is_foreign(A):
        workers = min(product_workers(kernel.name, side, B.shape[1]), len(slices))
    with closing(in_order(part, slices, workers=workers)) as parts:
        for rows, values in zip(slices, parts, strict=True):
            result[rows, :] = cast(values, A.dtype)
    return result
