"""Tables that set our numbers beside published ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .._utils.printing import Table
from .cells import Row
from .methods import METHODS
from .notes import why_different
from .published import PAPER_NAME, Key, Number
from .study import Report, Section
from .summary import Difference, Metric, Summary, differences, plus_minus, shown_name, summarize

Published = Mapping[Key, Mapping[str, Number]]
REFERENCES = ("labeled_only", "full_map", "fully_labeled")


def compare(rows: Sequence[Row], metric: Metric, published: Published) -> Report:
    """Return the report of a study whose numbers the paper has too."""
    summaries = summarize(rows, metric)
    ours = [m for m in _methods_of(summaries) if not METHODS[m].is_rival]
    rivals = [m for m in _methods_of(summaries) if METHODS[m].is_rival]
    found = differences(summaries, published, set(ours) - set(REFERENCES))
    sections = [
        Section(f"Ours beside the paper: {metric.label}", _ours(summaries, ours, published)),
        Section(f"Rivals: {metric.label}", _rivals(summaries, rivals, published),
                "Columns marked * are the paper's figures, not run here." if published else ""),
        Section("Differences of more than two standard deviations", _large(found)),
        Section("What was tried", text=_tried(found)),
        Section("Seconds a cell, fit and predict", _seconds(summaries)),
    ]  # fmt: skip
    flat = [_flat(summary, metric, published) for summary in summaries]
    return Report(flat, [s for s in sections if s.text or (s.table and s.table.rows)])


def _methods_of(summaries: Sequence[Summary]) -> list[str]:
    return list(dict.fromkeys(summary.method for summary in summaries))


def _by_key(summaries: Sequence[Summary]) -> dict[Key, dict[str, Summary]]:
    table: dict[Key, dict[str, Summary]] = {}
    for summary in summaries:
        table.setdefault(summary.key, {})[summary.method] = summary
    return table


def _ours(summaries: Sequence[Summary], methods: list[str], published: Published) -> Table:
    rows = []
    for key, found in _by_key(summaries).items():
        paper = [_cell(published.get(key, {}).get(PAPER_NAME))] if published else []
        cells = [str(found[m]) if m in found else "-" for m in methods]
        rows.append((shown_name(key[0]), key[1], *paper, *cells))
    titles = [METHODS[m].title for m in methods]
    return Table(("data", "labels", *(["paper"] if published else []), *titles), tuple(rows))


def _cell(number: Number | None) -> str:
    return "-" if number is None else plus_minus(*number)


def _rivals(summaries: Sequence[Summary], methods: list[str], published: Published) -> Table:
    keys = _by_key(summaries)
    named = dict.fromkeys(n for key in keys for n in published.get(key, {}) if n != PAPER_NAME)
    rows: list[tuple[str, ...]] = []
    for key, found in keys.items() if methods or named else ():
        here = [str(found[m]) if m in found else "-" for m in methods]
        printed = [_cell(published.get(key, {}).get(name)) for name in named]
        rows.append((shown_name(key[0]), key[1], *here, *printed))
    titles = [METHODS[m].title for m in methods]
    return Table(("data", "labels", *titles, *(f"{n} *" for n in named)), tuple(rows))


def _large(found: Sequence[Difference]) -> Table:
    rows = tuple(
        (
            shown_name(d.ours.dataset), d.ours.protocol, METHODS[d.ours.method].title,
            str(d.ours), plus_minus(*d.paper), f"{d.value:+.1f}",
        )
        for d in found
        if d.is_large
    )  # fmt: skip
    return Table(("data", "labels", "method", "ours", "paper", "difference"), rows)


def _tried(found: Sequence[Difference]) -> str:
    """Return a sentence for each data set with a large difference."""
    datasets = dict.fromkeys(d.ours.dataset for d in found if d.is_large)
    return "\n".join(f"* **{shown_name(name)}.** {why_different(name)}" for name in datasets)


def _seconds(summaries: Sequence[Summary]) -> Table:
    methods = _methods_of(summaries)
    rows = tuple(
        (shown_name(key[0]), key[1], *(_time(found.get(m)) for m in methods))
        for key, found in _by_key(summaries).items()
    )
    return Table(("data", "labels", *(METHODS[m].title for m in methods)), rows)


def _time(summary: Summary | None) -> str:
    return "-" if summary is None or not summary.values else f"{summary.seconds:.2f}"


def _flat(summary: Summary, metric: Metric, published: Published) -> dict[str, object]:
    paper = published.get(summary.key, {}).get(PAPER_NAME)
    difference = Difference(summary, paper) if paper else None
    return {
        "dataset": summary.dataset,
        "protocol": summary.protocol,
        "method": summary.method,
        "metric": metric.label,
        "seeds": len(summary.values),
        "mean": summary.mean,
        "sd": summary.sd if summary.values else None,
        "paper": float(paper[0]) if paper else None,
        "paper_sd": float(paper[1]) if paper else None,
        "difference": difference.value if difference else None,
        "beyond_two_sd": difference.is_large if difference else None,
        "seconds": summary.seconds,
        "trouble": summary.reason,
    }
