"""Sheets of Excel files: which one, where its header is, and cells that were merged."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from .._utils import limits
from .._utils.advice import option
from .cell_values import as_texts, is_missing
from .errors import TableError
from .extra_rows import find_extra
from .header_lines import MOST_ABOVE, lines_above_header
from .naming import nameless, unique_names
from .second_tables import start_of_second
from .text_files import Codes, about_empty, are_letter_codes, missing_by_column
from .text_formats import SAMPLE_LINES
from .unpacking import check_members


def read_excel(
    path: Path,
    *,
    sheet: str | None,
    target: str | None,
    missing: tuple[str, ...],
    header_row: int | None = None,
    all_rows: bool = False,
) -> tuple[Any, list[str]]:
    """Read a sheet of an Excel file.

    Without ``sheet`` the first one that has the target among the names of its columns.
    """
    import pandas as pd

    # Only a workbook in memory knows which cells were merged.
    check_members(path)
    in_memory = path.stat().st_size <= limits.MERGED_CELLS_BYTES
    how = {"read_only": not in_memory}
    with pd.ExcelFile(path, engine="openpyxl", engine_kwargs=how) as book:
        names = list(book.sheet_names)
        if sheet is not None and sheet not in names:
            listed = ", ".join(repr(name) for name in names)
            raise TableError(
                f"{option('sheet')} names {sheet!r}, which the file does not have: there are"
                f" {listed}."
            )
        chosen, grid = _choose(book, names if sheet is None else [sheet], target)
        filled = _fill_merged(grid, book.book[chosen]) if in_memory else 0
    notes = []
    if sheet is None and len(names) > 1:
        which = f"one of {len(names)} ({option('sheet')})"
        notes.append(f"Sheet {chosen!r} of {path.name} was read, {which}.")
    if filled:
        which = "A merged cell" if filled == 1 else f"{filled:,} merged cells"
        notes.append(f"{which} got the value of the first cell of the merged ones.")
    frame, about = _below_header(grid, header_row, path.name, target, all_rows=all_rows)
    notes += about
    if in_memory and any(frame[name].map(is_missing).all() for name in frame.columns):
        notes += _about_formulas(path, chosen, grid)
    codes = Codes([], [name for name in frame.columns if are_letter_codes(frame[name])])
    notes += codes.notes()
    there = np.flatnonzero(~frame.map(is_missing).all(axis=1).to_numpy())
    used = int(there.max(initial=-1)) + 1  # rows behind the table are often formatted, and empty
    notes += [] if all_rows else about_empty(used - len(there))
    frame = frame.iloc[:used] if all_rows else frame.iloc[there]
    frame = _without_missing(frame, missing_by_column(list(frame), target, missing, codes[1]))
    extra = None if all_rows else find_extra(frame, target)
    if extra:
        notes.append(extra.words(frame))
        frame = frame.drop(index=extra.rows)
    gaps = [name for name in nameless(list(frame.columns)) if frame[name].isna().all()]
    return frame.drop(columns=gaps).reset_index(drop=True).infer_objects(), notes


def _choose(book: Any, names: list[str], target: str | None) -> tuple[str, Any]:
    """Return the first sheet that has the target, or the first with two rows, and its cells."""
    import pandas as pd

    grids = {}
    for name in names:
        _check_reach(book.book[name], name)
        grid = pd.read_excel(book, sheet_name=name, header=None, dtype=object, na_filter=False)
        if target is None and len(grid) > 1:
            return name, grid
        top = grid.head(MOST_ABOVE).to_numpy(dtype=object)
        if target is not None and any(str(cell).strip() == target for cell in top.ravel()):
            return name, grid
        grids[name] = grid
    return next(((n, g) for n, g in grids.items() if len(g) > 1), (names[0], grids[names[0]]))


def _check_reach(sheet: Any, name: str) -> None:
    """Refuse a sheet in memory with a cell far out: all cells before it would be made."""
    rows, columns = sheet.max_row or 0, sheet.max_column or 0
    if hasattr(sheet, "merged_cells") and rows * columns > limits.SHEET_CELLS:
        raise TableError(
            f"Sheet {name!r} reaches to row {rows:,} and column {columns:,}, which are"
            f" {rows * columns:,} cells: delete the empty rows and columns behind the table, or"
            " save it as CSV."
        )


def _about_formulas(path: Path, name: str, grid: Any) -> list[str]:
    """Say that formulas have no values: a program wrote them, and nobody computed them."""
    import pandas as pd

    how = {"read_only": False, "data_only": False}  # the other workbook has values only
    with pd.ExcelFile(path, engine="openpyxl", engine_kwargs=how) as book:
        cells = book.book[name].iter_rows(max_row=len(grid), max_col=grid.shape[1])
        formulas = [cell for row in cells for cell in row if cell.data_type == "f"]
    count = sum(is_missing(grid.iat[cell.row - 1, cell.column - 1]) for cell in formulas)
    if not count:
        return []
    which = "A formula" if count == 1 else f"{count:,} formulas"
    verb = "has" if count == 1 else "have"
    return [
        f"{which} in {path.name} {verb} no value: open it in a spreadsheet program and save it."
    ]


def _fill_merged(grid: Any, sheet: Any) -> int:
    """Give merged cells that go down the value of the first; titles that go across keep one."""
    count = 0
    for area in sheet.merged_cells.ranges:
        if area.max_row == area.min_row or area.max_row > len(grid):
            continue
        rows = slice(area.min_row - 1, area.max_row)
        grid.iloc[rows, area.min_col - 1] = grid.iloc[area.min_row - 1, area.min_col - 1]
        count += area.max_row - area.min_row
    return count


def _below_header(
    grid: Any, header_row: int | None, name: str, target: str | None, *, all_rows: bool
) -> tuple[Any, list[str]]:
    """Return the rows below the header as a table, and what to know about it."""
    if header_row == 0:
        return grid.set_axis([str(j) for j in range(grid.shape[1])], axis=1), []
    if header_row is not None and header_row > len(grid):
        raise TableError(
            f"{option('header_row')} names row {header_row}, and the sheet has {len(grid)}: count"
            " them from 1."
        )
    top = [
        ["" if text is None else text for text in as_texts(row)]
        for row in grid.head(SAMPLE_LINES).to_numpy(dtype=object)
    ]
    above = lines_above_header(top, target) if header_row is None else header_row - 1
    if not top:
        raise TableError(f"{name} has no rows: it must hold a row for each sample.")
    names, notes = unique_names(top[above])
    if above and header_row is None:
        where = f"in row {above + 1} ({option('header_row')})"
        notes = [f"The header of {name} was found {where}.", *notes]
    rows = grid.iloc[above:].to_numpy(dtype=object)
    ends = None if all_rows else start_of_second([[t or "" for t in as_texts(r)] for r in rows])
    if ends is not None:
        where = f"in row {above + ends + 1} of {name}"
        notes.append(f"A further table begins {where} and is left out: give it a sheet of its own.")
    below = grid.iloc[above + 1 : None if ends is None else above + ends]
    return below.set_axis(names, axis=1).reset_index(drop=True), notes


def _without_missing(frame: Any, cells: dict[str, list[str]]) -> Any:
    """Return a table with None for cells that mean "missing"."""
    frame = frame.reset_index(drop=True)
    for name in frame.columns:
        gone = set(cells[name])
        frame[name] = [
            None if is_missing(v) or (isinstance(v, str) and v.strip() in gone) else v
            for v in frame[name]
        ]
    return frame
