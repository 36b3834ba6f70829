"""``ssrlpl audit``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from . import arguments as arg
from .console import reported, say

if TYPE_CHECKING:
    from ..job import ReadOptions


@reported
@arg.reads_table()
def audit(
    *,
    model: Annotated[Path, typer.Option(help="The model.ssrlpl that 'ssrlpl fit' wrote.")],
    n: Annotated[int, typer.Option("--rows", "-n", help="Rows to give at a time.", min=1)] = 20,
    max_error: Annotated[
        float, typer.Option(help="The goal: the share of wrong labels to certify.")
    ] = 0.05,
    confidence: Annotated[
        float, typer.Option(help="Confidence of all looks together; the first round sets it.")
    ] = 0.95,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            help="File to fill in, .csv or .xlsx: table's name and -to-check.csv, or .xlsx for a"
            " workbook.",
        ),
    ] = None,
    trail: Annotated[
        Path | None,
        typer.Option(help="Keeps the audit between rounds: table's name and -audit.json."),
    ] = None,
    labels: Annotated[
        Path | None,
        typer.Option(
            help="The labels to check, from 'ssrlpl fit' or 'ssrlpl predict': labels.csv beside"
            " the model."
        ),
    ] = None,
    read: ReadOptions,
    seed: arg.Seed = 0,
    as_is: arg.AsIs = False,
    json_: arg.Json = False,
    quiet: arg.Quiet = False,
    debug: arg.Debug = False,
) -> None:
    """Check filled-in labels in random order until enough of them are certified.

    The first run writes rows to a file. Fill in its column 'checked' and run the
    command again: it says what is certified, and whether to go on. One may look
    and stop at any time. What was filled in is not shown, so that it does not
    sway you.

    \b
    Examples:
      ssrlpl audit table.csv --model results/model.ssrlpl
      ssrlpl audit table.csv --model results/model.ssrlpl --rows 50 --max-error 0.02
      ssrlpl audit new.csv --model results/model.ssrlpl --labels predicted.csv
    """
    from ..job import audit_round
    from ..tables.file_kinds import EXCEL
    from ..tables.table_files import format_of

    ending = "xlsx" if format_of(read.table) == EXCEL else "csv"
    name = "table" if read.table == "-" else Path(read.table).name.split(".")[0]
    found = audit_round(
        model,
        read,
        trail_file=trail or Path(f"{name}-audit.json"),
        to_check=out or Path(f"{name}-to-check.{ending}"),
        n=n,
        max_error=max_error,
        confidence=confidence,
        labels=labels,
        seed=seed,
        as_is=as_is,
    )
    if not quiet:
        for note in found.notes:
            say(f"note: {note}")
    if not json_:
        typer.echo(found.in_words())
        return
    numbers = {
        "n_rows": found.trail.n_rows,
        "n_checked": found.trail.n_checked,
        "n_wrong": found.trail.n_wrong,
        "error_upper": found.trail.error_upper,
        "confidence": found.trail.confidence,
        "max_error": found.max_error,
        "is_enough": found.is_enough,
        "n_added": found.n_added,
        "to_check": None if found.to_check is None else str(found.to_check),
    }
    typer.echo(json.dumps(numbers, indent=2))
