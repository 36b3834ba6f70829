"""From rows of cells to means and standard deviations over seeds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from statistics import fmean, stdev

from .cell_store import Row
from .measuring import OK

Group = tuple[str, str, str]
"""Data set, protocol and method."""


@dataclass(frozen=True)
class Metric:
    """What a table shows of a row: its name with the unit, and the number or None."""

    label: str
    of: Callable[[Row], float | None]


def _error(row: Row, rows: str) -> float | None:
    share = row.get(f"error_{rows}")
    return None if share is None else 100 * share


def _accuracy(row: Row, rows: str) -> float | None:
    error = _error(row, rows)
    return None if error is None else 100 - error


ERROR_ON_UNLABELED = Metric("error on unlabeled rows, %", partial(_error, rows="unlabeled"))
ACCURACY_ON_UNLABELED = Metric(
    "accuracy on unlabeled rows, %", partial(_accuracy, rows="unlabeled")
)
ACCURACY_ON_TEST = Metric("accuracy on test rows, %", partial(_accuracy, rows="test"))


@dataclass(frozen=True)
class Summary:
    """A method on a data set and protocol, over seeds."""

    dataset: str
    protocol: str
    method: str
    values: tuple[float, ...]
    seconds: float
    reason: str = ""

    @property
    def key(self) -> tuple[str, str]:
        """Data set and protocol."""
        return self.dataset, self.protocol

    @property
    def mean(self) -> float | None:
        """Mean over the seeds that have a number."""
        return fmean(self.values) if self.values else None

    @property
    def sd(self) -> float:
        """Standard deviation over seeds, n-1 in the denominator."""
        return stdev(self.values) if len(self.values) > 1 else 0.0

    def figures(self) -> Row:
        """Return what a flat row says of it."""
        return {
            "seeds": len(self.values),
            "mean": self.mean,
            "sd": self.sd if self.values else None,
            "seconds": self.seconds,
            "trouble": self.reason,
        }

    def __str__(self) -> str:
        return plus_minus(self.mean, self.sd) if self.values else (self.reason or "-")


def plus_minus(mean: float | None, sd: float) -> str:
    """Write a mean with its standard deviation.

    Examples
    --------
    >>> from ssrlpl.experiments.harness.averages import plus_minus
    >>> plus_minus(82.34, 1.2), plus_minus(None, 0)
    ('82.3 ± 1.2', '-')
    """
    return "-" if mean is None else f"{mean:.1f} ± {sd:.1f}"


def over_seeds(rows: Iterable[Row], metric: Metric) -> list[Summary]:
    """Return one summary for each data set, protocol and method, in the order they come."""
    summaries = []
    for key, group in _grouped(rows).items():
        bad = [row["status"] for row in group if row["status"] != OK]
        reason = f"{bad[0]} ({len(bad)} of {len(group)})" if bad else ""
        values = [metric.of(row) for row in group if row["status"] == OK]
        known = tuple(value for value in values if value is not None)
        alone = [row["seconds_alone"] for row in group if "seconds_alone" in row]
        seconds = fmean(alone or map(seconds_of, group))
        summaries.append(Summary(*key, known, seconds, reason))
    return summaries


def common_means(summaries: Iterable[Summary]) -> dict[str, list[float]]:
    """Return the means of each method on the problems, in one order, that all have a number for."""
    found: dict[str, dict[tuple[str, str], float]] = {}
    for s in summaries:
        if s.mean is not None:
            found.setdefault(s.method, {})[s.key] = s.mean
    keys = next(iter(found.values()), {})
    shared = [key for key in keys if all(key in means for means in found.values())]
    return {method: [means[key] for key in shared] for method, means in found.items()}


def mean_measures(rows: Iterable[Row]) -> dict[Group, Row]:
    """Return how many seeds have a number, and the mean of every measure over these."""
    groups = _grouped(row for row in rows if row["status"] == OK)
    return {
        key: {"seeds": len(group)}
        | {name: fmean(row["measures"][name] for row in group) for name in group[0]["measures"]}
        for key, group in groups.items()
    }


def mean_ranks(errors: Mapping[str, tuple[float | None, ...]]) -> dict[str, float]:
    """Return the mean rank of each method by its errors on some sets; ties share.

    A set without a number for a method (None) does not count for it.

    Examples
    --------
    >>> from ssrlpl.experiments.harness.averages import mean_ranks
    >>> mean_ranks({"a": (10.0, 20.0), "b": (30.0, None), "c": (10.0, 10.0)})
    {'a': 1.75, 'b': 3.0, 'c': 1.25}
    """
    ranks: dict[str, list[float]] = {name: [] for name in errors}
    for column in zip(*errors.values(), strict=True):
        present = [value for value in column if value is not None]
        for name, value in zip(errors, column, strict=True):
            if value is not None:
                below = sum(other < value for other in present)
                ranks[name].append(below + (sum(other == value for other in present) + 1) / 2)
    return {name: fmean(found) for name, found in ranks.items() if found}


def _grouped(rows: Iterable[Row]) -> dict[Group, list[Row]]:
    groups: dict[Group, list[Row]] = {}
    for row in rows:
        groups.setdefault((row["dataset"], row["protocol"], row["method"]), []).append(row)
    return groups


def seconds_of(row: Row) -> float:
    """Return the computing time of a cell, fit and predict."""
    return float(row.get("fit_seconds") or 0) + float(row.get("predict_seconds") or 0)
