"""Where a table begins: the lines above its header, in text files and sheets."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

FULL = 0.7
"""A header names at least this share of the columns."""

NEAR = 4
"""Rows from the likely header on in which the name of the target is looked for."""

MOST_ABOVE = 40
"""Lines among which a header is looked for."""

_YEAR = re.compile(r"(19|20)\d\d")  # may be the name of a column


def lines_above_header(rows: Sequence[Sequence[str]], target: str | None = None) -> int:
    """Return how many rows of cells stand above the header: titles, remarks, names of groups.

    A row that fills a third of the columns at most is a title, one that begins with # a remark. The
    names of groups of columns leave gaps or come again, and all names stand in the next row. A
    first row that is none of these is the header, unless one next to it has the name of the target.

    Examples
    --------
    >>> from ssrlpl.tables.header_lines import lines_above_header
    >>> lines_above_header([["Report 2024", "", ""], ["a", "b", "kind"], ["1", "2", "x"]])
    1
    >>> lines_above_header([["", "b", "kind"], ["1", "2", "x"]])
    0
    >>> lines_above_header([["", "", ""], ["", "a", "kind"], ["", "2", "x"]])
    1
    """
    rows = _without_empty_columns(rows)
    above = _lines_above(rows)
    if target is None or not rows or target in names_of(rows[above]):
        return above
    near = range(above, min(above + NEAR, len(rows)))
    return next((j for j in near if _has_name(rows[j], target)), above)


def _has_name(row: Sequence[str], target: str) -> bool:
    """Tell whether a row has the name of the target once, among other names.

    A row that begins with it may be the labels of a table whose samples are columns.
    """
    names = names_of(row)
    return (
        names[1:].count(target) == 1
        and filled(row) >= max(2, FULL * len(row))
        and not any(map(is_number, names))
    )


def names_of(row: Sequence[str]) -> list[str]:
    """Return the cells of a header with single blanks between their words."""
    return [" ".join(cell.split()) for cell in row]


def _usual_width(rows: Sequence[Sequence[str]]) -> int:
    """Return how many cells most rows have, the larger number if two are as frequent."""
    widths = Counter(len(row) for row in rows if filled(row))
    most = max(widths.values(), default=0)
    return max((size for size, count in widths.items() if count == most), default=0)


def _lines_above(rows: Sequence[Sequence[str]]) -> int:
    width = _usual_width(rows)
    for position, row in enumerate(rows[:MOST_ABOVE]):
        if not (_is_title(row, width) or _names_groups(rows[position : position + 3])):
            below = any(len(other) >= FULL * len(row) for other in rows[position + 1 :])
            return position if position and below and _can_be_header(row, width) else 0
    return 0


def _without_empty_columns(rows: Sequence[Sequence[str]]) -> list[list[str]]:
    """Return rows without the columns in which no row has a cell: a table may begin in any.

    Titles, which have fewer cells than the table, do not count.
    """
    width = _usual_width(rows)
    table = [row for row in rows if len(row) >= width]
    used = {j for row in table for j, cell in enumerate(row) if cell.strip()}
    widest = max(used, default=-1) + 1
    if len(used) == widest:
        return [list(row) for row in rows]
    return [[cell for j, cell in enumerate(row) if j in used or j >= widest] for row in rows]


def filled(row: Sequence[str]) -> int:
    """Return how many cells of a row are not blank."""
    return sum(bool(cell.strip()) for cell in row)


def is_number(cell: str) -> bool:
    """Tell whether a cell is a number, whatever its decimal character."""
    try:
        float(cell.strip().replace(",", "."))
    except ValueError:
        return False
    return True


def _is_title(row: Sequence[str], width: int) -> bool:
    is_remark = bool(row) and row[0].lstrip().startswith("#") and len(row) != width
    return is_remark or filled(row) <= max(1, width // 3) or len(row) < FULL * width


def _names_groups(rows: Sequence[Sequence[str]]) -> bool:
    """Tell whether the first of three rows names groups of the columns that the second names."""
    if len(rows) < 3:
        return False
    groups, names, cells = rows
    has_gaps = filled(groups) < FULL * len(groups)
    has_names = filled(names) == len(names) and not any(map(is_number, names))
    # Or a group is named once more above each of its columns, and no column is named twice.
    again = 2 * len({*groups}) <= len(groups) > 3 and len({*names}) == len(names) == len(groups)
    return (has_gaps or again) and has_names and any(map(is_number, cells))


def _can_be_header(row: Sequence[str], width: int) -> bool:
    numbers = [cell for cell in row if is_number(cell) and not _YEAR.fullmatch(cell.strip())]
    return filled(row) >= FULL * width and not numbers
