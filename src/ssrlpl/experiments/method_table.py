"""Many methods on a few problems: a line for each method, marks where a rival is ahead of ours."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, stdev

from .._utils.printing import Table
from .harness.averages import ERROR_ON_UNLABELED, mean_ranks, over_seeds, plus_minus
from .harness.cell_store import Row
from .harness.measuring import OK
from .method_registry import METHODS
from .published import Key, Printed
from .shown_names import shown_name

OUR_SEARCH = "cv"
AHEAD = "▲"
"""Stands behind the error of a rival that is smaller than that of ``OUR_SEARCH``."""

LEGEND = (
    f"Mean ± sd over the splits. {AHEAD}: ahead of SSRLPLCV on the splits that both have. “Mean"
    " rank” is that of the means, among the methods run here. “(k)”: only k splits have a number;"
    " why is said below. Lines marked * are printed figures, not run here."
)


@dataclass(frozen=True)
class Errors:
    """Errors in percent, problem → method → split, of cells with a number."""

    found: dict[Key, dict[str, dict[int, float]]]
    splits: int

    @classmethod
    def of(cls, rows: Sequence[Row]) -> Errors:
        """Collect the errors on unlabeled rows."""
        found: dict[Key, dict[str, dict[int, float]]] = {}
        for row in rows:
            methods = found.setdefault((row["dataset"], row["protocol"]), {})
            splits = methods.setdefault(row["method"], {})
            error = ERROR_ON_UNLABELED.of(row)
            if row["status"] == OK and error is not None:
                splits[row["seed"]] = error
        return cls(found, len({row["seed"] for row in rows}))

    @property
    def methods(self) -> list[str]:
        """All methods, in the order they come."""
        return list(dict.fromkeys(m for methods in self.found.values() for m in methods))

    def lead(self, key: Key, method: str) -> float | None:
        """Return by how many points a method is better than ours, on splits that both have."""
        own, other = self.found[key].get(OUR_SEARCH, {}), self.found[key].get(method, {})
        common = own.keys() & other.keys()
        return fmean(own[s] - other[s] for s in common) if common else None

    def is_ahead(self, key: Key, method: str) -> bool:
        """Tell whether a rival is better than ours."""
        lead = self.lead(key, method)
        return METHODS[method].is_rival and lead is not None and lead > 0

    def cell(self, key: Key, method: str) -> str:
        """Write the mean and sd of a method on a problem."""
        values = list(self.found[key].get(method, {}).values())
        if not values:
            return "failed" if method in self.found[key] else "-"
        one = len(values) == 1
        text = f"{values[0]:.1f}" if one else plus_minus(fmean(values), stdev(values))
        text += f" ({len(values)})" if len(values) < self.splits else ""
        return f"{text} {AHEAD}" if self.is_ahead(key, method) else text

    def ranks(self) -> dict[str, float]:
        """Return the mean rank of each method over problems."""
        means: dict[str, list[float | None]] = {method: [] for method in self.methods}
        for methods in self.found.values():
            for method, column in means.items():
                values = methods.get(method, {}).values()
                column.append(fmean(values) if values else None)
        return mean_ranks({method: tuple(column) for method, column in means.items()})


def method_table(rows: Sequence[Row], printed: Printed | None = None) -> Table:
    """Return a line for each method; printed figures stand below the method of the same name."""
    errors = Errors.of(rows)
    ranks, keys = errors.ranks(), list(errors.found)
    columns = [f"{shown_name(data)}, {labels.removesuffix(' labels')}" for data, labels in keys]
    names = dict.fromkeys(name for figures in (printed or {}).values() for name in figures)
    lines: list[tuple[str, ...]] = []
    for method in errors.methods:
        title = METHODS[method].title
        ahead = sum(errors.is_ahead(key, method) for key in keys)
        lines.append((
            title if METHODS[method].is_rival else f"**{title}**",
            *(errors.cell(key, method) for key in keys),
            f"{ranks[method]:.1f}" if method in ranks else "-",
            f"{ahead} of {len(keys)}" if METHODS[method].is_rival else "",
        ))  # fmt: skip
        if title in names:
            lines.append(_printed(title, keys, printed or {}))
            del names[title]
    lines += [_printed(name, keys, printed or {}) for name in names]
    return Table(("method", *columns, "mean rank", "ahead of SSRLPLCV"), tuple(lines))


def _printed(name: str, keys: Sequence[Key], printed: Printed) -> tuple[str, ...]:
    figures = [printed.get(key, {}).get(name) for key in keys]
    return f"{name} *", *(plus_minus(*f) if f else "-" for f in figures), "", ""


def seconds_table(rows: Sequence[Row]) -> Table:
    """Return the seconds of each method: one fit with its predictions, mean over problems."""
    summaries = [s for s in over_seeds(rows, ERROR_ON_UNLABELED) if s.values]
    keys = list(dict.fromkeys(s.key for s in summaries))
    found = {(s.method, s.key): f"{s.seconds:.2f}" for s in summaries}
    lines = [
        (METHODS[method].title, *(found.get((method, key), "-") for key in keys))
        for method in dict.fromkeys(s.method for s in summaries)
    ]
    columns = (f"{shown_name(data)}, {labels.removesuffix(' labels')}" for data, labels in keys)
    return Table(("method", *columns), tuple(lines))


SECONDS = (
    "One fit and its predictions for the unlabeled rows, by the clock, on two cores that many other"
    " programs used at the same time: orders of magnitude, and none to compare between commits."
    " Published methods: with the chosen settings, alone, first split; the choice itself is not"
    " counted, because it shares matrices between settings and splits. All others: with their"
    " choice of settings."
)


def losses(rows: Sequence[Row]) -> Table:
    """Return, for each problem, the rivals that are ahead of ours, best first."""
    errors = Errors.of(rows)
    lines = []
    for key in errors.found:
        leads = {m: errors.lead(key, m) or 0.0 for m in errors.methods if errors.is_ahead(key, m)}
        best = sorted(leads, key=leads.__getitem__, reverse=True)
        said = ", ".join(f"{METHODS[m].title} ({leads[m]:.1f})" for m in best) or "none"
        lines.append((shown_name(key[0]), key[1], errors.cell(key, OUR_SEARCH), said))
    return Table(("data", "labels", "SSRLPLCV", "rivals ahead (points)"), tuple(lines))
