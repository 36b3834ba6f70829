"""A small table that prints as text, HTML and Markdown, without pandas."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from html import escape
from typing import Any


@dataclass(frozen=True)
class Table:
    """Rows under named columns; ``str()`` gives aligned text, ``to_frame()`` a pandas DataFrame."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]

    def __str__(self) -> str:
        cells = [self.columns, *(tuple(map(_format, row)) for row in self.rows)]
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        numeric = [
            all(isinstance(cell, int | float) for cell in column)
            for column in zip(*self.rows, strict=True)
        ]
        numeric = numeric or [False] * len(self.columns)
        lines = [
            "  ".join(
                cell.rjust(width) if right else cell.ljust(width)
                for cell, width, right in zip(row, widths, numeric, strict=True)
            ).rstrip()
            for row in cells
        ]
        rule = "  ".join("-" * width for width in widths)
        return "\n".join([lines[0], rule, *lines[1:]])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{escape(name)}</th>" for name in self.columns)
        body = "".join(
            "<tr>" + "".join(f"<td>{escape(_format(cell))}</td>" for cell in row) + "</tr>"
            for row in self.rows
        )
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"

    def to_markdown(self) -> str:
        """Return the table in Markdown."""
        rows = [
            self.columns,
            ["---"] * len(self.columns),
            *([_format(c) for c in r] for r in self.rows),
        ]
        return "\n".join("| " + " | ".join(row) + " |" for row in rows)

    def to_dict(self) -> list[dict[str, Any]]:
        """Return one dictionary for each row."""
        return [dict(zip(self.columns, row, strict=True)) for row in self.rows]

    def to_frame(self) -> Any:
        """Return a pandas DataFrame (needs pandas)."""
        import pandas as pd

        return pd.DataFrame(list(self.rows), columns=list(self.columns))


def _format(cell: Any) -> str:
    return f"{cell:.4g}" if isinstance(cell, float) else one_line(str(cell))


def one_line(text: str) -> str:
    r"""Return a text without line breaks, which names from a table may hold.

    Examples
    --------
    >>> from ssrlpl._utils.printing import one_line
    >>> one_line("Typ\nA")
    'Typ A'
    """
    return " ".join(text.splitlines())


def listed(items: Iterable[str], most: int = 8) -> str:
    """Return the first items of a list, and how many more there are.

    Examples
    --------
    >>> from ssrlpl._utils.printing import listed
    >>> listed("abc"), listed("abcde", most=3)
    ('a, b, c', 'a, b, c and 2 more')
    """
    names = [one_line(item) for item in items]
    more = f" and {len(names) - most:,} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def percent_at_least(value: float) -> str:
    """Return a lower bound as a percentage, rounded down: rounded up it would not be a bound.

    Examples
    --------
    >>> from ssrlpl._utils.printing import percent_at_least
    >>> percent_at_least(0.9999), percent_at_least(0.9)
    ('99.9%', '90.0%')
    """
    # 1e-9 is added because 0.9 * 1000 may be stored as 899.999...
    return f"{math.floor(value * 1000 + 1e-9) / 1000:.1%}" if math.isfinite(value) else "n/a"


def exact_percent(value: float) -> str:
    """Return a confidence or a goal as a percentage: a rounded one would claim what is not so.

    Examples
    --------
    >>> from ssrlpl._utils.printing import exact_percent
    >>> exact_percent(0.95), exact_percent(0.999), exact_percent(0.004)
    ('95%', '99.9%', '0.4%')
    """
    return f"{100 * value:.15g}%"


def percent_at_most(value: float) -> str:
    """Return an upper bound as a percentage, rounded up.

    Examples
    --------
    >>> from ssrlpl._utils.printing import percent_at_most
    >>> percent_at_most(0.0421), percent_at_most(0.3)
    ('4.3%', '30.0%')
    """
    return f"{math.ceil(value * 1000 - 1e-9) / 1000:.1%}" if math.isfinite(value) else "n/a"
