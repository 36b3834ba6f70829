"""A further table below the first, in text files and sheets: after an empty row, with a header."""

from __future__ import annotations

from collections.abc import Sequence

from .header_lines import filled, is_number

FEWEST_ROWS = 3
"""A table whose end is looked for has at least so many rows, the header among them."""

MOST_TITLES = 3
"""Lines with a single cell that may stand above the header of the further table."""


def start_of_second(rows: Sequence[Sequence[str]]) -> int | None:
    """Return the row in which a further table begins, None if there is none.

    It follows an empty row, its header has words only, another number of them than the header of
    the first table, and no row below it, up to the next empty one, is longer.

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
        if titles <= MOST_TITLES and _is_another(block[titles:], width):
            return empty + 1
    return None


def _is_another(block: Sequence[Sequence[str]], width: int) -> bool:
    """Tell whether rows begin with a header of another width, and have numbers below it."""
    if len(block) < 2:
        return False
    header, *below = block
    names = [cell.strip() for cell in header[: _reach(header)]]
    are_names = all(names) and len({*names}) == len(names) and not any(map(is_number, names))
    fits = all(_reach(row) <= len(names) for row in below)
    return (
        are_names
        and len(names) != width
        and fits
        and any(is_number(cell) for row in below for cell in row)
    )


def _reach(row: Sequence[str]) -> int:
    """Return the number of cells up to the last that is not blank."""
    return max((j for j, cell in enumerate(row, start=1) if cell.strip()), default=0)
