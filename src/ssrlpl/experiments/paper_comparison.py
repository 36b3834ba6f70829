"""Tables that set our numbers beside published ones."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from .._utils.printing import Table
from .harness.averages import Metric, Summary, plus_minus, summarize
from .harness.cell_store import Row
from .harness.study import Report, Section
from .method_registry import METHODS
from .notes import why_different
from .published import PAPER_NAME, Key, Number
from .shown_names import shown_name

Published = Mapping[Key, Mapping[str, Number]]
REFERENCES = ("labeled_only", "full_map", "fully_labeled")


@dataclass(frozen=True)
class Difference:
    """One of our numbers beside the paper's."""

    ours: Summary
    paper: Number

    @property
    def value(self) -> float | None:
        """Ours less the paper's."""
        return None if self.ours.mean is None else self.ours.mean - self.paper[0]

    @property
    def is_large(self) -> bool:
        """Whether it exceeds two standard deviations, the larger of ours and the paper's."""
        return self.value is not None and abs(self.value) > 2 * max(self.ours.sd, self.paper[1])


def compare_with_paper(rows: Sequence[Row], metric: Metric, published: Published) -> Report:
    """Return the report of a study whose numbers the paper has too."""
    summaries = summarize(rows, metric)
    ours = [m for m in _methods_of(summaries) if not METHODS[m].is_rival]
    rivals = [m for m in _methods_of(summaries) if METHODS[m].is_rival]
    large = [
        difference
        for summary in summaries
        if summary.method in set(ours) - set(REFERENCES)
        and PAPER_NAME in published.get(summary.key, {})
        and (difference := Difference(summary, published[summary.key][PAPER_NAME])).is_large
    ]
    sections = [
        Section(f"Ours beside the paper: {metric.label}", _ours(summaries, ours, published)),
        Section(f"Rivals: {metric.label}", _rivals(summaries, rivals, published),
                "Columns marked * are the paper's figures, not run here." if published else ""),
        Section("Differences of more than two standard deviations", _differences(large)),
        Section("What was tried", text=tried_for(d.ours.dataset for d in large)),
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


def _differences(large: Sequence[Difference]) -> Table:
    rows = tuple(
        (
            shown_name(d.ours.dataset), d.ours.protocol, METHODS[d.ours.method].title,
            str(d.ours), plus_minus(*d.paper), f"{d.value:+.1f}",
        )
        for d in large
    )  # fmt: skip
    return Table(("data", "labels", "method", "ours", "paper", "difference"), rows)


def tried_for(datasets: Iterable[str]) -> str:
    """Say once for each data set what was tried to explain its difference."""
    return "\n".join(
        f"* **{shown_name(name)}.** {why_different(name)}" for name in dict.fromkeys(datasets)
    )


def _seconds(summaries: Sequence[Summary]) -> Table:
    methods = _methods_of(summaries)
    rows = []
    for key, found in _by_key(summaries).items():
        done = {m: f"{s.seconds:.2f}" for m, s in found.items() if s.values}
        rows.append((shown_name(key[0]), key[1], *(done.get(m, "-") for m in methods)))
    return Table(("data", "labels", *(METHODS[m].title for m in methods)), tuple(rows))


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
