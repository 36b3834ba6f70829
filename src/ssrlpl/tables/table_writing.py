"""Tables to files: CSV and Parquet, written in chunks."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

WRITABLE = ("csv", "parquet")


def write_chunks(chunks: Iterable[dict[str, Any]], sink: Any, kind: str) -> None:
    """Write columns by name, one chunk after the other.

    Parameters
    ----------
    chunks : iterable of dict
        Columns of the same names and types.
    sink : binary file
        Where to.
    kind : "csv" or "parquet"
        The format.
    """
    write = _write_csv if kind == "csv" else _write_parquet
    write(chunks, sink)


def _write_csv(chunks: Iterable[dict[str, Any]], sink: Any) -> None:
    import pandas as pd

    for number, chunk in enumerate(chunks):
        text = pd.DataFrame(chunk).to_csv(index=False, header=number == 0, lineterminator="\n")
        sink.write(text.encode())


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
