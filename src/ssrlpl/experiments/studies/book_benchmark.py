"""The benchmark of the SSL book: seven sets, twelve splits, 10 and 100 labels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..._utils.printing import Table
from ..harness.averages import ERROR_ON_UNLABELED, Summary, mean_ranks, over_seeds
from ..harness.cell_store import Row
from ..harness.study import Plan, Report, Section, Study
from ..method_registry import METHODS, WORKBENCH
from ..problems import Given
from ..published import BOOK, BOOK_SETS

PROBLEMS = tuple((f"book {name}", Given(count)) for count in BOOK for name in BOOK_SETS)
COMPARED = ("cv", "plain", "1nn", "svm", "label_spreading", "self_training", "umap")
ErrorsBySet = dict[str, tuple[float | None, ...]]
"""Method → error in percent on each set, in the order of ``BOOK_SETS``."""


def errors_here(summaries: Sequence[Summary], count: int) -> ErrorsBySet:
    """Return our means for one number of labels."""
    found: dict[str, dict[str, float | None]] = {}
    for s in summaries:
        if s.protocol == str(Given(count)):
            found.setdefault(s.method, {})[s.dataset.removeprefix("book ")] = s.mean
    return {
        METHODS[method].title: tuple(sets.get(name) for name in BOOK_SETS)
        for method, sets in found.items()
    }


def _table(summaries: Sequence[Summary], count: int) -> Table:
    """Return our methods with mean ± sd, then the book's, each with its mean rank among all."""
    here, book = errors_here(summaries, count), BOOK[count]
    ranks = mean_ranks({**{f"here {k}": v for k, v in here.items()}, **book})
    shown = {name: f"{rank:.1f}" for name, rank in ranks.items()}
    found = {(*s.key, s.method): str(s) for s in summaries}
    rows = []
    for method in dict.fromkeys(s.method for s in summaries):
        title = METHODS[method].title
        keys = [(f"book {name}", str(Given(count)), method) for name in BOOK_SETS]
        cells = [found.get(key, "-") for key in keys]
        rows.append((f"**{title}**", *cells, shown.get(f"here {title}", "-")))
    for name, errors in book.items():
        cells = ["-" if e is None else f"{e:.2f}" for e in errors]
        rows.append((f"{name} [M]", *cells, shown.get(name, "-")))
    return Table(("method", *BOOK_SETS, "mean rank"), tuple(rows))


def _ranks_here(summaries: Sequence[Summary]) -> Table:
    columns = {count: mean_ranks(errors_here(summaries, count)) for count in BOOK}
    titles = [METHODS[m].title for m in dict.fromkeys(s.method for s in summaries)]
    rows = []
    for title in titles:
        found = [columns[count].get(title) for count in BOOK]
        known = [rank for rank in found if rank is not None]
        cells = ["-" if rank is None else f"{rank:.2f}" for rank in found]
        rows.append((title, *cells, f"{np.mean(known):.2f}" if known else "-"))
    return Table(("method", *(f"{count} labels" for count in BOOK), "both"), tuple(rows))


def _standing(summaries: Sequence[Summary]) -> str:
    """Say where each of our methods would stand in the book's table."""
    sentences = []
    for method in [m for m in COMPARED if not METHODS[m].is_rival]:
        title = METHODS[method].title
        for count, book in BOOK.items():
            errors = errors_here(summaries, count).get(title)
            if errors is None or all(e is None for e in errors):
                continue
            ranks = mean_ranks({**book, "ours": errors})
            place = 1 + sum(rank < ranks["ours"] for rank in ranks.values())
            sentences.append(
                f"* {title}, {count} labels: place {place} of {len(ranks)} by mean rank"
                f" ({ranks['ours']:.1f})."
            )
    return "\n".join(sentences)


def report(rows: Sequence[Row]) -> Report:
    """Return ranks, the standing in the book's table and a table for each number of labels."""
    summaries = over_seeds(rows, ERROR_ON_UNLABELED)
    sections = [
        Section("Mean rank among the methods run here", _ranks_here(summaries)),
        Section("Where ours would stand in the book's table", text=_standing(summaries)),
        *(
            Section(f"{count} labels: error on unlabeled rows, %", _table(summaries, count), NOTE)
            for count in BOOK
        ),
    ]
    said = [section for section in sections if section.text or section.table]
    flat: list[dict[str, Any]] = [
        {"dataset": s.dataset, "protocol": s.protocol, "method": s.method, "source": "here"}
        | s.figures()
        for s in summaries
    ]
    flat += [
        {"dataset": f"book {name}", "protocol": str(Given(count)), "method": method,
         "source": "book, recalled [M]", "mean": error}
        for count, table in BOOK.items()
        for method, errors in table.items()
        for name, error in zip(BOOK_SETS, errors, strict=True)
        if error is not None
    ]  # fmt: skip
    return Report(flat, said)


NOTE = (
    "Bold: run here, mean ± sd over the twelve splits. [M]: the book's figures as recalled, not"
    " read from it; the names of its first four rows may be permuted."
)


STUDY = Study(
    name="ssl_book",
    title="The benchmark of Chapelle, Schölkopf and Zien (2006)",
    about=(
        "Seven sets, the twelve splits that come with them, 10 and 100 labels, error on the"
        " unlabeled rows. Every method run here chooses its parameters on labeled rows only."
    ),
    full=Plan(PROBLEMS, COMPARED, 12),
    quick=Plan(PROBLEMS[:6] + PROBLEMS[7:13], ("1nn",), 2),
    bench=WORKBENCH,
    report=report,
)
