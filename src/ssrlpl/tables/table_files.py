"""Tables in files, read at once or in chunks: the ending of a file tells its format."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from .cell_values import as_text, is_missing, without_cells
from .errors import TableError, unknown_column
from .file_kinds import ARROW_STREAM, EXCEL, OLD_FEATHER, by_ending, kind_of
from .image_columns import IMAGE, read_folder, with_paths
from .nested_cells import without_lists
from .sheets import read_excel
from .text_files import read_text
from .text_formats import TextFormat
from .typed_files import read_arrow, read_json, read_numpy, read_parquet, read_sqlite, read_stata
from .unpacking import unpacked

MAY_HOLD_LISTS = ("parquet", "arrow", ARROW_STREAM, "JSON", "JSON lines")


@dataclass(frozen=True)
class RawTable:
    r"""A table as it was read, and what a reader of the report should know about that.

    Attributes
    ----------
    name : str
        Name of the file or folder.
    frame : DataFrame
        The cells, under column names that are text and differ from each other.
    notes : list of str
        What was unusual, in sentences.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from ssrlpl import tables
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "shop.csv")
    ...     _ = path.write_text("price;kind\n1,5;fruit\n2,0;\n")
    ...     table = tables.read(path)
    >>> table.name, table.decimal, len(table.frame)
    ('shop.csv', ',', 2)
    """

    name: str
    frame: Any
    notes: list[str] = field(default_factory=list)
    decimal: str = "auto"
    """The decimal character of numbers in texts, if the file told."""
    images: tuple[str, ...] = ()
    """Columns of paths of pictures."""
    is_folder: bool = False
    """Whether it was made of a folder of pictures, which then name the rows."""
    kind: str = "CSV"
    """The kind of file that it came in."""
    sep: str | None = None
    """What is between cells, if it is a text file."""

    @property
    def for_spreadsheet(self) -> dict[str, str]:
        """The marks of CSV files that open where the table came from, as pandas names them.

        Spreadsheets write semicolons between cells where the comma is the decimal character.
        """
        decimal = "," if self.decimal == "auto" and self.sep == ";" else self.decimal
        if decimal == ",":
            return {"sep": ";", "decimal": ","}
        return {"sep": ";"} if self.sep == ";" else {}

    def column(self, name: str, asker: str) -> Any:
        """Return a column by its name, or say that there is none to ``asker``, such as --id."""
        if name in self.frame.columns:
            return self.frame[name]
        if name in self.frame.iloc[:, 0].tolist():
            raise TableError(
                f"{asker} names {name!r}, which stands in the first column of the table: exchange"
                " its rows and columns, so that every row is a sample."
            )
        error = unknown_column(name, self.frame.columns, asker)
        reading = next((f" {note}" for note in self.notes if " was read with " in note), "")
        raise TableError(f"{error}{reading}")

    def row_names(self, id_column: str | None, first: int = 0) -> NDArray[Any]:
        """Return what names the rows: a column as text, or their numbers as in pandas."""
        if id_column is None and self.is_folder:
            return np.array(self.frame[IMAGE].tolist(), dtype=object)
        if id_column is None:
            return np.arange(first, first + len(self.frame))
        cells = self.column(id_column, "--id").tolist()
        return np.array(["" if is_missing(v) else as_text(v) for v in cells], dtype=object)


def read(
    source: str | Path,
    *,
    target: str | None = None,
    missing: str | Iterable[str] = (),
    sep: str | None = None,
    decimal: str = "auto",
    encoding: str | None = None,
    sheet: str | None = None,
    array: str = "X",
    header_row: int | None = None,
    all_rows: bool = False,
    images: str | Path | None = None,
) -> RawTable:
    r"""Read a whole table, as ``ssrlpl fit`` does.

    Parameters
    ----------
    source : str or Path
        A file whose ending tells its format; "file.db::table" is a table of a SQLite database,
        "-" is CSV from standard input. Or a folder of pictures, whose subfolders are the labels.
    target : str, optional
        The target column, in which only an empty cell is missing; in an .npz file the array
        that becomes that column.
    missing : str or iterable of str
        Further cells that are missing, in all columns but the target.
    sep, decimal, encoding : str, optional
        How a text file is written, where it would be read otherwise.
    sheet : str, optional
        Sheet of an Excel file, by default the first that has the target.
    array : str, default="X"
        The matrix in an .npz file.
    header_row : int, optional
        Line of a text file, or row of a sheet, with the names of the columns, counted from 1; 0
        if there is none. By default titles and remarks above it are recognized.
    all_rows : bool, default=False
        Keep rows that look like units below the header, totals, or notes at the end.
    images : str or Path, optional
        A folder of pictures that a column of the table names.

    Returns
    -------
    RawTable
        Its ``frame`` is a pandas DataFrame whose column names are text and differ from each
        other; ``notes`` say what is unusual.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from ssrlpl import tables
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "t.csv")
    ...     _ = path.write_text("länge;art\n1,5;Hund\n2,25;\n", encoding="latin-1")
    ...     table = tables.read(path)
    >>> table.frame["länge"].tolist()
    [1.5, 2.25]
    >>> table.notes[0]
    "t.csv was read with separator ';' (sep=), decimal comma (decimal=), encoding cp1252 ...
    """
    if not isinstance(source, str | os.PathLike):
        raise TableError(_about_no_path(source))
    missing = (missing,) if isinstance(missing, str) else tuple(missing)
    path, inside = _split(source)
    if str(path) != "-" and not path.exists():
        raise TableError(f"There is no file {path}: check the path.")
    if path.is_dir():
        frame, notes = read_folder(path, target)
        return RawTable(path.name, frame, notes, images=(IMAGE,), is_folder=True, kind="images")
    kind = format_of(path)
    how = TextFormat(sep, decimal, encoding, header_row, all_rows)
    readers: dict[str, Any] = {
        "numpy": partial(read_numpy, array=array, target=target),
        "SQLite": partial(read_sqlite, table=inside),
        EXCEL: partial(
            read_excel,
            sheet=sheet,
            target=target,
            missing=missing,
            header_row=header_row,
            all_rows=all_rows,
        ),
        "parquet": read_parquet,
        "Stata": read_stata,
        "arrow": read_arrow,
        OLD_FEATHER: read_arrow,
        ARROW_STREAM: partial(read_arrow, is_stream=True),
        "JSON": partial(read_json, target=target),
        "JSON lines": partial(read_json, target=target),
    }
    about = [] if kind == "stdin" else _about_kind(path, kind)
    with told_plainly(path, kind):
        if kind in readers:
            frame, notes = readers[kind](path)
            if kind in MAY_HOLD_LISTS:
                frame, about_lists = without_lists(frame)
                notes = [*notes, *about_lists]
            frame = without_cells(frame, missing, target)
        else:
            content, packed = (
                (sys.stdin.buffer.read(), []) if kind == "stdin" else unpacked(path, inside)
            )
            frame, notes, how = read_text(content, _name(path), how, target, missing)
            about += packed
    notes = [*about, *notes]
    if not len(frame):
        raise TableError(f"{_name(path)} has no rows: it must hold a row for each sample.")
    frame, pictures = with_paths(frame, images, target)
    return RawTable(_name(path), frame, notes, how.decimal, pictures, kind=kind, sep=how.sep)


def _about_no_path(source: Any) -> str:
    cure = "write it to a file, or read it with pandas and pass the frame to TableTransformer"
    if hasattr(source, "columns"):
        cure = "pass it to TableTransformer as it is"
    return f"The table must be a path. Got a {type(source).__name__}: {cure}."


def _split(source: str | Path) -> tuple[Path, str | None]:
    """Return the file, and the table in it that is named after two colons."""
    path, colons, inside = str(source).rpartition("::")
    return (Path(path), inside) if colons else (Path(source), None)


def format_of(source: str | Path) -> str:
    """Return which reader a file needs."""
    path, _ = _split(source)
    if path.is_dir():
        return "images"
    return "stdin" if str(path) == "-" else kind_of(path)


def _about_kind(path: Path, kind: str) -> list[str]:
    """Say that a file is not what its ending says."""
    try:
        asked = by_ending(path)
    except TableError:
        return []
    alike = ({"CSV", "TSV"}, {"arrow", ARROW_STREAM, OLD_FEATHER})
    if asked == kind or any({asked, kind} <= kinds for kinds in alike):
        return []
    return [f"{path.name} is no {asked} file as its ending says: it was read as {kind}."]


def _name(path: Path) -> str:
    return "standard input" if str(path) == "-" else path.name


@contextmanager
def told_plainly(path: Path, kind: str) -> Iterator[None]:
    """Turn what a reader of a library raises into a sentence of ours."""
    try:
        yield
    except TableError:
        raise
    except ModuleNotFoundError as error:
        needs = f"Reading this table needs {error.name}: pip install 'ssrlpl[cli]'."
        raise ModuleNotFoundError(needs, name=error.name) from error
    except (ValueError, OSError, EOFError, BadZipFile) as error:
        raise TableError(_unreadable(path, kind, error)) from error


def _unreadable(path: Path, kind: str, error: Exception) -> str:
    if isinstance(error, UnicodeError):
        return f"{_name(path)} is no text that can be read: save it as CSV in UTF-8."
    if "allow_pickle" in str(error):
        return (
            f"{_name(path)} holds Python objects, which are not loaded because that can run code:"
            " save arrays of numbers or strings."
        )
    is_empty = path.is_file() and not path.stat().st_size
    if is_empty or "No columns to parse" in str(error):
        return f"{_name(path)} is empty: it must hold a header and a row for each sample."
    if kind in ("CSV", "TSV", "stdin"):
        return f"{_name(path)} cannot be read as CSV: save it again as CSV in UTF-8."
    return (
        f"{_name(path)} cannot be read as {kind}: it is damaged, or has the ending of another kind"
        " of file."
    )
