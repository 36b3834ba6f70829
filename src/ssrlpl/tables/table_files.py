"""Tables in files: read at once or in chunks, and written in chunks.

CSV (also from standard input), TSV, Parquet, Excel, .npy and .npz are read; CSV and Parquet are
written.
"""

from __future__ import annotations

import io
import re
import sys
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from .._utils import limits
from .cell_values import as_text
from .errors import TableError, unknown_column

COMPRESSED = (".gz", ".bz2", ".xz", ".zip", ".zst")
READABLE = ".csv, .tsv, .parquet, .xlsx, .npy, .npz, or - for CSV from standard input"

WRITABLE = ("csv", "parquet")

SEPARATORS = (",", ";", "\t")
"""The one that cuts the header into most names is taken; the first wins a tie."""

MISSING = ("", "#N/A", "<NA>", "N/A", "NA", "NULL", "NaN", "None", "n/a", "nan", "null")
"""Cells of text files that are read as missing."""

EMPTY_LABELS = ("", "<NA>", "NaN", "nan")
"""Cells of the target that are read as empty: "None" and "NA" may well be classes."""

_RAGGED = re.compile(r"Expected (\d+) fields in line (\d+), saw (\d+)")


@dataclass(frozen=True)
class RawTable:
    """A table as it was read, and what a reader of the report should know about that."""

    name: str
    frame: Any
    notes: list[str] = field(default_factory=list)

    def column(self, name: str, option: str) -> Any:
        """Return a column by its name; ``option`` is who asks."""
        if name not in self.frame.columns:
            raise unknown_column(name, self.frame.columns, option)
        return self.frame[name]

    def row_names(self, id_column: str | None, first: int = 0) -> NDArray[Any]:
        """Return what names the rows: a column as text, or their numbers as in pandas."""
        if id_column is None:
            return np.arange(first, first + len(self.frame))
        return np.array([as_text(v) for v in self.column(id_column, "--id").tolist()], dtype=object)


def read_table(
    source: str | Path,
    *,
    target: str | None = None,
    missing: tuple[str, ...] = (),
    sheet: str | None = None,
    array: str = "X",
) -> RawTable:
    """Read a whole table.

    Parameters
    ----------
    source : str or Path
        A file whose ending tells its format, or "-" for CSV from standard input.
    target : str, optional
        The target column, in which only an empty cell is missing; in an .npz file the array
        that becomes that column.
    missing : tuple of str
        Further cells of text files that are missing.
    sheet : str, optional
        Sheet of an Excel file, by default the first.
    array : str, default="X"
        The matrix in an .npz file.

    Returns
    -------
    RawTable
        Column names are text and differ from each other.
    """
    path = Path(source)
    kind = format_of(path)
    if kind != "stdin":
        _check_file(path)
    try:
        if kind in ("csv", "tsv", "stdin"):
            content = sys.stdin.buffer.read() if kind == "stdin" else path
            frame, notes = _read_text(content, target, missing)
        elif kind == "excel":
            frame, notes = _read_excel(path, sheet, target, missing)
        elif kind == "parquet":
            frame, notes = _read_parquet(path)
        else:
            frame, notes = _read_numpy(path, array, target)
    except TableError:
        raise
    except (ValueError, OSError, BadZipFile, UnicodeError) as error:
        raise TableError(_unreadable(path, kind, error)) from error
    if not len(frame):
        raise TableError(f"{_name(path)} has no rows: it must hold a row for each sample.")
    return RawTable(_name(path), frame, notes)


def format_of(path: Path) -> str:
    """Return which reader a file needs."""
    if str(path) == "-":
        return "stdin"
    suffixes = [suffix.lower() for suffix in path.suffixes]
    if suffixes and suffixes[-1] in COMPRESSED:
        suffixes.pop()
    ending = suffixes[-1] if suffixes else ""
    known = {
        ".csv": "csv", ".txt": "csv", ".tsv": "tsv", ".tab": "tsv", ".parquet": "parquet",
        ".pq": "parquet", ".xlsx": "excel", ".xlsm": "excel", ".npy": "npy", ".npz": "npz",
    }  # fmt: skip
    if ending not in known:
        raise TableError(f"The ending of a table must be {READABLE}. Got {path.name!r}.")
    return known[ending]


def _name(path: Path) -> str:
    return "standard input" if str(path) == "-" else path.name


def _check_file(path: Path) -> None:
    if not path.exists():
        raise TableError(f"There is no file {path}: check the path.")
    if path.is_dir():
        raise TableError(f"{path} is a folder: name a file in it.")


def _unreadable(path: Path, kind: str, error: Exception) -> str:
    if isinstance(error, UnicodeError):
        return f"{_name(path)} is not UTF-8 text: save it as CSV in UTF-8."
    if "allow_pickle" in str(error):
        return (
            f"{_name(path)} holds Python objects, which are not loaded because that can run code:"
            " save arrays of numbers or strings."
        )
    if "No columns to parse" in str(error):
        return f"{_name(path)} is empty: it must hold a header and a row for each sample."
    reason = " ".join(str(error).split()).rstrip(".")
    ragged = _RAGGED.search(reason)
    if ragged:
        return (
            f"Line {ragged[2]} of {_name(path)} has {ragged[3]} cells, the header has {ragged[1]}:"
            " put quotes around cells that hold the separator."
        )
    named = {"stdin": "CSV", "csv": "CSV", "tsv": "TSV", "excel": "Excel (.xlsx)"}.get(kind, kind)
    return f"{_name(path)} cannot be read as {named}: {reason}."


def _read_text(
    content: bytes | Path, target: str | None, missing: tuple[str, ...]
) -> tuple[Any, list[str]]:
    import pandas as pd

    def source() -> Any:
        return io.BytesIO(content) if isinstance(content, bytes) else content

    how: dict[str, Any] = {"encoding": "utf-8-sig", "skipinitialspace": True}
    headers = {
        sep: pd.read_csv(
            source(), sep=sep, header=None, nrows=1, dtype=str, keep_default_na=False, **how
        ).iloc[0]
        for sep in SEPARATORS
    }
    how["sep"], header = max(headers.items(), key=lambda item: len(item[1]))
    names, notes = unique_names(header)
    with warnings.catch_warnings():
        warnings.simplefilter("error", pd.errors.ParserWarning)
        try:
            frame = pd.read_csv(
                source(), header=0, names=names, index_col=False, low_memory=False,
                keep_default_na=False, na_values=_missing_by_column(names, target, missing), **how,
            )  # fmt: skip
        except pd.errors.ParserWarning as error:
            raise TableError(
                f"Some rows have more cells than the {len(names)} columns of the header: put"
                " quotes around cells that hold the separator, or correct the header."
            ) from error
    return frame, notes


def _missing_by_column(
    names: list[str], target: str | None, missing: tuple[str, ...]
) -> dict[str, list[str]]:
    cells = {name: [*MISSING, *missing] for name in names}
    if target in cells:
        cells[target] = list(EMPTY_LABELS)
    return cells


def _read_excel(
    path: Path, sheet: str | None, target: str | None, missing: tuple[str, ...]
) -> tuple[Any, list[str]]:
    import pandas as pd

    with pd.ExcelFile(path, engine="openpyxl") as book:
        if sheet is not None and sheet not in book.sheet_names:
            listed = ", ".join(repr(name) for name in book.sheet_names)
            raise TableError(
                f"--sheet names {sheet!r}, which the file does not have: there are {listed}."
            )
        how = {"sheet_name": 0 if sheet is None else sheet, "keep_default_na": False}
        header = pd.read_excel(book, header=None, nrows=1, dtype=str, **how)
        if header.empty:
            raise TableError(f"{path.name} has no rows: it must hold a row for each sample.")
        names, notes = unique_names(header.iloc[0])
        cells = _missing_by_column(names, target, missing)
        frame = pd.read_excel(book, header=0, names=names, na_values=cells, **how)
    return frame, notes


def _read_parquet(path: Path) -> tuple[Any, list[str]]:
    import pyarrow.parquet as pq

    with pq.ParquetFile(path) as file:  # pq.read_table refuses columns of one name
        table = file.read()
    names, notes = unique_names(table.column_names)
    return plain_frame(table.rename_columns(names)), notes


def plain_frame(table: Any) -> Any:
    """Return an Arrow table as a data frame without an index of its own."""
    # The index that pandas hides in the file's metadata is a column like any other here.
    return table.replace_schema_metadata(None).to_pandas()


def _read_numpy(path: Path, array: str, target: str | None) -> tuple[Any, list[str]]:
    content = np.load(path, allow_pickle=False)
    if isinstance(content, np.ndarray):
        return _matrix_frame(content, path), []
    with content:
        if array not in content:
            raise TableError(
                f"{path.name} holds {', '.join(content.files) or 'nothing'}, but no array"
                f" {array!r}: name the matrix of rows with --array."
            )
        frame = _matrix_frame(content[array], path)
        if target is not None and target in content:
            frame[target] = _labels_of(content[target], len(frame), path, target)
    return frame, []


def _labels_of(labels: Any, n_rows: int, path: Path, target: str) -> Any:
    if labels.shape not in ((n_rows,), (n_rows, 1)):
        raise TableError(
            f"{path.name} must hold one label for each of its {n_rows} rows in {target!r}. Got"
            f" shape {labels.shape}."
        )
    return labels.ravel()


def _matrix_frame(matrix: Any, path: Path) -> Any:
    import pandas as pd

    if matrix.ndim != 2:
        raise TableError(
            f"{path.name} must hold a matrix, one row for each sample. Got shape {matrix.shape}:"
            " reshape it to two dimensions."
        )
    return pd.DataFrame(matrix, columns=[str(j) for j in range(matrix.shape[1])])


def unique_names(header: Any) -> tuple[list[str], list[str]]:
    """Return names that differ from each other, and a sentence for each that had to change."""
    given = ["" if name is None or name != name else str(name).strip() for name in header]
    names: list[str] = []
    notes = []
    for position, name in enumerate(given):
        unique, copies = name or f"Unnamed: {position}", 0
        while unique in names or (copies and unique in given):
            copies += 1
            unique = f"{name}.{copies}"
        if copies:
            notes.append(f"The column name {name!r} comes twice: the later one is {unique!r} here.")
        names.append(unique)
    return names, notes


class ParquetTable:
    """A Parquet file, walked through as often as needed."""

    def __init__(self, path: Path):
        import pyarrow.parquet as pq

        try:
            with pq.ParquetFile(path) as file:
                self.n_rows = file.metadata.num_rows
                self._stored = list(file.schema_arrow.names)
                self.names, self.notes = unique_names(self._stored)
        except (OSError, ValueError) as error:
            reason = " ".join(str(error).split()).rstrip(".")
            raise TableError(f"{path.name} cannot be read as parquet: {reason}.") from error
        self.path = path

    def chunks(self, columns: list[str] | None = None) -> Iterator[Any]:
        """Yield data frames of consecutive rows, of all columns or of some."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        with pq.ParquetFile(self.path) as file:
            for batch in file.iter_batches(
                batch_size=limits.CHUNK_ROWS, columns=self._ask(columns)
            ):
                table = pa.Table.from_batches([batch])
                frame = plain_frame(table.rename_columns(self._names_of(table.column_names)))
                yield frame if columns is None else frame[columns]

    def _ask(self, columns: list[str] | None) -> list[str] | None:
        """Return what the columns are called in the file; None, all, if names there repeat."""
        if columns is None or self.notes:
            return None
        return [self._stored[self.names.index(name)] for name in columns]

    def _names_of(self, stored: list[str]) -> list[str]:
        """Return our names of columns that were read, in whatever order they came."""
        if self.notes:
            return self.names
        return [self.names[self._stored.index(name)] for name in stored]


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
