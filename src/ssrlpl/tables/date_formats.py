"""The formats of dates and times that are tried, and which of them a text may have."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import product

_DAYS = ("%Y-%m-%d", "%Y/%m/%d", "%Y.%m.%d", "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y",
         "%m-%d-%Y", "%d.%m.%y", "%d/%m/%y", "%m/%d/%y", "%d %b %Y", "%d %B %Y", "%d-%b-%Y",
         "%d-%b-%y", "%b %d, %Y", "%B %d, %Y", "%b %d %Y", "%d. %B %Y", "%a, %d %b %Y",
         "%a %d %b %Y", "%A, %d %B %Y", "%A, %B %d, %Y", "%a, %b %d, %Y")  # fmt: skip
_TIMES = ("", " %H:%M", " %H:%M:%S", "T%H:%M:%S", " %H:%M:%S.%f", "T%H:%M:%S.%f", "T%H:%M",
          "T%H:%M:%S%z", " %H:%M:%S%z", "T%H:%M:%S.%f%z", " %I:%M %p", " %I:%M:%S %p")  # fmt: skip
DATE_FORMATS = (
    *(day + time for time, day in product(_TIMES, _DAYS)), "%H:%M", "%H:%M:%S", "%I:%M %p",
    "%I:%M:%S %p", "%I:%M%p", "%Y-%m", "%m/%Y",
)  # fmt: skip
"""Tried in this order; where day and month can be told apart by no cell, the day comes first."""

COMPACT = "%Y%m%d"
"""Dates that look like whole numbers."""

LONGEST = 40
"""A longer text is no date."""

_WORD = r"[^\W\d_]+"
_PIECES = {
    "%Y": r"\d{4}", "%y": r"\d{2}", "%b": _WORD, "%B": _WORD, "%a": _WORD, "%A": _WORD,
    "%f": r"\d{1,6}", "%p": "[AaPp][Mm]", "%z": r"(?:Z|[+-]\d{2}:?\d{2})",
}  # fmt: skip


def formats_like(texts: Sequence[str]) -> list[str]:
    """Return the formats that one of the texts may have, by where its digits and letters are.

    Asking :func:`datetime.datetime.strptime` is slow, because it forgets all but five formats.

    Examples
    --------
    >>> from ssrlpl.tables.date_formats import formats_like
    >>> formats_like(["31/12/2024"])
    ['%d/%m/%Y', '%m/%d/%Y']
    """
    short = [text.strip() for text in texts if len(text) <= LONGEST]
    return [f for f in DATE_FORMATS if any(map(_pattern(f).fullmatch, short))]


def swapped(format_: str) -> str:
    """Return a format with day and month exchanged."""
    return format_.replace("%d", "\0").replace("%m", "%d").replace("\0", "%m")


@lru_cache(maxsize=len(DATE_FORMATS))
def _pattern(format_: str) -> re.Pattern[str]:
    pieces = re.findall(r"%\w|\s+|.", format_)
    return re.compile("".join(_piece(piece) for piece in pieces))


def _piece(piece: str) -> str:
    if piece.startswith("%"):
        return _PIECES.get(piece, r"\d{1,2}")
    return r"\s+" if piece.isspace() else re.escape(piece)
