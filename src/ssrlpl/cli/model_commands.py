"""Commands that use a fitted model: transform, predict, certify, label-next."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .._utils.files import whole_file, why_not_written
from . import arguments as arg
from .console import reported, say

if TYPE_CHECKING:
    from ..job import Part, ReadOptions


@reported
@arg.reads_table()
def transform(
    *,
    model: arg.ModelPath,
    out: arg.OutFile = "-",
    read: ReadOptions,
    as_is: arg.AsIs = False,
    quiet: arg.Quiet = False,
    debug: arg.Debug = False,
) -> None:
    """Map the rows of a table to the representation of a model.

    \b
    Examples:
      ssrlpl transform results/model.ssrlpl new.csv > new-representation.csv
      ssrlpl transform results/model.ssrlpl new.parquet --out new-representation.parquet
    """
    from ..job import transform_rows

    write_out(transform_rows(model, read), out, as_is=as_is)


@reported
@arg.reads_table()
def predict(
    *,
    model: arg.ModelPath,
    out: arg.OutFile = "-",
    proba: Annotated[
        bool, typer.Option("--proba", help="Add a column with the probability of each class.")
    ] = False,
    with_table: Annotated[
        bool,
        typer.Option("--with-table", help="Write the columns of the table as well, labels behind."),
    ] = False,
    read: ReadOptions,
    as_is: arg.AsIs = False,
    quiet: arg.Quiet = False,
    debug: arg.Debug = False,
) -> None:
    """Predict the labels of the rows of a table, with their probabilities.

    \b
    Examples:
      ssrlpl predict results/model.ssrlpl new.csv
      ssrlpl predict results/model.ssrlpl new.xlsx --with-table --out filled.xlsx
      cat new.csv | ssrlpl predict results/model.ssrlpl - --proba --out labels.csv
    """
    from ..job import predict_rows

    found = predict_rows(model, read, all_classes=proba, with_table=with_table)
    write_out(found, out, as_is=as_is)


@reported
@arg.reads_table(has_id=False)
def certify(
    *,
    model: arg.ModelPath,
    method: Annotated[
        str,
        typer.Option(help="calibration (rigorous, holds labels back) or loo (sharper, heuristic)."),
    ] = "calibration",
    confidence: Annotated[float, typer.Option(help="Probability that the bound holds.")] = 0.95,
    target: arg.TargetColumn = None,
    unlabeled: arg.Unlabeled = None,
    read: ReadOptions,
    seed: arg.Seed = 0,
    json_: arg.Json = False,
    quiet: arg.Quiet = False,
    debug: arg.Debug = False,
) -> None:
    """Certify how much the missing labels of a table can have cost the map of a model.

    The table is the one the model was fitted to, or another one with the same
    columns and some labels. Maps with the model's parameters are fitted to it.

    \b
    Examples:
      ssrlpl certify results/model.ssrlpl table.csv
      ssrlpl certify results/model.ssrlpl table.csv --method loo --json
    """
    from ..job import certify_table

    found, reason = certify_table(
        model,
        read,
        target=target,
        unlabeled=unlabeled,
        method=method,
        confidence=confidence,
        seed=seed,
    )
    if reason:
        say(f"note: {reason}")
    typer.echo(json.dumps(found.to_dict(), indent=2) if json_ else str(found))


@reported
@arg.reads_table()
def label_next(
    *,
    model: arg.ModelPath,
    n: Annotated[int, typer.Option("--rows", "-n", help="How many rows.", min=1)] = 10,
    out: arg.OutFile = "-",
    target: arg.TargetColumn = None,
    unlabeled: arg.Unlabeled = None,
    read: ReadOptions,
    seed: arg.Seed = 0,
    as_is: arg.AsIs = False,
    quiet: arg.Quiet = False,
    debug: arg.Debug = False,
) -> None:
    """List the unlabeled rows whose labels would help most, best first.

    Rows chosen this way are no random sample: they may teach, but not audit.
    For a certificate label other rows as well, drawn at random afterwards, and
    mark these in a column for 'ssrlpl fit --audit COLUMN'.

    \b
    Examples:
      ssrlpl label-next results/model.ssrlpl table.csv
      ssrlpl label-next results/model.ssrlpl table.csv --rows 50 --out to-label.csv
    """
    from ..job import rows_to_label

    rows = rows_to_label(model, read, n, target=target, unlabeled=unlabeled, seed=seed)
    write_out([rows], out, as_is=as_is)


def write_out(parts: Iterable[Part], out: str, *, as_is: bool) -> None:
    """Write rows to a file, whole or not at all, or to standard output (-), as scripts read it."""
    from ..job import OutputError
    from ..tables.table_writing import kind_to_write, write_chunks

    if out == "-":
        columns = (part.columns for part in parts)
        write_chunks(columns, sys.stdout.buffer, "csv", as_is=as_is, is_pipe=True)
        sys.stdout.buffer.flush()
        return
    path = Path(out)
    kind = kind_to_write(path, ", or be -")
    rest = iter(parts)
    try:
        with whole_file(path) as partial, partial.open("wb") as sink:
            first = next(rest)
            chunks = (part.columns for part in chain([first], rest))
            write_chunks(chunks, sink, kind, as_is=as_is, marks=first.marks)
    except OSError as error:
        raise OutputError(why_not_written(path, error)) from error
