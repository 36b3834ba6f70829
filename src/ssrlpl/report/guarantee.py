"""The certificate as a gauge, with what it rests on beside it."""

from __future__ import annotations

from typing import Any

from .comparison import comparison
from .text import (
    bullets,
    count,
    figure,
    folded,
    is_number,
    percent,
    percent_at_least,
    safe,
    section,
    table,
)

_TITLE = "The guarantee"
_METHODS = {
    "calibration": "With {confidence:.0%} confidence",
    "loo": "By a heuristic at {confidence:.0%}",
}


def guarantee(summary: dict[str, Any]) -> str:
    """Return the section; without a certificate it says why there is none."""
    certificate, reason = summary["certificate"], summary.get("certificate_reason")
    if certificate is None:
        why = safe(reason) if reason else "none was asked for."
        return section("guarantee", _TITLE, f"There is no certificate: {why}", "")
    note = f'<p class="note">{safe(reason)}</p>' if reason else ""
    body = (
        f'<figure class="gauge">{_gauge(certificate)}{_key(certificate)}</figure>{note}'
        f'<div class="columns"><div>{_rests_on(certificate)}</div>{_beside(summary)}</div>'
        + folded("The numbers behind it", _numbers(certificate))
    )
    return section("guarantee", _TITLE, in_words(certificate), body)


def _beside(summary: dict[str, Any]) -> str:
    """Return the comparison behind the verdict; a search shows its own in its own section."""
    if (summary["selection"] or {}).get("comparison"):
        return ""
    bars = comparison(
        summary["certificate"]["comparison"],
        "Held-out error of the nearest neighbor in the representation",
        "with what is expected on the unlabeled rows",
    )
    return f"<div>{bars}</div>"


def in_words(certificate: dict[str, Any]) -> str:
    """Return the certificate as a sentence."""
    start = _METHODS[certificate["method"]].format(confidence=certificate["confidence"])
    return (
        f"{start} the map keeps at least"
        f" <strong>{percent_at_least(certificate['retained_lower'])}</strong> of the class"
        " separation (HSIC) that a map with the labels of all rows would have; the best guess is"
        f" {percent(certificate['retained_estimate'])}."
    )


def _shares(certificate: dict[str, Any]) -> tuple[float, float]:
    """Return the two marks of the gauge inside [0, 1], the estimate never below the bound."""
    lower, estimate = (
        min(max(value, 0.0), 1.0) if is_number(value) else 0.0
        for value in (certificate["retained_lower"], certificate["retained_estimate"])
    )
    return lower, max(lower, estimate)


def _gauge(certificate: dict[str, Any]) -> str:
    lower, estimate = _shares(certificate)
    ticks = "".join(
        f'<path class="axis" d="M{_across(share)} 70v6"/>'
        f'<text x="{_across(share)}" y="96" text-anchor="middle">{share:.0%}</text>'
        for share in (0, 0.25, 0.5, 0.75, 1)
    )
    parts = ((0.0, lower, "certified"), (lower, estimate, "estimated"), (estimate, 1.0, "rest"))
    bars = "".join(
        f'<rect class="{kind}" x="{_across(left)}" y="38" height="30"'
        f' width="{_across(right) - _across(left):.1f}"/>'
        for left, right, kind in parts
    )
    anchor = "end" if lower > 0.5 else "start"
    words = f"at least {percent_at_least(certificate['retained_lower'])}"
    return (
        '<svg class="chart" viewBox="0 0 640 104" role="img" aria-label="Gauge: at least'
        f' {percent_at_least(lower)}, best guess {percent(estimate)}">{bars}'
        f'<path class="needle" d="M{_across(lower)} 30v44"/>'
        f'<text class="value" x="{_across(lower)}" y="22" text-anchor="{anchor}">{words}</text>'
        f"{ticks}</svg>"
    )


def _across(share: float) -> float:
    return round(36 + 568 * share, 1)


def _key(certificate: dict[str, Any]) -> str:
    lower, estimate = _shares(certificate)
    rigorous = certificate["method"] == "calibration"
    entries = (
        ("certified", f"{'certified' if rigorous else 'by a heuristic'} {percent_at_least(lower)}"),
        ("estimated", f"likely on top {percent(estimate - lower)}"),
        ("rest", f"would need labels of all rows {percent(1 - estimate)}"),
    )
    spans = "".join(f'<span class="{kind}">{words}</span>' for kind, words in entries)
    return f'<figcaption class="key">{spans}</figcaption>'


def _rests_on(certificate: dict[str, Any]) -> str:
    voids = certificate["voids"]
    found = (
        f'<h3>Signs against it</h3><div class="void">{bullets(voids)}</div>'
        if voids
        else "<p>No sign against this was found in the table.</p>"
    )
    return f"<h3>It holds if</h3>{bullets(certificate['assumptions'])}{found}"


def _numbers(certificate: dict[str, Any]) -> str:
    c, error = certificate, certificate["wta_error"]
    rows = (
        ("retained f†/f*", figure(c["retained_estimate"]), f"≥ {figure(c['retained_lower'])}"),
        ("from ‖ε‖ alone", "", f"≥ {figure(c['retained_first_order'])}"),
        ("‖ε‖", figure(c["epsilon_estimate"]), f"≤ {figure(c['epsilon_upper'])}"),
        ("‖(I−P†)ε‖", figure(c["residual_estimate"]), f"≤ {figure(c['residual_upper'])}"),
        ("√f†", figure(c["objective_root_estimate"]), f"≥ {figure(c['objective_root_lower'])}"),
        ("error of the labels", percent(error["estimate"]),
         f"{percent(error['low'])} to {percent(error['high'])}"),
        ("Theorem 3 of the paper", figure(c["theorem_bound"]),
         "vacuous" if c["theorem_is_vacuous"] else "not vacuous"),
        ("labels: all, held out", count(c["n_labeled"]), count(c["n_calibration"])),
    )  # fmt: skip
    return table(("Quantity", "#Estimate", f"#Bound at {c['confidence']:.0%}"), rows)
