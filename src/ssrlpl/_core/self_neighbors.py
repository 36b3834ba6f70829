"""Nearest neighbors of every row of a dense table among the other rows.

Distances are computed in blocks by matrix products; each block is used for its rows and its
columns. A block is scanned once for entries below the k-th distance found so far: after the first
blocks there are few, so that the products take nearly all of the time. Rows for which rounding
errors could change the result are searched again in float64.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .._utils.types import Array, Floats, Ints, Mask
from .anchors import EuclideanAnchors
from .blocks import block_rows, middle_of, row_slices, squared_norms
from .products import gram_block_rows

_SPARE = 4
"""Additional neighbors that are found, so that exact distances can choose among them."""

_SAMPLE = 512
"""Rows in the sample that gives a first upper bound on the k-th distance."""

_MANY = 8
"""Hits per row, in multiples of k, beyond which argpartition is used instead."""

_NEGLIGIBLE = 1e-3
"""Relative error of a squared distance that is accepted without a second search."""

Found = tuple[Floats, Ints]
"""Distances to the nearest rows, nearest first, and their numbers."""


def nearest_of_all(X: Array, k: int) -> Found:
    """Return the k nearest other rows of each row; needs memory for a copy of the table."""
    table = _ScaledRows(X)
    slices = list(row_slices(len(X), gram_block_rows(table.rows.itemsize)))
    more = min(k + _SPARE, len(X) - 1)
    reach = np.concatenate([table.first_reach(own, more) for own in slices])
    found = _Nearest(reach + table.rounding_error(reach), more)
    for i, own in enumerate(slices):
        for other in slices[i:]:
            squares = table.squares(own, other)
            if own == other:
                np.fill_diagonal(squares, np.inf)
            else:
                found.add(other, own, squares, transposed=True)
            found.add(own, other, squares)
    # Sort by exact distances. Rows that may have lost a neighbor by rounding are searched again.
    columns = np.sort(found.columns, axis=1)
    distances = distances_to(X, X, columns)
    order = np.argsort(distances, axis=1, kind="stable")[:, :k]
    distances = np.take_along_axis(distances, order, axis=1)
    columns = np.take_along_axis(columns, order, axis=1)
    if found.columns.shape[1] == len(X) - 1 and (columns >= 0).all():
        return distances, columns  # all other rows were found
    unclear = np.flatnonzero(_in_doubt(table, found, distances[:, -1]))
    if len(unclear):
        distances[unclear], columns[unclear] = _again(X, unclear, k)
    return distances, columns


class _ScaledRows:
    """Rows shifted and scaled so that squares do not overflow and rounding errors are small.

    They are kept in single precision: products take half of the time, and the neighbors that are
    found are sorted by exact distances anyway.
    """

    def __init__(self, X: Array):
        shifted = X - middle_of(X)
        self.scale = float(np.abs(shifted).max()) or 1.0
        self.rows = (shifted / shifted.dtype.type(self.scale)).astype(np.float32)
        self.norms = squared_norms(self.rows)

    def squares(self, own: slice, other: slice) -> Array:
        """Return |x - y|² as products of (-2x, |x|², 1) with (y, 1, |y|²)."""
        a, b = self.norms[own], self.norms[other]
        left = np.column_stack([-2 * self.rows[own], a, np.ones_like(a)])
        return np.asarray(left @ np.column_stack([self.rows[other], np.ones_like(b), b]).T)

    def first_reach(self, own: slice, k: int) -> Floats:
        """Return an upper bound on the k-th smallest square, from a sample of the rows."""
        step = max(1, len(self.rows) // max(_SAMPLE, 8 * k))
        squares = self.squares(own, slice(0, None, step))
        itself = np.arange(own.start, own.stop)
        sampled = itself % step == 0
        squares[np.flatnonzero(sampled), itself[sampled] // step] = np.inf
        return np.partition(squares, k - 1, axis=1)[:, k - 1].astype(np.float64)

    def rounding_error(self, squares: Floats) -> Floats:
        """Return an upper bound on the rounding error, as ``EuclideanAnchors`` does."""
        eps = float(np.finfo(self.rows.dtype).eps)
        factor = 3 * eps * (8 + np.sqrt(self.rows.shape[1]))
        return factor * (self.norms + np.maximum(squares, 0)) + float(np.finfo(np.float32).tiny)


class _Nearest:
    """The k smallest squares of each row found so far, unordered, and their columns.

    Entries of at least ``limit`` cannot be among the k smallest of the whole row.
    """

    def __init__(self, limit: Floats, k: int):
        self.limit = limit
        self.squares = np.full((len(limit), k), np.inf)
        self.columns = np.full((len(limit), k), -1)

    def add(self, rows: slice, columns: slice, squares: Array, *, transposed: bool = False) -> None:
        """Update with a block of squares, or with its transpose."""
        limit = self.limit[rows].astype(squares.dtype)
        hits = np.flatnonzero(squares < (limit if transposed else limit[:, None]))
        if len(hits) > _MANY * self.squares.shape[1] * len(limit):
            block = squares.T if transposed else squares
            k = min(self.squares.shape[1], block.shape[1])  # more of a block cannot matter
            j = np.argpartition(block, k - 1, axis=1)[:, :k].ravel()
            i = np.repeat(np.arange(len(block)), k)
            values = block[i, j]
        else:
            values = squares.ravel()[hits]
            i, j = np.divmod(hits, squares.shape[1])  # ten times as fast as np.nonzero
            i, j = (j, i) if transposed else (i, j)
        self._merge(i + rows.start, j + columns.start, values)

    def _merge(self, rows: Ints, columns: Ints, squares: Array) -> None:
        """Add entries to their rows and keep the k smallest."""
        order = np.argsort(rows, kind="stable")
        rows, columns, squares = rows[order], columns[order], squares[order]
        changed, start, counts = np.unique(rows, return_index=True, return_counts=True)
        if not len(changed):
            return
        k = self.squares.shape[1]
        line = np.repeat(np.arange(len(changed)), counts)
        place = k + np.arange(len(rows)) - np.repeat(start, counts)
        all_squares = np.full((len(changed), k + counts.max()), np.inf)
        all_columns = np.full(all_squares.shape, -1)
        all_squares[:, :k], all_columns[:, :k] = self.squares[changed], self.columns[changed]
        all_squares[line, place], all_columns[line, place] = squares, columns
        kept = np.argpartition(all_squares, k - 1, axis=1)[:, :k]
        self.squares[changed] = np.take_along_axis(all_squares, kept, axis=1)
        self.columns[changed] = np.take_along_axis(all_columns, kept, axis=1)
        self.limit[changed] = np.minimum(self.limit[changed], self.squares[changed].max(axis=1))


def _in_doubt(table: _ScaledRows, found: _Nearest, reach: Floats) -> Mask:
    """Return for which rows a row that was not found may be nearer than the last one found.

    A negligible error is ignored, because many tables have rows at equal distances.
    """
    last, square = found.squares.max(axis=1), (reach / table.scale) ** 2
    error = 2 * table.rounding_error(last)
    hidden = (square > last - error) & (error > _NEGLIGIBLE * square) & (reach > 0)
    return np.asarray(hidden | (found.columns < 0).any(axis=1))


def _again(X: Array, rows: Ints, k: int) -> Found:
    """Return the neighbors of some rows, searched in float64, with ties in row order."""
    anchors = EuclideanAnchors(X.astype(np.float64))
    columns = np.empty((len(rows), k), dtype=np.intp)
    for part in row_slices(len(rows), block_rows(anchors.row_bytes)):
        near, _ = anchors.nearest(X[rows[part]].astype(np.float64), k + 1)
        others = near != rows[part][:, None]
        others[others.all(axis=1), -1] = False  # copies of a row may have displaced the row itself
        columns[part] = near[others].reshape(-1, k)
    return distances_to(X[rows], X, columns), columns


def distances_to(X: Any, rows: Any, columns: Ints) -> Floats:
    """Return the distances from each row of X to the rows with the numbers in ``columns``."""
    squares = np.empty(columns.shape)
    for part in row_slices(len(columns), block_rows(8 * X.shape[1])):
        block = X[part].astype(np.float64)
        for j, column in enumerate(columns[part].T):
            squares[part, j] = squared_norms(block - rows[column])
    return np.sqrt(squares)
