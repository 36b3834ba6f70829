"""What the page was made from, and how to make it again."""

from __future__ import annotations

from typing import Any

from .text import bullets, count, figure, folded, name_of, plural, safe, section, table

_FEW = 12  # columns named without a click


def data(summary: dict[str, Any]) -> str:
    """Return the section on the table itself: what was used, what was dropped, what was done."""
    facts = summary["data"]
    used, dropped = facts["columns_used"], facts["columns_dropped"]
    lead = (
        f"{plural(facts['n_rows'], 'row')} of {name_of(facts['name'])};"
        f" {plural(len(used), 'column')} became {plural(facts['n_features'], 'feature')}, the"
        f" target is {name_of(facts['target'])} with {count(facts['n_labeled'])} labels."
    )
    body = bullets(facts["notes"]) + _columns("used", used) + _columns("left out", dropped)
    return section("data", "The table", lead, body)


def _columns(what: str, names: list[str]) -> str:
    if not names:
        return ""
    listed = ", ".join(name_of(name) for name in names)
    if len(names) <= _FEW:
        return f"<p>Columns {what}: {listed}.</p>"
    return folded(f"{plural(len(names), 'column')} {what}", f"<p>{listed}</p>")


def repeat(summary: dict[str, Any]) -> str:
    """Return the section with the command, the seed and the versions."""
    versions = [(safe(name), safe(number)) for name, number in summary["versions"].items()]
    body = (
        f'<div class="command"><pre><code id="command">{safe(summary["command"])}</code></pre>'
        '<button type="button" id="copy" class="js">Copy</button></div>'
        f"<p>Seed {figure(summary['seed'])}; made {safe(summary['created'])}.</p>"
        + table(("Package", "#Version"), versions, kind="parameters")
    )
    lead = "The same table, command, seed and versions give the same figures."
    return section("repeat", "To repeat it", lead, body)
