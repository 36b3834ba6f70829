"""Labels that were filled in elsewhere: which row each is for, and where two people disagree."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .._utils.printing import listed
from .._utils.types import Array, Ints, Mask
from .cell_values import as_text, texts_of
from .errors import TableError
from .table_files import RawTable

CHECKED = "checked"
"""The column of labels in files that 'ssrlpl audit' wrote."""

LISTED = 5


@dataclass(frozen=True)
class LabelFile:
    """A table of labels for rows of another one.

    Parameters
    ----------
    raw : RawTable
        The file.
    target : str
        The column of labels, in the file and in the table; else ``checked`` or ``label`` is taken.
    id : str, optional
        The column that names rows; else ``row`` has their names or numbers.
    """

    raw: RawTable
    target: str
    id: str | None = None

    def merged(
        self, column: Any, row_names: Array, *, unlabeled: str | None, prefer_file: bool
    ) -> tuple[Any, list[str]]:
        """Return a target column with the labels of the file, and what to know about that.

        Parameters
        ----------
        column : pandas Series
            The target of the table.
        row_names : ndarray
            What names the rows of the table: ids, or numbers from 0.
        unlabeled : str, optional
            What marks rows without a label besides empty cells, in the table and in the file.
        prefer_file : bool
            Whether the file is right where both have a label; by default the table is.
        """
        import pandas as pd

        texts = texts_of(column)
        has_label = _has_label(texts, unlabeled)
        rows, labels = self._labels(row_names, unlabeled)
        differ = has_label[rows] & (texts[rows] != labels)
        new = ~has_label[rows]
        taken = new | (differ & prefer_file)
        merged = texts.copy()
        merged[rows[taken]] = labels[taken]
        n_new = int(new.sum())
        rows_with = "a row" if n_new == 1 else f"{n_new:,} rows"
        notes = [f"{self.raw.name} gave {rows_with} a label that had none."]
        notes += self.raw.notes
        known = set(texts[has_label].tolist())
        strange = sorted({label for label in labels[taken].tolist() if label not in known})
        if known and strange:
            notes.append(f"New classes from {self.raw.name}: {listed(map(repr, strange), LISTED)}.")
        if differ.any():
            pairs = (
                f"row {row_names[row]}: {texts[row]!r} in the table, {label!r} in the file"
                for row, label in zip(rows[differ], labels[differ], strict=True)
            )
            kept = "the file's were taken" if prefer_file else (
                "the table's were kept (--prefer-merged takes the file's)"
            )  # fmt: skip
            notes.append(
                f"{int(differ.sum()):,} labels differ, and {kept}: {listed(pairs, LISTED)}."
            )
        found = pd.Series(merged, index=column.index, name=column.name, dtype=object)
        return (_as_numbers(found) if column.dtype.kind in "iuf" else found), notes

    def _labels(self, row_names: Array, unlabeled: str | None) -> tuple[Ints, Array]:
        """Return the numbers of the rows that the file has labels for, and the labels."""
        texts = texts_of(self._column_of_labels())
        filled = np.flatnonzero(_has_label(texts, unlabeled))
        if not len(filled):
            raise TableError(
                f"--merge names {self.raw.name}, which has no label: fill some in, or leave the"
                " option out."
            )
        rows = self._rows(filled, row_names)
        labels = np.array([text.strip() for text in texts[filled].tolist()], dtype=object)
        known: dict[int, str] = {}
        for row, label in zip(rows.tolist(), labels.tolist(), strict=True):
            if known.setdefault(row, label) != label:
                raise TableError(
                    f"{self.raw.name} has two labels for row {row_names[row]}, {known[row]!r} and"
                    f" {label!r}: leave one of them."
                )
        return np.array(list(known), dtype=np.intp), np.array(list(known.values()), dtype=object)

    def _column_of_labels(self) -> Any:
        columns = self.raw.frame.columns
        names = [name for name in (self.target, CHECKED) if name in columns]
        is_ours = {"probability", "given"} <= set(columns)
        # The column of labels.csv is "label"; filled.csv, whose target is filled in, has no "row".
        if is_ours and (self.target == "label" or "row" not in columns):
            names = [name for name in names if name == CHECKED]
        if is_ours and not names:
            raise TableError(
                f"{self.raw.name} holds what a model filled in: put the labels that a person gave"
                f" into a column {CHECKED!r}."
            )
        if not names and "label" in columns:
            names = ["label"]
        if not names:
            raise TableError(
                f"{self.raw.name} must have a column {self.target!r} (or {CHECKED!r}, or 'label')"
                f" with the labels. Got {listed(map(repr, columns), LISTED)}."
            )
        return self.raw.frame[names[0]]

    def _rows(self, filled: Ints, row_names: Array) -> Ints:
        """Return which rows of the table some rows of the file are."""
        columns = self.raw.frame.columns
        name = next((n for n in (self.id, "row") if n is not None and n in columns), None)
        if name is None:
            option = "" if self.id else ", or name rows in both files by a column with --id"
            raise TableError(
                f"{self.raw.name} must say which rows its labels are for: give it a column"
                f" {self.id or 'row'!r}{' with row numbers from 0' * (not self.id)}{option}."
            )
        place = {as_text(given): row for row, given in enumerate(row_names.tolist())}
        if len(place) < len(row_names):
            raise TableError(
                f"--merge needs rows with names that differ, and the names in {name!r} of the"
                " table do not: leave --id out and number the rows."
            )
        named = [str(text).strip() for text in texts_of(self.raw.frame[name].iloc[filled])]
        strange = [text for text in named if text not in place]
        if strange:
            raise TableError(
                f"{self.raw.name} names the rows {listed(map(repr, strange), LISTED)}, which the"
                " table does not have: correct them, or leave these rows out."
            )
        return np.array([place[text] for text in named], dtype=np.intp)


def _has_label(texts: Array, unlabeled: str | None) -> Mask:
    """Tell which cells hold a label: -1 is none if no cell is empty, as in :mod:`ssrlpl.labels`."""
    gaps = np.array([text is None for text in texts.tolist()])
    marker = unlabeled if unlabeled is not None or gaps.any() else "-1"
    return ~gaps & (texts != marker)


def _as_numbers(column: Any) -> Any:
    """Return labels as the numbers they were in the table, if all of them are."""
    import pandas as pd

    try:
        return pd.to_numeric(column)
    except ValueError:
        return column
