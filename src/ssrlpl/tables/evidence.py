"""What was seen of every column of a table, in all of its rows, chunk by chunk."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._utils import limits
from .._utils.types import Array, Floats
from .cell_values import DATE, NUMBER, NUMBERS, TEXT, Cells, as_texts, read_cells, texts_of
from .date_formats import COMPACT, counted_format
from .errors import TableError
from .found_readings import Found, reads
from .readings import DateReading, find_reading, means_nothing
from .written_numbers import NumberReading, has_mark, likely_decimal

Readings = dict[str, Found]
"""How columns of texts are read, by name."""

NOTHING_FOUND = Found()

MARKED_SHARE = 0.05
"""A single text marks rows if more rows than this share have it, and more have it not."""

FEWEST_DATES = 5
"""So many different numbers that are all days are meant as days."""

TINY = 1e-140
"""Smaller spreads are zero when they are squared, those of its inverse are infinite."""


@dataclass
class ColumnEvidence:
    """Counts over the rows of one column seen so far."""

    name: str
    found: Found = NOTHING_FOUND
    kinds: set[str] = field(default_factory=set)
    is_bool: bool = False
    rows: int = 0
    missing: int = 0
    # numbers
    low: float = np.inf
    high: float = -np.inf
    is_whole: bool = True
    is_complete: bool = True  # whole numbers, none of them missing
    low_step: float = np.inf  # the smallest and the largest step from a number to the next
    high_step: float = -np.inf
    last: float = np.nan
    infinite: int | None = None  # the first row with an infinite number
    sum_: float = 0.0
    centered_squares: float = 0.0
    sample: Floats = field(default_factory=lambda: np.empty(0))
    stride: int = 1  # the sample has every row whose number it divides
    # dates, and several numbers in a cell
    parts: dict[str, ColumnEvidence] = field(default_factory=dict)
    # texts
    is_prose: bool = False  # the person said that its words matter
    prose: list[str] = field(default_factory=list)  # of the same rows as a sample of numbers
    texts: Counter[str] = field(default_factory=Counter)
    counted: int = 0
    words: int = 0

    @property
    def present(self) -> int:
        """Cells that are not missing."""
        return self.rows - self.missing

    @property
    def mean(self) -> float:
        """Mean of the numbers."""
        return float(self.sum_ / self.present) if self.present else 0.0

    @property
    def spread(self) -> float:
        """Standard deviation of the numbers once the missing ones are filled with the mean."""
        return float(np.sqrt(self.centered_squares / self.rows)) if self.rows else 0.0

    @property
    def can_be_measured(self) -> bool:
        """Whether mean and spread of the numbers are within what a computer can square."""
        return bool(np.isfinite(self.mean) and TINY < self.spread < 1 / TINY)

    @property
    def counts_rows(self) -> bool:
        """Whether each whole number is larger, or smaller, by one than the one before."""
        return self.is_complete and self.low_step == self.high_step in (-1, 1)

    @property
    def is_sorted(self) -> bool:
        """Whether each whole number is larger, or each smaller, than the one before."""
        return self.is_complete and (self.low_step > 0 or self.high_step < 0)

    @property
    def is_mark(self) -> bool:
        """Whether some rows are marked, by a 1 or by one text, and the others are empty."""
        is_one = self.kinds == {NUMBER} and self.low == self.high == 1
        is_text = self.kinds == {TEXT} and len(self.texts) == 1
        few = MARKED_SHARE * self.rows
        return (is_one or is_text) and min(self.present, self.missing) > few

    @property
    def is_constant(self) -> bool:
        """Whether all cells that are there are the same."""
        if self.is_mark:
            return False
        if self.kinds <= {NUMBER}:
            return self.low >= self.high
        if self.kinds in ({DATE}, {NUMBERS}):
            return all(part.is_constant for part in self.parts.values())
        return self.kinds == {TEXT} and len(self.texts) <= 1

    def add(self, cells: Cells) -> None:
        """Look at the next rows."""
        offset, self.rows = self.rows, self.rows + len(cells.values)
        self.is_bool = cells.is_bool
        if cells.kind == NUMBER:
            self._add_numbers(cells.values, offset)
        elif cells.kind == DATE:
            self._add_dates(cells.values)
        elif cells.kind == NUMBERS:
            self._add_several(cells.values)
        elif cells.kind == TEXT:
            self._add_texts(cells.values, offset)
        else:
            self.kinds.add(cells.kind)

    def _add_numbers(self, values: Floats, offset: int) -> None:
        infinite = np.isinf(values)
        if infinite.any():  # the judge asks about it, with all else that there is to ask
            if self.infinite is None:
                self.infinite = offset + int(infinite.argmax())
            values = np.where(infinite, np.nan, values)
        self._add_to_sample(values, offset)
        there = values[~np.isnan(values)]
        self.missing += len(values) - len(there)
        if not len(there):
            return
        self.kinds.add(NUMBER)
        self.low, self.high = min(self.low, there.min()), max(self.high, there.max())
        self._merge_moments(there)
        self.is_whole &= not np.any(np.mod(there[:100], 1))
        self.is_complete &= self.is_whole and len(there) == len(values)
        if self.is_complete:
            with np.errstate(over="ignore"):  # can_be_measured tells
                steps = np.diff(there if offset == 0 else np.append(self.last, there))
            self.low_step = min(self.low_step, steps.min(initial=np.inf))
            self.high_step = max(self.high_step, steps.max(initial=-np.inf))
        self.last = there[-1]

    def _merge_moments(self, values: Floats) -> None:
        """Merge sums as Chan, Golub and LeVeque do; the missing cells are already counted."""
        size = len(values)
        before = self.present - size
        with np.errstate(over="ignore", invalid="ignore"):  # can_be_measured tells
            mean = values.mean()
            if before > 0:
                between = before * size / self.present
                self.centered_squares += between * np.square(mean - self.sum_ / before)
            self.centered_squares += np.square(values - mean).sum()
            self.sum_ += mean * size

    def _add_to_sample(self, values: Floats, offset: int) -> None:
        """Keep evenly spaced rows; which ones does not depend on how the table was cut."""
        first = -offset % self.stride
        self.sample = np.concatenate([self.sample, values[first :: self.stride]])
        while len(self.sample) > limits.TAIL_ROWS:
            self.sample, self.stride = self.sample[::2], 2 * self.stride

    def _add_dates(self, values: NDArray[np.datetime64]) -> None:
        self.missing += int(np.isnat(values).sum())
        self.kinds.add(DATE)
        for part, numbers in date_parts(values).items():
            name = f"{self.name}_{part}"
            self.parts.setdefault(part, ColumnEvidence(name)).add(Cells(NUMBER, numbers))

    def _add_several(self, values: Floats) -> None:
        self.missing += int(np.isnan(values).all(axis=1).sum())
        self.kinds.add(NUMBERS)
        for place, numbers in enumerate(values.T, start=1):
            part = self.parts.setdefault(str(place), ColumnEvidence(f"{self.name}_{place}"))
            part.add(Cells(NUMBER, numbers))

    def _add_texts(self, values: Array, offset: int) -> None:
        if self.is_prose:
            self.prose += [text or "" for text in values[-offset % self.stride :: self.stride]]
            while len(self.prose) > limits.TAIL_ROWS:
                self.prose, self.stride = self.prose[::2], 2 * self.stride
        there = [v for v in values if v is not None]
        self.missing += len(values) - len(there)
        if not there:
            return
        self.kinds.add(TEXT)
        distinct = Counter(there)
        if len(self.texts) <= limits.DISTINCT_TEXTS:
            self.texts.update(distinct)
            self.counted += len(there)
        self.words += sum(count * len(text.split()) for text, count in distinct.items())


def date_parts(dates: NDArray[np.datetime64]) -> dict[str, Floats]:
    """Return what a date says, as numbers: NaN where there is no date.

    Examples
    --------
    >>> import numpy as np
    >>> from ssrlpl.tables.evidence import date_parts
    >>> parts = date_parts(np.array(["2024-02-29T18:30:00"], "datetime64[s]"))
    >>> {name: float(numbers[0]) for name, numbers in parts.items()}
    {'year': 2024.0, 'month': 2.0, 'weekday': 3.0, 'hour': 18.5, 'day': 19782.0}
    """
    days = dates.astype("datetime64[D]")
    years, months = dates.astype("datetime64[Y]"), dates.astype("datetime64[M]")
    parts = {
        "year": years.astype(float) + 1970,
        "month": (months - years).astype(float) + 1,
        "weekday": np.mod(days.astype(float) + 3, 7),  # 0 is Monday; day 0 was a Thursday
        "hour": (dates - days).astype(float) / 3600,
        "day": days.astype(float),
    }
    gaps = np.isnat(dates)
    return {name: np.where(gaps, np.nan, numbers) for name, numbers in parts.items()}


def find_readings(
    columns: dict[str, Cells],
    *,
    decimal: str = "auto",
    dates: dict[str, str] | None = None,
    as_text: set[str] | None = None,
) -> Readings:
    """Return how the columns of texts of a table are read, the same decimal character in all.

    Where the texts of a column do not tell whether "1,951" is a number below two or near two
    thousand, the other columns do; if they do not either, the comma stands between thousands.
    """
    texts = {
        name: Counter(value for value in cells.values if value is not None)
        for name, cells in columns.items()
        if cells.kind == TEXT and not cells.is_category and name not in (as_text or ())
    }
    found = {
        name: find_reading(count, decimal=decimal, date=(dates or {}).get(name, ""))
        for name, count in texts.items()
    }
    for name, format_ in (dates or {}).items():
        values = [text for text in texts.get(name, ()) if not means_nothing(text)]
        if values and found[name].reading is None and not found[name].odd:
            other = next(text for text in values if not reads(DateReading(format_), text))
            raise TableError(
                f"The dates of the column {name!r} must have the format {format_}, which was asked"
                f" for. Got {other!r}: name the format that they have, or leave it out."
            )
    numbers = {name: c for name, c in columns.items() if c.kind == NUMBER and not c.is_bool}
    for name, cells in numbers.items():
        format_ = (dates or {}).get(name, "") or _format_of_numbers(name, cells.values)
        if format_:
            there = Counter(t for t in as_texts(cells.values) if t is not None)
            found[name] = find_reading(there, date=format_)
    mark = decimal_of(found)
    if mark is not None:
        for name, reading in found.items():
            if reading.is_ambiguous and likely_decimal(texts[name]) in (None, mark):
                date = (dates or {}).get(name, "")
                found[name] = find_reading(texts[name], decimal=mark, date=date)
    return found


def _format_of_numbers(name: str, values: Floats) -> str:
    """Return the format of numbers that are dates, "" if they are none.

    Days such as 20240531 are told by their digits: one whole number in 27 is one by chance. Days
    that a spreadsheet counts, and seconds since 1970, are told by the name of the column, too.
    """
    there = np.unique(values[~np.isnan(values)])
    if len(there) < FEWEST_DATES or np.isinf(there).any():
        return ""
    compact = COMPACT.get(len(f"{there[0]:.0f}"))
    if compact and not np.any(np.mod(there, 1)):
        texts = [f"{number:.0f}" for number in there]
        years = all(1900 <= int(text[:4]) <= 2100 for text in texts)
        if years and all(reads(DateReading(compact), text) for text in texts):
            return compact
    return counted_format(name, there[0], there[-1])


def decimal_of(readings: Readings) -> str | None:
    """Return the decimal character by the vote of the columns that tell, None if none does."""
    votes = Counter(
        found.reading.decimal
        for found in readings.values()
        if isinstance(found.reading, NumberReading)
        and not found.is_ambiguous
        and has_mark(found.example)
    )
    return votes.most_common(1)[0][0] if votes else None


def read_typed(cells: Cells, found: Found, name: str) -> Cells:
    """Apply the reading that was found for a column, or name the cell that has none."""
    if cells.kind == NUMBER and isinstance(found.reading, DateReading):
        cells = Cells(TEXT, as_texts(cells.values))
    if cells.kind != TEXT or found.reading is None:
        return cells
    values = cells.values.copy()
    gone = [text for text in {*values.tolist()} - {None} if means_nothing(text)]
    values[np.isin(values, gone)] = None
    try:
        return found.reading.cells(values)
    except ValueError as error:
        row = next(i for i, v in enumerate(values) if v is not None and not reads(found.reading, v))
        raise TableError(
            f"Column {name!r} must hold cells like {found.example!r}, as before. Got"
            f" {values[row]!r} in row {row}: correct the cell, or leave it empty."
        ) from error


class Evidence:
    """What is known of every column of a table.

    Parameters
    ----------
    names : list of str
        The columns to look at.
    decimal : {"auto", ".", ","}
        The decimal character of numbers in texts.
    dates : dict
        Formats of columns of dates, by name.
    as_text : set of str
        Columns whose cells are texts, whatever they look like.
    as_category : set of str
        Columns whose cells are names of categories, whatever they look like.
    """

    def __init__(
        self,
        names: list[str],
        *,
        decimal: str = "auto",
        dates: dict[str, str] | None = None,
        as_text: set[str] | None = None,
        as_category: set[str] | None = None,
    ):
        self._as_category = as_category or set()
        self.columns = {
            name: ColumnEvidence(name, is_prose=name in (as_text or ())) for name in names
        }
        self._how: dict[str, Any] = {"decimal": decimal, "dates": dates, "as_text": as_text}

    def add(self, frame: Any) -> None:
        """Look at the next rows of the table; the first ones decide how texts are read.

        ``frame`` is a data frame, or columns by name.
        """
        cells = {name: self._cells(name, frame[name]) for name in self.columns}
        if not any(column.rows for column in self.columns.values()):
            readings = find_readings(cells, **self._how)
            for name, column in self.columns.items():
                column.found = readings.get(name, NOTHING_FOUND)
        for name, column in self.columns.items():
            column.add(read_typed(cells.pop(name), column.found, name))

    def _cells(self, name: str, column: Any) -> Cells:
        if name in self._as_category:
            return Cells(TEXT, texts_of(column), is_category=True)
        return read_cells(column)

    def __getitem__(self, name: str) -> ColumnEvidence:
        return self.columns[name]
