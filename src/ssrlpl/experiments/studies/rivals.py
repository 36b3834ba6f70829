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
PROBLEMS = tuple((f"book {name}", Given(count)) for count in (10, 100) for name in SETS)


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
        "Four sets, 10 and 100 labels, the twelve splits that come with them. g241c, g241d and BCI"
        " are in [Table 1](benchmarks.md). Settings of the published methods are chosen by left-out"
        " labels from the grids of `ssrlpl.baselines.BASELINES`; the docstring of"
        " `ssrlpl.baselines.registry` says which of these were picked with errors on these sets in"
        " view."
    ),
    full=Plan(PROBLEMS, ("cv", "cv_one", *(m.name for m in PUBLISHED)), SPLITS),
    quick=Plan(PROBLEMS[:1], ("harmonic", "lap_rls"), 1),
    bench=WORKBENCH,
    report=report,
)
