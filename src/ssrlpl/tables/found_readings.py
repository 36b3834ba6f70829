"""What a reading of texts is, and what was found out about the texts of a column."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

from .._utils.types import Array
from .cell_values import Cells


class Reading(Protocol):
    """How every text of a column is read."""

    def value(self, text: str) -> Any:
        """Return what a text means, or raise ValueError if it has no meaning here."""

    def cells(self, texts: Array) -> Cells:
        """Return what all texts of a column mean; None is an empty cell."""

    def words(self, example: str) -> str:
        """Return what the reading does, by an example."""


class Found(NamedTuple):
    """A reading, and the cells that stand for "not known" or spoil it."""

    reading: Reading | None = None
    no_value: tuple[str, ...] = ()
    """Cells such as "?", which are missing under this reading."""
    odd: tuple[str, ...] = ()
    """Cells that are neither: most cells have a reading and these do not."""
    example: str = ""
    is_ambiguous: bool = False
    """Whether "," and ".", or day and month, could change their roles: no cell tells."""
    mixture: str = ""
    """What the cells are if they are not written in one way, in words."""
    limits: tuple[str, ...] = ()
    """Cells such as "<0.05", "4+" or "5 (often)" among plain numbers: read as the number in them"""


def reads(reading: Reading, text: str) -> bool:
    """Tell whether a reading understands a text."""
    try:
        reading.value(text)
    except ValueError:
        return False
    return True


def each(read: Callable[[str], Any], texts: Array, gap: Any) -> list[Any]:
    """Read every text, each distinct one once; an empty cell becomes the gap."""
    known = {text: read(text) for text in set(texts.tolist()) if text is not None}
    return [gap if text is None else known[text] for text in texts.tolist()]


def plain(text: str) -> str:
    """Write a cell for a person: blanks of every kind and length as one."""
    return " ".join(text.split())
