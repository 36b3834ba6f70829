"""``ssrlpl inspect``."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .._utils import limits
from .._utils.printing import Table, listed, one_line
from . import arguments as arg
from .console import BAD_INPUT, reported, say

if TYPE_CHECKING:
    from ..job import ReadOptions

WIDEST = 36


@reported
@arg.reads_table()
def inspect(
    *,
    target: Annotated[str | None, typer.Option(help="Column of the labels.")] = None,
    features: arg.Features = None,
    drop: arg.Drop = None,
    unlabeled: arg.Unlabeled = None,
    bins: arg.Bins = None,
    max_categories: arg.MaxCategories = limits.MAX_CATEGORIES,
    category: arg.Category = None,
    text: arg.Text = None,
    embed: arg.Embed = None,
    date: arg.Date = None,
    read: ReadOptions,
    json_: arg.Json = False,
    quiet: arg.Quiet = False,
    debug: arg.Debug = False,
) -> None:
    """Show how a table is read: every column, its kind, and what becomes of it.

    Nothing is fitted or written. Exit code 2 if 'ssrlpl fit' with the same
    options would stop; the sentences on standard error say why.

    \b
    Examples:
      ssrlpl inspect table.csv
      ssrlpl inspect table.csv --target label
      ssrlpl inspect shop.db::sales --target kind --text notes
    """
    from ..job import inspect_table
    from ..tables import TableTransformer

    transformer = TableTransformer(
        max_categories=max_categories,
        dates=dict(arg.formats(date)),
        category=arg.names(category),
        text=arg.names(text),
        embed=embed,
        keep=arg.names(features),
    )
    found = inspect_table(
        read, transformer, target=target, unlabeled=unlabeled, bins=bins, drop=arg.names(drop)
    )
    typer.echo(json.dumps(found, indent=2, ensure_ascii=False) if json_ else _shown(found))
    for problem in found["problems"]:
        say(f"ssrlpl: {problem}")
    if found["problems"]:
        raise typer.Exit(BAD_INPUT)


def _shown(found: dict[str, Any]) -> str:
    columns = found["columns"]
    rows = tuple(
        (
            _cut(column["name"]),
            column["kind"],
            _cut(" · ".join(column["examples"])),
            f"{column['missing']:.0%}" if column["missing"] else "",
            column["becomes"],
        )
        for column in columns
    )
    lines = [f"{found['name']}: {found['n_rows']:,} rows"]
    target = found["target"]
    if target is not None:
        classes = [f"{name} ({count:,})" for name, count in target["classes"].items()]
        lines.append(
            f"Target {target['name']!r}: {target['n_labeled']:,} rows have a label:"
            f" {listed(classes, 10)}"
        )
    lines += [f"note: {note}" for note in found["notes"]]
    table = Table(("column", "kind", "examples", "missing", "becomes"), rows)
    return "\n".join([*map(one_line, lines), "", str(table)])


def _cut(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= WIDEST else text[: WIDEST - 1] + "…"
