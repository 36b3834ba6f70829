"""Files whose cells have types: Excel, Parquet, Arrow, JSON, SQLite and NumPy."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from .errors import TableError
from .naming import unique_names
from .text_files import missing_by_column


def read_excel(
    path: Path, sheet: str | None, target: str | None, missing: tuple[str, ...]
) -> tuple[Any, list[str]]:
    """Read a sheet of an Excel file."""
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
        cells = missing_by_column(names, target, missing)
        frame = pd.read_excel(book, header=0, names=names, na_values=cells, **how)
    return frame, notes


def read_parquet(path: Path) -> tuple[Any, list[str]]:
    """Read a whole Parquet file."""
    import pyarrow.parquet as pq

    with pq.ParquetFile(path) as file:  # pq.read_table refuses columns of one name
        table = file.read()
    names, notes = unique_names(table.column_names)
    return plain_frame(table.rename_columns(names)), notes


def plain_frame(table: Any) -> Any:
    """Return an Arrow table as a data frame without an index of its own."""
    # The index that pandas hides in the file's metadata is a column like any other here.
    return table.replace_schema_metadata(None).to_pandas()


def read_numpy(path: Path, array: str, target: str | None) -> tuple[Any, list[str]]:
    """Read a matrix of an .npy or .npz file, and the labels beside it."""
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


def read_arrow(path: Path) -> tuple[Any, list[str]]:
    """Read a Feather or Arrow file."""
    from pyarrow import feather

    table = feather.read_table(path)
    names, notes = unique_names(table.column_names)
    return plain_frame(table.rename_columns(names)), notes


def read_json(path: Path) -> tuple[Any, list[str]]:
    """Read one JSON object a line, or a list of objects."""
    import json

    import pandas as pd

    text = path.read_text(encoding="utf-8-sig")
    records = (
        json.loads(text)
        if path.suffix.lower() == ".json"
        else [json.loads(line) for line in text.splitlines() if line.strip()]
    )
    if not isinstance(records, list) or not all(isinstance(row, dict) for row in records):
        raise TableError(f"{path.name} must hold JSON objects, one for each row.")
    frame = pd.DataFrame.from_records(records)
    frame.columns, notes = unique_names(frame.columns)
    return frame, notes


def read_sqlite(path: Path, table: str | None) -> tuple[Any, list[str]]:
    """Read a table, or a view, of a SQLite database."""
    import sqlite3
    from contextlib import closing

    import pandas as pd

    try:
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as base:
            found = base.execute("SELECT name FROM sqlite_master WHERE type IN ('table', 'view')")
            names = [name for (name,) in found if not name.startswith("sqlite_")]
            if table is None and len(names) == 1:
                table = names[0]
            if table is None or table not in names:
                raise TableError(
                    f"{path.name} holds the tables {', '.join(names) or '(none)'}: name one of"
                    f" them, as in {path.name}::{names[0] if names else 'table'}."
                )
            quoted = table.replace('"', '""')
            frame = pd.read_sql_query(f'SELECT * FROM "{quoted}"', base)
    except sqlite3.Error as error:
        raise TableError(f"{path.name} cannot be read as SQLite: {error}.") from error
    frame.columns, notes = unique_names(frame.columns)
    return frame, notes


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
