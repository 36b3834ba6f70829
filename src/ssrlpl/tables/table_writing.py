"""Tables to files: CSV and Parquet, written in chunks."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from datetime import date, time, timedelta
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from .._utils.spreadsheets import guarded, marked
from ..labels import is_empty
from .errors import TableError

WRITABLE = ("csv", "parquet", "xlsx")

_SHEET_ROWS, SHEET_COLUMNS = 1 << 20, 1 << 14
_UNPRINTABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f]")


def kind_to_write(path: Path, or_else: str = "") -> str:
    """Return the format that the ending of --out asks for; ``or_else`` names what else may be."""
    kind = path.suffix.lower().lstrip(".")
    if kind not in WRITABLE:
        raise TableError(f"--out must end in .csv, .xlsx or .parquet{or_else}. Got {str(path)!r}.")
    return kind


def write_chunks(
    chunks: Iterable[dict[str, Any]],
    sink: Any,
    kind: str,
    *,
    as_is: bool = False,
    is_pipe: bool = False,
    marks: Mapping[str, str] | None = None,
) -> None:
    """Write columns by name, one chunk after the other.

    Parameters
    ----------
    chunks : iterable of dict
        Columns of the same names and types.
    sink : binary file
        Where to.
    kind : "csv", "parquet" or "xlsx"
        The format; a workbook is written at once.
    as_is : bool, default=False
        Whether texts that a spreadsheet would run are written to CSV without the apostrophe that
        keeps it from doing so, and the file without the mark by which Excel knows its letters.
    is_pipe : bool, default=False
        Whether another program reads what is written: it has no mark then.
    marks : mapping, optional
        What is between cells and in decimal numbers of CSV, see ``RawTable.for_spreadsheet``.
    """
    if kind == "csv":
        _write_csv(chunks, sink, as_is=as_is, has_mark=not (as_is or is_pipe), how=marks or {})
    elif kind == "xlsx":
        _write_workbook(chunks, sink, as_is=as_is)
    else:
        _write_parquet(chunks, sink)


def _write_csv(
    chunks: Iterable[dict[str, Any]],
    sink: Any,
    *,
    as_is: bool,
    has_mark: bool,
    how: Mapping[str, str],
) -> None:
    for number, chunk in enumerate(chunks):
        text = _frame(chunk, as_is=as_is).to_csv(
            index=False, header=number == 0, lineterminator="\n", **how
        )
        sink.write((marked(text) if has_mark and number == 0 else text).encode())


def _write_workbook(chunks: Iterable[dict[str, Any]], sink: Any, *, as_is: bool) -> None:
    import pandas as pd
    from openpyxl import Workbook

    frame = pd.concat(_frame(chunk, as_is=as_is) for chunk in chunks)
    if len(frame) >= _SHEET_ROWS:
        raise TableError(
            f"A sheet holds {_SHEET_ROWS - 1:,} rows below its header. Got {len(frame):,}: name a"
            " .csv or .parquet file."
        )
    if frame.shape[1] > SHEET_COLUMNS:
        raise TableError(
            f"A sheet holds {SHEET_COLUMNS:,} columns. Got {frame.shape[1]:,}: name a .csv or"
            " .parquet file."
        )
    book = Workbook(write_only=True)
    sheet = book.create_sheet()
    sheet.append(list(frame))
    for row in frame.itertuples(index=False, name=None):
        sheet.append([_for_sheet(cell) for cell in row])
    whole = BytesIO()  # it is written in pieces that are out of order, which not every sink takes
    book.save(whole)
    sink.write(whole.getvalue())


def _for_sheet(value: Any) -> Any:
    """Return a cell that a workbook can hold: no times with zones, no unprintable characters."""
    if is_empty(value):
        return None
    is_time = isinstance(value, date | time | timedelta) and not _has_zone(value)
    if is_time or (isinstance(value, bool | int | float) and abs(value) < math.inf):
        return value
    return _UNPRINTABLE.sub("", str(value))


def _has_zone(value: Any) -> bool:
    return getattr(value, "tzinfo", None) is not None


def _frame(chunk: dict[str, Any], *, as_is: bool) -> Any:
    """Return columns as a frame, without texts that a spreadsheet would run."""
    import pandas as pd

    # Without the index of a Series, by which rows would be put in another order.
    chunk = {name: getattr(values, "array", values) for name, values in chunk.items()}
    if not as_is:
        chunk = {guarded(name): _guard(values) for name, values in chunk.items()}
    return pd.DataFrame(chunk)


def _guard(values: Any) -> Any:
    values = values if hasattr(values, "dtype") else np.asarray(values)
    if values.dtype.kind not in "OU":
        return values
    # Of cells that are lists np.array would make a matrix.
    return np.fromiter(map(guarded, np.asarray(values).tolist()), dtype=object)


def _write_parquet(chunks: Iterable[dict[str, Any]], sink: Any) -> None:
    import pyarrow as pa
    from pyarrow import parquet

    writer = None
    for chunk in chunks:
        columns = {
            name: pa.array(_for_arrow(values), from_pandas=True) for name, values in chunk.items()
        }
        table = pa.table(columns)
        if writer is None:  # a column that is empty so far may hold texts
            types = {f.name: pa.string() if f.type == pa.null() else f.type for f in table.schema}
            writer = parquet.ParquetWriter(sink, pa.schema(types))
        writer.write_table(table.cast(writer.schema))  # whole numbers beside a gap come as floats
    if writer is not None:
        writer.close()


def _for_arrow(values: Any) -> Any:
    """Return an array Arrow knows: texts for objects, contiguous memory for numbers."""
    values = np.asarray(values)
    if values.dtype.kind != "O":
        return np.ascontiguousarray(values)
    return [None if value is None or value != value else str(value) for value in values]
