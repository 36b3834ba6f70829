"""Cells that hold more than one number: 52°31'N, 5'11", and 120/80 or 3.0 x 4.1 m."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from .._utils.types import Array
from .cell_values import NUMBER, NUMBERS, Cells
from .found_readings import reads

_SIZE = r"(\d+(?:[.,]\d+)?)"
_A_UNIT = r"\s*(?:min\s?)?/\s?[^\W\d_]{1,4}"  # 5:30 min/km
_WRITTEN = {
    "degrees": (
        re.compile(
            rf"(?P<before>[NSEW]?)\s*{_SIZE}\s*[°º:-]?\s*(?:(?<=[\s°º:-]){_SIZE}\s*['’′:]?\s*)?"
            rf"(?:(?<=[\s°º'’′:]){_SIZE}\s*(?:[\"”″]|'')?)?\s*(?P<behind>[NSEW]?)"
        ),
        (1.0, 1 / 60, 1 / 3600),
    ),
    "inches": (
        re.compile(
            rf"{_SIZE}\s*(?:['’′]|ft\.?|feet|foot)\s*(?:{_SIZE}\s*(?:[\"”″]|''|in\.?|inch(?:es)?)?)?"
        ),
        (12.0, 1.0),
    ),
    "minutes": (
        re.compile(
            rf"{_SIZE}\s*(?:['’′]|:(?=\d\d{_A_UNIT}))\s*{_SIZE}\s*(?:[\"”″]|''|(?={_A_UNIT}))"
            rf"(?:{_A_UNIT})?"
        ),
        (1.0, 1 / 60),
    ),
    "ounces": (
        re.compile(rf"{_SIZE}\s*(?:lbs?\.?|pounds?)[\s,]*(?:{_SIZE}\s*(?:oz\.?|ounces?))?"),
        (16.0, 1.0),
    ),
}
"""How a quantity is written as several numbers, and what each of them counts, by the unit."""

_PLACE = re.compile(r"([^,;NS]*[NS])\s*[,;]?\s*([^,;EW]*[EW])")
_TWO_NUMBERS = re.compile(r"\d[\s:-]+\d")
_ZERO_IN_FRONT = re.compile(r"(?<!\d)(?<!\d[.,])0\d")
_TOKEN = {
    decimal: re.compile(rf"(?<![\w.,])[-−]?\d+(?:{re.escape(decimal)}\d+)?(?!\d)|\d+"
                        rf"(?:{re.escape(decimal)}\d+)?")
    for decimal in ".,"
}  # fmt: skip
_BETWEEN = r"/|x|×|\*|,|;|\||±|\+/-|(?<=\s)-(?=\s)|–|to|bis"
_UNIT = r"(?:\s?(?:[^\W\d_]{1,5}?[²³]?|%))?"
_SHAPE = re.compile(
    rf"#{_UNIT}(?:\s?(?P<mark>{_BETWEEN})\s?#{_UNIT})(?:\s?(?P=mark)\s?#{_UNIT}){{0,2}}"
    rf"|#{_UNIT}\s?[\[(]#{_UNIT}(?:\s?(?:[-–,;]|to|bis)\s?#{_UNIT})?[\])]"
    r"|[a-z]*(?: Z)? ?[\[(]#(?:,? ?#){1,3}[\])]",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class CompoundReading:
    """One quantity written as several numbers, such as degrees, minutes and seconds.

    Parameters
    ----------
    unit : {"degrees", "inches", "minutes", "ounces"}
        What is counted; degrees south and west are below zero.
    """

    unit: str

    def value(self, text: str) -> float:
        """Return the quantity."""
        pattern, sizes = _WRITTEN[self.unit]
        found = pattern.fullmatch(text.strip())
        if found is None:
            raise ValueError(text)
        sides = "".join(side for name, side in found.groupdict().items() if side)
        if self.unit == "degrees" and len(sides) != 1:
            raise ValueError(text)
        named = set(found.re.groupindex.values())
        parts = [p for j, p in enumerate(found.groups(), start=1) if j not in named]
        numbers = [float((part or "0").replace(",", ".")) for part in parts]
        pieces = zip(numbers[1:], sizes[1:], sizes, strict=False)
        if any(number * small >= large for number, small, large in pieces):
            raise ValueError(text)  # 79'27" are no feet
        total = sum(number * size for number, size in zip(numbers, sizes, strict=True))
        return -total if sides in ("S", "W") else total

    def cells(self, texts: Array) -> Cells:
        """Return the quantities, NaN where a cell is empty."""
        values = [np.nan if text is None else self.value(text) for text in texts.tolist()]
        return Cells(NUMBER, np.array(values, dtype=np.float64))

    def words(self, example: str) -> str:
        """Return what the reading does, by an example."""
        return f"{example!r} is {self.value(example):.6g} {self.unit}"


@dataclass(frozen=True)
class PlaceReading:
    """A place on Earth in every cell, such as 48.14° N, 11.58° E: two columns of degrees."""

    count: ClassVar[int] = 2

    def value(self, text: str) -> tuple[float, float]:
        """Return the degrees; south and west are below zero."""
        found = _PLACE.fullmatch(text.strip())
        if found is None:
            raise ValueError(text)
        degrees = CompoundReading("degrees")
        return degrees.value(found[1]), degrees.value(found[2])

    def cells(self, texts: Array) -> Cells:
        """Return a row of degrees for each cell, NaN where it is empty."""
        return _rows(self, texts)

    def words(self, example: str) -> str:
        """Return what the reading does, by an example."""
        return f"{example!r} is {' and '.join(f'{v:.6g}' for v in self.value(example))} degrees"


@dataclass(frozen=True)
class SeveralReading:
    """Several numbers in every cell, with the same between them: each becomes a column.

    Parameters
    ----------
    shape : str
        A cell with a # for each number.
    decimal : "." or ","
        The decimal character.
    """

    shape: str
    decimal: str

    @property
    def count(self) -> int:
        """How many numbers a cell has."""
        return self.shape.count("#")

    def value(self, text: str) -> tuple[float, ...]:
        """Return the numbers."""
        if shape_of(text, self.decimal) != self.shape:
            raise ValueError(text)
        tokens = _TOKEN[self.decimal].findall(text)
        return tuple(float(t.replace(self.decimal, ".").replace("−", "-")) for t in tokens)

    def cells(self, texts: Array) -> Cells:
        """Return a row of numbers for each cell, NaN where it is empty."""
        return _rows(self, texts)

    def words(self, example: str) -> str:
        """Return what the reading does, by an example."""
        return f"{example!r} is {' and '.join(f'{number:.12g}' for number in self.value(example))}"


def _rows(reading: PlaceReading | SeveralReading, texts: Array) -> Cells:
    gap = (np.nan,) * reading.count
    rows = [gap if text is None else reading.value(text) for text in texts.tolist()]
    return Cells(NUMBERS, np.array(rows, dtype=np.float64).reshape(-1, reading.count))


def shape_of(text: str, decimal: str) -> str:
    """Return a cell with a # for each number and one blank for several.

    Examples
    --------
    >>> from ssrlpl.tables.compound_cells import shape_of
    >>> shape_of("120/80", "."), shape_of("3,0  x 4,1 m", ","), shape_of("3-1", ".")
    ('#/#', '# x # m', '#-#')
    """
    return " ".join(_TOKEN[decimal].sub("#", text).split())


def find_compound(texts: list[str]) -> CompoundReading | None:
    """Return the reading of quantities that are written as several numbers in every cell.

    Single letters such as N and W are also units: both sides, the sign of degrees, or minutes in
    every cell must be seen.
    """
    for unit, (pattern, _) in _WRITTEN.items():
        reading = CompoundReading(unit)
        if not all(pattern.fullmatch(text.strip()) for text in texts[:5]):
            continue
        if unit in ("inches", "minutes") and not all(reads(reading, text) for text in texts):
            continue  # they are written alike: 5'11" and 79'27"
        sides = {letter for text in texts for letter in text if letter in "NSEW"}
        is_sure = len(sides) > 1 or any("°" in t or "º" in t for t in texts)
        if unit == "degrees" and not is_sure and not all(map(_TWO_NUMBERS.search, texts)):
            continue
        return reading
    return None


def find_several(texts: list[str], decimal: str) -> PlaceReading | SeveralReading | None:
    """Return the reading of cells with several numbers each, None if they could be codes.

    Examples
    --------
    >>> from ssrlpl.tables.compound_cells import find_several
    >>> find_several(["120/80", "135/90"], "auto")
    SeveralReading(shape='#/#', decimal='.')
    >>> find_several(["555-1234", "555-9876"], "auto") is None
    True
    """
    if all(reads(PlaceReading(), text) for text in texts):
        return PlaceReading()
    if any(map(_ZERO_IN_FRONT.search, texts)):
        return None
    for mark in ".,":
        if decimal not in (mark, "auto"):
            continue
        shape = shape_of(texts[0], mark)
        fits = shape.count("#") > 1 and _SHAPE.fullmatch(shape)
        if not fits or any(shape_of(text, mark) != shape for text in texts[:50]):
            continue
        in_thousands = all(re.search(r"\d,\d{3}(?!\d)", t) or "," not in t for t in texts)
        if mark == "," and decimal == "auto" and in_thousands:
            continue  # 1,200/3,400: the comma may stand between thousands
        return SeveralReading(shape, mark)
    return None
