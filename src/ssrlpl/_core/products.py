"""Products K·B of a kernel matrix that is computed block by block and never stored.

K(X, X) is symmetric, so only half of its blocks are computed and each is used twice. The working
memory does not depend on the number of rows.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import closing
from functools import partial
from typing import Any, NamedTuple, TypeVar

import numpy as np

from .._utils.arrays import cast, is_foreign, itemsize, like
from .._utils.progress import Progress
from .._utils.types import Array, Floats
from .._utils.workers import AHEAD, blas_threads, in_order
from .blocks import block_rows, row_slices
from .kernels import Columns, Kernel

Result = TypeVar("Result")

CACHED_BYTES = 680_000
"""Bytes of a block that stays in the cache of a core: its products with B then cost half. Blocks
have 288² doubles or 384² floats: with a power of two, as 256, columns meet in a few sets of the
cache, and a fit takes 4 % longer."""

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
    if hasattr(X, "tocsr") or is_foreign(X):
        return gram_block_rows(itemsize(X))
    return _cached_side(itemsize(X))


def _cached_side(itemsize: int) -> int:
    return int(np.sqrt(CACHED_BYTES / itemsize)) // 32 * 32


def _band_rows(n_features: int, itemsize: int, side: int) -> int:
    """Return how many rows of X are the columns of a band of K, see ``_Bands``."""
    return max(1, block_rows(itemsize * (n_features + 2)) // side) * side


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
    side = min(_cached_side(itemsize), n_rows)
    band = min(_band_rows(n_features, itemsize, side), n_rows)
    block = side * (n_features + 2 + 2 * side) * itemsize
    if kernel == "laplacian":
        block += side * side * 24  # scikit-learn computes these distances in float64
    workers = product_workers(kernel, side + band, n_columns)
    waiting = AHEAD * (side + band) * n_columns * 8 if workers > 1 else 0
    return band * (n_features + 2) * itemsize + workers * (block + waiting)


class _Bands(NamedTuple):
    """How K(A, X) is cut: into bands of columns, and these into blocks.

    All blocks of a band share what the kernel computes of its rows alone. To compute it again for
    each block would take 6 % more time.
    """

    kernel: Kernel
    A: Any
    X: Any
    n_targets: int

    @property
    def side(self) -> int:
        """Return the rows and columns of a block."""
        return product_block_rows(self.A)

    @property
    def slices(self) -> list[slice]:
        """Return which columns each band has."""
        height = _band_rows(self.X.shape[1], itemsize(self.X), self.side)
        return list(row_slices(self.X.shape[0], height))

    def in_parallel(
        self, work: Callable[[Columns, slice], Result], band: slice, n_rows: int
    ) -> Generator[tuple[slice, Result], None, None]:
        """Yield blocks of rows in order, each with ``work(columns of the band, rows)``."""
        columns = self.kernel.columns(self.X[band, :])
        slices = list(row_slices(n_rows, self.side))
        workers = 1
        if not is_foreign(self.A):
            waiting = self.side + band.stop - band.start
            workers = product_workers(self.kernel.name, waiting, self.n_targets)
        parts = in_order(partial(work, columns), slices, workers=min(workers, len(slices)))
        with closing(parts):  # stop the workers also if an error occurs where they are used
            yield from zip(slices, parts, strict=True)


def gram_product(kernel: Kernel, X: Any, B: Array, *, progress: Progress | None = None) -> Floats:
    """Return K(X, X) B, summed over blocks in float64."""
    result = like(np.zeros(B.shape), X)
    right = cast(B, X.dtype)
    bands = _Bands(kernel, X, X, B.shape[1])
    for band in bands.slices:
        work = partial(_mirrored_product, kernel, X, right, band, bands.side)
        with closing(bands.in_parallel(work, band, band.stop)) as parts:
            for rows, (above, below) in parts:
                result[rows, :] += above
                result[band.stop - below.shape[0] : band.stop, :] += below
                if progress is not None:  # counted in entries of K and of its mirror image
                    height = above.shape[0]
                    on_diagonal = height**2 if rows.start >= band.start else 0
                    progress.advance(2 * height * below.shape[0] + on_diagonal)
    return result


def _mirrored_product(
    kernel: Kernel, X: Any, right: Array, band: slice, side: int, columns: Columns, rows: slice
) -> tuple[Floats, Floats]:
    """Return what the blocks of some rows and a band, from the diagonal on, add to K·B.

    The first result is for these rows. The second comes from the mirror image below the diagonal,
    the transposed blocks, and is for the last rows of the band.
    """
    own, B = X[rows, :], right[rows, :]
    above = like(np.zeros(B.shape), X)
    first = band.start
    if rows.start >= band.start:
        above += kernel.square(own) @ B
        first = rows.stop
    below = like(np.zeros((band.stop - first, B.shape[1])), X)
    block_of = kernel.rows(own)
    for start in range(first, band.stop, side):
        stop = min(start + side, band.stop)
        block = block_of(columns.part(slice(start - band.start, stop - band.start)))
        above += block @ right[start:stop, :]
        below[start - first : stop - first, :] += block.T @ B
    return above, below


def cross_product(kernel: Kernel, A: Any, X: Any, B: Array) -> Array:
    """Return K(A, X) B in the dtype of A."""
    left = cast(A, X.dtype) if is_foreign(A) else A  # others do not multiply two types of numbers
    bands = _Bands(kernel, A, X, B.shape[1])
    # Sums of several bands are kept in float64, as those of the blocks of one are.
    kept = f"f{itemsize(A)}" if len(bands.slices) == 1 else "f8"
    result = like(np.zeros((A.shape[0], B.shape[1]), dtype=kept), A)

    def work(coefficients: Array, columns: Columns, rows: slice) -> Array:
        block_of = kernel.rows(left[rows, :])
        start = like(np.zeros(B.shape[1]), A)
        slices = row_slices(coefficients.shape[0], bands.side)
        return sum((block_of(columns.part(c)) @ coefficients[c, :] for c in slices), start=start)

    for band in bands.slices:
        with closing(bands.in_parallel(partial(work, B[band, :]), band, A.shape[0])) as parts:
            for rows, values in parts:
                result[rows, :] += cast(values, result.dtype)
    return cast(result, A.dtype)
