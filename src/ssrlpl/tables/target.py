"""The target column: labels, and rows that have none."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..labels import UNLABELED, PartialLabels, encode_labels
from .cell_values import DATE, NUMBER, OTHER, as_text, read_cells
from .errors import TableError

MANY_CLASSES = 20
"""Up to so many classes are believed whatever the number of labels."""


@dataclass(frozen=True)
class Target:
    """A target column: ints or strings, None where a row is unlabeled."""

    name: str
    labels: NDArray[Any]
    codes: NDArray[np.intp]
    classes: NDArray[Any]
    notes: list[str]

    @property
    def is_labeled(self) -> NDArray[np.bool_]:
        """Mask of the labeled rows."""
        return self.codes != UNLABELED

    @property
    def class_names(self) -> list[str]:
        """The classes as text, in order."""
        return [str(label) for label in self.classes.tolist()]

    @property
    def labels_per_class(self) -> list[int]:
        """How many rows carry each label."""
        counts = np.bincount(self.codes[self.is_labeled], minlength=len(self.classes))
        return [int(count) for count in counts]


def read_target(column: Any, name: str, *, unlabeled: str | None = None) -> Target:
    """Read a target column.

    Parameters
    ----------
    column : pandas Series
        The column.
    name : str
        Its name, for messages.
    unlabeled : str, optional
        Marks unlabeled rows besides empty cells. Without it -1 does if no cell is empty.

    Returns
    -------
    Target
    """
    labels = _labels(column, name)
    notes = _apply_marker(labels, name, unlabeled)
    coded = _encode(labels, name)
    _check_classes(coded, name, unlabeled)
    alone = [str(c) for c, n in zip(coded.classes, np.bincount(coded.codes + 1)[1:], strict=True)
             if n == 1]  # fmt: skip
    if alone:
        notes.append(
            f"{_counted(len(alone), 'class has', 'classes have')} a single label"
            f" ({', '.join(alone[:5])}): whether rows of it are found cannot be checked."
        )
    if coded.is_labeled.all():
        notes.append(f"Every row has a label in {name!r}: there is nothing left to predict.")
    return Target(name, labels, coded.codes, coded.classes, notes)


def _counted(count: int, one: str, many: str) -> str:
    return f"One {one}" if count == 1 else f"{count} {many}"


def _labels(column: Any, name: str) -> NDArray[Any]:
    """Return ints or strings, None where the cell is empty."""
    cells = read_cells(column)
    if cells.kind == OTHER:
        raise TableError(
            f"The target {name!r} must hold one label in a cell. Got lists or objects."
        )
    if cells.kind == NUMBER and not cells.is_bool:
        return _whole_numbers(cells.values, name)
    labels = np.empty(len(cells.values), dtype=object)
    if cells.is_bool:
        labels[:] = [None if v != v else str(bool(v)) for v in cells.values]
    elif cells.kind == DATE:
        labels[:] = [None if v is None or v != v else as_text(v) for v in cells.values]
    else:
        labels[:] = [None if v is None else v.strip() for v in cells.values]
    return labels


def _whole_numbers(values: NDArray[np.float64], name: str) -> NDArray[Any]:
    there = values[~np.isnan(values)]
    broken = there[~np.isfinite(there) | (np.mod(there, 1) != 0)]
    if len(broken):
        raise TableError(
            f"The target {name!r} must hold classes. Got the number {broken[0]:g}: this library"
            " does not predict quantities; name a column of classes with --target, or cut the"
            " numbers into classes."
        )
    labels = np.empty(len(values), dtype=object)
    labels[:] = [None if v != v else int(v) for v in values]
    return labels


def _apply_marker(labels: NDArray[Any], name: str, unlabeled: str | None) -> list[str]:
    """Set the labels that mark unlabeled rows to None, in place."""
    marker = str(UNLABELED) if unlabeled is None else unlabeled
    empty = np.array([label is None for label in labels], dtype=bool)
    if marker == "" or (unlabeled is None and empty.any()):
        return []
    marked = np.array([label is not None and str(label) == marker for label in labels], dtype=bool)
    if unlabeled is not None and not marked.any():
        common = [str(label) for label, _ in Counter(labels[~empty]).most_common(3)]
        raise TableError(
            f"--unlabeled names {unlabeled!r}, which no cell of {name!r} holds: its most frequent"
            f" cells are {', '.join(map(repr, common))}."
        )
    labels[marked] = None
    if unlabeled is not None or not marked.any():
        return []
    return [f"-1 in {name!r} was read as unlabeled because no cell is empty."]


def _encode(labels: NDArray[Any], name: str) -> PartialLabels:
    try:
        return encode_labels(labels, unlabeled=None, min_classes=0)
    except ValueError as error:
        raise TableError(f"The target {name!r} cannot be used. {error}") from error


def _check_classes(target: PartialLabels, name: str, unlabeled: str | None) -> None:
    found, n_labeled = len(target.classes), target.n_labeled
    if found < 2:
        what = "no label" if found == 0 else f"labels of one class only ({target.classes[0]!s})"
        cure = " or name another marker of unlabeled rows with --unlabeled" * (unlabeled is None)
        raise TableError(
            f"The target {name!r} must hold labels of at least two classes. Got {what}: label a"
            f" few rows of each class{cure}."
        )
    if found > max(MANY_CLASSES, n_labeled // 2):
        raise TableError(
            f"The target {name!r} has {found:,} different labels in {n_labeled:,} labeled rows,"
            " which are no classes: name a column of classes with --target."
        )
