"""``ssrlpl reproduce NAME``, also ``python -m ssrlpl.experiments.reproduce NAME``."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Annotated

import typer

PAPER = ("moons", "usps3d", "benchmarks", "real", "scenarios", "bound")
"""What ``all`` stands for."""


def reproduce(
    names: Annotated[
        list[str],
        typer.Argument(
            metavar="NAME", help="One or more of the names above, or all.", show_default=False
        ),
    ],
    quick: Annotated[bool, typer.Option("--quick", help="A few cells, into OUT/quick.")] = False,
    seeds: Annotated[int | None, typer.Option(min=1, help="Repetitions, into OUT/partial.")] = None,
    methods: Annotated[str, typer.Option(help="Names with commas, into OUT/partial.")] = "",
    jobs: Annotated[int, typer.Option(min=1, help="Cells computed at the same time.")] = 1,
    out: Annotated[Path, typer.Option(help="Folder for results.")] = Path("results"),
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Recompute cells of other code, and failed ones.")
    ] = False,
    allow_mixed: Annotated[
        bool, typer.Option("--allow-mixed", help="Keep cells that other code computed.")
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress bar.")] = False,
) -> None:
    """Run experiments and write their tables and figures.

    Finished cells are kept below OUT/.cells: stop a run at any time, call it again to continue.
    With --allow-mixed those of OUT/cells, which come with the repository, count as finished, too.

    The paper (or all of them by "all"): moons, usps3d, benchmarks, real, scenarios, bound.

    Beside the paper: ssl_book, rivals, variants, league, unseen, ordinary, dictionaries.

    The guarantee: certified_labels, label_validity, guarantee, validity, verdicts,
    verdicts_development, search_verdicts, league_verdicts, label_next.

    Example: ssrlpl reproduce validity --quick --jobs 2
    """
    # These take seconds to import, and the other commands of ssrlpl do not need them.
    from .harness.cell_store import Store, WrittenCells
    from .harness.measuring import OK
    from .harness.rendering import duration, write_report
    from .harness.runner import MixedVersionsError, run
    from .overview import write_overview
    from .studies import STUDIES

    # A run of some cells must not replace the tables of all.
    folder = out / "quick" if quick else out / "partial" if methods or seeds else out
    chosen = dict.fromkeys(n for name in names for n in (PAPER if name == "all" else [name]))
    try:
        unknown = [name for name in chosen if name not in STUDIES]
        if unknown:
            known = ", ".join(STUDIES)
            raise ValueError(f"NAME must be all or one of {known}. Got {unknown[0]!r}.")
        for study in (STUDIES[name] for name in chosen):
            start = time.monotonic()
            some = [name for name in methods.split(",") if name]
            known_cells = out / "cells" / f"{study.name}.csv"
            written = WrittenCells(known_cells) if allow_mixed else None
            rows = run(
                study.cells(quick=quick, seeds=seeds, methods=some), Store(out / ".cells"),
                bench=study.bench, written=written, jobs=jobs, fresh=fresh,
                allow_mixed=allow_mixed, verbose=not quiet,
            )  # fmt: skip
            files = write_report(study, rows, folder)
            troubled = sum(row["status"] != OK for row in rows)
            typer.echo(
                f"{study.name}: {len(rows)} cells, {troubled} without a number,"
                f" {duration(time.monotonic() - start)}. Written: {', '.join(map(str, files))}"
            )
    except (MixedVersionsError, ImportError, ValueError) as error:
        sys.stderr.write(f"ssrlpl reproduce: {error}\n")
        raise typer.Exit(2) from error
    except KeyboardInterrupt as stop:
        sys.stderr.write("\nStopped. Finished cells are kept: run the command again to continue.\n")
        raise typer.Exit(130) from stop
    typer.echo(f"Overview: {write_overview(folder)}")


if __name__ == "__main__":
    typer.run(reproduce)
