"""The league: our searches against what a person would pick, on the development collection."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean, median, stdev
from typing import Any

from ..._utils.printing import Table
from ..collection import TABLES, LabelsOfEachClass
from ..harness.cell_store import Row
from ..harness.rendering import pyplot, save_figure
from ..harness.study import Plan, Report, Section, Study
from ..league_methods import BENCH, CHOSEN, COMBINED, LEAGUE, ORACLE
from ..league_standings import LARGE_LOSS, Standings, standings
from ..shown_names import shown_name

LABELS = (2, 5, 20)
PROBLEMS = tuple((f"dev {t}", LabelsOfEachClass(count)) for t in TABLES for count in LABELS)
_COLORS = ("#D55E00", "#0072B2", "#009E73")

STANDING = (
    "Mean accuracy over {tables} tables ({cells} cells a method: tables and seeds where every"
    " method has a number). Each of ours is ranked alone among the rivals, a rival among the rivals"
    " and our combined search; a win is a table where nobody among these is better, ties count for"
    " all; seconds are means of a cell, fit and predict."
)
AGAINST = (
    "Our combined search minus one rival, table by table: the mean in points with its standard"
    " error over tables, the median, and on how many tables ours is better, worse, or worse by"
    f" more than {LARGE_LOSS:.0f} points."
)
LOSSES = (
    f"Tables where ours is more than {LARGE_LOSS:.0f} points behind the best rival of that table,"
    " which is known with hindsight only. The oracle is the best of our candidates on one half of"
    " the test rows, measured on the other half, and the other way round. Its cause is the *choice*"
    f" if the oracle is at most {LARGE_LOSS:.0f} points behind that rival, and the *family* of"
    " candidates if it is further behind."
)


def report(rows: Sequence[Row]) -> Report:
    """Return the standing, each table and the large losses, for each number of labels."""
    found = _all_standings(rows)
    flat: list[dict[str, Any]] = []
    sections = []
    for count, league in found.items():
        about = STANDING.format(tables=len(league.accuracies), cells=league.n_cells)
        sections += [
            Section(f"{count} labels a class", standing_table(league), about),
            Section(f"{count} labels a class: against each rival", against_each(league), AGAINST),
            Section(f"{count} labels a class: each table, accuracy in %", each_table(league)),
        ]
        flat += [
            {"labels": count, "dataset": table, "method": method, "accuracy": value,
             "lead": league.lead(table, method), "best_rival": league.best_rival(table),
             "oracle": league.oracles.get(table), "cause": _cause(league, table, method)}
            for table, accuracies in league.accuracies.items()
            for method, value in accuracies.items()
        ]  # fmt: skip
    losses = loss_table(found)
    if losses.rows and any(league.oracles for league in found.values()):  # they tell the cause
        sections.append(Section("Losses and their causes", losses, LOSSES))
    return Report(flat, sections)


def _all_standings(rows: Sequence[Row]) -> dict[int, Standings]:
    found = {count: standings(rows, str(LabelsOfEachClass(count))) for count in LABELS}
    return {count: league for count, league in found.items() if league is not None}


def _cause(league: Standings, table: str, method: str) -> str | None:
    """Return the cause of a large loss of one of our searches."""
    lead = league.lead(table, method) if method in (COMBINED, CHOSEN) else None
    return league.cause(table) if lead is not None and lead < -LARGE_LOSS else None


def standing_table(league: Standings) -> Table:
    """Return a line for each method, by mean rank."""
    ranks = {method: league.rank(method) for method in league.methods}
    rows = (
        (LEAGUE[method].title, f"{league.mean(method):.1f}", f"{ranks[method]:.2f}",
         league.wins(method), f"{league.seconds[method]:.2f}")
        for method in sorted(league.methods, key=ranks.__getitem__)
    )  # fmt: skip
    return Table(("method", "accuracy, %", "mean rank", "wins", "seconds"), tuple(rows))


def against_each(league: Standings) -> Table | None:
    """Return a line for each rival: how our first method does beside it; None without ours."""
    first, *others = league.methods
    rows = []
    for rival in (name for name in others if LEAGUE[name].is_rival):
        leads = [found[first] - found[rival] for found in league.accuracies.values()]
        error = stdev(leads) / len(leads) ** 0.5 if len(leads) > 1 else math.nan
        worse = [sum(lead < limit for lead in leads) for limit in (0, -LARGE_LOSS)]
        rows.append((LEAGUE[rival].title, f"{fmean(leads):+.1f} ± {error:.1f}",
                     f"{median(leads):+.1f}", sum(lead > 0 for lead in leads), *worse))  # fmt: skip
    heads = ("rival", "mean lead", "median", "better", "worse", "much worse")
    return Table(heads, tuple(rows)) if rows and not LEAGUE[first].is_rival else None


def each_table(league: Standings) -> Table:
    """Return a line for each table: ours, the best rival, and by how much our first one leads."""
    ours = [method for method in league.methods if not LEAGUE[method].is_rival]
    rows = []
    for table, accuracies in league.accuracies.items():
        best = league.best_rival(table)
        rival = "-" if best is None else f"{accuracies[best]:.1f} ({LEAGUE[best].title})"
        leads = [league.lead(table, method) for method in ours[:1]]
        shown = ["-" if lead is None else f"{lead:+.1f}" for lead in leads]
        cells = [f"{accuracies[method]:.1f}" for method in ours]
        rows.append((shown_name(table), *cells, rival, *shown))
    heads = [LEAGUE[method].title for method in ours]
    return Table(("data", *heads, "best rival", *(f"lead of {h}" for h in heads[:1])), tuple(rows))


def loss_table(found: dict[int, Standings]) -> Table:
    """Return the large losses of our two searches, with the oracle and the cause."""
    rows = [
        (shown_name(table), count, LEAGUE[method].title, f"{accuracies[method]:.1f}",
         f"{accuracies[best]:.1f} ({LEAGUE[best].title})",
         f"{league.oracles[table]:.1f}" if table in league.oracles else "-", cause)
        for count, league in found.items()
        for table, accuracies in league.accuracies.items()
        for method in (COMBINED, CHOSEN)
        if method in accuracies
        and (best := league.best_rival(table)) is not None
        and (cause := _cause(league, table, method)) is not None
    ]  # fmt: skip
    return Table(("data", "labels", "ours", "%", "best rival", "oracle", "cause"), tuple(rows))


def draw(rows: Sequence[Row], stem: Path) -> list[Path]:
    """Draw the lead over the best rival on each table, and the mean ranks."""
    found = _all_standings(rows)
    if not found:
        return []
    return [*_draw_leads(found, stem), *_draw_ranks(found, stem.with_name(f"{stem.name}_ranks"))]


def _draw_leads(found: dict[int, Standings], stem: Path) -> list[Path]:
    """Draw a line for each table, a dot for each number of labels."""
    tables = dict.fromkeys(t for league in found.values() for t in league.accuracies)
    leads = {
        count: {table: league.lead(table, league.methods[0]) for table in league.accuracies}
        for count, league in found.items()
    }
    title = LEAGUE[next(iter(found.values())).methods[0]].title
    figure, ax = _dots(leads, {table: shown_name(table) for table in tables}, 0.24)
    ax.axvline(0, color="#000000", linewidth=0.8)
    ax.set_xlabel(f"{title}: accuracy minus that of the best rival of each table, points")
    return save_figure(figure, stem)


def _draw_ranks(found: dict[int, Standings], stem: Path) -> list[Path]:
    """Draw a line for each method, best first, a dot for each number of labels."""
    ranks = {count: {m: league.rank(m) for m in league.methods} for count, league in found.items()}
    methods = dict.fromkeys(method for each in ranks.values() for method in each)
    known = {m: [each[m] for each in ranks.values() if m in each] for m in methods}
    order = sorted(methods, key=lambda method: sum(known[method]) / len(known[method]))
    figure, ax = _dots(ranks, {method: LEAGUE[method].title for method in order}, 0.26)
    ax.set_xlabel("mean rank over tables (1: always first)")
    return save_figure(figure, stem)


def _dots(
    values: Mapping[int, Mapping[str, float | None]], titles: dict[str, str], line_height: float
) -> tuple[Any, Any]:
    """Return a figure with a line for each title and a color for each number of labels."""
    size = (8, 1.2 + line_height * len(titles))
    figure, ax = pyplot().subplots(figsize=size, layout="constrained")
    for color, (count, each) in zip(_COLORS, values.items(), strict=False):
        places = [place for place, name in enumerate(titles) if each.get(name) is not None]
        known = [each[name] for name in titles if each.get(name) is not None]
        ax.plot(known, places, "o", color=color, markersize=5, label=f"{count} labels a class")
    ax.set_yticks(range(len(titles)), list(titles.values()))
    ax.set_ylim(len(titles) - 0.5, -0.5)
    ax.grid(axis="both", linewidth=0.4)
    figure.legend(loc="outside lower center", ncols=3, frameon=False, fontsize="small")
    return figure, ax


STUDY = Study(
    name="league",
    title="The league on the development collection",
    about=(
        "27 public tables of images, sounds, text, genes and measurements on which the search"
        " was developed; it is judged elsewhere.\n\n"
        "Up to 3,000 training and 3,000 test rows, half"
        " and half below that, permuted by each seed; the first 2, 5 or 20 training"
        " rows of each class are labeled. Sparse tables: unit rows, 200 singular vectors, unit"
        " rows. Columns with units are standardized, all are centered, and rows divided by their"
        " root mean squared norm; all of this is learned on training rows. Left out: cells with"
        " more than half of the training rows labeled, or with a class of too few rows (tdt2"
        " labels all rows of its rare classes).\n\n"
        "Every method chooses its parameters from the"
        " labeled rows alone. Where a usual choice took more than a minute a cell, it was made"
        " cheaper: LabelSpreading has 12 settings instead of 40; with two labels a class two"
        " folds replace leave-one-out; boosting is not tuned and has 30 rounds instead of 100"
        " with more than ten classes; Poisson learning has ten neighbors; UMAP looks up"
        " neighbors in its index and has 200 epochs.\n\n"
        "Self-training of logistic regression has C"
        " = 100 and believes rows it is 90 % sure of, which gives the figures of the"
        " collection's README; that of the SVC believes 75 %. LDA with two labels a class has"
        " the shrinkage 0.3, chosen while looking at eight of these tables. What was decided on"
        " these tables for our own search is in `docs/choosing.md`."
    ),
    full=Plan(PROBLEMS, (*LEAGUE, ORACLE), 3),
    quick=Plan(
        tuple((f"dev {t}", LabelsOfEachClass(5)) for t in ("heart", "wine")),
        (COMBINED, CHOSEN, "1nn", "logistic", "lda", ORACLE), 1,
    ),
    bench=BENCH,
    report=report,
    draw=draw,
)  # fmt: skip
