"""Texts in CSV files that a spreadsheet would run."""

from __future__ import annotations

from typing import Any

RUN_BY_SPREADSHEETS = ("=", "+", "-", "@", "\t", "\r")
"""A cell of text that begins so is a formula to a spreadsheet, which may send data elsewhere."""


def guarded(cell: Any) -> Any:
    """Put an apostrophe before a text that a spreadsheet would run; a number is none."""
    if not (isinstance(cell, str) and cell.startswith(RUN_BY_SPREADSHEETS)):
        return cell
    try:
        float(cell)
    except ValueError:
        return f"'{cell}"
    return cell
