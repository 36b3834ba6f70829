"""Which columns are used and how: numbers as they are, categories one-hot, others refused.

Every column is looked at in all rows, chunk by chunk (:class:`Evidence`), and then judged
(:func:`choose_columns`). The thresholds are guesses that err on the side of asking the person.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._utils import limits
from .cell_values import DATE, NUMBER, TEXT, Cells, check_finite, read_cells, shell
from .errors import TableError, unknown_column

MANY_WORDS = 5
"""A text column with more words a cell, on average, is free text."""

DISTINCT_SHARE = 0.9
"""A text column in which more than this share of the cells differ identifies rows."""

MOSTLY = 0.8
"""A text column with this share of numbers, or of dates, is meant to hold them."""

_IDENTIFIER = re.compile(r"(.*[\s_.-])?(id|ids|index|idx|key|no|nr|row|uuid)|unnamed: \d+", re.I)

_DATE = re.compile(r"\s*(\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4})\b.*")
_NUMBER = re.compile(r"\s*[-+]?(\d+([.,]\d*)*|[.,]\d+)([eE][-+]?\d+)?\s*%?\s*")


@dataclass
class ColumnEvidence:
    """Counts over the rows of one column seen so far."""

    name: str
    kinds: set[str] = field(default_factory=set)
    rows: int = 0
    missing: int = 0
    # numbers
    low: float = np.inf
    high: float = -np.inf
    counts_rows: bool = True  # 0, 1, 2, … or 1, 2, 3, …
    increases: bool = True  # whole numbers, each larger than the one before
    last: float = -np.inf
    sum_: float = 0.0
    centered_squares: float = 0.0
    # texts
    texts: Counter[str] = field(default_factory=Counter)
    counted: int = 0
    words: int = 0
    dates: int = 0
    numbers: int = 0
    no_number: str | None = None

    @property
    def present(self) -> int:
        """Cells that are not missing."""
        return self.rows - self.missing

    @property
    def mean(self) -> float:
        """Mean of the numbers."""
        return self.sum_ / self.present if self.present else 0.0

    @property
    def is_constant(self) -> bool:
        """Whether all cells that are there are the same."""
        if self.kinds <= {NUMBER}:
            return self.low >= self.high
        return self.kinds == {TEXT} and len(self.texts) <= 1

    def add(self, cells: Cells) -> None:
        """Look at the next rows."""
        offset, self.rows = self.rows, self.rows + len(cells.values)
        if cells.kind == NUMBER:
            self._add_numbers(cells.values, offset)
        elif cells.kind == TEXT:
            self._add_texts(cells.values)
        else:
            self.kinds.add(cells.kind)

    def _add_numbers(self, values: NDArray[np.float64], offset: int) -> None:
        check_finite(values, self.name, offset)
        there = values[~np.isnan(values)]
        self.missing += len(values) - len(there)
        if not len(there):
            return
        self.kinds.add(NUMBER)
        self.low, self.high = min(self.low, there.min()), max(self.high, there.max())
        self._merge_moments(there)
        whole = len(there) == len(values) and not np.any(np.mod(there[:100], 1))
        self.increases &= whole and there[0] > self.last and bool(np.all(np.diff(there) > 0))
        counts = there[0] - offset in (0, 1) and bool(np.all(np.diff(there) == 1))
        self.counts_rows &= self.increases and counts
        self.last = there[-1]

    def _merge_moments(self, values: NDArray[np.float64]) -> None:
        """Merge sums as Chan, Golub and LeVeque do; the missing cells are already counted."""
        size = len(values)
        before = self.present - size
        mean = float(values.mean())
        if before > 0:
            between = before * size / self.present
            self.centered_squares += between * (mean - self.sum_ / before) ** 2
        self.centered_squares += float(np.square(values - mean).sum())
        self.sum_ += mean * size

    def _add_texts(self, values: NDArray[Any]) -> None:
        there = [v for v in values if v is not None]
        self.missing += len(values) - len(there)
        if not there:
            return
        self.kinds.add(TEXT)
        distinct = Counter(there)
        if len(self.texts) <= limits.DISTINCT_TEXTS:
            self.texts.update(distinct)
            self.counted += len(there)
        for text, count in distinct.items():
            self.words += count * len(text.split())
            self.dates += count * bool(_DATE.fullmatch(text))
            if _NUMBER.fullmatch(text):
                self.numbers += count
            elif self.no_number is None:
                self.no_number = text


class Evidence:
    """What is known of every column of a table."""

    def __init__(self, names: list[str]):
        self.columns = {name: ColumnEvidence(name) for name in names}

    def add(self, frame: Any) -> None:
        """Look at the next rows of the table."""
        for name, column in self.columns.items():
            column.add(read_cells(frame[name]))

    def __getitem__(self, name: str) -> ColumnEvidence:
        return self.columns[name]


@dataclass(frozen=True)
class Columns:
    """The columns a model uses, and why others are not among them."""

    numbers: list[str]
    texts: list[str]
    dropped: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def used(self) -> list[str]:
        """All columns a model uses."""
        return [*self.numbers, *self.texts]


def candidates(
    names: Iterable[str], *, features: list[str], drop: list[str], reserved: dict[str, str]
) -> list[str]:
    """Return the columns that may be features; ``reserved`` are target and ids by their option."""
    known = list(names)
    for option, asked in (("--features", features), ("--drop", drop)):
        for name in asked:
            if name not in known:
                raise unknown_column(name, known, option)
    for option, name in reserved.items():
        if name in features:
            raise TableError(f"{name!r} is given both to --features and to {option}: leave one.")
    left_out = {*drop, *reserved.values()}
    kept = [name for name in features or known if name not in left_out]
    if not kept:
        raise TableError(
            "No column is left to learn from: name some with --features, or drop fewer with --drop."
        )
    return kept


def choose_columns(
    evidence: Evidence, *, explicit: bool = False, max_categories: int = limits.MAX_CATEGORIES
) -> Columns:
    """Judge every column, or raise the one sentence that says what to do about it.

    Parameters
    ----------
    evidence : Evidence
        What was seen of the columns.
    explicit : bool, default=False
        Whether the person named the columns: numbers that look like row ids are then used.
    max_categories : int, default=50
        Most values of a category.

    Returns
    -------
    Columns
    """
    numbers, texts, dropped = [], [], []
    for name, column in evidence.columns.items():
        if not column.present or column.is_constant:
            dropped.append(name)
        elif column.kinds == {NUMBER}:
            _refuse_row_numbers(column, explicit)
            numbers.append(name)
        else:
            reason = _why_not_a_category(column, max_categories)
            if reason:
                raise TableError(
                    f"Column {name!r} {reason}, leave it out with --drop {shell(name)}, or list"
                    " the columns to use with --features."
                )
            texts.append(name)
    if not numbers and not texts:
        raise TableError("Every column is empty or holds a single value: nothing can be learned.")
    notes = [*_about_dropped(dropped), *_about_missing(evidence, [*numbers, *texts])]
    return Columns(numbers, texts, dropped, notes)


def _about_dropped(names: list[str]) -> list[str]:
    if not names:
        return []
    listed = ", ".join(repr(name) for name in names[:5]) + ", …" * (len(names) > 5)
    which = "A column is" if len(names) == 1 else f"{len(names)} columns are"
    return [f"{which} empty or the same in every row and left out: {listed}."]


def _about_missing(evidence: Evidence, used: list[str]) -> list[str]:
    holes = [(name, evidence[name].missing) for name in used if evidence[name].missing]
    if not holes:
        return []
    worst = max(holes, key=lambda hole: hole[1])
    total = sum(count for _, count in holes)
    return [
        f"{total:,} missing cells in {len(holes)} columns were filled with the column's mean or"
        f" most frequent value (most in {worst[0]!r}: {worst[1]:,} of {evidence[worst[0]].rows:,})."
    ]


def _refuse_row_numbers(column: ColumnEvidence, explicit: bool) -> None:
    named_so = column.increases and _IDENTIFIER.fullmatch(column.name)
    if explicit or column.rows < limits.ROWS_TO_JUDGE or not (column.counts_rows or named_so):
        return
    name = shell(column.name)
    raise TableError(
        f"Column {column.name!r} looks like an identifier ({column.low:.0f} to"
        f" {column.high:.0f}, rising): pass --id {name} to name rows by it, --drop {name} to leave"
        " it out, or list the columns to use with --features."
    )


def _why_not_a_category(column: ColumnEvidence, max_categories: int) -> str | None:
    """Return what is wrong with a column that is not all numbers, and its own cure."""
    if DATE in column.kinds or column.dates > MOSTLY * column.present:
        return "holds dates: turn them into numbers, such as days since the first one"
    if not column.kinds <= {NUMBER, TEXT}:
        return "holds lists or objects: spread them over columns of numbers"
    distinct = len(column.texts)
    if distinct > 2 and MOSTLY * column.present < column.numbers < column.present:
        odd = str(column.no_number)
        return f"holds numbers, but also {odd!r}: pass --missing {shell(odd)} for cells without one"
    if column.numbers == column.present and distinct > max_categories:
        return "holds numbers written as text: write them with a decimal point and no % or blanks"
    if column.words > MANY_WORDS * column.present:
        return "holds free text: turn it into numbers first, for example into embeddings"
    if column.present >= limits.ROWS_TO_JUDGE and distinct > DISTINCT_SHARE * column.counted:
        return (
            "looks like an identifier (nearly every value differs): name rows by it with --id"
            f" {shell(column.name)}"
        )
    if distinct > max_categories:
        return (
            f"has {distinct:,} different texts, more than a category should have: allow them with"
            f" --max-categories {distinct}"
        )
    return None
