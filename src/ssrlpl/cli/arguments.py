"""Arguments and options that several commands share, described once.

Commands import what works for them when they are called: help and wrong options take no second.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from ..job import ReadOptions

Command = Callable[..., None]

TablePath = Annotated[
    str,
    typer.Argument(
        metavar="TABLE",
        help="CSV, TSV (also packed: .csv.gz, .zip), Excel, Parquet, Feather, Arrow, Stata, JSON,"
        " SQLite (file.db::table), .npy, .npz, or a folder of pictures; - is CSV from standard"
        " input. A folder of Parquet files, or a pattern in quotes ('folder/*.parquet'), is one"
        " table.",
        show_default=False,
    ),
]
ModelPath = Annotated[
    Path,
    typer.Argument(metavar="MODEL", help="A model.ssrlpl that 'ssrlpl fit' wrote."),
]
TargetColumn = Annotated[
    str | None,
    typer.Option(help="Column of the labels, by default the one the model was fitted with."),
]
Id = Annotated[
    str | None,
    typer.Option("--id", help="Column that names the rows; by default they are numbered from 0."),
]
Unlabeled = Annotated[
    str | None,
    typer.Option(
        help="What marks an unlabeled row besides an empty cell ('' if nothing does). Without it -1"
        " does, if no cell is empty."
    ),
]
Missing = Annotated[
    list[str] | None,
    typer.Option(
        metavar="CELL",
        help="A further cell that means 'missing', such as '?' or -999. May be repeated.",
    ),
]
Sep = Annotated[
    str | None,
    typer.Option(
        "--sep", help="What separates the cells of a text file (';', '\\t'), by default found."
    ),
]
Decimal = Annotated[
    str,
    typer.Option("--decimal", help="Decimal character of numbers (. or ,), by default found."),
]
Encoding = Annotated[
    str | None, typer.Option("--encoding", help="Encoding of a text file, by default found.")
]
Sheet = Annotated[
    str | None,
    typer.Option(help="Sheet of an Excel file, by default the first that has the target."),
]
HeaderRow = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        help="Line of a text file or row of a sheet with the names of the columns, counted from 1;"
        " 0: there is none. By default found.",
        min=0,
    ),
]
Images = Annotated[
    str | None,
    typer.Option(
        metavar="FOLDER",
        help="Folder of pictures that a column of the table names. A folder can also be the TABLE"
        " itself: its subfolders are the labels.",
        show_default=False,
    ),
]
Embed = Annotated[
    str | None,
    typer.Option(
        metavar="MODEL",
        help="Sentence-transformers model for --text, instead of tf-idf: its name, if it is on this"
        " computer, or its folder.",
        show_default=False,
    ),
]
AllRows = Annotated[
    bool,
    typer.Option(
        "--all-rows",
        help="Keep rows that look like units below the header, totals or notes, or are empty.",
    ),
]
Array = Annotated[str, typer.Option(help="The matrix in an .npz file.")]
Seed = Annotated[int, typer.Option(help="Seed of everything that is drawn.", min=0, max=2**32 - 1)]
OutFile = Annotated[
    str,
    typer.Option("--out", "-o", help="A .csv, .xlsx or .parquet file, or - for standard output."),
]
AsIs = Annotated[
    bool,
    typer.Option(
        "--as-is",
        help="Write texts that begin with = + - @ to CSV as they are, not with an apostrophe that"
        " keeps a spreadsheet from running them, and no mark of UTF-8, which Excel needs.",
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON to standard output.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress, no notes.")]
Debug = Annotated[bool, typer.Option("--debug", help="Show where an error came from.")]
Bins = Annotated[
    int | None,
    typer.Option(help="Cut a target of numbers into so many classes; 0: each is a class."),
]
MaxCategories = Annotated[
    int, typer.Option(help="Most different texts a column of categories may have.")
]
Category = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COLUMNS",
        help="Columns of numbers that are names, such as postal codes, by commas or repeated.",
    ),
]
Text = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COLUMNS",
        help="Columns of free text whose words are used, by commas or repeated.",
    ),
]
Features = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COLUMNS",
        help="Columns to learn from, by commas or repeated; by default all others.",
    ),
]
Drop = Annotated[
    list[str] | None,
    typer.Option(metavar="COLUMNS", help="Columns to leave out, by commas or repeated."),
]
Date = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COLUMN=FORMAT",
        help="A column of dates and their format, as in signup=%d/%m/%Y, if they would be read"
        " otherwise; excel, unix or 'unix ms' for numbers that count from a day on. May be"
        " repeated.",
    ),
]


def names(values: list[str] | None) -> tuple[str, ...]:
    """Split lists by commas; a column name with a comma in it is given with a backslash."""
    parts = [part for value in values or [] for part in value.replace("\\,", "\0").split(",")]
    return tuple(part.strip().replace("\0", ",") for part in parts if part.strip())


def formats(values: list[str] | None) -> tuple[tuple[str, str], ...]:
    """Split columns of dates from their formats."""
    pairs = [value.partition("=") for value in values or []]
    for name, _, format_ in pairs:
        if "%" not in format_ and format_ not in ("excel", "unix", "unix ms"):
            raise ValueError(
                f"--date must name a column and a format, as in {name or 'day'}=%d/%m/%Y, or count"
                f" from a day, as in {name or 'day'}=excel (or unix, unix ms). Got {name!r}."
            )
    return tuple((name, format_) for name, _, format_ in pairs)


def _reading(
    table: TablePath,
    id_: Id = None,
    missing: Missing = None,
    sep: Sep = None,
    decimal: Decimal = "auto",
    encoding: Encoding = None,
    sheet: Sheet = None,
    array: Array = "X",
    header_row: HeaderRow = None,
    all_rows: AllRows = False,
    images: Images = None,
) -> ReadOptions:
    from ..job import ReadOptions

    return ReadOptions(
        table, id_, tuple(missing or ()), sheet, array, sep, decimal, encoding, header_row,
        all_rows, images,
    )  # fmt: skip


def reads_table(
    *, has_id: bool = True, first: Command | None = None
) -> Callable[[Command], Command]:
    """Give a command the table and the options of reading it in place of its ``read``.

    Typer takes the options of a command from its signature, so they are written into it where
    ``read`` stands. ``has_id=False`` is for commands that do not name rows by a column. ``first``
    checks the options before anything is imported that takes a second.
    """

    def with_options(command: Command) -> Command:
        @wraps(command)
        def run(**given: Any) -> None:
            if first is not None:
                first(**given)
            read = _reading(**{option.name: given.pop(option.name) for option in options})
            command(read=read, **given)

        # ReadOptions is not imported here; no option has that type.
        resolved: Any = {"eval_str": True, "locals": {"ReadOptions": Any}}
        options = [
            option
            for option in signature(_reading, **resolved).parameters.values()
            if has_id or option.name != "id_"
        ]
        own = signature(command, **resolved).parameters.values()
        shown = [o for p in own for o in (options if p.name == "read" else [p])]
        # Keywords: the table, which has no default, may follow options that have one.
        keywords = [option.replace(kind=Parameter.KEYWORD_ONLY) for option in shown]
        run.__signature__ = Signature(keywords)  # type: ignore[attr-defined]
        run.__annotations__ = {option.name: option.annotation for option in keywords}
        return run

    return with_options
