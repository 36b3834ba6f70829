"""Nearest labeled rows ("anchors") of each row, with ties broken by row order, not by rounding.

Each class implements one measure of distance. All of them have ``nearest(X, k)`` and
``row_bytes``, the working memory per row of X.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from scipy import sparse

from .._utils.types import Array, Floats, Ints, Mask
from .bandwidth import inverse_median, sample_rows
from .blocks import (
    MAX_BLOCK_ROWS,
    block_rows,
    dense_product,
    middle_of,
    row_slices,
    squared_norms,
    unit_rows,
)

Neighbors = tuple[Ints, Floats]
"""Columns of the nearest labeled rows, nearest first, and their squared distances."""

_TIE = 64
"""Distances whose relative difference is below this many eps are treated as equal."""

_SWEEPS = 24
"""Up to this many neighbors, repeated argmin is faster than argpartition."""

_UNCLEAR_ROWS = 512
_PAIR_BYTES = 1 << 20
"""Rows per batch, and bytes of their differences, in the exact second pass; they fit in cache."""


class EuclideanAnchors:
    """The labeled rows, found by Euclidean distance.

    One BLAS product gives all distances of a block, with an error of about eps |x|². Where that
    error could change the result, distances are computed again as sums of squared differences.
    """

    def __init__(self, rows: Any):
        self._raw = rows
        self._shift = middle_of(rows)
        self._rows = rows if self._shift is None else rows - self._shift
        self._norms = squared_norms(self._rows.astype(np.float64))
        self.row_bytes = _row_bytes(rows)

    def nearest(self, X: Any, k: int) -> Neighbors:
        """Return the k nearest labeled rows of each row of X."""
        block = (
            X if self._shift is None else (X.toarray() if sparse.issparse(X) else X) - self._shift
        )
        norms = squared_norms(block)
        _check_squares(norms, self._norms)
        # |a|² - 2 x·a: without |x|², which is the same for all labeled rows and changes no order.
        distances = dense_product(block, self._rows.T)
        distances *= -2
        distances += self._norms.astype(distances.dtype)
        columns, values = smallest(distances, min(k + 1, distances.shape[1]))
        values += norms[:, None]
        error = self._rounding_error(norms, values[:, -1])
        unclear = values[:, 0] <= error / np.sqrt(np.finfo(distances.dtype).eps)
        unclear |= _has_tie(values, 2 * error)
        columns, values = columns[:, :k], values[:, :k]
        for rows in _chunks(np.flatnonzero(unclear)):
            near = distances[rows] <= (values[rows, -1] - norms[rows] + 2 * error[rows])[:, None]
            columns[rows], values[rows] = self._nearest_of(X[rows], near, k)
        return columns, values

    def _nearest_of(self, X: Any, near: Mask, k: int) -> Neighbors:
        """Return the k nearest among the ``near`` labeled rows, with exact distances."""
        rows, columns = np.nonzero(near)
        counts = near.sum(axis=1)
        # Move the pairs of each row to the left, to keep the arrays below narrow.
        places = np.arange(len(rows)) - np.repeat(np.cumsum(counts) - counts, counts)
        exact = np.full((len(near), counts.max()), np.inf)
        found = np.zeros(exact.shape, dtype=np.intp)
        both_sparse = sparse.issparse(X) and sparse.issparse(self._raw)
        pairs = MAX_BLOCK_ROWS if both_sparse else block_rows(8 * X.shape[1], _PAIR_BYTES)
        for part in row_slices(len(rows), pairs):
            left, right = X[rows[part]], self._raw[columns[part]]
            if not both_sparse:
                left, right = (r.toarray() if sparse.issparse(r) else r for r in (left, right))
            exact[rows[part], places[part]] = squared_norms(left - right)
        found[rows, places] = columns
        order, values = smallest_in_order(exact, k, self._tolerance(exact))
        return np.take_along_axis(found, order, axis=1), values

    def _tolerance(self, values: Floats) -> Floats:
        """Return the difference up to which exact distances are treated as equal."""
        return _TIE * np.finfo(self._raw.dtype).eps * values

    def _rounding_error(self, norms: Array, reach: Array) -> Floats:
        """Return an upper bound on the rounding error of squared distances up to ``reach``.

        The error is eps (|x|² + |a|²) times a factor that grows like the square root of the
        number of columns. Since |a|² <= 2|x|² + 2|x - a|², labeled rows far away do not enlarge
        the bound. The tolerance for ties is added.
        """
        factor = np.finfo(norms.dtype).eps * (8 + np.sqrt(self._rows.shape[1]))
        reach = np.maximum(reach, 0)
        return 3 * factor * (norms.astype(np.float64) + reach) + self._tolerance(reach)


class CosineAnchors(EuclideanAnchors):
    """Euclidean distances between rows of unit length: |x - a|² = 2 - 2 cos(x, a)."""

    def __init__(self, rows: Any):
        super().__init__(_on_the_sphere(rows, flag=0))
        self._noise = 8 * float(np.finfo(rows.dtype).eps)

    def nearest(self, X: Any, k: int) -> Neighbors:
        """Return the k labeled rows of largest cosine of each row of X."""
        return super().nearest(_on_the_sphere(X, flag=1), k)

    def _tolerance(self, values: Floats) -> Floats:
        """Return the tolerance plus the rounding error of unit rows, so that parallel rows tie."""
        return super()._tolerance(values) + self._noise * (np.sqrt(values) + self._noise)


def _on_the_sphere(rows: Any, flag: int) -> Any:
    """Scale rows to unit length; a row of zeros gets a one in an appended column.

    A row of zeros has cosine 0 with every row. Labeled rows (``flag=0``) and rows to be labeled
    (``flag=1``) use different columns, so that two rows of zeros have cosine 0 as well.
    """
    unit = unit_rows(rows)
    flags = np.zeros((unit.shape[0], 2), dtype=unit.dtype)
    flags[:, flag] = squared_norms(unit) == 0
    return (
        sparse.hstack([unit, flags], format="csr") if sparse.issparse(unit) else np.c_[unit, flags]
    )


class KernelAnchors:
    """Distances computed from a kernel matrix: |φ(x) - φ(a)|² = k(x,x) + k(a,a) - 2k(x,a).

    The term k(x, x) is unknown for new rows and is omitted. It is the same for every anchor, so
    neither the order nor the RBF weights depend on it.
    """

    def __init__(self, gram: Array, columns: Ints):
        self._columns = columns
        self._norms = gram[columns, columns]
        self.row_bytes = 2 * self._norms.nbytes + gram.shape[1] * gram.itemsize

    def nearest(self, X: Any, k: int) -> Neighbors:
        """Return the k nearest labeled rows, with distances up to a constant for each row."""
        products = X[:, self._columns]
        distances = self._norms - 2 * products
        first = distances.argmin(axis=1)
        scale = np.abs(self._norms[first]) + 2 * np.abs(products[np.arange(len(first)), first])
        return nearest_in_order(distances, k, 8 * np.finfo(distances.dtype).eps * scale)

    def median_gamma(self, gram: Array, mass: Array, seed: Any) -> float:
        """Return γ by the rule of :func:`ssrlpl._core.bandwidth.median_gamma`."""
        rows = sample_rows(len(mass), mass, seed)
        i, j = np.triu_indices(len(rows), 1)
        i, j = rows[i], rows[j]
        norms = self._norms.astype(np.float64)
        squares = norms[i] + norms[j] - 2 * gram[self._columns[i], self._columns[j]]
        noise = 8 * np.finfo(gram.dtype).eps * np.maximum(np.abs(norms[i]), np.abs(norms[j]))
        return inverse_median(np.where(squares > noise, squares, 0), mass[i] * mass[j]) / 2


class SimilarityAnchors:
    """The labeled rows, found by a similarity function of the caller."""

    def __init__(self, rows: Any, similarity: Callable[[Any, Any], Any]):
        self._rows = rows
        self._similarity = similarity
        self.row_bytes = 2 * _row_bytes(rows)

    def nearest(self, X: Any, k: int) -> Neighbors:
        """Return the k most similar labeled rows, with minus the similarity as distance."""
        values = self._similarity(X, self._rows)
        values = values.toarray() if sparse.issparse(values) else np.asarray(values)
        expected = (X.shape[0], self._rows.shape[0])
        if values.shape != expected:
            raise ValueError(
                "similarity must return one row for each row of its first argument and one column"
                f" for each row of its second. Got shape {values.shape} in place of {expected}:"
                " write similarity(A, B) for two matrices of rows."
            )
        bad = values[~(np.isfinite(values) & (values >= 0))]
        if bad.size:
            raise ValueError(
                f"similarity must return finite numbers >= 0. Got {bad[0]}: turn a distance d into"
                " a similarity by exp(-d), clip negative values at 0."
            )
        eps = np.finfo(values.dtype if values.dtype.kind == "f" else np.float64).eps
        distances = -values.astype(np.float64)
        return nearest_in_order(distances, k, 8 * eps * -distances.min(axis=1))


Anchors: TypeAlias = EuclideanAnchors | KernelAnchors | SimilarityAnchors


def nearest_one(anchors: Anchors, X: Any) -> Ints:
    """Return the place of the nearest anchor of each row, the first of equally near ones."""
    slices = row_slices(X.shape[0], block_rows(anchors.row_bytes))
    return np.concatenate([anchors.nearest(X[part], 1)[0][:, 0] for part in slices])


def _row_bytes(anchors: Any) -> int:
    """Return the bytes per row of a block: its distances and, for dense rows, a copy."""
    copied = 0 if sparse.issparse(anchors) else anchors.shape[1]
    return int((anchors.shape[0] + copied) * anchors.dtype.itemsize)


def _check_squares(norms: Array, anchor_norms: Array) -> None:
    largest = np.finfo(norms.dtype).max / 4  # |x - a|² is at most 2|x|² + 2|a|²
    if not max(norms.max(), anchor_norms.max()) < largest:
        raise ValueError(
            "X must hold rows whose squared distances are finite. Got rows that differ by more"
            f" than {np.sqrt(largest):.0e}: scale the columns, for example with StandardScaler."
        )


def _chunks(rows: Ints) -> list[Ints]:
    """Split the rows that need exact distances into batches, to limit memory."""
    return [rows[part] for part in row_slices(len(rows), _UNCLEAR_ROWS)]


def _has_tie(values: Array, resolution: Array) -> Mask:
    """Return which rows of sorted values have two consecutive values within ``resolution``."""
    return np.asarray((np.diff(values, axis=1) <= resolution[:, None]).any(axis=1))


def smallest(distances: Array, k: int) -> Neighbors:
    """Return the columns and values of the k smallest entries of each row, smallest first."""
    rows = np.arange(len(distances))[:, None]
    if k > _SWEEPS or k == distances.shape[1]:
        columns = np.argpartition(distances, k - 1, axis=1)[:, :k]
        columns = columns[rows, np.argsort(distances[rows, columns], axis=1)]
        return columns, distances[rows, columns].astype(np.float64)
    columns = np.empty((len(distances), k), dtype=np.intp)
    values = np.empty((len(distances), k), dtype=distances.dtype)
    for j in range(k):
        columns[:, j] = distances.argmin(axis=1)
        values[:, j] = distances[rows[:, 0], columns[:, j]]
        distances[rows[:, 0], columns[:, j]] = np.inf
    distances[rows, columns] = values
    return columns, values.astype(np.float64)


def nearest_in_order(distances: Array, k: int, resolution: Array) -> Neighbors:
    """Return the k smallest entries of each row; ties (within resolution) in column order."""
    columns, values = smallest(distances, min(k + 1, distances.shape[1]))
    unclear = np.flatnonzero(_has_tie(values, resolution))
    columns, values = columns[:, :k], values[:, :k]
    for rows in _chunks(unclear):
        part = distances[rows].astype(np.float64)
        columns[rows], values[rows] = smallest_in_order(part, k, resolution[rows, None])
    return columns, values


def smallest_in_order(distances: Floats, k: int, tolerance: Array) -> Neighbors:
    """Return the k smallest entries of each row, with entries that are equal up to rounding tied.

    Tied entries get the same value, and the lower column comes first. An entry counts as larger
    than the next smaller one if they differ by more than the ``tolerance`` of the smaller
    one.
    """
    order = np.argsort(distances, axis=1)
    values = np.take_along_axis(distances, order, axis=1)
    apart = np.take_along_axis(np.broadcast_to(tolerance, distances.shape), order, axis=1)
    with np.errstate(invalid="ignore"):  # inf - inf is harmless: infinite entries may tie
        starts = np.diff(values, axis=1) > apart[:, :-1]
    starts = np.pad(starts, ((0, 0), (1, 0)), constant_values=True)
    group = np.cumsum(starts, axis=1)
    position = np.argsort(group * distances.shape[1] + order, axis=1)[:, :k]
    first = np.maximum.accumulate(np.where(starts, np.arange(distances.shape[1]), 0), axis=1)
    values = np.take_along_axis(values, np.take_along_axis(first, position, axis=1), axis=1)
    return np.take_along_axis(order, position, axis=1), values
