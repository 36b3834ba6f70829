"""How values of the summary are written on the page: the filters of the templates."""

from __future__ import annotations

import math
import re
from typing import Any

NOT_KNOWN = "n/a"
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]")


def is_finite(value: Any) -> bool:
    """Say whether a value of the summary is a number that can be shown."""
    return isinstance(value, int | float) and math.isfinite(value)


def on_page(value: Any) -> Any:
    """Return what the page shows for a value, before it is escaped: every value passes here.

    Floats get four digits. Control characters and half surrogate pairs, which no HTML file can
    hold, become a mark.

    Examples
    --------
    >>> from ssrlpl.report.filters import on_page
    >>> on_page(0.123456), on_page(None), on_page(3)
    ('0.1235', 'n/a', '3')
    """
    if hasattr(value, "__html__"):  # made by a template, so its parts have passed here
        return value
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return NOT_KNOWN
    if isinstance(value, float):
        return f"{value:.4g}"
    return _CONTROL.sub("\ufffd", str(value))


def count(value: Any) -> str:
    """Return 12345 as 12,345."""
    return f"{value:,.0f}" if is_finite(value) else NOT_KNOWN


def percent(value: Any, digits: int = 1) -> str:
    """Return a share as a percentage."""
    return f"{value:.{digits}%}" if is_finite(value) else NOT_KNOWN


def signed(value: Any) -> Any:
    """Return a weight with its sign."""
    return f"{value:+.2g}".replace("-", "−") if is_finite(value) else value


def plural(number: int, noun: str) -> str:
    """Return "1 row", "2 rows"; "1 class", "2 classes"."""
    ending = "" if number == 1 else "es" if noun.endswith("s") else "s"
    return f"{number:,} {noun}{ending}"


def or_zero(value: Any) -> float:
    """Return a number to draw with: 0 where there is none."""
    return float(value) if is_finite(value) else 0.0


def share(value: Any) -> float:
    """Return a number to draw with, inside the scale from 0 to 1."""
    return min(max(or_zero(value), 0.0), 1.0)
