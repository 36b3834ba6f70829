"""Tables that set our numbers beside published ones."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from .._utils.printing import Table
from .harness.averages import Metric, Summary, over_seeds, plus_minus
from .harness.cell_store import Row
from .harness.study import Report, Section
from .method_registry import METHODS
from .notes import TRIED, why_different
from .published import PAPER_NAME, Key, Number, Printed
from .shown_names import shown_name

Columns = dict[str, dict[Key, str]]
"""What stands in a table, by the title of a column, then by data set and protocol."""

_STARS = (
    "Columns marked * are the paper's figures; those without a column of ours before them were not"
    " run here."
)
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


def compare_with_paper(rows: Sequence[Row], metric: Metric, published: Printed) -> Report:
    """Return the report of a study whose numbers the paper has too."""
    summaries = over_seeds(rows, metric)
    here: Columns = {}
    seconds: Columns = {}
    printed: Columns = {"paper": {}} if published else {}
    for s in summaries:
        here.setdefault(s.method, {})[s.key] = str(s)
        seconds.setdefault(METHODS[s.method].title, {})[s.key] = f"{s.seconds:.2f}" * bool(s.values)
        for name, number in published.get(s.key, {}).items():
            column = "paper" if name == PAPER_NAME else f"{name} *"
            printed.setdefault(column, {})[s.key] = plus_minus(*number)
    paper = {"paper": printed.pop("paper")} if printed else {}
    ours, rivals = (
        {METHODS[m].title: here[m] for m in here if METHODS[m].is_rival == is_rival}
        for is_rival in (False, True)
    )
    large = [
        difference
        for s in summaries
        if not METHODS[s.method].is_rival and s.method not in REFERENCES
        and PAPER_NAME in published.get(s.key, {})
        and (difference := Difference(s, published[s.key][PAPER_NAME])).is_large
    ]  # fmt: skip
    sections = [
        Section(f"Ours beside the paper: {metric.label}", _table(summaries, paper | ours)),
        Section(f"Rivals: {metric.label}", _table(summaries, _side_by_side(rivals, printed)),
                _STARS if published else ""),
        Section("Differences of more than two standard deviations", _differences(large)),
        Section("What was tried", text=tried_for(d.ours.dataset for d in large)),
        Section("Seconds a cell, fit and predict", _table(summaries, seconds)),
    ]  # fmt: skip
    flat = [_flat(summary, metric, published) for summary in summaries]
    return Report(flat, [s for s in sections if s.text or (s.table and s.table.rows)])


def _side_by_side(here: Columns, printed: Columns) -> Columns:
    """Return our columns, each followed by the paper's of the same method; then its others."""
    columns: Columns = {}
    for title, column in here.items():
        star = f"{title} *"
        columns |= {title: column} | ({star: printed[star]} if star in printed else {})
    return columns | printed


def _table(summaries: Sequence[Summary], columns: Columns) -> Table:
    """Return a row for each data set and protocol."""
    rows = tuple(
        (shown_name(key[0]), key[1], *(column.get(key) or "-" for column in columns.values()))
        for key in dict.fromkeys(summary.key for summary in summaries)
        if columns
    )
    return Table(("data", "labels", *columns), rows)


def _differences(large: Sequence[Difference]) -> Table:
    rows = tuple(
        (
            shown_name(d.ours.dataset), d.ours.protocol, METHODS[d.ours.method].title,
            str(d.ours), plus_minus(*d.paper), f"{d.value:+.1f}",
        )
        for d in large
    )  # fmt: skip
    return Table(("data", "labels", "method", "ours", "paper", "difference"), rows)


def rivals_beside_paper(rows: Sequence[Row], metric: Metric, published: Printed) -> Table:
    """Return our number for each rival that the paper prints, beside the paper's."""
    found = [
        Difference(s, published[s.key][title])
        for s in over_seeds(rows, metric)
        if METHODS[s.method].is_rival
        and (title := METHODS[s.method].title) in published.get(s.key, {})
        and s.values
    ]
    return _differences(sorted(found, key=lambda d: METHODS[d.ours.method].title))


def tried_for(datasets: Iterable[str]) -> str:
    """Say what was tried to explain differences, and for each data set what came of it."""
    named: dict[str, list[str]] = {}
    for name in dict.fromkeys(datasets):
        named.setdefault(why_different(name), []).append(shown_name(name))
    found = [f"* **{', '.join(names)}.** {why}" for why, names in named.items()]
    return "\n".join([TRIED, "", *found]) if found else ""


def _flat(summary: Summary, metric: Metric, published: Printed) -> dict[str, object]:
    printed = published.get(summary.key, {})
    paper = printed.get(METHODS[summary.method].title, printed.get(PAPER_NAME))
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
