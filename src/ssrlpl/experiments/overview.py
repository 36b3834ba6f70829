"""The front page of the results: one table for everything the paper has a number for."""

from __future__ import annotations

import csv
import platform
from collections.abc import Mapping
from pathlib import Path

from .._utils.printing import Table
from .harness.averages import plus_minus, seconds_of
from .harness.rendering import duration, write_text
from .method_registry import METHODS
from .paper_comparison import REFERENCES, tried_for
from .published import PAPER_NAME, PAPER_TABLE_1, PAPER_TABLE_3, Printed
from .shown_names import shown_name
from .studies import STUDIES

Line = dict[str, str]
EARLIER_CODE = "commit 5b939dc"
"""What made results whose cells were not kept, and cells that say so in ``of_other_code``."""

_SOURCES: dict[str, tuple[Printed, str, bool]] = {
    "benchmarks": (PAPER_TABLE_1, "kernel", False),
    "real": (PAPER_TABLE_3, "kernel@paper", True),
}
"""Study → the paper's table, which of our columns is the plain method, larger is better."""


def write_overview(out: Path) -> Path:
    """Write ``README.md`` from the CSV files of the studies that are there."""
    found = pages(out)
    earlier = [line[0] for line in found.rows if line[-1] == EARLIER_CODE]
    note = (
        f"**The numbers of {', '.join(earlier)} were made by the code of {EARLIER_CODE}, before the"
        " redesign of the package, and have not been recomputed since.**"
    )
    parts = [
        "# Results",
        *([note] if earlier else []),
        "Paper, ours and the best rival for every number of the paper's Tables 1 and 3. “Plain” is"
        " the kernel method of the paper: with the paper's p and k in Table 3, with p, k and width"
        " by leave-one-out in Table 1, where the paper gives none. `SSRLPLCV` chooses among all"
        " maps of the package by leave-one-out. Rivals are those run here, and (*) the best one the"
        " paper prints. Mean ± sd.",
        front_table(out).to_markdown(),
        "Errors are on unlabeled rows, accuracies on test rows. Reuters is a stand-in"
        " (Reuters-21578): its row cannot be compared with the paper's.",
        *_explained(out),
        "## Pages and computing time",
        f"On {platform.machine()}, {platform.system()}; sums over cells of fit and predict, one"
        " core each.",
        found.to_markdown(),
        "Made by `ssrlpl reproduce NAME`. `docs/guarantee.md` says more on `guarantee`, `validity`,"
        " `verdicts`, `verdicts_development` and `label_next`, `docs/choosing.md` on"
        " `search_verdicts`.",
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


def front_table(out: Path) -> Table:
    """Return the first table: paper, plain, search, best rival."""
    columns = ("data", "labels", "in %", "paper", "ours, plain", "ours, SSRLPLCV",
               "best rival here", "best rival in the paper *")  # fmt: skip
    rows = []
    for study, (published, plain, larger) in _SOURCES.items():
        lines, best_of = read_csv(out / f"{study}.csv"), max if larger else min
        for key, numbers in published.items():
            found = {r["method"]: r for r in lines if (r["dataset"], r["protocol"]) == key}
            rivals = [m for m, r in found.items() if METHODS[m].is_rival and r["mean"]]
            best = best_of(rivals, key=lambda m: float(found[m]["mean"]), default=None)
            name, number = best_of(
                ((n, v) for n, v in numbers.items() if n != PAPER_NAME), key=lambda pair: pair[1][0]
            )
            rows.append((
                shown_name(key[0]), key[1], "accuracy" if larger else "error",
                plus_minus(*numbers[PAPER_NAME]), _shown(found.get(plain)),
                _shown(found.get("cv")),
                f"{_shown(found[best])} ({METHODS[best].title})" if best else _why_none(found),
                f"{plus_minus(*number)} ({name})",
            ))  # fmt: skip
    return Table(columns, tuple(rows))


def _shown(line: Line | None) -> str:
    if line is None:
        return "-"
    return plus_minus(float(line["mean"]), float(line["sd"])) if line["mean"] else line["trouble"]


def _why_none(found: Mapping[str, Line]) -> str:
    """Return why no rival has a number."""
    return next((r["trouble"] for m, r in found.items() if METHODS[m].is_rival), "not run")


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
    return ["## Differences of more than two standard deviations", tried_for(large)]


def pages(out: Path) -> Table:
    """Return a line for each study: its page, cells, time, and which code made it."""
    rows: list[tuple[object, ...]] = []
    for study in STUDIES.values():
        cells = read_csv(out / "cells" / f"{study.name}.csv")
        if cells:
            page = f"[{study.title}]({study.name}.md)"
            others = dict.fromkeys(cell.get("of_other_code", "") for cell in cells)
            made_by = ", ".join({"": "this code", "True": "other code"}.get(o, o) for o in others)
            seconds = sum(map(seconds_of, cells))
            rows.append((f"`{study.name}`", page, len(cells), duration(seconds), made_by))
        elif (out / f"{study.name}.csv").exists():
            page = f"[{study.title}]({study.name}.csv)"
            rows.append((f"`{study.name}`", page, "not kept", "not kept", EARLIER_CODE))
    return Table(("name", "page", "cells", "computing time", "made by"), tuple(rows))
