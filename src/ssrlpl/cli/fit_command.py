"""``ssrlpl fit``."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .._utils import limits
from . import arguments as arg
from .console import RichSteps, reported, say

if TYPE_CHECKING:
    from ..job import FitOptions, ReadOptions


def _check_options(table: str, target: str | None, representation: str, **_: Any) -> None:
    if representation not in ("parquet", "csv"):
        raise ValueError(f"--representation must be parquet or csv. Got {representation!r}.")
    if target is None and not Path(table).is_dir():
        raise ValueError(
            "--target must name the column of the labels: 'ssrlpl inspect"
            f" {shlex.quote(table)}' shows the columns."
        )


@reported
@arg.reads_table(first=_check_options)
def fit(
    *,
    target: Annotated[
        str | None,
        typer.Option(
            help="Column of the labels; empty cells are unlabeled. Pictures need none.",
            show_default=False,
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", "-o", help="Folder for the results, by default the table's name and -ssrlpl."
        ),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Replace the results of an earlier run.")
    ] = False,
    method: Annotated[
        str,
        typer.Option(
            help="auto (compares candidates by leave-one-out), linear, kernel, or a published"
            " method: harmonic, poisson, lap_svm and others (docs/baselines.md)."
        ),
    ] = "auto",
    components: Annotated[
        int | None, typer.Option(help="Dimensions, by default the number of classes less one.")
    ] = None,
    neighbors: Annotated[
        int | None, typer.Option(help="Labeled rows that vote for an unlabeled one (5).")
    ] = None,
    sigma: Annotated[
        float | None,
        typer.Option(help="Width of the RBF similarity, by default the median distance."),
    ] = None,
    features: arg.Features = None,
    drop: arg.Drop = None,
    unlabeled: arg.Unlabeled = None,
    bins: arg.Bins = None,
    scale: Annotated[
        bool, typer.Option("--scale/--no-scale", help="Standardize columns of numbers.")
    ] = True,
    max_categories: arg.MaxCategories = limits.MAX_CATEGORIES,
    certify: Annotated[
        bool | None,
        typer.Option(
            "--certify/--no-certify",
            help="Compute certificates; by default that of the labels always, and that of the map"
            f" up to {limits.CERTIFY_ROWS:,} rows.",
            show_default=False,
        ),
    ] = None,
    audit: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN|SHARE|none",
            help="Labels that only measure how many filled-in ones are right: a column that marks"
            " them (drawn at random, checked by a person), a share of the labels (0.6), or none.",
            show_default=False,
        ),
    ] = None,
    audit_splits: Annotated[
        int,
        typer.Option(
            help="Divide the labels this often at random into those that teach and those that"
            " audit, and certify the best model. Pays for the choice; one more fit each."
        ),
    ] = 1,
    merge: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Labels that were filled in elsewhere: a table with the target (or 'checked') and"
            " the column of --id, or 'row' with the numbers of rows.",
            show_default=False,
        ),
    ] = None,
    prefer_merged: Annotated[
        bool,
        typer.Option(
            "--prefer-merged", help="Where table and --merge differ, take the label of the latter."
        ),
    ] = False,
    dask: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS|local",
            help="Compute on a dask cluster, whose workers can read the table: the address of its"
            " scheduler, or local for a worker on each core (Parquet or Arrow files).",
            show_default=False,
        ),
    ] = None,
    representation: Annotated[
        str, typer.Option(help="Format of the representation: parquet or csv.")
    ] = "parquet",
    category: arg.Category = None,
    text: arg.Text = None,
    embed: arg.Embed = None,
    date: arg.Date = None,
    read: ReadOptions,
    as_is: arg.AsIs = False,
    seed: arg.Seed = 0,
    json_: arg.Json = False,
    quiet: arg.Quiet = False,
    debug: arg.Debug = False,
) -> None:
    """Learn the missing labels of a table, and a representation of its rows.

    Writes a folder: report.html (begin with it), filled.csv or .xlsx (your
    table, every row with a label), labels.csv (labels alone), suspects.csv
    (given labels that look wrong), label_next.csv, representation.parquet,
    model.ssrlpl (for new rows) and summary.json.
    Numbers, categories, dates, yes and no are read as they are written, missing
    cells are filled, identifiers are left out and named; 'ssrlpl inspect' shows
    it before.

    \b
    Examples:
      ssrlpl fit table.csv --target label
      ssrlpl fit table.xlsx --target kind --text notes --id number --out results
      ssrlpl fit table.csv --target label --merge labels-of-ann.xlsx --force
      ssrlpl fit photos --out results
      ssrlpl fit 'folder/*.parquet' --target label --dask local
      cat table.csv | ssrlpl fit - --target label --unlabeled "?" --json
    """
    from ..job import FitOptions

    options = FitOptions(
        read,
        target or "label",
        unlabeled=unlabeled,
        bins=bins,
        features=arg.names(features),
        drop=arg.names(drop),
        scale=scale,
        max_categories=max_categories,
        dates=arg.formats(date),
        category=arg.names(category),
        text=arg.names(text),
        embed=embed,
        method=method,
        components=components,
        neighbors=neighbors,
        sigma=sigma,
        certify=certify,
        audit=audit,
        audit_splits=audit_splits,
        merge=merge,
        prefer_merged=prefer_merged,
        dask=dask,
        seed=seed,
        command=shlex.join(["ssrlpl", *sys.argv[1:]]),
    )
    folder = out or default_folder(read.table)
    summary = run_fit(
        options, folder, force=force, representation=representation, quiet=quiet, as_is=as_is
    )
    if json_:
        typer.echo(json.dumps(summary, indent=2, ensure_ascii=False))
    elif not quiet:
        show(summary, folder)


def run_fit(
    options: FitOptions,
    folder: Path,
    *,
    force: bool,
    representation: str,
    quiet: bool,
    as_is: bool = False,
) -> dict[str, Any]:
    """Do the job and return its summary."""
    from ..job import check_folder, fit_table, summarize, write_folder, write_results
    from ..report import check_can_render

    check_folder(folder, force=force)
    check_can_render()
    steps = RichSteps(quiet=quiet)
    fitted = fit_table(options, steps)
    summary = summarize(fitted, options, steps)
    with steps.step("Writing the results"):
        write_folder(
            folder,
            lambda path: write_results(
                path, fitted, summary, representation=representation, as_is=as_is
            ),
            force=force,
        )
    if not quiet:
        for note in summary["data"]["notes"]:
            say(f"note: {note}")
    return summary


def show(summary: dict[str, Any], folder: Path) -> None:
    """Print what was found, and where it lies."""
    from ..job import FILLED, LABELS

    for warning in summary["warnings"]:
        typer.secho(f"Warning: {warning}", bold=True)
    typer.secho(summary["first_line"], bold=True)
    if summary["label_certificate"]:
        typer.echo(f"How that was measured: {summary['label_certificate']['how_measured']}")
    typer.echo(summary["headline"])
    # Without the errors: the headline has said them, or a warning takes them back.
    typer.echo(f"Method: {summary['method']['summary'].split(';')[0].rstrip('.')}.")
    typer.echo(f"Report: {folder / 'report.html'}")
    written = next((name for name in FILLED.values() if (folder / name).exists()), LABELS)
    typer.echo(f"{'Labels' if written == LABELS else 'Your table, filled in'}: {folder / written}")


def default_folder(table: str) -> Path:
    """Return the folder for the results of a table, in the working directory."""
    path = Path(table)
    while any(mark in path.name for mark in "*?["):  # a pattern is called like its folder
        path = path.parent
    name = "table" if table == "-" else path.name.split(".")[0] or "table"
    return Path(f"{name}-ssrlpl")
