"""A further table below the first, in text files and sheets: after an empty row, with a header."""

from __future__ import annotations

from collections.abc import Sequence

from .header_lines import filled, is_number
from .readings import NO_VALUE

FEWEST_ROWS = 3
"""A table whose end is looked for has at least so many rows, the header among them."""

MOST_TITLES = 3
"""Lines with a single cell that may stand above the header of the further table."""


def start_of_second(rows: Sequence[Sequence[str]]) -> int | None:
    """Return the row in which a further table begins, None if there is none.

    It follows an empty row, its header has words only, and no row below it, up to the next empty
    one, is longer. The header has another number of names than that of the first table, or words
    where all cells of the first table are numbers.

    Examples
    --------
    >>> from ssrlpl.tables.second_tables import start_of_second
    >>> first = [["x", "y", "kind"], ["1", "2", "a"], ["3", "4", "b"], []]
    >>> start_of_second([*first, ["city", "count"], ["Rome", "5"]])
    4
    >>> start_of_second([*first, ["5", "6", "a"], ["7", "8", "b"]]) is None
    True
    """
    if not rows:
        return None
    width = _reach(rows[0])
    for empty in range(FEWEST_ROWS, len(rows) - 2):
        if filled(rows[empty]) or not filled(rows[empty + 1]):
            continue
        block = rows[empty + 1 :]
        block = block[: next((j for j, row in enumerate(block) if not filled(row)), len(block))]
        titles = next((j for j, row in enumerate(block) if filled(row) > 1), len(block))
        if titles > MOST_TITLES or not _begins_table(block[titles:]):
            continue
        header = block[titles][: _reach(block[titles])]
        if len(header) != width or _has_words_below_numbers(header, rows[1:empty]):
            return empty + 1
    return None


def _begins_table(block: Sequence[Sequence[str]]) -> bool:
    """Tell whether rows begin with a header, and have numbers below it."""
    if len(block) < 2:
        return False
    header, *below = block
    names = [cell.strip() for cell in header[: _reach(header)]]
    known = len({*names} - NO_VALUE) == len(names)
    are_names = all(names) and known and not any(map(is_number, names))
    fits = all(_reach(row) <= len(names) for row in below)
    return are_names and fits and any(is_number(cell) for row in below for cell in row)


def _has_words_below_numbers(names: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    """Tell whether the words stand below numbers only, in each column that has some."""
    width = len(names)
    columns = [[row[j] for row in rows if len(row) > j and row[j].strip()] for j in range(width)]
    counts = [sum(map(is_number, cells)) for cells in columns]
    return any(counts) and all(n in (0, len(c)) for n, c in zip(counts, columns, strict=True))


def _reach(row: Sequence[str]) -> int:
    """Return the number of cells up to the last that is not blank."""
    return max((j for j, cell in enumerate(row, start=1) if cell.strip()), default=0)
