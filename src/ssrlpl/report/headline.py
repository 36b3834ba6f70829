"""The top of the page: what was found, in words; the verdict and the certificate first."""

from __future__ import annotations

from typing import Any

from .guarantee import in_words
from .text import NOT_KNOWN, count, is_number, paragraphs, percent, percent_at_least, plural, safe

_VERDICTS = {
    "helps": ("▲", "The unlabeled rows help"),
    "undecided": ("●", "Whether the unlabeled rows help is undecided"),
    "hurts": ("▼", "The unlabeled rows hurt"),
    None: ("○", "No verdict on the unlabeled rows"),
}


def headline(summary: dict[str, Any]) -> str:
    """Return the header of the page."""
    data = summary["data"]
    return (
        '<header class="top">'
        f'<div class="bar"><p class="file">{safe(data["name"])}</p>'
        '<button type="button" id="theme" class="js" aria-label="Switch between light and dark">'
        '<span aria-hidden="true">◐</span> <span class="wide">Light / dark</span></button></div>'
        f"{_verdict(summary)}{_void(summary)}{_certificate(summary)}"
        f"{paragraphs(summary['headline'])}"
        f'</header><dl class="tiles">{_tiles(summary)}</dl>'
    )


def _verdict(summary: dict[str, Any]) -> str:
    verdict = summary["verdict"]
    mark, words = _VERDICTS[verdict]
    if verdict and not (summary["selection"] or {}).get("uses_unlabeled", True):
        mark, words = "○", "The unlabeled rows are not used"
    return (
        f'<h1 class="verdict {verdict or "none"}"><span aria-hidden="true">{mark}</span>'
        f" <span>{words}</span></h1>"
    )


def _certificate(summary: dict[str, Any]) -> str:
    """Return the certificate in words; what is missing is said with its reason."""
    if summary["certificate"] is not None:
        missing = "" if summary["verdict"] else " The comparison behind a verdict was not made."
        which = f" {safe(summary.get('certificate_reason') or '')}".rstrip()
        return f"<p>{in_words(summary['certificate'])}{missing}{which}</p>"
    what = "no certificate" if summary["verdict"] else "neither a certificate nor a verdict"
    reason = summary.get("certificate_reason") or "none was asked for."
    return f"<p>There is {what}: {safe(reason)}</p>"


def _void(summary: dict[str, Any]) -> str:
    voids = (summary["certificate"] or {}).get("voids") or []
    if not voids:
        return ""
    return (
        '<p class="void"><strong>The guarantee may not hold.</strong> '
        f"{' '.join(safe(reason) for reason in voids)}</p>"
    )


def _tiles(summary: dict[str, Any]) -> str:
    data, labels = summary["data"], summary.get("labels") or {}
    tiles = (
        ("Kept of full labels", *_guaranteed(summary["certificate"])),
        ("How sure the labels are", percent(labels.get("mean_probability")),
         "mean probability of the label that was chosen"),
        ("Leave-one-out error", *_loo(summary["selection"])),
        ("Rows", count(data["n_rows"]),
         f"{count(data['n_labeled'])} labeled, {count(data['n_unlabeled'])} unlabeled"),
        ("Components", count(summary["method"]["n_components"]),
         f"from {plural(data['n_features'], 'feature')}, for"
         f" {plural(len(data['classes']), 'class')} of “{safe(data['target'])}”"),
    )  # fmt: skip
    return "".join(
        f"<div><dt>{name}</dt><dd><b>{value}</b> <small>{note}</small></dd></div>"
        for name, value, note in tiles
    )


def _guaranteed(certificate: dict[str, Any] | None) -> tuple[str, str]:
    if certificate is None:
        return "none", "no certificate was issued, see below"
    kind = "guaranteed" if certificate["method"] == "calibration" else "by a heuristic"
    if certificate["voids"]:
        kind = "in doubt, see above"
    note = f"of the class separation they would give ({kind}, {certificate['confidence']:.0%})"
    return f"≥ {percent_at_least(certificate['retained_lower'])}", note


def _loo(selection: dict[str, Any] | None) -> tuple[str, str]:
    if selection is None:
        return NOT_KNOWN, "the parameters were not chosen by leave-one-out"
    nested = selection.get("nested_error")
    note = "of the chosen setting"
    if is_number(nested):
        note += f"; {percent(nested)} with the choice itself left out"
    return percent(selection["loo_error"]), note
