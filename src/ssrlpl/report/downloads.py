"""Lists of rows as CSV: the columns, and links that hold a file inside the page."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from io import StringIO
from typing import Any
from urllib.parse import quote

from .._utils.spreadsheets import guarded, marked

LISTS = {
    "suspects": ("row", "given", "likely", "probability", "given_probability"),
    "label_next": ("row", "label", "probability", "second", "second_probability"),
    "to_check": ("row", "label", "probability", "second", "second_probability"),
}
"""The columns of each list, by the name of its file."""


def list_columns(rows: Sequence[dict[str, Any]], names: Sequence[str]) -> dict[str, list[Any]]:
    """Return the columns of a list of the summary: the named ones, then the cells of the table."""
    columns = {name: [row[name] for row in rows] for name in names}
    cells = dict.fromkeys(cell for row in rows for cell in row.get("cells", {}))
    for name in cells:
        values = [row.get("cells", {}).get(name, "") for row in rows]
        columns[f"{name} (table)" if name in names else name] = values
    return columns


def csv_link(columns: dict[str, list[Any]], *, as_is: bool = False) -> str:
    """Return a link to a CSV file that is the link itself; no network and no script are needed.

    Examples
    --------
    >>> from ssrlpl.report.downloads import csv_link
    >>> csv_link({"row": ["1"], "note": ["=1+1"]})
    'data:text/csv;charset=utf-8,row%2Cnote%0A1%2C%27%3D1%2B1%0A'
    """
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    for line in [tuple(columns), *zip(*columns.values(), strict=True)]:
        writer.writerow(line if as_is else [guarded(cell) for cell in line])
    written = text.getvalue() if as_is else marked(text.getvalue())
    return "data:text/csv;charset=utf-8," + quote(written, safe="", errors="replace")
