"""From rows of cells to means and standard deviations, with the published number beside."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev

from .cells import Row
from .measuring import OK
from .published import PAPER_NAME, Key, Number


@dataclass(frozen=True)
class Metric:
    """What a table shows of a row.

    Parameters
    ----------
    label : str
        What the number is, with its unit.
    of : callable
        Takes a row, returns the number or None.
    """

    label: str
    of: Callable[[Row], float | None]


def _percent(share: float | None) -> float | None:
    return None if share is None else 100 * share


def _accuracy(row: Row) -> float | None:
    error = row.get("error_test")
    return None if error is None else 100 * (1 - error)


ERROR_ON_UNLABELED = Metric(
    "error on unlabeled rows, %", lambda row: _percent(row.get("error_unlabeled"))
)
ACCURACY_ON_TEST = Metric("accuracy on test rows, %", _accuracy)


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
    def key(self) -> Key:
        """Data set and protocol."""
        return self.dataset, self.protocol

    @property
    def mean(self) -> float | None:
        """Mean over the seeds that came to an end."""
        return fmean(self.values) if self.values else None

    @property
    def sd(self) -> float:
        """Standard deviation over seeds, n-1 in the denominator."""
        return stdev(self.values) if len(self.values) > 1 else 0.0

    def __str__(self) -> str:
        return plus_minus(self.mean, self.sd) if self.values else (self.reason or "-")


def shown_name(dataset: str) -> str:
    """Return the name of a data set for readers."""
    return "Reuters (stand-in)" if dataset == "Reuters" else dataset.removeprefix("book ")


def plus_minus(mean: float | None, sd: float) -> str:
    """Write a mean with its standard deviation.

    Examples
    --------
    >>> from ssrlpl.experiments.summary import plus_minus
    >>> plus_minus(82.34, 1.2), plus_minus(None, 0)
    ('82.3 ± 1.2', '-')
    """
    return "-" if mean is None else f"{mean:.1f} ± {sd:.1f}"


def summarize(rows: Iterable[Row], metric: Metric) -> list[Summary]:
    """Return one summary for each data set, protocol and method, in the order they come."""
    groups: dict[tuple[str, str, str], list[Row]] = {}
    for row in rows:
        groups.setdefault((row["dataset"], row["protocol"], row["method"]), []).append(row)
    return [_summary(*key, group, metric) for key, group in groups.items()]


def _summary(
    dataset: str, protocol: str, method: str, rows: Sequence[Row], metric: Metric
) -> Summary:
    values = [v for row in rows if row["status"] == OK and (v := metric.of(row)) is not None]
    seconds = [row.get("fit_seconds", 0) + row.get("predict_seconds", 0) for row in rows]
    bad = [row for row in rows if row["status"] != OK]
    reason = f"{bad[0]['status']} ({len(bad)} of {len(rows)})" if bad else ""
    return Summary(dataset, protocol, method, tuple(values), fmean(seconds), reason)


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


def differences(
    summaries: Iterable[Summary], published: Mapping[Key, Mapping[str, Number]], methods: set[str]
) -> list[Difference]:
    """Set our methods beside what the paper reports for its own."""
    return [
        Difference(summary, published[summary.key][PAPER_NAME])
        for summary in summaries
        if summary.method in methods and PAPER_NAME in published.get(summary.key, {})
    ]
