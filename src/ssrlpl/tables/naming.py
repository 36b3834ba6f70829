"""Names of columns: text, and different from each other."""

from __future__ import annotations

import re
from typing import Any

_NAMELESS = re.compile(r"Unnamed: \d+")


def unique_names(header: Any) -> tuple[list[str], list[str]]:
    """Return names that differ from each other, and a sentence for each that had to change."""
    texts = ["" if name is None or name != name else str(name) for name in header]
    given = [" ".join(text.split()) for text in texts]  # a name may be broken into lines
    names: dict[str, None] = {}  # in order, and found at once among thousands
    changed: dict[str, list[str]] = {}
    for position, name in enumerate(given):
        unique, copies = name or f"Unnamed: {position}", 0
        while unique in names or (copies and unique in given):
            copies += 1
            unique = f"{name}.{copies}"
        if copies:
            changed.setdefault(name, []).append(unique)
        names[unique] = None
    return list(names), [_about(name, later) for name, later in changed.items()]


def _about(name: str, later: list[str]) -> str:
    if len(later) == 1:
        return f"The column name {name!r} comes twice: the later one is {later[0]!r} here."
    return (
        f"The column name {name!r} comes {len(later) + 1} times: the later ones are"
        f" {', '.join(map(repr, later))} here."
    )


def nameless(names: list[str]) -> list[str]:
    """Return the names that were given to columns without one."""
    return [name for name in names if _NAMELESS.fullmatch(name)]
