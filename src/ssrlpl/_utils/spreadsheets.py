"""Cells of CSV files that a spreadsheet would execute as formulas."""

from __future__ import annotations

from typing import Any

RUN_BY_SPREADSHEETS = ("=", "+", "-", "@", "\t", "\r")
"""A spreadsheet takes a text that begins so for a formula, which may send data elsewhere."""


def guarded(cell: Any) -> Any:
    """Put an apostrophe before a text that a spreadsheet would execute."""
    if not (isinstance(cell, str) and cell.startswith(RUN_BY_SPREADSHEETS)):
        return cell
    try:
        float(cell)
    except ValueError:
        return f"'{cell}"
    return cell


def unguarded(cell: str) -> str:
    """Take away the apostrophe that :func:`guarded` put before a text."""
    return cell[1:] if cell.startswith("'") and guarded(cell[1:]) == cell else cell
