"""The front page of the results: one table for everything the paper has a number for."""

from __future__ import annotations

import csv
import platform
from collections.abc import Iterator, Mapping
from pathlib import Path

from .._utils.printing import Table
from .comparison import REFERENCES
from .methods import METHODS
from .notes import why_different
from .published import PAPER_NAME, PAPER_TABLE_1, PAPER_TABLE_3, Key, Number
from .rendering import duration, write_text
from .studies import STUDIES
from .summary import plus_minus, shown_name

Line = dict[str, str]
_SOURCES: dict[str, tuple[Mapping[Key, Mapping[str, Number]], str, bool]] = {
    "benchmarks": (PAPER_TABLE_1, "kernel", False),
    "real": (PAPER_TABLE_3, "kernel@paper", True),
}
"""Study → the paper's table, which of our columns is the plain method, larger is better."""


def write_overview(out: Path) -> Path:
    """Write ``README.md`` from the CSV files of the studies that are there."""
    parts = [
        "# Results",
        "Paper, ours and the best rival for every number of the paper's Tables 1 and 3. “Plain” is"
        " the kernel method of the paper: with the paper's p and k in Table 3, with p, k and width"
        " by leave-one-out in Table 1, where the paper gives none. `SSRLPLCV` chooses among all"
        " maps of the package by leave-one-out. Rivals are those run here, and (*) the best one the"
        " paper prints. Mean ± sd.",
        headline(out).to_markdown(),
        "Errors are on unlabeled rows, accuracies on test rows. Reuters is a stand-in"
        " (Reuters-21578): its row cannot be compared with the paper's.",
        *_explained(out),
        "## Pages and computing time",
        f"On {platform.machine()}, {platform.system()}; sums over cells of fit and predict, one"
        " core each.",
        pages(out).to_markdown(),
        "Made by `ssrlpl reproduce all` and `ssrlpl reproduce ssl_book variants`. Other files here"
        " are explained in `docs/guarantee.md` (`guarantee.csv`, `validity.csv`, `verdicts.csv`,"
        " `verdicts_development.csv`, `label_next.csv`) and in `docs/choosing.md`"
        " (`search_verdicts.csv`).",
    ]
    path = out / "README.md"
    write_text("\n\n".join(parts) + "\n", path)
    return path


def read_csv(path: Path) -> list[Line]:
    """Return the lines of a CSV file, none if there is no file."""
    if not path.exists():
        return []
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def headline(out: Path) -> Table:
    """Return the first table: paper, plain, search, best rival."""
    columns = ("data", "labels", "in %", "paper", "ours, plain", "ours, SSRLPLCV",
               "best rival here", "best rival in the paper *")  # fmt: skip
    return Table(columns, tuple(_headline_rows(out)))


def _headline_rows(out: Path) -> Iterator[tuple[str, ...]]:
    for study, (published, plain, larger) in _SOURCES.items():
        lines = read_csv(out / f"{study}.csv")
        for key, numbers in published.items():
            found = {r["method"]: r for r in lines if (r["dataset"], r["protocol"]) == key}
            rivals = {n: v for n, v in numbers.items() if n != PAPER_NAME}
            best = (max if larger else min)(rivals, key=lambda n: rivals[n][0])
            yield (
                shown_name(key[0]), key[1], "accuracy" if larger else "error",
                plus_minus(*numbers[PAPER_NAME]), _shown(found.get(plain)),
                _shown(found.get("cv")), _best_here(found, larger),
                f"{plus_minus(*rivals[best])} ({best})",
            )  # fmt: skip


def _shown(line: Line | None) -> str:
    if line is None:
        return "-"
    return plus_minus(float(line["mean"]), float(line["sd"])) if line["mean"] else line["trouble"]


def _best_here(found: Mapping[str, Line], larger: bool) -> str:
    rivals = [r for m, r in found.items() if m in METHODS and METHODS[m].is_rival and r["mean"]]
    if not rivals:
        return "-"
    best = (max if larger else min)(rivals, key=lambda r: float(r["mean"]))
    return f"{_shown(best)} ({METHODS[best['method']].title})"


def _explained(out: Path) -> list[str]:
    """Return what was tried for every data set with a difference beyond two sd."""
    large = dict.fromkeys(
        line["dataset"]
        for study in _SOURCES
        for line in read_csv(out / f"{study}.csv")
        if line["beyond_two_sd"] == "True" and line["method"] not in (*REFERENCES, "cv")
    )
    if not large:
        return []
    sentences = [f"* **{shown_name(name)}.** {why_different(name)}" for name in large]
    return ["## Differences of more than two standard deviations", "\n".join(sentences)]


def pages(out: Path) -> Table:
    """Return a line for each study: its page, cells and time."""
    rows = []
    for study in STUDIES.values():
        cells = read_csv(out / "cells" / f"{study.name}.csv")
        if cells:
            seconds = sum(_number(c, "fit_seconds") + _number(c, "predict_seconds") for c in cells)
            page = f"[{study.title}]({study.name}.md)"
            rows.append((f"`{study.name}`", page, len(cells), duration(seconds)))
    return Table(("name", "page", "cells", "computing time"), tuple(rows))


def _number(line: Line, column: str) -> float:
    return float(line.get(column) or 0)
