"""Other answers to what the paper leaves open, where our numbers and its differ."""

from __future__ import annotations

from collections.abc import Sequence

from ..._utils.printing import Table
from .. import tried
from ..harness.averages import (
    ACCURACY_ON_TEST,
    ACCURACY_ON_UNLABELED,
    Metric,
    Summary,
    over_seeds,
    plus_minus,
)
from ..harness.cell_store import Row
from ..harness.measuring import Workbench
from ..harness.study import Plan, Report, Section, Study
from ..method_registry import Method
from ..problems import Given, Halves, load_problem
from ..published import PAPER_NAME, PAPER_TABLE_1, PAPER_TABLE_3
from ..shown_names import shown_name

PROBLEMS = (
    ("COIL-20", Halves(0.05)),
    ("COIL-20", Halves(0.1)),
    ("COIL-20", Halves(0.2)),
    ("UMIST", Halves(0.1)),
    ("UMIST", Halves(0.2)),
    ("UMIST", Halves(0.3)),
    ("book g241c", Given(100)),
    ("book g241d", Given(100)),
    ("book BCI", Given(100)),
    ("USPS", Halves(0.1)),
    ("MNIST-10K", Halves(0.1)),
)


def _accuracy(row: Row) -> float | None:
    tested = ACCURACY_ON_TEST.of(row)
    return ACCURACY_ON_UNLABELED.of(row) if tested is None else tested


ACCURACY = Metric("accuracy, %", _accuracy)


def _published(key: tuple[str, str]) -> str:
    if key in PAPER_TABLE_3:
        return plus_minus(*PAPER_TABLE_3[key][PAPER_NAME])
    if key in PAPER_TABLE_1:
        error, sd = PAPER_TABLE_1[key][PAPER_NAME]
        return plus_minus(100 - error, sd)
    return "-"


def report(rows: Sequence[Row]) -> Report:
    """Return a line for each answer, a column for each problem."""
    summaries = over_seeds(rows, ACCURACY)
    keys = list(dict.fromkeys(s.key for s in summaries))
    found = {(*s.key, s.method): s for s in summaries}
    lines = [("**paper**", *(_published(key) for key in keys))]
    for method in dict.fromkeys(s.method for s in summaries):
        lines.append((method, *(str(found.get((*key, method), "-")) for key in keys)))
    heads = [f"{shown_name(dataset)}, {protocol}" for dataset, protocol in keys]
    flat = [
        {"dataset": s.dataset, "protocol": s.protocol, "variant": s.method,
         "seeds": len(s.values), "accuracy": s.mean, "sd": s.sd, "trouble": s.reason}
        for s in summaries
    ]  # fmt: skip
    table = Table(("what is different", *heads), tuple(lines))
    sections = [
        Section("Lowest and highest of all answers", _ranges(summaries)),
        Section("Accuracy, % (test rows; unlabeled rows for the book)", table),
    ]
    return Report(flat, sections)


def _ranges(summaries: Sequence[Summary]) -> Table:
    """Return for each problem the paper's number and how far the answers spread."""
    rows = []
    for key in dict.fromkeys(s.key for s in summaries):
        found = sorted(
            (s for s in summaries if s.key == key and s.values), key=lambda s: s.mean or 0.0
        )
        if found:
            low, high = found[0], found[-1]
            shown = (f"{low} ({low.method})", f"{high} ({high.method})")
            rows.append((shown_name(key[0]), key[1], _published(key), *shown))
    return Table(("data", "labels", "paper", "lowest", "highest"), tuple(rows))


STUDY = Study(
    name="variants",
    title="What was tried where our numbers and the paper's differ",
    about=(
        "The plain kernel method with the paper's p and k (C-1 and 5 where it gives none), the"
        " median width and the nearest labeled row as classifier, changed in one thing at a time."
        " The lines explain; none was chosen by these numbers."
    ),
    full=Plan(PROBLEMS, tuple(tried.VARIANTS), 3),
    quick=Plan(PROBLEMS[3:4], ("as in the table", "k = 1", "no map, 1-NN"), 1),
    report=report,
    bench=Workbench(
        {n: Method(n, n, build, tried.__name__) for n, build in tried.VARIANTS.items()},
        load_problem,
    ),
)
