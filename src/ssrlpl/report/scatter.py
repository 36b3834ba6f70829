"""The interactive picture of the representation: tabs, choices, legend; behavior.js draws it."""

from __future__ import annotations

from typing import Any

from .palette import DISTINCT, swatch
from .text import count, name_of, plural, section

_AXES = ("x", "y", "z")


def scatter(summary: dict[str, Any], n_components: int, n_drawn: int) -> str:
    """Return the section with the plot; ``n_drawn`` rows of the table are in it."""
    classes = summary["data"]["classes"]
    body = (
        f'<div class="controls js">{_tabs(n_components)}{_coloring()}{_pickers(n_components)}</div>'
        '<div class="stage"><div id="plot-2d" class="plot" role="img"'
        ' aria-label="Scatter plot of the representation"></div>'
        '<div id="plot-3d" class="plot" role="img" hidden'
        ' aria-label="Scatter plot of the representation in three dimensions"></div>'
        '<div id="card" role="tooltip" hidden></div></div>'
        '<p id="picked" class="note" aria-live="polite"></p>'
        "<noscript><p>The picture needs JavaScript; everything else on this page does not."
        "</p></noscript>"
        f"{_sureness(len(classes))}{_legend(classes)}"
        f"<p class='note'>{_what_is_drawn(summary, n_drawn)}</p>"
    )
    return section("representation", "The representation", _lead(n_components), body)


def _lead(n_components: int) -> str:
    place = (
        "Each point is a row of the table, placed by its component; a line for each class."
        if n_components == 1
        else "Each point is a row of the table. Rows that lie together tend to share a label."
    )
    return (
        f"{place} Large outlined points carry a label from the table, small ones got theirs from"
        " the method. Point at a row to read it."
    )


def _tabs(n_components: int) -> str:
    if n_components < 3:
        return ""
    return (
        '<div class="choice" role="group" aria-label="Dimensions">'
        '<button type="button" data-view="2d" aria-pressed="true">2-D</button>'
        '<button type="button" data-view="3d" aria-pressed="false">3-D</button></div>'
    )


def _coloring() -> str:
    return (
        '<div class="choice" role="group" aria-label="Color">'
        '<button type="button" data-color="label" aria-pressed="true">Color: label</button>'
        '<button type="button" data-color="sure" aria-pressed="false">Color: how sure</button>'
        "</div>"
    )


def _pickers(n_components: int) -> str:
    """Offer other components than the first ones where there are more than fit the axes."""
    if n_components < 3:
        return ""
    return "".join(_picker(axis, first, n_components) for first, axis in enumerate(_AXES))


def _picker(axis: str, first: int, n_components: int) -> str:
    options = "".join(
        f'<option value="{c}"{" selected" if c == first else ""}>{c + 1}</option>'
        for c in range(n_components)
    )
    hidden = " hidden" if axis == "z" else ""
    return (
        f'<label data-axis-label="{axis}"{hidden}>{axis}: component '
        f'<select data-axis="{axis}">{options}</select></label>'
    )


def _sureness(n_classes: int) -> str:
    """Return the scale of the colors that say how sure a label is."""
    return (
        f'<p class="scale">How sure the method is: <span>{1 / max(n_classes, 2):.0%}</span>'
        '<span class="ramp" aria-hidden="true"></span><span>100%</span></p>'
    )


def _legend(classes: list[str]) -> str:
    chips = "".join(
        f'<button type="button" data-class="{code}" aria-pressed="true"'
        f' title="Show or hide this class">{swatch(code)}{name_of(name)}</button>'
        for code, name in enumerate(classes)
    )
    return f'<div class="legend" role="group" aria-label="Classes">{chips}</div>'


def _what_is_drawn(summary: dict[str, Any], n_drawn: int) -> str:
    n_rows, n_classes = summary["data"]["n_rows"], len(summary["data"]["classes"])
    drawn = (
        f"All {plural(n_rows, 'row')} are drawn."
        if n_drawn >= n_rows
        else f"A sample of {count(n_drawn)} of the {plural(n_rows, 'row')} is drawn, so that the"
        " picture moves smoothly; every figure on this page is about all rows."
    )
    crowd = (
        f" With {n_classes} classes some share color and symbol; pointing at a row tells them"
        " apart."
        if n_classes > DISTINCT
        else ""
    )
    return f"{drawn}{crowd} Click a class to hide it, drag to zoom, double-click to come back."
