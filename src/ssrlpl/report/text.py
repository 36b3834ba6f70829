"""Words and numbers on their way into the page: the one place where strings are escaped."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

NOT_KNOWN = "n/a"
_LONGEST_NAME = 60
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ufdd0-\ufdef\ufffe\uffff]")
_JSON_ESCAPES = str.maketrans({"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"})


def safe(value: Any) -> str:
    """Return a string from the table as HTML that is read as text and nothing else.

    Control characters and half surrogate pairs, which no HTML file can hold, become a mark.

    Examples
    --------
    >>> from ssrlpl.report.text import safe
    >>> safe("<script>alert('x')</script>")
    '&lt;script&gt;alert(&#x27;x&#x27;)&lt;/script&gt;'
    """
    text = _CONTROL.sub("\ufffd", str(value))
    return escape(text.encode("utf-8", "replace").decode("utf-8"))


def name_of(value: Any) -> str:
    """Return a name from the table as HTML: kept apart from its surroundings, short, never empty.

    Examples
    --------
    >>> from ssrlpl.report.text import name_of
    >>> name_of("left & right"), name_of("")
    ('<bdi>left &amp; right</bdi>', '<bdi class="empty">(empty)</bdi>')
    """
    text = str(value)
    if not text.strip():
        return '<bdi class="empty">(empty)</bdi>'
    if len(text) <= _LONGEST_NAME:
        return f"<bdi>{safe(text)}</bdi>"
    return f'<bdi title="{safe(text)}">{safe(text[: _LONGEST_NAME - 1])}…</bdi>'


def embedded_json(value: Any) -> str:
    r"""Return JSON that can stand inside a script element: no character of it can end the element.

    Examples
    --------
    >>> from ssrlpl.report.text import embedded_json
    >>> embedded_json({"name": "</script>"})
    '{"name":"\\u003c/script\\u003e"}'
    """
    text = json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return text.translate(_JSON_ESCAPES)


def is_number(value: Any) -> bool:
    """Say whether a value of the summary is a number that can be shown."""
    return isinstance(value, int | float) and math.isfinite(value)


def count(value: Any) -> str:
    """Return 12345 as 12,345."""
    return f"{value:,.0f}" if is_number(value) else NOT_KNOWN


def percent(value: Any) -> str:
    """Return a share as a percentage with one decimal."""
    return f"{value:.1%}" if is_number(value) else NOT_KNOWN


def percent_at_least(value: Any) -> str:
    """Return a lower bound as a percentage, never rounded upward: that would promise too much.

    Examples
    --------
    >>> from ssrlpl.report.text import percent_at_least
    >>> percent_at_least(0.9999), percent_at_least(0.9)
    ('99.9%', '90.0%')
    """
    if not is_number(value):
        return NOT_KNOWN
    return f"{math.floor(value * 1000 + 1e-9) / 10:.1f}%"


def figure(value: Any) -> str:
    """Return any value of the summary: numbers to four digits, other things as they are."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return NOT_KNOWN if value is None else safe(value)
    if isinstance(value, int):
        return str(value)
    return f"{value:.4g}" if math.isfinite(value) else NOT_KNOWN


def plural(number: int, noun: str) -> str:
    """Return "1 row", "2 rows"; "1 class", "2 classes"."""
    ending = "" if number == 1 else "es" if noun.endswith("s") else "s"
    return f"{number:,} {noun}{ending}"


def paragraphs(text: Any) -> str:
    """Return each line of a text as a paragraph."""
    return "".join(f"<p>{safe(line)}</p>" for line in str(text).splitlines() if line.strip())


def bullets(items: Iterable[Any]) -> str:
    """Return a list of escaped sentences, nothing if there are none."""
    entries = "".join(f"<li>{safe(item)}</li>" for item in items)
    return f"<ul>{entries}</ul>" if entries else ""


def table(head: Sequence[str], rows: Iterable[Sequence[str]], *, kind: str = "") -> str:
    """Return a table of cells that are HTML already; a head that starts with # is a number's."""
    numeric = [name.startswith("#") for name in head]
    cells = "".join(
        f'<th scope="col"{_right(right)}>{name.removeprefix("#")}</th>'
        for name, right in zip(head, numeric, strict=True)
    )
    body = "".join(
        "<tr>"
        + "".join(
            f"<td{_right(right)}>{cell}</td>" for cell, right in zip(row, numeric, strict=True)
        )
        + "</tr>"
        for row in rows
    )
    return (
        f'<div class="scroll"><table class="{kind}"><thead><tr>{cells}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>"
    )


def _right(numeric: bool) -> str:
    return ' class="number"' if numeric else ""


def section(name: str, title: str, lead: str, body: str) -> str:
    """Return a section of the page; ``lead`` (HTML) says in a sentence how to read it."""
    return (
        f'<section id="{name}" aria-labelledby="{name}-title"><h2 id="{name}-title">{title}</h2>'
        f'<p class="lead">{lead}</p>{body}</section>'
    )


def folded(title: str, body: str) -> str:
    """Return something that opens on a click, and in print."""
    return f"<details><summary>{title}</summary>{body}</details>"
