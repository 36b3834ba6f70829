"""Rows, labels and weights in chunks: what a fit maps over."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils import _safe_indexing, check_random_state
from sklearn.utils.validation import validate_data

from .._utils.chunked import is_chunked
from .._utils.types import VectorLike
from ..labels import UNLABELED, PartialLabels, decode_more, encode_labels, shown
from .chunks import Source, column_parts, open_source, read_rows
from .engine import Part, collected, each, merged, steadily


class Chunk(NamedTuple):
    """Checked rows, their target, and their weights (None: all are one)."""

    X: Any
    target: PartialLabels
    weight: NDArray[np.float64] | None

    def take(self, rows: NDArray[np.intp]) -> Chunk:
        """Return some of the rows."""
        target = PartialLabels(self.target.classes, self.target.codes[rows])
        return Chunk(self.X[rows], target, None if self.weight is None else self.weight[rows])


class _Given(NamedTuple):
    """The labels of a chunk of a target in memory: few rows have one."""

    rows: NDArray[np.intp]
    codes: NDArray[np.intp]


@dataclass(frozen=True)
class _Reading:
    """How chunks are read, wherever that is done."""

    dtype: Any
    classes: NDArray[Any]
    unlabeled: Any

    def chunk(self, X: Any, labels: Any, weight: Any) -> Chunk:
        """Return a whole chunk."""
        return Chunk(read_rows(X, self.dtype), *self._columns(X.shape[0], labels, weight))

    def some(
        self, X: Any, labels: Any, weight: Any, wanted: NDArray[np.intp], with_labeled: bool
    ) -> tuple[Chunk | None, NDArray[np.intp] | None]:
        """Return some rows of a chunk and their numbers, two times None if it has no rows at all.

        They are taken out first, so that the others are neither checked nor copied.
        """
        if not X.shape[0]:
            return None, None
        target, weight = self._columns(X.shape[0], labels, weight)
        rows = np.union1d(wanted, target.labeled) if with_labeled else wanted
        few = PartialLabels(self.classes, target.codes[rows])
        weight = None if weight is None else weight[rows]
        return Chunk(steadily(read_rows, _safe_indexing(X, rows), self.dtype), few, weight), rows

    def _columns(
        self, n_rows: int, labels: Any, weight: Any
    ) -> tuple[PartialLabels, NDArray[np.float64] | None]:
        if isinstance(labels, _Given):
            codes = np.full(n_rows, UNLABELED, dtype=np.intp)
            codes[labels.rows] = labels.codes
            target = PartialLabels(self.classes, codes)
        else:
            target = decode_more(labels, self.classes, unlabeled=self.unlabeled, n_samples=n_rows)
        if weight is None:
            return target, None
        weight = _read_weights(weight, n_rows)
        return target.hiding(weight == 0), weight


@dataclass(frozen=True)
class ChunkedTable:
    """A table whose chunks are read, checked and decoded where they are used."""

    source: Source
    classes: NDArray[Any]
    _reading: _Reading
    _labels: list[Part]
    _weights: list[Part]

    def parts(
        self,
        function: Callable[..., Any],
        *shared: Any,
        nothing: Any = None,
    ) -> list[Part]:
        """Return the parts ``function(chunk, *shared)``, ``nothing`` for a chunk without rows."""
        shared = (function, nothing, self._reading, *shared)
        return each(_on_chunk, *self._all_columns, shared=shared)

    @property
    def _all_columns(self) -> tuple[list[Part], ...]:
        return self.source.parts, self._labels, self._weights

    def merge(
        self, function: Callable[..., Any], merge: Callable[[Any, Any], Any], *shared: Any
    ) -> Any:
        """Return the values of ``function`` for all chunks, merged in a fixed binary tree."""
        return merged(self.parts(function, *shared), merge)

    def rows(
        self,
        function: Callable[..., NDArray[Any]],
        *shared: Any,
        n_columns: int | None,
        dtype: Any,
    ) -> Any:
        """Return ``function(chunk, *shared)`` as a table in chunks, computed when asked for."""
        nothing = np.empty((0,) if n_columns is None else (0, n_columns), dtype=dtype)
        return self.source.wrapped(self.parts(function, *shared, nothing=nothing), n_columns, dtype)

    @cached_property
    def lengths(self) -> NDArray[np.intp]:
        """Rows of each chunk; counted if they are not known."""
        return np.array(self.source.counted().lengths)

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self.lengths.sum())

    @cached_property
    def labeled(self) -> Chunk:
        """The labeled rows, in order; they must fit in memory."""
        found, _ = self._taken([np.empty(0, dtype=np.intp)] * len(self.source.parts), True)
        missing = np.setdiff1d(np.arange(len(self.classes)), found.target.codes)
        if len(missing):
            raise ValueError(
                "Every class must keep a labeled row of weight above zero. Got none of class"
                f" {shown(self.classes[missing[0]])}: give one of its rows a weight."
            )
        return found

    def sample(
        self, n_rows: int, seed: Any, *, with_labeled: bool = False
    ) -> tuple[Chunk, NDArray[np.intp]]:
        """Return random rows, in order, with all labeled ones if that is asked for.

        The second value has their numbers in the table.
        """
        ends = np.cumsum(self.lengths)
        if ends[-1] > n_rows:
            generator = np.random.default_rng(check_random_state(seed).randint(2**31 - 1))
            drawn = np.sort(generator.choice(ends[-1], n_rows, replace=False, shuffle=False))
        else:
            drawn = np.arange(ends[-1])
        cut = np.split(drawn, np.searchsorted(drawn, ends[:-1]))
        starts = ends - self.lengths
        wanted = [rows - start for rows, start in zip(cut, starts, strict=True)]
        chunk, places = self._taken(wanted, with_labeled)
        numbers = [
            place + start for place, start in zip(places, starts, strict=True) if place is not None
        ]
        return chunk, np.concatenate(numbers)

    def _taken(
        self, wanted: list[NDArray[np.intp]], with_labeled: bool
    ) -> tuple[Chunk, list[NDArray[np.intp] | None]]:
        """Return the wanted rows of each chunk as one, and which they are (None: no row)."""
        shared = (with_labeled, self._reading)
        found = collected(each(_some_rows, *self._all_columns, wanted, shared=shared, steady=False))
        chunks, places = zip(*found, strict=True)
        return self._stacked([one for one in chunks if one is not None]), list(places)

    def _stacked(self, chunks: list[Chunk]) -> Chunk:
        if not chunks:
            raise ValueError("X must have rows. Got chunks that are all empty.")
        chunks = [chunk for chunk in chunks if chunk.X.shape[0]] or chunks[:1]
        X = [chunk.X for chunk in chunks]
        codes = np.concatenate([chunk.target.codes for chunk in chunks])
        weights = [chunk.weight for chunk in chunks if chunk.weight is not None]
        return Chunk(
            sparse.vstack(X, format="csr") if sparse.issparse(X[0]) else np.concatenate(X),
            PartialLabels(self.classes, codes),
            np.concatenate(weights) if weights else None,
        )

    def named(self, X: Any) -> Any:
        """Return rows with the names of the columns, if they have names."""
        names = self.source.names
        return type(names)(X, columns=names.columns) if hasattr(names, "iloc") else X


def open_table(
    estimator: Any, X: Any, y: VectorLike, sample_weight: VectorLike | None = None
) -> ChunkedTable:
    """Check what an estimator is given, as far as that needs no rows, and return it as one table.

    The number and the names of the columns are written to the estimator. What is in memory beside
    X is cut like X, so the lengths of the chunks are counted if they are not known.
    """
    source = open_source(X)
    validate_data(estimator, source.names, skip_check_array=True)
    if not (is_chunked(y) and (sample_weight is None or is_chunked(sample_weight))):
        source = source.counted()
    n_rows = None if source.lengths is None else sum(source.lengths)
    if is_chunked(y):
        labels = column_parts(y, source, "y")
        classes = _classes_of(labels, estimator.unlabeled)
    else:
        target = encode_labels(y, unlabeled=estimator.unlabeled, n_samples=n_rows)
        labels, classes = [_given(codes) for codes in source.cut(target.codes)], target.classes
    if is_chunked(sample_weight):
        weights = column_parts(sample_weight, source, "sample_weight")
    elif sample_weight is None:
        weights = [None] * len(source.parts)
    else:
        weights = source.cut(_read_weights(sample_weight, n_rows))
    reading = _Reading(source.dtype, classes, estimator.unlabeled)
    return ChunkedTable(source, classes, reading, labels, weights)


def _given(codes: NDArray[np.intp]) -> _Given:
    rows = np.flatnonzero(codes != UNLABELED)
    return _Given(rows, codes[rows])


def _classes_of(labels: list[Part], unlabeled: Any) -> NDArray[Any]:
    """Return the classes of a target in chunks.

    What marks an unlabeled row may depend on the whole target, so its distinct entries are
    collected first and decoded like a target.
    """
    found = [one for one in collected(each(_distinct, labels)) if len(one)]
    if len({one.dtype.kind for one in found}) > 1:
        found = [one.astype(object) for one in found]
    entries = np.concatenate(found) if found else np.array([None])
    return encode_labels(entries, unlabeled=unlabeled).classes


def _distinct(y: Any) -> NDArray[Any]:
    """Return the distinct entries of a chunk of a target; an empty one is NaN or None."""
    target = encode_labels(y, unlabeled=None, min_classes=0)
    if target.is_labeled.all():
        return target.classes
    if target.classes.dtype.kind == "f":
        return np.append(target.classes, np.nan)
    return np.array([*target.classes, None], dtype=object)


def _read_weights(weight: Any, n_rows: int | None) -> NDArray[np.float64]:
    values = np.asarray(weight, dtype=np.float64).reshape(-1)
    if len(values) != n_rows or not (np.isfinite(values) & (values >= 0)).all():
        raise ValueError(
            f"sample_weight must hold a finite number >= 0 for each row. Got {len(values)} entries"
            f" for {n_rows} rows: pass how often each row counts."
        )
    return values


def _on_chunk(
    X: Any,
    labels: Any,
    weight: Any,
    function: Callable[..., Any],
    nothing: Any,
    reading: _Reading,
    *shared: Any,
) -> Any:
    chunk = reading.chunk(X, labels, weight)
    return function(chunk, *shared) if chunk.X.shape[0] else nothing


def _some_rows(
    X: Any,
    labels: Any,
    weight: Any,
    wanted: NDArray[np.intp],
    with_labeled: bool,
    reading: _Reading,
) -> tuple[Chunk | None, NDArray[np.intp] | None]:
    return reading.some(X, labels, weight, wanted, with_labeled)
