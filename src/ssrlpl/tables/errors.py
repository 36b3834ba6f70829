"""What is wrong with a table, in one sentence for the person who has it."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


class TableError(ValueError):
    """A table that cannot be used as it is; the message names the cure."""


def unknown_column(name: str, columns: Iterable[str], option: str) -> TableError:
    """Return the error for a column that is not there, with the nearest name that is."""
    known = list(columns)
    near = get_close_matches(name, known, n=1)
    hint = f"did you mean {near[0]!r}?" if near else f"there are {_listed(known)}."
    return TableError(f"{option} names the column {name!r}, which the table does not have: {hint}")


def _listed(names: list[str], most: int = 8) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(repr(name) for name in names[:most]) + more
