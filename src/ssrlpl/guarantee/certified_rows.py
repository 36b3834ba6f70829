"""The table whose labels are certified: rows in memory, or in chunks that are read where they lie.

Of a table in chunks no more is kept than a prediction and the scores of each row. What needs rows
as numbers (a logistic regression, the test for a random sample) sees the labeled ones and a few
hundred others.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.pipeline import Pipeline
from sklearn.utils import _safe_indexing, check_array
from sklearn.utils.validation import _num_samples, indexable

from .._utils import limits
from .._utils.arrays import in_numpy
from .._utils.chunked import is_chunked
from .._utils.types import Array, Floats, Ints
from .._utils.validation import DTYPES
from ..labels import PartialLabels
from .filling_in import NamedClasses, class_scores, predicted_codes

_SMALL = 1e-15
"""Columns between it and its inverse keep their digits when they are squared, also in float32."""


class Compared(NamedTuple):
    """Rows as numbers, which rows of the table they are, and the names of their columns, if any.

    ``numbers`` is None if the rows are none.
    """

    numbers: Any
    rows: Ints
    names: Any = None

    def places(self, rows: Ints) -> Ints:
        """Return where some rows of the table stand among these."""
        return np.searchsorted(self.rows, rows)


class RowsInMemory:
    """A table in memory: an array, a sparse matrix, a data frame, or a list of texts."""

    def __init__(self, X: Any):
        (self.X,) = indexable(in_numpy(X))
        self.n_rows: int = _num_samples(self.X)

    def said(self, model: Any, classes: Array, rows: Ints) -> tuple[Ints, Floats]:
        """Return what a model says about some rows: codes of classes, and scores."""
        return _said(_safe_indexing(self.X, rows), model, classes)

    def compared(self, model: Any, target: PartialLabels) -> Compared:  # noqa: ARG002
        """Return all rows as numbers."""
        numbers, names = _as_numbers(model, self.X), getattr(self.X, "columns", None)
        if names is not None and numbers is not None and len(names) != numbers.shape[1]:
            names = None  # of columns that first steps made into others
        return Compared(numbers, np.arange(self.n_rows), names)


class RowsInChunks:
    """A table in chunks: a dask collection, or ``ssrlpl.distributed.Chunks``."""

    def __init__(self, X: Any):
        self._room = import_module("ssrlpl.distributed")  # which imports this package in turn
        self.X = X
        self._source = self._room.open_source(X).counted()
        self.n_rows: int = sum(self._source.lengths)

    def said(self, model: Any, classes: Array, rows: Ints) -> tuple[Ints, Floats]:
        """Return what a model says about some rows: codes of classes, and scores."""
        codes, scores = zip(*self._of_rows(_said_of_chunk, rows, model, classes), strict=True)
        return np.concatenate(codes), np.concatenate(scores)

    def compared(self, model: Any, target: PartialLabels) -> Compared:
        """Return the labeled rows as numbers, and others that were drawn at random."""
        others = np.random.RandomState(0).permutation(np.flatnonzero(~target.is_labeled))
        rows = np.sort(np.concatenate([target.labeled, others[: limits.SAMPLING_TEST_ROWS]]))
        found = [part for part in self._of_rows(_rows_of_chunk, rows) if part.shape[0]]
        stacked = sparse.vstack(found, "csr") if sparse.issparse(found[0]) else np.vstack(found)
        names = getattr(self._source.names, "columns", None)
        return Compared(_as_numbers(model, stacked), rows, names)

    def _of_rows(self, function: Any, rows: Ints, *shared: Any) -> list[Any]:
        """Return ``function(chunk, those of the rows that are in it, *shared)`` of each chunk."""
        starts = np.cumsum([0, *self._source.lengths[:-1]])
        cut = np.split(rows, np.searchsorted(rows, starts[1:]))
        wanted = [some - start for some, start in zip(cut, starts, strict=True)]
        parts = self._room.each(function, self._source.parts, wanted, shared=shared)
        return list(self._room.collected(parts))


def rows_of(X: Any) -> RowsInMemory | RowsInChunks:
    """Return the rows of a table."""
    return RowsInChunks(X) if is_chunked(X) else RowsInMemory(X)


def _said(X: Any, model: Any, classes: Array) -> tuple[Ints, Floats]:
    predicted = predicted_codes(model, X, classes)
    return predicted, class_scores(model, X, classes, predicted)


def _said_of_chunk(chunk: Any, rows: Ints, model: Any, classes: Array) -> tuple[Ints, Floats]:
    """Return what a model says about some rows of a chunk, in half of the memory."""
    if not len(rows):
        return np.empty(0, dtype=np.int32), np.empty((0, len(classes)), dtype=np.float32)
    codes, scores = _said(_safe_indexing(chunk, rows), model, classes)
    return codes.astype(np.int32), scores.astype(np.float32)


def _rows_of_chunk(chunk: Any, rows: Ints) -> Any:
    some = _safe_indexing(chunk, rows)
    return some.tocsr() if sparse.issparse(some) else np.asarray(some)


def _as_numbers(fitted: Any, X: Any) -> Any:
    """Return the rows as numbers, after the first steps of a pipeline if need be, or None.

    Some classifiers take rows with missing numbers; here each becomes the median of its column.
    """
    fitted = fitted.fitted if isinstance(fitted, NamedClasses) else fitted
    for view in (lambda: X, lambda: fitted[:-1].transform(X)):
        try:
            numbers = check_array(
                view(), accept_sparse="csr", dtype=DTYPES, ensure_all_finite="allow-nan"
            )
            return _in_units(_without_gaps(numbers))
        except (TypeError, ValueError, AttributeError):
            if not isinstance(fitted, Pipeline) or len(fitted) < 2:
                return None
    return None


def _without_gaps(numbers: Any) -> Any:
    if sparse.issparse(numbers):
        return check_array(numbers, accept_sparse="csr")
    missing = np.isnan(numbers)
    if not missing.any():
        return numbers
    known = numbers[:, ~missing.all(axis=0)]  # a column without any number says nothing
    return np.where(np.isnan(known), np.nanmedian(known, axis=0), known)


def _in_units(numbers: Any) -> Any:
    """Return columns whose squares would not be numbers, or zero, divided by their largest one."""
    largest = abs(numbers).max(axis=0)
    largest = largest.toarray().ravel() if sparse.issparse(largest) else np.asarray(largest)
    fits = (largest == 0) | ((largest > _SMALL) & (largest < 1 / _SMALL))
    if fits.all():
        return numbers
    unit = np.where(fits, 1.0, largest)
    if not sparse.issparse(numbers):
        return numbers / unit
    values = numbers.data / unit[numbers.indices]
    return sparse.csr_array((values, numbers.indices, numbers.indptr), shape=numbers.shape)
