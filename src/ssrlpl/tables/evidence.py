"""What is known of each column after looking at all rows, chunk by chunk."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .cells import NUMBER, TEXT, Cells, check_finite, read_cells

MOST_DISTINCT = 10_000
"""Different texts of a column that are kept: a column with more is no category anyway."""

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
    def deviation(self) -> float:
        """Standard deviation of the numbers, as StandardScaler takes it."""
        return float(np.sqrt(self.centered_squares / self.present)) if self.present else 0.0

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
        self.counts_rows &= self.increases and self._is_count(there, offset)
        self.last = there[-1]

    def _is_count(self, values: NDArray[np.float64], offset: int) -> bool:
        start = values[0] - offset
        return start in (0, 1) and bool(np.all(np.diff(values) == 1))

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
        if len(self.texts) <= MOST_DISTINCT:
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
