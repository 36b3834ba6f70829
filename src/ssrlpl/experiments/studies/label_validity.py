"""How often statements about filled-in labels are false."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import binom

from ..audit_truth import AUDIT_WORLDS, STATEMENTS, statement_breaks, trail_breaks
from ..harness.averages import mean_measures
from ..harness.cell_store import Cell, Row
from ..harness.measuring import Measurement, Workbench
from ..harness.study import Plan, Report, Section, Study, flat_table

LEVELS = (0.8, 0.9, 0.95)
LARGE = ("flipped cluster", "at the limit", "near duplicates")
"""Worlds that are drawn with 6,000 rows, too; ``make test-long`` draws all of them so."""


@dataclass(frozen=True)
class Level:
    """Draws of audited rows at a level of confidence, many in one cell."""

    confidence: float
    draws: int = 100
    rows: int = 2000

    def __str__(self) -> str:
        return f"{self.confidence:.0%} confidence, {self.draws} draws, {self.rows} rows"


def measure_breaks(problem: tuple[str, Level], cell: Cell) -> Mapping[str, float]:
    """Return the shares of draws in which each statement is false."""
    (name, level), found = problem, []
    for seed in range(cell.seed * level.draws, (cell.seed + 1) * level.draws):
        drawn = (name, level.confidence, seed)
        ever = trail_breaks(*drawn, n_rows=level.rows, n_audited=200)
        found.append(statement_breaks(*drawn, n_rows=level.rows) | {"trail": ever})
    return {
        statement: float(np.mean([broken[statement] for broken in found]))
        for statement in (*STATEMENTS, "trail")
    }


def report(rows: Sequence[Row]) -> Report:
    """Count the draws in which each statement was false."""
    flat = []
    for (world, protocol, _), means in mean_measures(rows).items():
        level, _, each, _, rows_, _ = protocol.split()
        draws = means.pop("seeds") * int(each)
        counts = {name: round(draws * share) for name, share in means.items()}
        said = {"world": world, "rows": int(rows_), "level": level, "draws": draws}
        limit = int(binom.ppf(0.999, draws, 1 - int(level.rstrip("%")) / 100))
        flat.append(said | {"may": limit} | counts)
    return Report(flat, [Section("False statements about filled-in labels", flat_table(flat))])


_WORLDS = (
    *((name, Level(c)) for name in AUDIT_WORLDS for c in LEVELS),
    *((name, Level(c, rows=6000)) for name in LARGE for c in LEVELS),
)

STUDY = Study(
    name="label_validity",
    title="How often statements about filled-in labels are false",
    about=(
        "Worlds of predictions and truths that are made to break a statement; only the audited"
        " rows are drawn again and again (300 of 2,000 or of 6,000; a trail of 200, with a look"
        " after every row: it is false if it was so at any look). At 95 % a statement may be false"
        " in 5 % of the draws; “may” is the largest number that this allows in 999 of 1,000"
        " studies. “accept” asks for 10 % errors, and takes the threshold from the same audited"
        " rows; in “accept others” one delivered label in 21 is another than was certified, and"
        " was right."
    ),
    full=Plan(_WORLDS, ("statements",), 5),
    quick=Plan(tuple((name, Level(0.8, 4)) for name in AUDIT_WORLDS), ("statements",), 1),
    report=report,
    bench=Workbench(
        {"statements": Measurement("statements", "statements", measure_breaks)},
        lambda name, level, _seed: (name, level),
    ),
)
