"""Tables to files: CSV and Parquet, written in chunks."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from .._utils.spreadsheets import guarded

WRITABLE = ("csv", "parquet")


def write_chunks(
    chunks: Iterable[dict[str, Any]], sink: Any, kind: str, *, as_is: bool = False
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
        keeps it from doing so.
    """
    if kind == "csv":
        _write_csv(chunks, sink, as_is=as_is)
    else:
        _write_parquet(chunks, sink)


def _write_csv(chunks: Iterable[dict[str, Any]], sink: Any, *, as_is: bool) -> None:
    import pandas as pd

    for number, chunk in enumerate(chunks):
        if not as_is:
            chunk = {guarded(name): _guard(values) for name, values in chunk.items()}
        text = pd.DataFrame(chunk).to_csv(index=False, header=number == 0, lineterminator="\n")
        sink.write(text.encode())


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
