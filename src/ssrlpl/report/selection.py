"""How the parameters were chosen: the leave-one-out table, the rivals beside the winner."""

from __future__ import annotations

from typing import Any

from .comparison import comparison
from .text import (
    figure,
    folded,
    is_number,
    name_of,
    paragraphs,
    percent,
    plural,
    safe,
    section,
    table,
)

_ROLES = {
    "winner": '<span class="tag winner">chosen</span>',
    "plain": '<span class="tag">plain method</span>',
    "labeled-only": '<span class="tag">labeled rows only</span>',
}
_MANY = 12  # candidates without a role beyond this number are folded away


def selection(summary: dict[str, Any]) -> str:
    """Return the section with the candidates, and with the parameters in use."""
    chosen = summary["selection"]
    lead = (
        "The parameters were given, not chosen from the table, so there is no leave-one-out"
        " comparison."
        if chosen is None
        else _lead(chosen)
    )
    body = "" if chosen is None else _candidates(chosen["rows"]) + _compared(chosen)
    return section("selection", "How it was chosen", lead, body + _method(summary["method"]))


def _lead(chosen: dict[str, Any]) -> str:
    text = (
        "Each candidate labels every labeled row without looking at its own label; the share it"
        " gets wrong is its leave-one-out error. The chosen one has"
        f" {percent(chosen['loo_error'])}."
    )
    if is_number(chosen.get("nested_error")):
        text += (
            f" With the choice itself repeated without each row, the honest figure for new rows is"
            f" {percent(chosen['nested_error'])}."
        )
    return text


def _compared(chosen: dict[str, Any]) -> str:
    """Return the winner beside the best setting of the labeled rows alone."""
    found = chosen.get("comparison")
    if not found:
        return ""
    if not chosen["uses_unlabeled"]:
        return (
            "<h3>Do the unlabeled rows help?</h3><p>They are not used: no setting that uses them"
            " was better than the labeled rows alone.</p>"
        )
    measure = "Leave-one-out error of the chosen setting and of the best one without them"
    return comparison(found, measure, "paired t-test")


def _candidates(rows: list[dict[str, Any]]) -> str:
    compared = [row for row in rows if row.get("role")]
    others = [row for row in rows if not row.get("role")]
    reach = max([_upper(row) for row in rows] or [0.0]) or 1.0
    compared.sort(key=lambda row: list(_ROLES).index(row["role"]) if row["role"] in _ROLES else 9)
    if len(others) <= _MANY:
        return _listed([*compared, *others], reach)
    title = f"{plural(len(others), 'other candidate')}"
    return _listed(compared, reach) + folded(title, _listed(others, reach))


def _listed(rows: list[dict[str, Any]], reach: float) -> str:
    head = ("Candidate", "#Error", "#± standard error", "")
    return table(head, [_row(row, reach) for row in rows], kind="candidates")


def _row(row: dict[str, Any], reach: float) -> tuple[str, ...]:
    role = row.get("role") or ""
    tag = _ROLES.get(role, f'<span class="tag">{safe(role)}</span>' if role else "")
    return (
        f"{name_of(row['candidate'])} {tag}",
        percent(row["loo_error"]),
        percent(row["standard_error"]),
        _whisker(row, reach),
    )


def _upper(row: dict[str, Any]) -> float:
    known = [row[k] for k in ("loo_error", "standard_error") if is_number(row[k])]
    return float(sum(known))


def _whisker(row: dict[str, Any], reach: float) -> str:
    """Draw the error as a dot and its standard error as a line, on a scale all rows share."""
    if not is_number(row["loo_error"]):
        return ""
    error = row["loo_error"]
    spread = row["standard_error"] if is_number(row["standard_error"]) else 0.0
    low, middle, high = (
        5 + 150 * min(max(v / reach, 0), 1) for v in (error - spread, error, error + spread)
    )
    return (
        '<svg class="whisker" viewBox="0 0 160 14" aria-hidden="true">'
        '<path class="grid" d="M5 7H155"/>'
        f'<path class="line" d="M{low:.1f} 7H{high:.1f}"/>'
        f'<circle cx="{middle:.1f}" cy="7" r="4"/></svg>'
    )


def _method(method: dict[str, Any]) -> str:
    params = [
        (name_of(name), "None" if v is None else figure(v)) for name, v in method["params"].items()
    ]
    return f"<h3>In use: {name_of(method['name'])}</h3>{paragraphs(method['summary'])}" + (
        table(("Parameter", "#Value"), params, kind="parameters") if params else ""
    )
