"""Which columns drive each component: bars to the left and to the right of zero."""

from __future__ import annotations

from typing import Any

from .text import figure, folded, is_number, plural, safe, section

_OPEN = 3  # components shown without a click: those the picture starts with
_KINDS = {
    "coefficients": (
        "The weight of each feature in a component. A long bar means that the feature moves a row"
        " far; its side says in which direction."
    ),
    "correlation": (
        "A kernel map has no weights, so this is the correlation of each feature with a component."
        " A long bar means that they move together; its side says in which direction."
    ),
}


def features(summary: dict[str, Any]) -> str:
    """Return the section; what is not known is said."""
    known = summary.get("features") or {}
    components = known.get("components") or []
    title = "What drives each component"
    if not components:
        lead = "Which features drive the components is not known for this kind of input."
        return section("features", title, lead, "")
    shown = "".join(map(_card, components[:_OPEN]))
    body = f'<div class="cards">{shown}</div>'
    if rest := components[_OPEN:]:
        cards = f'<div class="cards">{"".join(map(_card, rest))}</div>'
        body += folded(f"{plural(len(rest), 'more component')}", cards)
    return section("features", title, _KINDS.get(known.get("kind", ""), ""), body)


def _card(component: dict[str, Any]) -> str:
    entries = component["features"]
    weights = [abs(e["weight"]) for e in entries if is_number(e["weight"])]
    largest = max([*weights, 1e-300])
    bars = "".join(_bar(entry, largest) for entry in entries)
    return (
        f'<div class="card"><h3>Component {figure(component["component"])}</h3>'
        f'<ol class="bars">{bars}</ol></div>'
    )


def _bar(entry: dict[str, Any], largest: float) -> str:
    weight = entry["weight"] if is_number(entry["weight"]) else 0.0
    width = 50 * abs(weight) / largest
    side = "minus" if weight < 0 else "plus"
    name = safe(entry["name"])
    return (
        f'<li><bdi class="name" title="{name}">{name}</bdi>'
        f'<span class="track"><span class="{side}" style="width:{width:.1f}%"></span></span>'
        f'<span class="weight">{_signed(entry["weight"])}</span></li>'
    )


def _signed(weight: Any) -> str:
    return f"{weight:+.2g}".replace("-", "−") if is_number(weight) else figure(weight)
