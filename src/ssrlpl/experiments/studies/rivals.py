"""Published methods on sets of the SSL book that are not in Table 1, beside ours."""

from __future__ import annotations

from collections.abc import Sequence

from ..harness.averages import ERROR_ON_UNLABELED
from ..harness.cell_store import Row
from ..harness.study import Plan, Report, Section, Study
from ..method_registry import PUBLISHED, WORKBENCH
from ..method_table import LEGEND, SECONDS, losses, method_table, seconds_table
from ..paper_comparison import compare_with_paper
from ..problems import Given

SETS = ("Digit1", "USPS", "COIL", "Text")
SPLITS = 12
SPLITS_OF_SLOW = 3
"""For LDS, and for codes of rows over other rows where there are 11,960 columns."""
PROBLEMS = tuple((f"book {name}", Given(count)) for count in (10, 100) for name in SETS)


def splits_of_slow(dataset: str, method: str) -> int | None:
    """Return how many splits a method gets where all twelve take too long."""
    codes = method in ("sparse_neighborhood", "pairwise")
    return SPLITS_OF_SLOW if method == "lds" or (codes and dataset == "book Text") else None


def report(rows: Sequence[Row]) -> Report:
    """Return a table of errors for each number of labels, losses and seconds."""
    sections = []
    for count in (10, 100):
        some = [row for row in rows if row["protocol"] == str(Given(count))]
        if some:
            title = f"{count} labels: error on unlabeled rows, %"
            sections.append(Section(title, method_table(some), LEGEND))
    sections += [
        Section("Where a rival is ahead of SSRLPLCV", losses(rows)),
        Section("Seconds", seconds_table(rows), SECONDS),
    ]
    return Report(compare_with_paper(rows, ERROR_ON_UNLABELED, {}).flat, sections)


STUDY = Study(
    name="rivals",
    title="Published methods on the sets of the SSL book",
    about=(
        "Four sets, 10 and 100 labels, the twelve splits that come with them; LDS has the first"
        " three, as have LPSN and propagation over pairs on Text, for want of computing time."
        " Compare means of the same splits only. g241c, g241d and BCI are in"
        " [Table 1](benchmarks.md). Settings of the published methods are chosen by left-out"
        " labels from the grids of `ssrlpl.baselines.BASELINES`; the docstring of"
        " `ssrlpl.baselines.registry` says which of these were picked with errors on these sets in"
        " view."
    ),
    full=Plan(
        PROBLEMS,
        ("cv", "cv_one", *(m.name for m in PUBLISHED)),
        SPLITS,
        fewer=splits_of_slow,
    ),
    quick=Plan(PROBLEMS[:1], ("harmonic", "lap_rls"), 1),
    bench=WORKBENCH,
    report=report,
)
