"""Verdicts on the unlabeled rows against the truth: of certificates and of the search."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np

from ..._utils.printing import Table
from ..certificate_truth import LABELERS, measure_verdict
from ..collection import TABLES, LabelsOfEachClass, load_collected
from ..development import SOURCES
from ..drawn_problems import Drawn, load_drawn
from ..harness.cell_store import Row
from ..harness.measuring import OK, Measurement, Workbench
from ..harness.study import Plan, Report, Section, Study
from ..problems import Given
from ..searching import measure_search_verdict
from ..shown_names import full_name

SETS = ("Digit1", "USPS", "BCI", "g241c", "COIL", "g241d", "Text")
LABELS = (10, 100)
PROBLEMS = tuple(
    problem
    for labels in LABELS
    for problem in (
        *((f"book {name}", Given(labels)) for name in SETS),
        *((name, Drawn(labels, rows=1800)) for name in ("digits", "USPS")),
    )
)
MORE_LABELS = tuple(
    (name, Drawn(200, rows=1800))
    for name in (*(f"book {name}" for name in SETS if name != "BCI"), "digits", "USPS")
)
"""BCI has 400 rows."""
SMALL = ("wine", "iris")  # 100 labels would be more than half of their rows
DEVELOPMENT = tuple(
    (f"development {name}", Drawn(labels, rows=1500, first_seed=100))
    for labels in LABELS
    for name in SOURCES
    if labels == 10 or name not in SMALL
)

LEAGUE_PROBLEMS = tuple(
    (f"dev {table}", LabelsOfEachClass(labels)) for labels in (2, 5, 20) for table in TABLES
)


def report(rows: Sequence[Row]) -> Report:
    """Return every verdict beside the truth, and how often each verdict goes with each truth."""
    found = [
        {
            "data": full_name(row["dataset"]),
            **({"labeler": row["method"]} if row["method"] in LABELERS else {}),
            "labels": int(row["protocol"].split()[0]),
            **row["measures"],
        }
        for row in rows
        if row["status"] == OK
    ]
    if not found:
        return Report([])
    text = f"{coverage(found):.0%} of the true changes lie within two standard errors."
    return Report(found, [Section("Verdicts for each truth", confusion(found), text)])


def coverage(found: Sequence[Row]) -> float:
    """Return how often the true change lies within two standard errors of its estimate."""
    return float(
        np.mean([abs(r["estimate"] - r["gain"]) <= 2 * r["standard_error"] for r in found])
    )


def confusion(found: Sequence[Row]) -> Table:
    """Count verdicts (columns) for each truth (rows), by labeler and number of labels."""
    numbers = sorted({row["labels"] for row in found})
    cases: list[Any] = [numbers, ("helps", "tie", "hurts")]
    by, verdicts = ["labels", "truth"], ["helps", "undecided", "hurts"]
    if "labeler" in found[0]:
        cases, by = [LABELERS, *cases], ["labeler", *by]
    else:
        verdicts.insert(2, "not used")  # by the winner of the search
    counts = Counter(tuple(row[key] for key in (*by, "verdict")) for row in found)
    rows = ((*case, *(counts[*case, v] for v in verdicts)) for case in product(*cases))
    return Table((*by, *verdicts), tuple(rows))


CERTIFICATES = Workbench(
    {name: Measurement(name, name, measure_verdict) for name in LABELERS}, load_drawn
)
VERDICTS = Study(
    name="verdicts",
    title="Verdicts of certificates against the truth",
    about=(
        "The truth is the change in the error of 1-NN on the unlabeled rows, after the map with"
        " and without the unlabeled rows; changes below one point are ties. Verdicts see no label"
        " of an unlabeled row. Seven sets of the SSL book on their twelve splits, digits and USPS"
        " with twelve draws of labels; with 200 labels all sets but BCI are drawn."
    ),
    full=Plan((*PROBLEMS, *MORE_LABELS), tuple(LABELERS), 12),
    quick=Plan(PROBLEMS[7:8], tuple(LABELERS), 2),
    report=report,
    bench=CERTIFICATES,
)
VERDICTS_ON_DEVELOPMENT = Study(
    name="verdicts_development",
    title="Verdicts on the tables on which their rule was developed",
    about="As `verdicts`, on other tables of at most 1,500 rows, with five draws of labels each.",
    full=Plan(DEVELOPMENT, tuple(LABELERS), 5),
    quick=Plan(tuple(p for p in DEVELOPMENT if p[0] == "development wine"), tuple(LABELERS), 2),
    report=report,
    bench=CERTIFICATES,
)
SEARCH_VERDICTS = Study(
    name="search_verdicts",
    title="Verdicts of SSRLPLCV against the truth",
    about=(
        "The truth is the difference in the error on the unlabeled rows between the search among"
        " candidates of the labeled rows alone and the whole search; differences below one point"
        " are ties. The problems are those of `verdicts` with 10 and 100 labels."
    ),
    full=Plan(PROBLEMS, ("search",), 12),
    quick=Plan(PROBLEMS[7:8], ("search",), 1),
    report=report,
    bench=Workbench(
        {"search": Measurement("search", "SSRLPLCV", measure_search_verdict)}, load_drawn
    ),
)
LEAGUE_VERDICTS = Study(
    name="league_verdicts",
    title="Verdicts of SSRLPLCV on the development collection",
    about=(
        "As `search_verdicts`, on the tables of `league` with 2, 5 and 20 labels a class. The"
        " constants of the verdict were settled on some of these cells."
    ),
    full=Plan(LEAGUE_PROBLEMS, ("search",), 3),
    quick=Plan(LEAGUE_PROBLEMS[:1], ("search",), 1),
    report=report,
    bench=Workbench(
        {"search": Measurement("search", "SSRLPLCV", measure_search_verdict)}, load_collected
    ),
)
STUDIES = (VERDICTS, VERDICTS_ON_DEVELOPMENT, SEARCH_VERDICTS, LEAGUE_VERDICTS)
