"""Semi-supervised dictionary learning on MNIST by a published protocol with published figures."""

from __future__ import annotations

from collections.abc import Sequence

from ..._utils.printing import Table
from ..dictionary_standing import SEMI_SUPERVISED, semi_against_supervised
from ..first_digits import FIRST_DIGITS, RowsOfEachClass, load_first_digits
from ..harness.averages import ACCURACY_ON_TEST, Summary, over_seeds, plus_minus
from ..harness.cell_store import Row
from ..harness.measuring import Workbench
from ..harness.study import Plan, Report, Section, Study
from ..method_registry import METHODS
from ..published import FIRST_DIGITS_TABLE

COMPARED = ("cv", "svm", "1nn", "s2d2", "ossdl", "fddl", "lcksvd", "dksvd")
PROBLEMS = ((FIRST_DIGITS, RowsOfEachClass(20, 80, 100)),)


def report(rows: Sequence[Row]) -> Report:
    """Return our accuracies and the published ones in one table."""
    summaries = over_seeds(rows, ACCURACY_ON_TEST)
    flat = [{"method": s.method} | s.figures() for s in summaries]
    title = "Accuracy on test rows, %, mean ± sd over the runs"
    said = " ".join(filter(None, (_goal(summaries), semi_against_supervised(summaries))))
    sections = [Section(title, _table(summaries), said)]
    styled = _styled(summaries)
    if styled:
        sections.append(Section("OSSDL and S2D2 are not the published methods", text=styled))
    return Report(flat, sections)


def _table(summaries: Sequence[Summary]) -> Table:
    rows = []
    here = {METHODS[s.method].title: s for s in summaries}
    for title, s in here.items():
        printed = FIRST_DIGITS_TABLE.get(title)
        name = f"**{title}**, in its style" if s.method in SEMI_SUPERVISED else f"**{title}**"
        rows.append((name, str(s), plus_minus(*printed) if printed else "-"))
    rows += [
        (name, "-", plus_minus(*number))
        for name, number in sorted(FIRST_DIGITS_TABLE.items(), key=lambda pair: -pair[1][0])
        if name not in here
    ]
    return Table(("method", "here", "published"), tuple(rows))


def _goal(summaries: Sequence[Summary]) -> str:
    """Set our search beside the best published figure."""
    found = [s for s in summaries if s.method == "cv" and s.mean is not None]
    if not found:
        return ""
    name, best = max(FIRST_DIGITS_TABLE.items(), key=lambda pair: pair[1][0])
    (ours,) = found
    return f"SSRLPLCV has {ours}; the best published figure is {plus_minus(*best)} ({name})."


def _styled(summaries: Sequence[Summary]) -> str:
    """Say what ours share with the published methods, and why figures may differ."""
    means = {s.method: s.mean for s in summaries if s.mean is not None}
    beside = [
        f"{METHODS[m].title} {means[m]:.1f} here, {FIRST_DIGITS_TABLE[METHODS[m].title][0]} there"
        for m in SEMI_SUPERVISED
        if m in means
    ]
    if not beside:
        return ""
    highest = max(FIRST_DIGITS_TABLE[METHODS[m].title][0] for m in SEMI_SUPERVISED)
    rows = (
        " A second reason may be the rows: both published figures are below 1-NN on the pixels of"
        f" these rows ({means['1nn']:.1f}), and were copied from papers with splits, and perhaps"
        " features, of their own."
        if means.get("1nn", 0) > highest
        else ""
    )
    return (
        f"{'; '.join(beside)}: the two columns do not show the same program. Ours were written from"
        " abstracts, because the equations were not at hand and no program is public: the idea is"
        " theirs (a dictionary of labeled and unlabeled rows, with confident rows joining the"
        " labels; dictionaries of classes, with the classes of unlabeled rows as latent"
        " variables), but the update steps, the probabilities, their limits and all settings are"
        f" ours.{rows} So neither column says that one of the programs is wrong, and ours says"
        " nothing about how good the published methods are."
    )


STUDY = Study(
    name="dictionaries",
    title="Dictionary learning on MNIST: a published protocol",
    about=(
        "The first 200 rows of each class of MNIST's training part in file order, the very first"
        " row skipped, shuffled with the number of the run as seed; of each class 20 rows are"
        " labeled, 80 unlabeled, 100 for testing; rows of length one; runs 0 to 4. The published"
        " column is the table in the README of github.com/ktran1/SSDL, whose program has this"
        " protocol; most of its lines were copied there from earlier papers with splits of their"
        " own. OSSDL and S2D2 are in the style of their papers, whose equations were not at hand."
        " Settings of dictionary methods are fixed: chosen on scikit-learn's digits and on later"
        " rows of MNIST."
    ),
    full=Plan(PROBLEMS, COMPARED, 5),
    quick=Plan(PROBLEMS, ("s2d2", "1nn"), 1),
    bench=Workbench({name: METHODS[name] for name in COMPARED}, load_first_digits),
    report=report,
)
