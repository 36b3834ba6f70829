"""Cells that hold lists or objects, in files whose cells have types: they become columns."""

from __future__ import annotations

from typing import Any

import numpy as np

from .cell_values import is_missing
from .choices import SEPARATORS
from .naming import unique_names

LONGEST_LIST = 1000
"""Longer lists of numbers are no row of columns."""


def flat(table: Any) -> Any:
    """Return an Arrow table in which the parts of objects are columns, such as user.age."""
    import pyarrow as pa

    while any(pa.types.is_struct(field.type) for field in table.schema):
        table = table.flatten()
    return table


def without_lists(frame: Any) -> tuple[Any, list[str]]:
    """Return a table in which lists are columns or choices, and what became of them.

    Lists of numbers that are equally long become a column for each place. Words become one text
    with all of them, as surveys write choices. Other lists stay as they are.

    Examples
    --------
    >>> import pandas as pd
    >>> from ssrlpl.tables.nested_cells import without_lists
    >>> frame = pd.DataFrame({"at": [[1.5, 2], None], "tags": [["a", "b"], ["c"]]})
    >>> found, notes = without_lists(frame)
    >>> found.columns.tolist(), found["tags"].tolist()
    (['at_1', 'at_2', 'tags'], ['a;b', 'c'])
    >>> notes
    ["The lists in 'at' became 2 columns."]
    """
    import pandas as pd

    columns: dict[int, list[Any]] = {}
    for place in [j for j, dtype in enumerate(frame.dtypes) if dtype.kind == "O"]:
        lists = [_as_list(cell) for cell in frame.iloc[:, place]]
        known = [cell for cell in lists if cell is not None]
        if any(known) and len(known) == len(lists):
            columns[place] = _columns_of(known)
    if not columns:
        return frame, []
    names, parts, notes = [], [], []
    for place, name in enumerate(frame.columns):
        found = columns.get(place) or [frame.iloc[:, place]]
        parts += found
        names += [name] if len(found) == 1 else [f"{name}_{j + 1}" for j in range(len(found))]
        if len(found) > 1:
            notes.append(f"The lists in {name!r} became {len(found):,} columns.")
    unique, renamed = unique_names(names)
    return pd.DataFrame(dict(zip(unique, parts, strict=True))), notes + renamed


def _columns_of(lists: list[list[Any]]) -> list[Any]:
    """Return the columns that lists become; none if they stay as they are."""
    there = [cell for cell in lists if cell]
    inner = [value for cell in there for value in cell]
    if all(isinstance(value, str) for value in inner):
        sep = next((mark for mark in SEPARATORS if not any(mark in v for v in inner)), None)
        return [] if sep is None else [[sep.join(cell) or None for cell in lists]]
    width = len(there[0])
    are_numbers = all(value is None or isinstance(value, int | float) for value in inner)
    if not are_numbers or width > LONGEST_LIST or any(len(cell) != width for cell in there):
        return []
    rows = np.array([cell or [np.nan] * width for cell in lists], dtype=np.float64)
    return list(rows.T)


def _as_list(cell: Any) -> list[Any] | None:
    """Return the values of a list or an array of one dimension, none of an empty cell.

    None is returned for any other cell.
    """
    if isinstance(cell, np.ndarray) and cell.ndim == 1:
        return list(cell.tolist())
    if isinstance(cell, list | tuple):
        return list(cell)
    return [] if is_missing(cell) else None
