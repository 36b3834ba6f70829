"""The target column: labels, and rows that have none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._utils import limits
from ..labels import UNLABELED, PartialLabels, encode_labels
from .cell_values import DATE, NUMBER, OTHER, as_text, is_missing, read_cells
from .errors import TableError


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
    coded = _encode(labels, name, unlabeled)
    _check_classes(coded, name, unlabeled)
    notes = []
    if unlabeled is None and any(label is not None for label in labels[~coded.is_labeled]):
        notes.append(f"-1 in {name!r} was read as unlabeled because no cell is empty.")
    labels[~coded.is_labeled] = None
    alone = [str(c) for c, n in zip(coded.classes, np.bincount(coded.codes + 1)[1:], strict=True)
             if n == 1]  # fmt: skip
    if alone:
        which = "One class has" if len(alone) == 1 else f"{len(alone)} classes have"
        notes.append(
            f"{which} a single label"
            f" ({', '.join(alone[:5])}): whether rows of it are found cannot be checked."
        )
    if coded.is_labeled.all():
        notes.append(f"Every row has a label in {name!r}: there is nothing left to predict.")
    return Target(name, labels, coded.codes, coded.classes, notes)


def _labels(column: Any, name: str) -> NDArray[Any]:
    """Return ints or strings, None where the cell is empty."""
    cells = read_cells(column)
    if cells.kind == OTHER:
        raise TableError(
            f"The target {name!r} must hold one label in a cell. Got lists or objects."
        )
    as_label: Callable[[Any], Any] = str.strip
    if cells.is_bool:
        as_label = _truth
    elif cells.kind == NUMBER:
        _check_whole(cells.values, name)
        as_label = int  # an empty cell had made floats of the column
    elif cells.kind == DATE:
        as_label = as_text
    labels = np.empty(len(cells.values), dtype=object)
    labels[:] = [None if is_missing(value) else as_label(value) for value in cells.values]
    return labels


def _truth(value: float) -> str:
    return str(bool(value))


def _check_whole(values: NDArray[np.float64], name: str) -> None:
    there = values[~np.isnan(values)]
    broken = there[~np.isfinite(there) | (np.mod(there, 1) != 0)]
    if len(broken):
        raise TableError(
            f"The target {name!r} must hold classes. Got the number {broken[0]:g}: this library"
            " does not predict quantities; name a column of classes with --target, or cut the"
            " numbers into classes."
        )


def _encode(labels: NDArray[Any], name: str, unlabeled: str | None) -> PartialLabels:
    """Let :mod:`ssrlpl.labels` decide which rows are labeled."""
    marker: Any = "auto" if unlabeled is None else None
    if unlabeled:  # typed as text, whatever the type of the labels
        there = Counter(label for label in labels if label is not None)
        marker = [label for label in there if str(label) == unlabeled]
        if not marker:
            common = ", ".join(repr(str(label)) for label, _ in there.most_common(3))
            raise TableError(
                f"--unlabeled names {unlabeled!r}, which no cell of {name!r} holds: its most"
                f" frequent cells are {common}."
            )
    try:
        return encode_labels(labels, unlabeled=marker, min_classes=0)
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
    if found > max(limits.MANY_CLASSES, n_labeled // 2):
        raise TableError(
            f"The target {name!r} has {found:,} different labels in {n_labeled:,} labeled rows,"
            " which are no classes: name a column of classes with --target."
        )
