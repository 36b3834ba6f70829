"""The paper's figures and tables: ``python -m ssrlpl.experiments.reproduce NAME``.

Finished cells are kept below ``results/.cells``: stop a run at any time, call it again to go on.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from .cells import Row, Store
from .measuring import OK
from .overview import write_overview
from .rendering import duration, write_report
from .runner import MixedVersionsError, run
from .studies import STUDIES
from .study import Study

PAPER = ("moons", "usps3d", "benchmarks", "real", "scenarios", "bound")
"""What ``all`` stands for."""


def parser() -> argparse.ArgumentParser:
    """Return the command line."""
    command = argparse.ArgumentParser(prog="ssrlpl reproduce", description=__doc__)
    command.add_argument(
        "names", nargs="+", metavar="NAME", choices=[*STUDIES, "all"],
        help=f"any of {', '.join(STUDIES)}, or all (the six of the paper)",
    )  # fmt: skip
    command.add_argument("--quick", action="store_true", help="a few cells, into OUT/quick")
    command.add_argument("--seeds", type=_count, help="repetitions, into OUT/partial")
    command.add_argument("--methods", default="", help="names with commas, into OUT/partial")
    command.add_argument("--jobs", type=_count, default=1, help="cells computed at the same time")
    command.add_argument("--out", type=Path, default=Path("results"), help="folder for results")
    command.add_argument(
        "--fresh", action="store_true", help="compute cells of other code, and failed ones, anew"
    )
    command.add_argument(
        "--allow-mixed", action="store_true", help="keep cells that other code computed"
    )
    command.add_argument("--quiet", action="store_true", help="no progress bar")
    return command


def _count(text: str) -> int:
    number = int(text) if text.isdecimal() else 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"expected an int >= 1, got {text!r}")
    return number


def _folder(options: argparse.Namespace) -> Path:
    """Return where the files go: a run of some cells must not replace the tables of all."""
    out: Path = options.out
    if options.quick:
        return out / "quick"
    return out / "partial" if options.methods or options.seeds else out


def reproduce(study: Study, options: argparse.Namespace) -> list[Row]:
    """Run a study, write its files and say where they are."""
    start = time.monotonic()
    methods = [name for name in options.methods.split(",") if name]
    cells = study.cells(quick=options.quick, seeds=options.seeds, methods=methods)
    rows = run(
        cells, Store(options.out / ".cells"), bench=study.bench, jobs=options.jobs,
        fresh=options.fresh, allow_mixed=options.allow_mixed, verbose=not options.quiet,
    )  # fmt: skip
    files = write_report(study, rows, _folder(options))
    troubled = sum(row["status"] != OK for row in rows)
    print(
        f"{study.name}: {len(rows)} cells, {troubled} without a number,"
        f" {duration(time.monotonic() - start)}. Written: {', '.join(map(str, files))}"
    )
    return rows


def main(arguments: Sequence[str] | None = None) -> None:
    """Reproduce figures and tables of the paper.

    Raises
    ------
    SystemExit
        2 for a request that cannot be served, 130 if stopped; the reason is on stderr.
    """
    options = parser().parse_args(arguments)
    names = dict.fromkeys(n for name in options.names for n in (PAPER if name == "all" else [name]))
    try:
        for name in names:
            reproduce(STUDIES[name], options)
    except (MixedVersionsError, ImportError, ValueError) as error:
        print(f"ssrlpl reproduce: {error}", file=sys.stderr)
        raise SystemExit(2) from error
    except KeyboardInterrupt as stop:
        print("\nStopped. Finished cells are kept: call again to go on.", file=sys.stderr)
        raise SystemExit(130) from stop
    print(f"Overview: {write_overview(_folder(options))}")


if __name__ == "__main__":
    main()
