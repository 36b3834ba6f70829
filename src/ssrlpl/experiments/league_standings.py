"""From rows of the league to what is compared: accuracies, ranks, wins, losses and their causes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from .harness.averages import ACCURACY_ON_TEST, mean_ranks, seconds_of
from .harness.cell_store import Row
from .harness.measuring import OK
from .league_methods import LEAGUE, ORACLE

Accuracies = dict[str, dict[str, float]]
"""Table → method → accuracy in percent, mean over the compared seeds."""

LARGE_LOSS = 2.0
"""Points by which ours must be behind the best rival to be looked into."""
CHOICE, FAMILY, UNKNOWN = "choice", "family", "not measured"


@dataclass(frozen=True)
class Standings:
    """The league with one number of labels a class.

    Parameters
    ----------
    accuracies : dict
        Of all compared methods, on the tables and seeds where each of them has a number.
    oracles : dict
        Table → accuracy of the oracle among our candidates, on the same seeds.
    seconds : dict
        Method → mean seconds of a cell, fit and predict, on the same cells.
    n_cells : int
        How many cells of a method were compared.
    """

    accuracies: Accuracies
    oracles: dict[str, float]
    seconds: dict[str, float]
    n_cells: int

    @property
    def methods(self) -> list[str]:
        """Those compared, ours first."""
        return list(self.seconds)

    def mean(self, method: str) -> float:
        """Return the mean accuracy over tables."""
        return fmean(found[method] for found in self.accuracies.values())

    def best_rival(self, table: str) -> str | None:
        """Return the rival with the highest accuracy on a table."""
        found = self.accuracies[table]
        rivals = [method for method in found if LEAGUE[method].is_rival]
        return max(rivals, key=found.__getitem__, default=None)

    def lead(self, table: str, method: str) -> float | None:
        """Return the accuracy of a method minus that of the best rival, in points."""
        found, best = self.accuracies[table], self.best_rival(table)
        return None if best is None else found[method] - found[best]

    def field(self, method: str) -> list[str]:
        """Return whom a method is compared with, itself included.

        Each of our methods is ranked among the rivals only: similar methods would worsen each
        other's ranks. A rival meets the
        other rivals and our first method, the combined search.
        """
        ours = self.methods[:1] if LEAGUE[method].is_rival else [method]
        first = [name for name in ours if not LEAGUE[name].is_rival]
        return [*first, *(name for name in self.methods if LEAGUE[name].is_rival)]

    def rank(self, method: str) -> float:
        """Return the mean rank of a method in its field over tables; ties share."""
        tables = self.accuracies.values()
        errors = {m: tuple(100 - found[m] for found in tables) for m in self.field(method)}
        return mean_ranks(errors)[method]

    def wins(self, method: str) -> int:
        """Count tables where nobody in its field is better than a method; ties count for all."""
        field = self.field(method)
        return sum(
            found[method] >= max(found[name] for name in field)
            for found in self.accuracies.values()
        )

    def cause(self, table: str) -> str:
        """Return why ours is behind the best rival on a table.

        The choice, if the oracle is not behind by more than :data:`LARGE_LOSS` points; the family
        of candidates, if it is.
        """
        best = self.best_rival(table)
        if best is None or table not in self.oracles:
            return UNKNOWN
        behind = self.accuracies[table][best] - self.oracles[table]
        return FAMILY if behind > LARGE_LOSS else CHOICE


def standings(rows: Iterable[Row], protocol: str) -> Standings | None:
    """Return the standings with one number of labels; None if there is nothing to compare.

    Only cells (table and seed) where every compared method has a number count; compared are the
    methods that have a number at all.
    """
    done = [row for row in rows if row["protocol"] == protocol and row["status"] == OK]
    cells: dict[tuple[str, int], dict[str, Row]] = {}
    for row in done:
        cells.setdefault((row["dataset"], row["seed"]), {})[row["method"]] = row
    compared = [method for method in LEAGUE if any(method in found for found in cells.values())]
    common = {cell: found for cell, found in cells.items() if set(compared) <= set(found)}
    if not compared or not common:
        return None
    tables = dict.fromkeys(table for table, _ in common)
    grouped = {t: [found for (table, _), found in common.items() if table == t] for t in tables}
    return Standings(
        {t: {m: _mean_accuracy(found, m) for m in compared} for t, found in grouped.items()},
        {t: _mean_oracle(found) for t, found in grouped.items() if all(ORACLE in f for f in found)},
        {m: fmean(seconds_of(found[m]) for found in common.values()) for m in compared},
        len(common),
    )


def _mean_accuracy(found: Sequence[Mapping[str, Row]], method: str) -> float:
    values = [ACCURACY_ON_TEST.of(rows[method]) for rows in found]
    return fmean(value for value in values if value is not None)


def _mean_oracle(found: Sequence[Mapping[str, Row]]) -> float:
    return fmean(rows[ORACLE]["measures"]["oracle"] for rows in found)
