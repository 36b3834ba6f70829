"""What certificates of labels say beside the truth, and how often they say too much."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import binom

from ..._utils.printing import Table
from ...guarantee import certify_labels
from ...labels import UNLABELED
from ...model_selection.search import SSRLPLCV
from ..audit_truth import AUDIT_WORLDS, STATEMENTS, statement_breaks, trail_breaks
from ..drawn_problems import Drawn, load_drawn
from ..harness.averages import mean_measures
from ..harness.cell_store import Cell, Row
from ..harness.measuring import Measurement, Workbench
from ..harness.study import Plan, Report, Section, Study
from ..problems import Problem, Protocol
from ..shown_names import full_name

DATA = ("digits", "USPS", "MNIST-10K", "book g241c", "book BCI", "noise")
LABELS = tuple((name, Drawn(labels)) for labels in (50, 100, 200, 400) for name in DATA)


def load_table(dataset: str, protocol: Drawn | Protocol, seed: int) -> Problem:
    """Return a problem with drawn labels; "noise" has labels that no column knows of."""
    if dataset != "noise" or not isinstance(protocol, Drawn):
        return load_drawn(dataset, protocol, seed)
    rng = np.random.default_rng(0)
    X, truth = rng.normal(size=(2000, 8)), rng.integers(0, 2, 2000)
    order = np.random.default_rng(seed).permutation(2000)
    labeled, rest = order[: protocol.labels], np.sort(order[protocol.labels :])
    return Problem(X, truth, labeled, rest, np.empty(0, np.intp))


def measure_labels(problem: Problem, cell: Cell) -> Mapping[str, float] | str:
    """Return what the certificate of a search says of one draw of labels, and the truth."""
    y = np.full(len(problem.truth), UNLABELED)
    y[problem.labeled] = problem.truth[problem.labeled]
    found = certify_labels(SSRLPLCV(), problem.X, y, random_state=cell.seed)
    truth = problem.truth[found.rows]
    wrong, sets = found.labels != truth, found.prediction_sets()
    return {
        "truth": float(wrong.mean()),
        "error_upper": found.error_upper,
        "error_estimate": found.error_estimate,
        "accepted_at_5": float(found.accept(0.05).mean()),
        "accepted_at_1": float(found.accept(0.01).mean()),
        "set_size": float(sets.sum(axis=1).mean()),
        "coverage": float(sets[np.arange(len(truth)), truth].mean()),
    } | found.baselines


def report_labels(rows: Sequence[Row]) -> Report:
    """Return the mean of every statement, and of the truth, by data set and number of labels."""
    flat = [
        {"data": full_name(data), "labels": int(protocol.split()[0])} | means
        for (data, protocol, _), means in mean_measures(rows).items()
    ]
    return Report(flat, [Section("Statements about filled-in labels", _table(flat))])


SHARPNESS = Study(
    name="certified_labels",
    title="What certificates of labels say beside the truth",
    about=(
        "`certify_labels(SSRLPLCV(), ...)` at 95 %: 60 % of the drawn labels audit. Error of the"
        " filled-in labels, its bound, the shares of rows accepted at 5 % and 1 %, size and"
        " coverage of prediction sets, and the errors of the largest class and of logistic"
        " regression; means over draws."
    ),
    full=Plan(LABELS, ("search",), 10),
    quick=Plan((("digits", Drawn(100)), ("noise", Drawn(100))), ("search",), 1),
    report=report_labels,
    bench=Workbench({"search": Measurement("search", "search", measure_labels)}, load_table),
)


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


def report_breaks(rows: Sequence[Row]) -> Report:
    """Count the draws in which each statement was false."""
    flat = []
    for (world, protocol, _), means in mean_measures(rows).items():
        level, _, each, _, rows_, _ = protocol.split()
        draws = means.pop("seeds") * int(each)
        counts = {name: round(draws * share) for name, share in means.items()}
        said = {"world": world, "rows": int(rows_), "level": level, "draws": draws}
        limit = int(binom.ppf(0.999, draws, 1 - int(level.rstrip("%")) / 100))
        flat.append(said | {"may": limit} | counts)
    return Report(flat, [Section("False statements about filled-in labels", _table(flat))])


def _table(flat: list[dict[str, Any]]) -> Table | None:
    return Table(tuple(flat[0]), tuple(tuple(row.values()) for row in flat)) if flat else None


_WORLDS = tuple(
    (name, Level(c, rows=rows))
    for rows in (2000, 6000)
    for name in AUDIT_WORLDS
    for c in (0.8, 0.9, 0.95)
)

VALIDITY = Study(
    name="label_validity",
    title="How often statements about filled-in labels are false",
    about=(
        "Worlds of predictions and truths that are made to break a statement; only the audited"
        " rows are drawn again and again (300 of 2,000 or of 6,000; a trail of 200, with a look"
        " after every row: it is false if it was so at any look). At 95 % a statement may be false"
        " in 5 % of the draws; “may” is the largest number that this allows in 999 of 1,000"
        " studies. “accept” asks for 10 % errors, and takes the threshold from the same audited"
        " rows."
    ),
    full=Plan(_WORLDS, ("statements",), 5),
    quick=Plan(tuple((name, Level(0.8, 4)) for name in AUDIT_WORLDS), ("statements",), 1),
    report=report_breaks,
    bench=Workbench(
        {"statements": Measurement("statements", "statements", measure_breaks)},
        lambda name, level, _seed: (name, level),
    ),
)

STUDIES = (SHARPNESS, VALIDITY)
