"""Names of columns: text, and different from each other."""

from __future__ import annotations

from typing import Any


def unique_names(header: Any) -> tuple[list[str], list[str]]:
    """Return names that differ from each other, and a sentence for each that had to change."""
    given = ["" if name is None or name != name else str(name).strip() for name in header]
    names: list[str] = []
    notes = []
    for position, name in enumerate(given):
        unique, copies = name or f"Unnamed: {position}", 0
        while unique in names or (copies and unique in given):
            copies += 1
            unique = f"{name}.{copies}"
        if copies:
            notes.append(f"The column name {name!r} comes twice: the later one is {unique!r} here.")
        names.append(unique)
    return names, notes
