"""CSV files that spreadsheets open: cells they would run as formulas, the mark of their letters."""

from __future__ import annotations

import re
from typing import Any

RUN_BY_SPREADSHEETS = ("=", "+", "-", "@", "\t", "\r")
"""A spreadsheet takes a text that begins so for a formula, which may send data elsewhere."""


_NUMBER = re.compile(
    r"[-+]\s?[€$£¥₹]?\s?[.,]?\d[\d.,:'’\s]*+([eE][-+]?\d+)?([^\W\d_]|[%‰°²³/€$£¥₹\s])*+|[-+]+"
)
"""A number with a unit as people write it, or a mark such as "-": there is nothing to run in it.
Nothing is tried twice (*+), which would take the square of the length of a cell."""


def guarded(cell: Any) -> Any:
    """Put an apostrophe before a text that a spreadsheet would execute.

    Examples
    --------
    >>> from ssrlpl._utils.spreadsheets import guarded
    >>> guarded("=1+1"), guarded("-1.234,50 €"), guarded("-")
    ("'=1+1", '-1.234,50 €', '-')
    """
    if not (isinstance(cell, str) and cell.startswith(RUN_BY_SPREADSHEETS)):
        return cell
    return cell if _NUMBER.fullmatch(cell) else f"'{cell}"


def unguarded(cell: str) -> str:
    """Take away the apostrophe that :func:`guarded` put before a text."""
    return cell[1:] if cell.startswith("'") and guarded(cell[1:]) == cell else cell


def marked(text: str) -> str:
    r"""Return a CSV file with the mark by which Excel knows UTF-8, if it has letters beyond ASCII.

    Without it Excel shows "BÃ¼ro" for "Büro".

    Examples
    --------
    >>> from ssrlpl._utils.spreadsheets import marked
    >>> marked("a,b"), marked("größe").encode()[:3]
    ('a,b', b'\xef\xbb\xbf')
    """
    return text if text.isascii() else f"\ufeff{text}"
