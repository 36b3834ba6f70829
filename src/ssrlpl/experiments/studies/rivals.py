"""Published methods on the seven sets of the SSL book, beside ours."""

from __future__ import annotations

from collections.abc import Sequence

from ..harness.averages import ERROR_ON_UNLABELED
from ..harness.cell_store import Row
from ..harness.study import Plan, Report, Section, Study
from ..method_registry import PUBLISHED, WORKBENCH
from ..method_table import LEGEND, SECONDS, losses, method_table, seconds_table
from ..paper_comparison import compare_with_paper
from ..problems import Given
from ..published import BOOK_SETS

SPLITS = 3
"""Of twelve: all of them take about an hour of one core; ``--seeds 12`` runs them."""


def problems(count: int) -> tuple[tuple[str, Given], ...]:
    """Return the seven sets with a number of labels."""
    return tuple((f"book {name}", Given(count)) for name in BOOK_SETS)


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
        f"Seven sets, the first {SPLITS} of the twelve splits that come with them, 10 and 100"
        " labels. Settings of the published methods are chosen by left-out labels from the grids of"
        " `ssrlpl.baselines.BASELINES`, whose docstring says which of them were picked with errors"
        " on these sets in view."
    ),
    full=Plan(
        (*problems(10), *problems(100)), ("cv", "cv_one", *(m.name for m in PUBLISHED)), SPLITS
    ),
    quick=Plan((("book BCI", Given(10)),), ("harmonic", "lap_rls"), 1),
    bench=WORKBENCH,
    report=report,
)
