"""Approximate nearest neighbors of every row of a large dense table, and how many were missed.

Rows are put into cells around centers, about two cells for each square root of the number of rows,
and the neighbors of a row are searched in the cells nearest to its own. That takes O(n^1.5)
distances instead of n². Wide tables are compared by their leading principal components and the
length of what these leave out; the rows found are put in order by distances of all columns.
"""

from __future__ import annotations

from contextlib import closing
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.decomposition import PCA

from .._utils.types import Array, Floats, Ints
from .._utils.workers import blas_threads, in_order
from .blocks import block_rows, row_slices, squared_norms
from .self_neighbors import Found, distances_to

_SEED = 0
"""Fixed, so that cells depend on the rows alone: a table has the same neighbors in every fit."""

_CELLS_PER_ROOT = 2
"""With c√n cells, finding the cell of a row takes c√n distances, and searching m cells m√n/c: both
grow alike. Fewer cells make the search longer, more of them the assignment."""

_NEAR_CELLS = 48
"""Cells that are searched. On 70,000 images 32, 48 cells find 96.0, 97.5 % of the ten nearest rows,
on 200,000 rows of 50 columns 20, 40 cells 85, 94 %; the time is proportional."""

_COLUMNS = 128
"""Columns in which rows are compared; of a wider table so many principal components."""

_CROWDED = 4
"""Size of a cell, in multiples of the mean, above which it is divided."""

_STEPS = 5
"""Steps of k-means. Cells need not be good clusters: neighbors beyond a border are found in the
cells around."""

_SAMPLE_PER_CELL = 64
"""Rows for each cell on which k-means works. A step then takes O(n) distances; with all rows
it would take O(n^1.5), as the search does."""

_SAMPLE_ROWS = 2000
"""Rows from which the shift and the principal components are estimated."""

_SPARE = 4
"""Rows that are found beyond those asked for, because single precision may have the wrong order."""

_STRIDE = 16
"""Columns in a group of :func:`_places_of_smallest`."""

_RECALL_ROWS = 256
"""Rows on which recall is measured: the standard error of the share is at most 3 points."""


def nearest_in_cells(X: Array, k: int) -> Found:
    """Return distances to about the k nearest other rows of each row, and their numbers."""
    rng = np.random.RandomState(_SEED)
    points, rest = _coordinates(X, rng)
    cells = _Cells(points, rest, rng)
    # Distances of projected rows are less exact, so more of them are compared again.
    more = min(k + _SPARE if rest is None else 2 * k + _SPARE, len(X) - 1)
    columns = np.empty((len(X), more), dtype=np.int32 if len(X) < 2**31 else np.int64)
    work = in_order(
        lambda cell: cells.search(cell, more), range(cells.count), workers=blas_threads()
    )
    with closing(work):
        for own, found in work:
            columns[own] = found
    return _in_exact_order(X, columns, k)


def recall(X: Array, distances: Floats) -> float:
    """Return the share of the nearest rows that were found, measured on a sample of the rows.

    A row at the distance of the k-th nearest one, up to rounding, counts as found.
    """
    rng = np.random.RandomState(_SEED + 1)
    rows = np.sort(rng.permutation(len(X))[:_RECALL_ROWS])
    shift = np.median(X[rows], axis=0).astype(np.float64)
    asked, k = X[rows] - shift, distances.shape[1]
    nearest = np.full((len(rows), k), np.inf)
    for part in row_slices(len(X), block_rows(8 * (len(rows) + X.shape[1]))):
        block = X[part] - shift
        squares = squared_norms(block) - 2 * asked @ block.T
        inside = (rows >= part.start) & (rows < part.stop)
        squares[inside, rows[inside] - part.start] = np.inf
        squares = np.concatenate([nearest, squares], axis=1)
        nearest = np.partition(squares, k - 1, axis=1)[:, :k]
    reach = nearest.max(axis=1) + squared_norms(asked)
    # The first term is the rounding error of the products above, the second one that of rows that
    # came in single precision.
    rounding = 1e-12 * (squared_norms(asked) + np.abs(reach)) + 1e-6 * np.maximum(reach, 0)
    return float(np.mean(distances[rows] ** 2 <= (reach + rounding)[:, None]))


def _coordinates(
    X: Array, rng: np.random.RandomState
) -> tuple[NDArray[np.float32], NDArray[np.float32] | None]:
    """Return rows in few columns, and the squared lengths of what these leave out, if anything."""
    some = X[np.sort(rng.permutation(len(X))[:_SAMPLE_ROWS])].astype(np.float64)
    shift = np.median(some, axis=0)
    # In units of the largest entry: squares of single precision overflow at 1e19.
    scale = max((float(np.abs(X[p] - shift).max()) for p in row_slices(len(X), 8192)), default=0.0)
    scale = scale or 1.0
    axes = None
    if X.shape[1] > _COLUMNS:
        reduce = PCA(_COLUMNS, svd_solver="randomized", random_state=rng)
        axes = reduce.fit((some - shift) / scale).components_.T.astype(np.float32)
    points = np.empty((len(X), min(X.shape[1], _COLUMNS)), dtype=np.float32)
    rest = None if axes is None else np.empty(len(X), dtype=np.float32)
    for part in row_slices(len(X), block_rows(8 * X.shape[1])):
        block = ((X[part] - shift) / scale).astype(np.float32)
        if axes is None or rest is None:
            points[part] = block
        else:
            points[part] = block @ axes
            rest[part] = np.maximum(squared_norms(block) - squared_norms(points[part]), 0)
    return points, rest


class _Cells:
    """Rows sorted by cell; a cell is a range of them."""

    def __init__(
        self,
        points: NDArray[np.float32],
        rest: NDArray[np.float32] | None,
        rng: np.random.RandomState,
    ):
        n_cells = max(1, int(_CELLS_PER_ROOT * np.sqrt(len(points))))
        sample = points[rng.permutation(len(points))[: _SAMPLE_PER_CELL * n_cells]]
        centers = sample[:n_cells].copy()
        for _ in range(_STEPS):  # k-means on the sample
            _, centers, _ = _group(sample, _nearest_center(sample, centers))
        self.order, self.centers, self.starts = _group(
            points, _divided(points, _nearest_center(points, centers))
        )
        self.points = points[self.order]
        self.rest = np.zeros(1, np.float32) if rest is None else rest[self.order]
        self.count = len(self.centers)

    def search(self, cell: int, k: int) -> tuple[Ints, Ints]:
        """Return the rows of a cell, and the k nearest rows of each in the cells around it."""
        center = self.centers[cell]
        apart = squared_norms(self.centers - center)
        apart[cell] = -1  # the cell itself comes first, also among cells at the same place
        order = np.argsort(apart, kind="stable")
        sizes = np.diff(self.starts)[order]
        enough = int(np.searchsorted(np.cumsum(sizes), k + 1)) + 1
        near = order[: max(_NEAR_CELLS, enough)]
        others = np.concatenate([np.arange(self.starts[c], self.starts[c + 1]) for c in near])
        # Shifted to the center, so that rounding errors are those of short rows.
        block = self.points[others] - center
        lengths = squared_norms(block) + (self.rest[others] if len(self.rest) > 1 else 0)
        block *= -2
        size = int(sizes[0])
        found = np.empty((size, k), dtype=np.intp)
        for part in row_slices(size, block_rows(4 * len(others))):
            own = slice(self.starts[cell] + part.start, self.starts[cell] + part.stop)
            squares = (self.points[own] - center) @ block.T
            squares += lengths
            squares[np.arange(part.stop - part.start), np.arange(part.start, part.stop)] = np.inf
            found[part] = others[_places_of_smallest(squares, k)]
        return self.order[self.starts[cell] : self.starts[cell + 1]], self.order[found]


def _nearest_center(points: NDArray[np.float32], centers: NDArray[np.float32]) -> Ints:
    half, cell = squared_norms(centers) / 2, np.empty(len(points), dtype=np.intp)
    for part in row_slices(len(points), block_rows(4 * len(centers))):
        cell[part] = (points[part] @ centers.T - half).argmax(axis=1)
    return cell


def _group(points: NDArray[np.float32], cell: Ints) -> tuple[Ints, NDArray[np.float32], Ints]:
    """Return rows sorted by cell, the means of the cells that have rows, and where each starts."""
    order = np.argsort(cell, kind="stable")
    first = np.flatnonzero(np.diff(cell[order], prepend=-1))
    starts = np.append(first, len(cell))
    means = np.add.reduceat(points[order], first, axis=0)
    means /= np.diff(starts)[:, None].astype(np.float32)
    return order, means, np.asarray(starts, dtype=np.intp)


def _divided(points: NDArray[np.float32], cell: Ints) -> Ints:
    """Return cells of which the crowded ones are divided along their first column.

    Without this many equal rows would be one cell, and all of their distances be computed.
    """
    counts = np.bincount(cell)
    most = int(np.ceil(_CROWDED * len(cell) / np.count_nonzero(counts)))
    result, free = cell.copy(), len(counts)
    for crowded in np.flatnonzero(counts > most):
        rows = np.flatnonzero(cell == crowded)
        rows = rows[np.argsort(points[rows, 0], kind="stable")]
        pieces = np.arange(len(rows)) // most
        result[rows] = np.where(pieces == 0, crowded, free + pieces - 1)
        free += int(pieces[-1])
    return result


def _places_of_smallest(values: NDArray[np.float32], k: int) -> Ints:
    """Return the columns of the k smallest values of each row, in no order.

    Columns are put into groups. The k smallest values are in the k groups of lowest minimum, so
    that only these are searched: a minimum is much faster than a selection.
    """
    n, width = values.shape
    groups = width // _STRIDE
    if groups < 4 * k:
        return np.argpartition(values, k - 1, axis=1)[:, :k]
    lowest = values[:, : groups * _STRIDE].reshape(n, _STRIDE, groups).min(axis=1)
    chosen = np.argpartition(lowest, k - 1, axis=1)[:, :k, None]
    columns = (chosen + groups * np.arange(_STRIDE)).reshape(n, -1)
    left_over = np.arange(groups * _STRIDE, width)
    columns = np.concatenate([columns, np.broadcast_to(left_over, (n, len(left_over)))], axis=1)
    among = np.argpartition(np.take_along_axis(values, columns, axis=1), k - 1, axis=1)[:, :k]
    return np.take_along_axis(columns, among, axis=1)


def _in_exact_order(X: Array, columns: NDArray[np.integer[Any]], k: int) -> Found:
    """Return the k nearest of the rows found, by exact distances, with ties in row order."""
    distances = np.empty((len(X), k))
    kept = np.empty((len(X), k), dtype=np.intp)
    for part in row_slices(len(X), 8192):
        found = np.sort(columns[part], axis=1).astype(np.intp)
        exact = distances_to(X[part], X, found)
        order = np.argsort(exact, axis=1, kind="stable")[:, :k]
        distances[part] = np.take_along_axis(exact, order, axis=1)
        kept[part] = np.take_along_axis(found, order, axis=1)
    return distances, kept
