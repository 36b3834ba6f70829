"""Tables to standard output or to a file, chunk by chunk."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from .._files import whole_file
from ..job import OutputError


def write_chunks(chunks: Iterable[dict[str, Any]], out: str) -> None:
    """Write columns by name, one chunk after the other, to a file (whole or not at all) or to -."""
    if out == "-":
        _write(chunks, sys.stdout.buffer, "csv")
        sys.stdout.buffer.flush()
        return
    path = Path(out)
    kind = path.suffix.lower().lstrip(".")
    if kind not in ("csv", "parquet"):
        raise OutputError(f"--out must end in .csv or .parquet, or be -. Got {out!r}.")
    try:
        with whole_file(path) as partial, partial.open("wb") as sink:
            _write(chunks, sink, kind)
    except OSError as error:
        raise OutputError(f"{path} cannot be written: {error.strerror}.") from error


def _write(chunks: Iterable[dict[str, Any]], sink: Any, kind: str) -> None:
    import pyarrow as pa
    from pyarrow import csv, parquet

    writer = None
    for chunk in chunks:
        table = pa.table({name: _plain(values) for name, values in chunk.items()})
        if writer is None:
            make = csv.CSVWriter if kind == "csv" else parquet.ParquetWriter
            how = {"write_options": csv.WriteOptions(quoting_style="needed")}
            writer = make(sink, table.schema, **(how if kind == "csv" else {}))
        writer.write_table(table)
    if writer is not None:
        writer.close()


def _plain(values: Any) -> Any:
    values = np.asarray(values)
    return values.astype(str) if values.dtype.kind == "O" else np.ascontiguousarray(values)
