"""Label probabilities: how sure the labels are, class by class, and the most doubtful rows."""

from __future__ import annotations

from typing import Any

from .palette import swatch
from .text import count, name_of, percent, plural, section, table

_WIDTH, _HEIGHT, _FLOOR = 520, 190, 150  # of the histogram, in its own units


def probabilities(summary: dict[str, Any], points: dict[str, int]) -> str:
    """Return the section; ``points`` says at which place of the plot a row id is drawn."""
    labels = summary.get("labels")
    if labels is None or not summary["data"]["n_unlabeled"]:
        lead = "No label probabilities were computed, because no row is unlabeled."
        return section("labels", "The labels of the unlabeled rows", lead, "")
    lead = (
        f"On average the label that was chosen has probability"
        f" <strong>{percent(labels['mean_probability'])}</strong>. These are the method's own"
        " probabilities; leave-one-out (below) says how often they are right."
    )
    body = (
        f'<div class="columns"><figure>{_histogram(labels["histogram"])}'
        "<figcaption>Unlabeled rows by the probability of their label</figcaption></figure>"
        f"<div>{_classes(summary)}</div></div>{_doubtful(labels['doubtful'], points, summary)}"
    )
    return section("labels", "The labels of the unlabeled rows", lead, body)


def _histogram(histogram: dict[str, list[float]]) -> str:
    edges, counts = histogram["edges"], histogram["counts"]
    tallest = max([*counts, 1])
    bars = "".join(
        _bar(left, right, number, number / tallest)
        for left, right, number in zip(edges, edges[1:], counts, strict=False)
    )
    ticks = "".join(
        f'<text x="{_across(share)}" y="{_FLOOR + 20}" text-anchor="middle">{share:.0%}</text>'
        for share in (0, 0.25, 0.5, 0.75, 1)
    )
    return (
        f'<svg class="chart" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img"'
        f' aria-label="Histogram of the label probabilities">{bars}'
        f'<path class="axis" d="M{_across(0)} {_FLOOR}H{_across(1)}"/>{ticks}</svg>'
    )


def _bar(left: float, right: float, number: float, share: float) -> str:
    height = 120 * share
    x, width = _across(left), _across(right) - _across(left)
    words = f"{count(number)} rows with probability {left:.0%} to {right:.0%}"
    label = (
        f'<text class="value" x="{x + width / 2:.1f}" y="{_FLOOR - height - 5:.1f}"'
        f' text-anchor="middle">{count(number)}</text>'
        if number and (width > 30 or share == 1)  # narrow bars: the tallest gives the scale
        else ""
    )
    return (
        f'<rect class="bar" x="{x + 1:.1f}" y="{_FLOOR - height:.1f}"'
        f' width="{max(width - 2, 1):.1f}" height="{height:.1f}">'
        f"<title>{words}</title></rect>{label}"
    )


def _across(share: float) -> float:
    return round(36 + share * (_WIDTH - 72), 1)


def _classes(summary: dict[str, Any]) -> str:
    data, predicted = summary["data"], summary["labels"]["predicted_per_class"]
    rows = [
        (f"{swatch(code)}{name_of(name)}", count(given), count(found))
        for code, (name, given, found) in enumerate(
            zip(data["classes"], data["labels_per_class"], predicted, strict=True)
        )
    ]
    kind = "tall" if len(rows) > 12 else ""
    return f'<div class="{kind}">{table(("Class", "#Labels given", "#Predicted"), rows)}</div>'


def _doubtful(rows: list[dict[str, Any]], points: dict[str, int], summary: dict[str, Any]) -> str:
    if not rows:
        return "<h3>Doubtful rows</h3><p>There is no unlabeled row to doubt.</p>"
    codes = {name: code for code, name in enumerate(summary["data"]["classes"])}
    cells = [_doubt(row, points, codes) for row in rows]
    head = ("Row", "Chosen label", "Second best", "")
    return (
        f"<h3>The {plural(len(rows), 'most doubtful row')}</h3>"
        "<p>Of all unlabeled rows these have the least certain labels: look at them first.</p>"
        f"{table(head, cells, kind='doubtful')}"
    )


def _doubt(row: dict[str, Any], points: dict[str, int], codes: dict[str, int]) -> tuple[str, ...]:
    point = points.get(str(row["row"]))
    show = (
        ""
        if point is None
        else f'<button type="button" class="js" data-point="{point}">Show</button>'
    )
    return (
        name_of(row["row"]),
        f"{_named(row['label'], codes)} <small>{percent(row['probability'])}</small>",
        f"{_named(row['second'], codes)} <small>{percent(row['second_probability'])}</small>",
        show,
    )


def _named(label: str, codes: dict[str, int]) -> str:
    mark = swatch(codes[label]) if label in codes else ""
    return f"{mark}{name_of(label)}"
