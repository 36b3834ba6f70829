"""Tables to files: CSV and Parquet, written in chunks."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from .._utils.spreadsheets import guarded, marked

WRITABLE = ("csv", "parquet")


def write_chunks(
    chunks: Iterable[dict[str, Any]],
    sink: Any,
    kind: str,
    *,
    as_is: bool = False,
    is_pipe: bool = False,
) -> None:
    """Write columns by name, one chunk after the other.

    Parameters
    ----------
    chunks : iterable of dict
        Columns of the same names and types.
    sink : binary file
        Where to.
    kind : "csv" or "parquet"
        The format.
    as_is : bool, default=False
        Whether texts that a spreadsheet would run are written to CSV without the apostrophe that
        keeps it from doing so, and the file without the mark by which Excel knows its letters.
    is_pipe : bool, default=False
        Whether another program reads what is written: it has no mark then.
    """
    if kind == "csv":
        _write_csv(chunks, sink, as_is=as_is, has_mark=not (as_is or is_pipe))
    else:
        _write_parquet(chunks, sink)


def _write_csv(chunks: Iterable[dict[str, Any]], sink: Any, *, as_is: bool, has_mark: bool) -> None:
    import pandas as pd

    for number, chunk in enumerate(chunks):
        if not as_is:
            chunk = {guarded(name): _guard(values) for name, values in chunk.items()}
        text = pd.DataFrame(chunk).to_csv(index=False, header=number == 0, lineterminator="\n")
        sink.write((marked(text) if has_mark and number == 0 else text).encode())


def _guard(values: Any) -> Any:
    values = np.asarray(values)
    if values.dtype.kind not in "OU":
        return values
    return np.array([guarded(value) for value in values.tolist()], dtype=object)


def _write_parquet(chunks: Iterable[dict[str, Any]], sink: Any) -> None:
    import pyarrow as pa
    from pyarrow import parquet

    writer = None
    for chunk in chunks:
        table = pa.table({name: _for_arrow(values) for name, values in chunk.items()})
        writer = writer or parquet.ParquetWriter(sink, table.schema)
        writer.write_table(table)
    if writer is not None:
        writer.close()


def _for_arrow(values: Any) -> Any:
    """Return an array Arrow knows: texts for objects, contiguous memory for numbers."""
    values = np.asarray(values)
    if values.dtype.kind != "O":
        return np.ascontiguousarray(values)
    return [None if value is None or value != value else str(value) for value in values]
