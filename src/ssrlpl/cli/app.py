"""The commands, put together."""

from __future__ import annotations

from typing import Annotated

import typer

from .. import __version__
from ..experiments.reproduce import reproduce
from .around import demo, info
from .audit_command import audit
from .fit_command import fit
from .inspect_command import inspect
from .model_commands import certify, label_next, predict, transform

app = typer.Typer(
    name="ssrlpl",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"ssrlpl {__version__}")
        raise typer.Exit


@app.callback()
def ssrlpl(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Fill in the labels of a table that is mostly unlabeled, and say how many are right.

    \b
    Examples:
      ssrlpl demo
      ssrlpl inspect table.csv --target label
      ssrlpl fit table.csv --target label --out results
      ssrlpl predict results/model.ssrlpl new.csv
      ssrlpl fit --help

    Exit codes: 0 all went well, 2 something is wrong with the command or its
    input (one sentence on standard error says what), 1 an error of ours.
    """


app.command(short_help="Show how a table is read, column by column.")(inspect)
app.command()(fit)
app.command(short_help="Check filled-in labels until enough are certified.")(audit)
app.command()(transform)
app.command(short_help="Predict the labels of new rows.")(predict)
app.command(short_help="Certify the map of a model (for experts).")(certify)
app.command("label-next", short_help="List the rows whose labels would help most.")(label_next)
app.command()(reproduce)
app.command()(info)
app.command(short_help="Try it on a data set with most labels hidden.")(demo)
