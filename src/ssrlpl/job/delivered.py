"""The labels that a person took home: ``labels.csv``, read back."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np

from .._utils.spreadsheets import unguarded
from .._utils.types import Ints
from ..tables import RawTable, TableError
from ..tables.cell_values import as_text, texts_of
from .auditing import marks
from .options import ReadOptions

LABELS = "labels.csv"


class DeliveredLabels(NamedTuple):
    """The label of each row of a table as text, and the numbers of the rows it was filled in."""

    labels: list[str]
    filled_in: Ints


def delivered_labels(path: Path, raw: RawTable, id_column: str | None) -> DeliveredLabels:
    """Return the labels of a file that 'ssrlpl fit' or 'ssrlpl predict' wrote, row by row.

    Rows are found by their names, so that the file may have been sorted. It may have been saved by
    a spreadsheet, and labels in it may have been corrected: they are what is used in the end. Rows
    with a mark in its column ``given`` have the label that a person gave; without that column all
    labels are filled in.
    """
    if not path.is_file():
        raise TableError(
            f"There is no {path}, which has the labels to check: name the file with --labels, such"
            " as one that 'ssrlpl predict' wrote."
        )
    file = ReadOptions(str(path), all_rows=True).read(target="label")
    names = [unguarded(str(text)) for text in texts_of(file.column("row", f"The check of {path}"))]
    places = _places(names, raw, id_column, path)
    labels = np.empty(len(places), dtype=object)
    is_given = np.zeros(len(places), dtype=bool)
    labels[places] = texts_of(file.column("label", f"The check of {path}"))
    if "given" in file.frame.columns:
        is_given[places] = marks(file.frame["given"])
    empty = np.flatnonzero([label is None for label in labels])
    if len(empty):
        raise TableError(f"{path} has no label for row {empty[0]}: put back what was there.")
    if is_given.all():
        raise TableError(f"Every row has a given label in {path}: none is left to check.")
    return DeliveredLabels([unguarded(t) for t in labels.tolist()], np.flatnonzero(~is_given))


def _places(names: list[str], raw: RawTable, id_column: str | None, path: Path) -> Ints:
    """Return which row of the table each row of the file is."""
    for id_ in dict.fromkeys((id_column, None)):
        if id_ is not None and id_ not in raw.frame.columns:
            continue
        expected = [as_text(name) for name in raw.row_names(id_).tolist()]
        if names == expected:
            return np.arange(len(names))
        place = {name: row for row, name in enumerate(expected)}
        if len(place) == len(names) == len(set(names)) and place.keys() == set(names):
            return np.array([place[name] for name in names], dtype=np.intp)
    raise TableError(
        f"{path} has labels of {len(names):,} rows, and the table has {len(raw.frame):,} rows, not"
        " all of them of the same names: pass the table for which the labels were written, with"
        " the --id of then."
    )
