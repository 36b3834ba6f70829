"""The target column: labels, and rows that have none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from .._utils import limits
from .._utils.advice import either, option
from .._utils.printing import listed
from .._utils.types import Array, Floats, Ints, Mask
from ..labels import UNLABELED, PartialLabels, encode_labels
from .cell_values import DATE, NUMBER, OTHER, TEXT, Cells, is_missing, read_cells
from .class_names import counting_order, look_alike, markers_among
from .errors import TableError
from .evidence import read_typed
from .readings import find_reading
from .written_numbers import NumberReading


@dataclass(frozen=True)
class Target:
    """A target column: ints or strings, None where a row is unlabeled."""

    name: str
    labels: Array
    codes: Ints
    classes: Array
    notes: list[str]
    edges: list[float] | None = None
    """Where numbers were cut into classes."""

    @property
    def is_labeled(self) -> Mask:
        """Mask of the labeled rows."""
        return self.codes != UNLABELED

    @property
    def class_names(self) -> list[str]:
        """The classes as text, in order."""
        return [str(label) for label in self.classes.tolist()]

    @property
    def shown_order(self) -> list[int]:
        """The codes of the classes as people count them, in which results are shown."""
        return counting_order(self.class_names)

    @property
    def labels_per_class(self) -> list[int]:
        """How many rows carry each label."""
        counts = np.bincount(self.codes[self.is_labeled], minlength=len(self.classes))
        return [int(count) for count in counts]


def read_target(
    column: Any,
    name: str,
    *,
    unlabeled: str | None = None,
    bins: int | None = None,
    edges: list[float] | None = None,
) -> Target:
    """Read a target column.

    Parameters
    ----------
    column : pandas Series, array or list
        The column.
    name : str
        Its name, for messages.
    unlabeled : str, optional
        Marks unlabeled rows besides empty cells. Without it -1 does if no cell is empty, and, of
        numbers that are cut into classes, no other is below zero.
    bins : int, optional
        Cut numbers into so many classes of about the same size; 0 takes every number as a class.
    edges : list of float, optional
        Cut numbers there: where those of another table were cut.

    Returns
    -------
    Target
    """
    cells = read_cells(column if hasattr(column, "dtype") else np.array(column, dtype=object))
    read_as_gap = False
    if bins or edges:
        numbers, read_as_gap = _numbers_to_cut(cells, unlabeled)
        labels, edges = _cut(numbers, name, bins or 0, edges)
        unlabeled = None  # such cells have no class any more
    else:
        labels = _labels(cells, name, each=bins == 0)
        if bins is None:
            _refuse_quantities(_numbers_of(cells, unlabeled), name)
    coded = _encode(labels, name, unlabeled)
    read_as_gap |= unlabeled is None and any(v is not None for v in labels[~coded.is_labeled])
    _check_marker(labels, name, unlabeled)
    _check_classes(coded, name, unlabeled, read_as_gap=read_as_gap)
    notes = []
    if read_as_gap:
        notes.append(f"-1 in {name!r} was read as unlabeled because no cell is empty.")
    labels[~coded.is_labeled] = None
    counts = Counter(str(label) for label in labels if label is not None)
    notes += _about_names(counts, name)
    alone = [str(label) for label in coded.classes if counts[str(label)] == 1]
    if alone:
        which, it = ("One class has", "it")
        if len(alone) > 1:
            which, it = f"{len(alone)} classes have", "them"
        notes.append(
            f"{which} a single label ({listed(alone, 5)}): whether rows of {it} are found cannot"
            " be checked."
        )
    if coded.is_labeled.all():
        notes.append(f"Every row has a label in {name!r}: there is nothing left to predict.")
        label, count = counts.most_common(1)[0]
        if count > len(labels) / 2 and len(counts) > 2:
            notes.append(f"If {label!r} ({count:,} rows) means that a row has no label, pass"
                         f" {option('unlabeled', label)}.")  # fmt: skip
    return Target(name, labels, coded.codes, coded.classes, notes, edges)


def _about_names(counts: Counter[str], name: str) -> list[str]:
    """Point out classes that may be one, and classes that may be no class."""
    notes = [
        f"These classes of {name!r} look like the same one: {', '.join(map(repr, group))}. Write"
        " them in one way, or they are learned apart."
        for group in look_alike(counts)
    ]
    return notes + [
        f"{label!r} is a class of {name!r} here ({counts[label]:,} rows): pass"
        f" {option('unlabeled', label)} if it means that a row has no label."
        for label in markers_among(counts)
    ]


def _check_marker(labels: Array, name: str, unlabeled: str | None) -> None:
    """Ask about a marker that was not declared and fills most rows that have a cell."""
    counts = Counter(str(label) for label in labels if label is not None)
    if unlabeled is not None or not counts:
        return
    label, count = counts.most_common(1)[0]
    if count > len(labels) / 2 and label in markers_among(counts):
        raise TableError(
            f"Most rows of the target {name!r} ({count:,} of {len(labels):,}) hold {label!r}: pass"
            f" {option('unlabeled', label)} if it means that they have no label, or"
            f" {option('unlabeled', '')} if it is a class."
        )
    markers = markers_among(counts)
    classes = len(counts) - len(markers)
    without = len(labels) - counts.total() + sum(counts[m] for m in markers)
    nothing = " or nothing" if counts.total() < len(labels) else ""
    if len(markers) > 1 < classes and without > len(labels) / 2:
        raise TableError(
            f"Most rows of the target {name!r} hold {', '.join(map(repr, markers))}{nothing}: leave"
            " cells empty that have no label, or write one of these words in all of them and"
            f" pass it to {option('unlabeled')}; {option('unlabeled', '')} takes them as classes."
        )


def _numbers_of(cells: Cells, unlabeled: str | None) -> Floats | None:
    """Return a target as numbers, NaN where it has none; None if its cells are texts."""
    if cells.kind == NUMBER and not cells.is_bool:
        return np.where(cells.values == _as_number(unlabeled), np.nan, cells.values)
    if cells.kind != TEXT or cells.is_category:
        return None
    texts = cells.values.copy()
    texts[texts == unlabeled] = None
    found = find_reading(Counter(text for text in texts if text is not None))
    if not isinstance(found.reading, NumberReading):
        return None
    return np.asarray(read_typed(Cells(TEXT, texts), found, "").values)


def _numbers_to_cut(cells: Cells, unlabeled: str | None) -> tuple[Floats | None, bool]:
    """Return a target as numbers, and whether -1 was taken for a row without one.

    Where other numbers are below zero, -1 is a number like them.
    """
    numbers = _numbers_of(cells, unlabeled)
    if unlabeled is not None or numbers is None or np.isnan(numbers).any():
        return numbers, False
    if {*numbers[numbers < 0].tolist()} != {UNLABELED}:
        return numbers, False
    return np.where(numbers < 0, np.nan, numbers), True


def _as_number(unlabeled: str | None) -> float:
    try:
        return float(unlabeled or "nan")
    except ValueError:
        return np.nan


def _cut(
    numbers: Floats | None, name: str, bins: int, edges: list[float] | None
) -> tuple[Array, list[float]]:
    """Return the numbers as classes between edges, and the edges."""
    if numbers is None or np.isinf(numbers).any():
        raise TableError(
            f"{option('bins')} cuts numbers into classes, and {name!r} holds other cells."
        )
    there = numbers[~np.isnan(numbers)]
    if edges is None and not len(there):
        edges = []
    elif edges is None:
        shares = np.arange(1, bins) / bins
        edges = np.unique(np.quantile(there, shares, method="inverted_cdf")).tolist()
        edges = [edge for edge in edges if edge < there.max()]
    words = _words_of(edges)
    labels = np.empty(len(numbers), dtype=object)
    places = np.searchsorted(edges, numbers)  # NaN is put last and has no label
    labels[:] = [None if np.isnan(v) else words[p] for v, p in zip(numbers, places, strict=True)]
    return labels, edges


def _words_of(edges: list[float]) -> list[str]:
    """Name the classes so that they sort as the numbers do.

    Examples
    --------
    >>> from ssrlpl.tables.target import _words_of
    >>> _words_of([20.0, 30.5])
    ['1: up to 20', '2: above 20, up to 30.5', '3: above 30.5']
    """
    written = [f"{edge:.6g}" for edge in edges]
    width = len(str(len(edges) + 1))
    inner = [f"above {low}, up to {high}" for low, high in pairwise(written)]
    names = [f"up to {written[0]}", *inner, f"above {written[-1]}"] if edges else ["all"]
    return [f"{number:0{width}}: {text}" for number, text in enumerate(names, start=1)]


def _labels(cells: Cells, name: str, *, each: bool) -> Array:
    """Return ints or strings, None where the cell is empty; ``each`` number may be a class."""
    if cells.kind == OTHER:
        raise TableError(
            f"The target {name!r} must hold one label in a cell. Got lists or objects."
        )
    as_label: Callable[[Any], Any] = str.strip
    if cells.is_bool:
        as_label = _truth
    elif cells.kind == NUMBER:
        broken = _broken(cells.values)
        if len(broken) and not (each and np.isfinite(broken).all()):
            raise TableError(_about_broken(broken[0], name))
        # An empty cell had made floats of the column.
        as_label = "{:.12g}".format if len(broken) else int
    elif cells.kind == DATE:
        as_label = str
    labels = np.empty(len(cells.values), dtype=object)
    labels[:] = [None if is_missing(value) else as_label(value) for value in cells.values]
    return labels


def _truth(value: float) -> str:
    return str(bool(value))


def _broken(values: Floats) -> Floats:
    """Return the numbers that are not whole."""
    there = values[~np.isnan(values)]
    return np.asarray(there[~np.isfinite(there) | (np.mod(there, 1) != 0)])


def _about_broken(number: float, name: str) -> str:
    return (
        f"The target {name!r} must hold classes. Got the number {number:g}: quantities are a task"
        " for regression, which this library does not do; name a column of classes"
        f"{either(' with --target', '')}, cut the numbers into classes with {option('bins', 3)}, or"
        f" take every number as a class with {option('bins', 0)}."
    )


def _refuse_quantities(numbers: Floats | None, name: str) -> None:
    """Refuse many numbers that are no codes of classes: those count from 0 or 1."""
    if numbers is None:
        return
    found = np.unique(numbers[~np.isnan(numbers)])
    found = found[found != UNLABELED]
    if len(found) <= limits.MANY_CLASSES:
        return
    if found[0] in (0, 1) and found[-1] - found[0] == len(found) - 1:
        return
    raise TableError(
        f"The target {name!r} holds {len(found):,} different numbers, from {found[0]:g} to"
        f" {found[-1]:g}: that is a quantity, not a class, and a task for regression, which this"
        f" library does not do; cut it into classes with {option('bins', 3)}, or take every number"
        f" as a class with {option('bins', 0)}."
    )


def _encode(labels: Array, name: str, unlabeled: str | None) -> PartialLabels:
    """Let :mod:`ssrlpl.labels` decide which rows are labeled."""
    marker: Any = "auto" if unlabeled is None else None
    if unlabeled:  # typed as text, whatever the type of the labels
        there = Counter(label for label in labels if label is not None)
        marker = [label for label in there if str(label) == unlabeled]
        if not marker:
            common = ", ".join(repr(str(label)) for label, _ in there.most_common(3))
            raise TableError(
                f"{option('unlabeled')} names {unlabeled!r}, which no cell of {name!r} holds: its"
                f" most frequent cells are {common}."
            )
    try:
        return encode_labels(labels, unlabeled=marker, min_classes=0)
    except ValueError as error:
        raise TableError(f"The target {name!r} cannot be used. {error}") from error


def _check_classes(
    target: PartialLabels, name: str, unlabeled: str | None, *, read_as_gap: bool
) -> None:
    found, n_labeled = len(target.classes), target.n_labeled
    if found < 2:
        what = "no label" if found == 0 else f"labels of one class only ({target.classes[0]!s})"
        cure = f" or name another marker of unlabeled rows with {option('unlabeled')}"
        if read_as_gap:
            cure = f", or pass {option('unlabeled', '')} if -1 is a class and not a row without one"
        raise TableError(
            f"The target {name!r} must hold labels of at least two classes. Got {what}: label a"
            f" few rows of each class{cure * (unlabeled is None)}."
        )
    if found > max(limits.MANY_CLASSES, n_labeled // 2):
        raise TableError(
            f"The target {name!r} has {found:,} different labels in {n_labeled:,} labeled rows,"
            f" which are no classes: name a column of classes{either(' with --target', '')}."
        )
