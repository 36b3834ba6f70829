"""The output folder and its files.

There is a complete folder or none, and nothing of the person's is lost.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from glob import escape
from io import RawIOBase
from pathlib import Path
from typing import Any

from .._utils.files import why_not_written
from .._utils.printing import listed
from ..persistence import file_bytes
from ..tables.table_writing import write_chunks
from .delivered import LABELS
from .filled_table import FILLED, about_labels, filled_table, kind_of_filled
from .listed_rows import suspects
from .result import Fitted
from .summarizing import report_arrays

OUR_FILES = frozenset(
    {
        "label_next.csv",
        LABELS,
        *FILLED.values(),
        "model.ssrlpl",
        "report.html",
        "representation.csv",
        "representation.parquet",
        "summary.json",
        "suspects.csv",
    }
)
"""All files a job writes; a folder that holds others is not replaced."""


class OutputError(ValueError):
    """Output that would overwrite something, or cannot be written."""


def check_folder(out: Path, *, force: bool) -> None:
    """Refuse a folder that must not be replaced; call it before the work, not after."""
    if out.exists() and not out.is_dir():  # a device is no regular file, and must not be replaced
        raise OutputError(f"{out} is a file: name a folder with --out.")
    if out.is_symlink() and not out.exists():
        raise OutputError(f"{out} is a link to nothing: name a folder with --out.")
    there = sorted(path.name for path in out.iterdir()) if out.is_dir() else []
    foreign = [name for name in there if name not in OUR_FILES]
    if foreign:
        raise OutputError(
            f"{out} holds files that ssrlpl did not write ({listed(foreign, 3)}): name"
            " another folder with --out."
        )
    if there and not force:
        raise OutputError(
            f"{out} holds the output of an earlier run: replace it with --force, or name another"
            " folder with --out."
        )


def write_folder(out: Path, write: Callable[[Path], None], *, force: bool) -> None:
    """Fill a new folder next to ``out`` and rename it when it is complete.

    A run that is killed leaves ``out`` as it was, and a folder with a dot in front of its name
    that the next run removes.
    """
    check_folder(out, force=force)
    out = out.resolve()
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        _remove_leftovers(out)
        partial = out.with_name(f".{out.name}.{os.getpid()}.partial")
        partial.mkdir()
    except OSError as error:
        raise OutputError(why_not_written(out, error)) from error
    try:
        write(partial)
        check_folder(out, force=force)  # somebody may have put a file there meanwhile
        _put_in_place(partial, out)
    finally:
        shutil.rmtree(partial, ignore_errors=True)


def _put_in_place(complete: Path, out: Path) -> None:
    old = out.with_name(f".{out.name}.{os.getpid()}.old")
    if not out.exists():
        complete.rename(out)
        return
    out.rename(old)
    try:
        complete.rename(out)
    except OSError:
        old.rename(out)
        raise
    shutil.rmtree(old, ignore_errors=True)


def _remove_leftovers(out: Path) -> None:
    """Remove unfinished folders of runs that were killed, not those of runs that still go on."""
    for folder in out.parent.glob(f".{escape(out.name)}.*.partial"):
        process = folder.name.split(".")[-2]
        if process.isdigit() and not _is_alive(int(process)):
            shutil.rmtree(folder, ignore_errors=True)


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:  # it is somebody else's, or this system cannot tell
        return True
    return True


def write_results(
    folder: Path,
    fitted: Fitted,
    summary: dict[str, Any],
    *,
    representation: str = "parquet",
    as_is: bool = False,
) -> None:
    """Write representation, labels, lists of rows, model, report and summary to an empty folder.

    ``representation`` is "parquet" or "csv"; ``as_is`` as in
    :func:`ssrlpl.tables.table_writing.write_chunks`.
    """
    from ..report import render_report
    from ..report.downloads import LISTS, list_columns

    coordinates = {"row": fitted.ids} | component_columns(fitted.representation)
    labels = {"row": fitted.ids} | about_labels(fitted)
    about = {  # what the model file must know besides the model
        "columns": fitted.used,
        "target": fitted.target.name,
        "id": fitted.id_name,
        "classes": fitted.target.class_names,
        "edges": fitted.target.edges,
    }
    model = file_bytes(fitted.model, about=about)
    page = render_report(summary, report_arrays(fitted), as_is=as_is).encode()
    text = json.dumps(summary, indent=2, ensure_ascii=False, allow_nan=False) + "\n"

    def columns(named: dict[str, Any], kind: str) -> Callable[[Any], Any]:
        return lambda sink: write_chunks([named], sink, kind, as_is=as_is)

    files = {
        f"representation.{representation}": columns(coordinates, representation),
        LABELS: columns(labels, "csv"),
        "model.ssrlpl": lambda sink: sink.write(model),
        "report.html": lambda sink: sink.write(page),
        "summary.json": lambda sink: sink.write(text.encode()),
    }
    filled = filled_table(fitted)
    if filled is not None and fitted.table is not None:
        kind, marks = kind_of_filled(fitted.table, len(filled)), fitted.table.for_spreadsheet
        files[FILLED[kind]] = lambda sink: write_chunks(
            [filled], sink, kind, as_is=as_is, marks=marks
        )
    if summary["suspects"]["reason"] is None:
        listed = list_columns(suspects(fitted) or [], LISTS["suspects"])
        files["suspects.csv"] = columns(listed, "csv")
    if summary["next_rows"]:
        listed = list_columns(summary["next_rows"], LISTS["label_next"])
        files["label_next.csv"] = columns(listed, "csv")
    try:
        for name, write in files.items():
            with (folder / name).open("wb") as sink:
                write(sink)
    except OSError as error:
        needed = sum(_size(write) for write in files.values())
        raise OutputError(why_not_written(folder, error, needed, what="The results")) from error


def _size(write: Callable[[Any], Any]) -> int:
    count = _Count()
    write(count)
    return count.size


class _Count(RawIOBase):
    """A file that only counts what is written to it."""

    size = 0

    def writable(self) -> bool:
        return True

    def write(self, data: Any, /) -> int:
        self.size += len(data)
        return len(data)


def component_columns(Z: Any) -> dict[str, Any]:
    """Return the columns of a representation by name."""
    return {f"component_{j}": column for j, column in enumerate(Z.T, start=1)}
