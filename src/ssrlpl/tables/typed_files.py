"""Files whose cells have types: Parquet, Arrow, Stata, JSON, SQLite and NumPy."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

from .._utils.advice import option
from .errors import TableError
from .naming import unique_names
from .nested_cells import flat
from .unpacking import check_members, packing_of


def read_parquet(path: Path) -> tuple[Any, list[str]]:
    """Read a whole Parquet file."""
    import pyarrow.parquet as pq

    with pq.ParquetFile(path) as file:  # pq.read_table refuses columns of one name
        table = flat(file.read())
    names, notes = unique_names(table.column_names)
    return plain_frame(table.rename_columns(names)), notes


def plain_frame(table: Any) -> Any:
    """Return an Arrow table as a data frame without an index of its own."""
    # The index that pandas hides in the file's metadata is a column like any other here.
    return table.replace_schema_metadata(None).to_pandas()


def read_numpy(path: Path, array: str, target: str | None) -> tuple[Any, list[str]]:
    """Read a matrix of an .npy or .npz file, and the labels beside it."""
    if packing_of(path) == "zip":
        check_members(path)
    content = np.load(path, allow_pickle=False)
    if isinstance(content, np.ndarray):
        return _matrix_frame(content, path), []
    with content:
        if not content.files:
            raise TableError(f"{path.name} is empty: it must hold a matrix of rows.")
        if array not in content:
            raise TableError(
                f"{path.name} holds {', '.join(content.files)}, but no array"
                f" {array!r}: name the matrix of rows with {option('array')}."
            )
        frame = _matrix_frame(content[array], path)
        if target is not None and target in content:
            frame[target] = _labels_of(content[target], len(frame), path, target)
    return frame, []


def read_arrow(path: Path, *, is_stream: bool = False) -> tuple[Any, list[str]]:
    """Read a Feather or Arrow file, or the messages of a stream in a file."""
    import pyarrow as pa
    from pyarrow import feather

    if is_stream:
        with pa.memory_map(str(path)) as mapped:
            table = flat(pa.ipc.open_stream(mapped).read_all())
    else:
        table = flat(feather.read_table(path))
    names, notes = unique_names(table.column_names)
    return plain_frame(table.rename_columns(names)), notes


def read_stata(path: Path) -> tuple[Any, list[str]]:
    """Read a file of Stata; its labels of values are the cells, if each value has its own."""
    import pandas as pd

    notes = []
    try:
        frame = pd.read_stata(path)
    except ValueError:  # a file that is damaged raises again
        frame = pd.read_stata(path, convert_categoricals=False)
        notes = [f"Two values of a column in {path.name} have one label: the values were read."]
    frame.columns, renamed = unique_names(frame.columns)
    return frame, notes + renamed


def read_json(path: Path, target: str | None = None) -> tuple[Any, list[str]]:
    """Read one JSON object a line, a list of objects, columns by name, or rows by name.

    Objects inside of objects become columns of their own, such as user.age.
    """
    import json

    import pandas as pd

    text = path.read_text(encoding="utf-8-sig")
    notes: list[str] = []
    try:
        content = json.loads(text)
    except json.JSONDecodeError as error:
        records = _lines(text, path, error)
    else:
        records = _records(content, path, notes, target)
    if not isinstance(records, list) or not all(isinstance(row, dict) for row in records):
        raise TableError(
            f"{path.name} must hold JSON objects, one for each row, as in"
            ' {"height": 1.5, "kind": "tree"}.'
        )
    frame = pd.json_normalize(records)
    frame.columns, renamed = unique_names(frame.columns)
    return frame, notes + renamed


def _lines(text: str, path: Path, whole: Any) -> list[Any]:
    """Return an object for each line; ``whole`` says why the text is no single one."""
    import json

    # Not splitlines: texts of JSON may hold what Unicode takes for the end of a line.
    lines = [(n, line) for n, line in enumerate(text.split("\n"), start=1) if line.strip()]
    try:
        json.loads(lines[0][1]) if lines else None
    except json.JSONDecodeError:  # the first line alone is no object: it is one text, and broken
        where = f"line {whole.lineno}, character {whole.colno}"
        raise TableError(f"{path.name} is no JSON from {where} on: correct it there.") from None
    found = []
    for number, line in lines:
        try:
            found.append(json.loads(line))
        except json.JSONDecodeError:
            raise TableError(
                f"Line {number} of {path.name} is no JSON object: correct it, or delete the line."
            ) from None
    return found


def _records(content: Any, path: Path, notes: list[str], target: str | None) -> Any:
    """Return the rows in a JSON file: a list, one inside an object, columns or rows by name."""
    if not isinstance(content, dict):
        return content
    names, cells = content.get("columns"), content.get("data")
    if isinstance(names, list) and isinstance(cells, list):  # as pandas writes "split"
        if all(isinstance(row, list) and len(row) == len(names) for row in cells):
            return [dict(zip(map(str, names), row, strict=True)) for row in cells]
        return content
    if content and all(isinstance(v, dict) for v in content.values()):
        return _by_name(content, target)
    lists = {name: v for name, v in content.items() if isinstance(v, list)}
    if len({len(cells) for cells in lists.values()}) == 1 < len(lists) == len(content):
        return [dict(zip(lists, row, strict=True)) for row in zip(*lists.values(), strict=True)]
    of_rows = {n: v for n, v in lists.items() if v and all(isinstance(r, dict) for r in v)}
    if len(of_rows) != 1:
        return content
    ((name, rows),) = of_rows.items()
    notes.append(f"The rows of {path.name} are those in {name!r}.")
    return rows


def _by_name(content: dict[str, dict[str, Any]], target: str | None) -> Any:
    """Return the rows of columns by name, as pandas writes them, or of rows by name."""
    if target not in content and all(target in row for row in content.values()):
        return [{"index": name, **row} for name, row in content.items()]
    rows = Counter(key for cells in content.values() for key in cells)
    if 1 == max(rows.values(), default=1) < len(content):  # columns of one table share their rows
        return content
    return [{name: cells.get(row) for name, cells in content.items()} for row in rows]


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
    except sqlite3.OperationalError as error:
        raise TableError(
            f"{path.name} cannot be read now ({error}): close the program that writes to it, or"
            " copy it."
        ) from error
    except sqlite3.Error as error:
        raise ValueError(error) from error  # it is damaged: said as of every other kind
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
