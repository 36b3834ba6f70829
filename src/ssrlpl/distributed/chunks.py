"""Tables in chunks: dask collections, or ``Chunks`` that are loaded in this process."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_array

from .._utils.validation import curing
from .engine import Later, Part, aligned, collected, each


class Chunks:
    """A table in chunks, each loaded when it is needed and forgotten afterwards.

    Estimators take it in place of an array, and what would have a row for each row of the table
    is such a table again.

    Parameters
    ----------
    loaders : sequence of callables
        Each returns consecutive rows: an array, a sparse matrix or a data frame. Columns of
        data frames are found by name, in any order.
    lengths : sequence of int, optional
        How many rows each of them returns; if that is not given, they are counted when needed.

    Examples
    --------
    >>> import numpy as np
    >>> from ssrlpl import KNNLabeler
    >>> from ssrlpl.distributed import Chunks
    >>> table = Chunks([lambda: np.eye(4)[:2], lambda: np.eye(4)[2:]])
    >>> labeler = KNNLabeler(1).fit(table, [0, 1, -1, -1])
    >>> labeler.predict_proba(table).compute().shape
    (4, 2)
    """

    def __init__(self, loaders: Sequence[Callable[[], Any]], lengths: Sequence[int] | None = None):
        self.lengths = None if lengths is None else tuple(lengths)
        for one in loaders:
            if not isinstance(one, Later) and not callable(one):
                raise TypeError(
                    "loaders must be functions without arguments that return rows. Got"
                    f" {type(one).__name__}: pass lambda: rows."
                )
        self.chunk_parts: list[Part] = [
            one if isinstance(one, Later) else Later(one) for one in loaders
        ]

    def compute(self) -> NDArray[Any]:
        """Return all rows as one array."""
        found = collected(self.chunk_parts)
        if hasattr(found[0], "columns"):
            found = [_in_order(chunk, found[0].columns) for chunk in found]
        return np.concatenate(found)


@dataclass(frozen=True)
class Source:
    """The chunks of a table, and what is known before any of them is read."""

    parts: list[Part]
    names: Any
    """An empty table with the columns, for scikit-learn's checks of names."""
    dtype: Any
    """The type in which rows are computed."""
    lengths: tuple[int, ...] | None
    """Rows of each chunk, None if they are not known."""

    def counted(self) -> Source:
        """Return the same chunks with known lengths."""
        if self.lengths is not None:
            return self
        return replace(self, lengths=tuple(collected(each(_n_rows, self.parts))))

    def cut(self, column: NDArray[Any]) -> list[NDArray[Any]]:
        """Return a column in memory, cut like the chunks."""
        assert self.lengths is not None
        return np.split(column, np.cumsum(self.lengths)[:-1])

    def wrapped(self, parts: list[Part], n_columns: int | None, dtype: Any) -> Any:
        """Return parts with the rows of these chunks as a table like the one that came in.

        ``n_columns`` is None for a column, which has one dimension.
        """
        return table_of(parts, self.lengths, n_columns, dtype)


def table_of(
    parts: Sequence[Part], lengths: Sequence[int] | None, n_columns: int | None, dtype: Any
) -> Any:
    """Return parts that are arrays as a table: a dask array, or ``Chunks`` in this process."""
    if not any(hasattr(part, "__dask_graph__") for part in parts):
        return Chunks(parts, lengths)
    import dask.array as da

    counts = lengths or (np.nan,) * len(parts)
    width = () if n_columns is None else (n_columns,)
    blocks = [
        da.from_delayed(part, (n, *width), dtype) for part, n in zip(parts, counts, strict=True)
    ]
    return da.concatenate(blocks, allow_unknown_chunksizes=True)


def open_source(X: Any) -> Source:
    """Return the chunks of a table."""
    if hasattr(X, "chunk_parts"):
        return _in_this_process(X)
    if X.ndim != 2:
        raise ValueError(
            f"X must be a table of two dimensions. Got {X.ndim}: for a single column use"
            " X.reshape(-1, 1), or to_frame() of a series."
        )
    if not hasattr(X, "numblocks"):  # a data frame
        names = X._meta.columns  # a table that was made by dd.from_map may break its promise
        X = X.map_partitions(_in_order, names=names, meta=X._meta, enforce_metadata=False)
        return Source(X.to_delayed(), X._meta, _row_dtype(X.dtypes), None)
    X = X.rechunk({1: -1}) if X.numblocks[1] > 1 else X
    parts, names = list(X.to_delayed().ravel()), np.empty((0, X.shape[1]))
    return Source(parts, names, _row_dtype([X.dtype]), _known(X.chunks[0]))


def _in_this_process(X: Chunks) -> Source:
    for part in X.chunk_parts:
        first = part()
        if _n_rows(first) and hasattr(first, "iloc"):
            parts = each(_in_order, X.chunk_parts, shared=(first.columns,), steady=False)
            return Source(parts, first[:0], _row_dtype(first.dtypes), X.lengths)
        if _n_rows(first):
            return Source(X.chunk_parts, first[:0], _row_dtype([first.dtype]), X.lengths)
    raise ValueError("X must have rows. Got chunks that are all empty: check where they come from.")


def _in_order(chunk: Any, names: Any) -> Any:
    """Return a data frame with the columns of the first chunk, in their order."""
    if not (_n_rows(chunk) and hasattr(chunk, "iloc")) or chunk.columns.equals(names):
        return chunk
    different = names.symmetric_difference(chunk.columns, sort=False)
    if len(different):
        fault = "without the column" if different[0] in names else "with the further column"
        raise ValueError(
            "Every chunk of X must have the columns of the first. Got a chunk"
            f" {fault} {different[0]!r}: give all chunks the same columns before you pass them."
        )
    return chunk[names]


def _known(lengths: tuple[float, ...]) -> tuple[int, ...] | None:
    return None if np.isnan(lengths).any() else tuple(int(n) for n in lengths)


def _row_dtype(dtypes: Any) -> Any:
    """Return float32 if every column has it, else float64."""
    return np.float32 if all(one == np.float32 for one in dtypes) else np.float64


def _n_rows(chunk: Any) -> int:
    return int(chunk.shape[0])


def read_rows(chunk: Any, dtype: Any) -> Any:
    """Return the rows of a chunk as a checked array or sparse matrix; it may have none."""
    with curing("that transforms each chunk"):
        rows = check_array(
            chunk, accept_sparse="csr", dtype=dtype, order="C", ensure_min_samples=0, input_name="X"
        )
    return aligned(rows)


def column_parts(values: Any, source: Source, name: str) -> list[Part]:
    """Return the parts of a column that comes in chunks itself, one for each chunk of the table."""
    if hasattr(values, "chunk_parts"):
        parts = values.chunk_parts
    elif hasattr(values, "numblocks"):
        values = values.reshape(-1) if values.ndim > 1 else values
        lengths = _known(values.chunks[0])
        if lengths and source.lengths and sum(lengths) == sum(source.lengths):
            values = values.rechunk((source.lengths,))
        parts = list(values.to_delayed().ravel())
    else:
        parts = values.to_delayed()
    if len(parts) != len(source.parts):
        raise ValueError(
            f"X and {name} must be cut into the same chunks. Got {len(source.parts)} in X and"
            f" {len(parts)} in {name}: rechunk {name} like X, after compute_chunk_sizes() if their"
            " lengths are not known."
        )
    return list(parts)
