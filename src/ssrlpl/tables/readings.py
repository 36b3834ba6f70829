"""How a column of texts is read: as numbers with units, as dates, or as yes and no.

A reading is found once, from the texts of the table a model is fitted to, and is then used for
every later table: "1,951" means there what it meant in the first one. It holds for *every* cell of
a column or not at all, so that no number is changed in silence.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .cell_values import DATE, NUMBER, Cells

MOSTLY = 0.8
"""A column with this share of numbers, or of dates, is meant to hold them."""

MOST_ODD = 5
"""More different cells of another kind are no slips: the column holds texts, such as tickets."""

NO_VALUE = frozenset((
    "?", "??", "-", "--", "---", "–", "—", ".", "..", "na", "n.a.", "n/a", "#n/a", "nan", "nil",
    "null", "none", "unknown", "missing", "tbd", "k.a.",
))  # fmt: skip
"""What people write where a number or a date is not known, in lower case."""

_CURRENCY = r"[$€£¥₹]|USD|EUR|GBP|CHF|JPY|CNY|INR|SEK|NOK|DKK|PLN|CAD|AUD|BRL|Rs\.?|kr\.?"
_NUMBER = re.compile(
    rf"(?P<open>\()?(?P<sign>[-+−]?)\s*(?P<front>{_CURRENCY})?\s*(?P<inner>[-+−]?)"
    r"(?P<digits>\d[\d.,'’\s]*|[.,]\d+)(?P<power>[eE][-+]?\d+)?"
    rf"\s*(?P<unit>%|‰|°[CF]?|{_CURRENCY}|[^\W\d_][\w²³°µ/%]{{0,9}})?(?P<close>\))?"
)
_CODE = re.compile(r"0\d+")  # a number with a zero in front is a code, such as a postal one
_DIGITS = {
    decimal: re.compile(
        rf"(\d+|\d{{1,3}}(?P<mark>[{others}\s'’])\d{{3}}((?P=mark)\d{{3}})*)"
        rf"({re.escape(decimal)}\d*)?|{re.escape(decimal)}\d+"
    )
    for decimal, others in ((".", ","), (",", "."))
}

_DAYS = ("%Y-%m-%d", "%Y/%m/%d", "%Y.%m.%d", "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y",
         "%m-%d-%Y", "%d.%m.%y", "%d/%m/%y", "%m/%d/%y", "%d %b %Y", "%d %B %Y", "%d-%b-%Y",
         "%b %d, %Y", "%B %d, %Y", "%b %d %Y", "%d. %B %Y")  # fmt: skip
_TIMES = ("", " %H:%M", " %H:%M:%S", "T%H:%M:%S", " %H:%M:%S.%f", "T%H:%M:%S.%f", "T%H:%M",
          "T%H:%M:%S%z", " %H:%M:%S%z", "T%H:%M:%S.%f%z", " %I:%M %p", " %I:%M:%S %p")  # fmt: skip
DATE_FORMATS = (
    *(day + time for time, day in product(_TIMES, _DAYS)), "%H:%M", "%H:%M:%S", "%Y-%m", "%m/%Y",
)  # fmt: skip
"""Tried in this order; where day and month can be told apart by no cell, the day comes first."""

_LIKE_A_DATE = re.compile(r".*\d.*[-/.:, ].*\d.*")

_TRUTHS = (("yes", "no"), ("y", "n"), ("true", "false"), ("t", "f"), ("on", "off"),
           ("ja", "nein"), ("oui", "non"), ("si", "no"), ("sí", "no"), ("da", "net"),
           ("j", "n"), ("wahr", "falsch"), ("vrai", "faux"))  # fmt: skip


@dataclass(frozen=True)
class NumberReading:
    """Numbers written with a decimal character, marks between thousands, and a unit.

    Parameters
    ----------
    decimal : "." or ","
        The decimal character.
    unit : str
        What stands before or after every number: a currency, a unit, or nothing.
    """

    decimal: str
    unit: str = ""

    def value(self, text: str) -> float:
        """Return the number; a percentage is a share, parentheses mean "less than zero"."""
        found = _NUMBER.fullmatch(text.strip())
        if found is None or _unit(found) != self.unit:
            raise ValueError(text)
        digits = found["digits"].strip()
        if _DIGITS[self.decimal].fullmatch(digits) is None:
            raise ValueError(text)
        kept = "".join(c for c in digits if c.isdigit() or c == self.decimal)
        number = float(kept.replace(self.decimal, ".") + (found["power"] or ""))
        is_negative = found["open"] or "-" in found["sign"] + found["inner"] or "−" in text
        scale = {"%": 100, "‰": 1000}.get(self.unit, 1)
        return (-number if is_negative else number) / scale

    def cells(self, texts: NDArray[Any]) -> Cells:
        """Return the numbers, NaN where a cell is empty."""
        return Cells(NUMBER, np.asarray(_each(self.value, texts, np.nan), dtype=np.float64))

    def words(self, example: str) -> str:
        """Return what the reading does, by an example."""
        return f"{example!r} is {self.value(example):.12g}"


@dataclass(frozen=True)
class DateReading:
    """Dates, or times, written in one format of :func:`datetime.datetime.strptime`."""

    format: str

    def value(self, text: str) -> datetime:
        """Return the date."""
        return datetime.strptime(text.strip(), self.format).replace(tzinfo=None)

    def cells(self, texts: NDArray[Any]) -> Cells:
        """Return the dates, NaT where a cell is empty."""
        return Cells(DATE, np.array(_each(self.value, texts, None), dtype="datetime64[s]"))

    def words(self, example: str) -> str:
        """Return what the reading does, by an example."""
        written = f"{self.value(example):%d %B %Y %H:%M}".removesuffix(" 00:00")
        return f"{example!r} is {written.removeprefix('01 January 1900 ')}"


@dataclass(frozen=True)
class TruthReading:
    """Yes and no, in some language, in upper or lower case."""

    yes: str
    no: str

    def value(self, text: str) -> float:
        """Return 1 for yes and 0 for no."""
        return float((self.no, self.yes).index(text.strip().lower()))

    def cells(self, texts: NDArray[Any]) -> Cells:
        """Return ones and zeros, NaN where a cell is empty."""
        return Cells(NUMBER, np.asarray(_each(self.value, texts, np.nan), float), is_bool=True)

    def words(self, example: str) -> str:
        """Return what the reading does, by an example."""
        return f"{example!r} is {self.value(example):.0f}"


Reading = NumberReading | DateReading | TruthReading


class Found(NamedTuple):
    """A reading, and the cells that stand for "not known" or spoil it."""

    reading: Reading | None = None
    no_value: tuple[str, ...] = ()
    """Cells such as "?", which are missing under this reading."""
    odd: tuple[str, ...] = ()
    """Cells that are neither: most cells have a reading and these do not."""
    example: str = ""
    is_ambiguous: bool = False
    """Whether "," and "." could change their roles: no cell tells."""


def _each(read: Any, texts: NDArray[Any], gap: Any) -> list[Any]:
    """Read every text, each distinct one once."""
    known = {text: read(text) for text in set(texts.tolist()) if text is not None}
    return [gap if text is None else known[text] for text in texts.tolist()]


def _unit(found: re.Match[str]) -> str:
    return (found["front"] or found["unit"] or "").rstrip(".")


def find_reading(texts: Counter[str], *, decimal: str = "auto", date: str = "") -> Found:
    """Return how the texts of a column are read.

    Parameters
    ----------
    texts : Counter of str
        The texts, and how often each comes.
    decimal : {"auto", ".", ","}
        The decimal character, if it is known.
    date : str
        The format of dates, if it is known.

    Returns
    -------
    Found
        Without a reading if the texts are just texts.

    Examples
    --------
    >>> from collections import Counter
    >>> from ssrlpl.tables.readings import find_reading
    >>> find_reading(Counter({"$8,432.57": 1, "$993.10": 1})).reading
    NumberReading(decimal='.', unit='$')
    >>> find_reading(Counter({"23/05/2024": 1, "06/05/2023": 1})).reading
    DateReading(format='%d/%m/%Y')
    """
    truth = _find_truth(texts)
    if truth is not None:
        return Found(truth, example=next(iter(texts)))
    no_value = tuple(text for text in texts if text.strip().lower() in NO_VALUE)
    there = [text for text in texts if text not in no_value]
    if not there:
        return Found()
    needed = MOSTLY * sum(texts[text] for text in there)
    for find in (_find_numbers, _find_dates):
        found, odd = find(there, decimal=decimal, date=date)
        if found.reading is None:
            continue
        if not odd:
            return found._replace(no_value=no_value)
        if len(odd) <= MOST_ODD and sum(texts[t] for t in there if t not in odd) >= needed:
            return Found(odd=tuple(odd), example=found.example)
    return Found()


def _find_truth(texts: Iterable[str]) -> TruthReading | None:
    words = {text.strip().lower() for text in texts}
    pairs = (pair for pair in _TRUTHS if words == set(pair))
    return next((TruthReading(*pair) for pair in pairs), None)


def _find_numbers(texts: list[str], *, decimal: str, **_: str) -> tuple[Found, set[str]]:
    """Return the reading of most texts, and the texts it does not read."""
    matches = {text: _NUMBER.fullmatch(text.strip()) for text in texts}
    units = Counter(
        _unit(m) for m in matches.values() if m and not _CODE.fullmatch(m["digits"].strip())
    )
    if not units or any(m and _CODE.fullmatch(m["digits"].strip()) for m in matches.values()):
        return Found(), set()
    unit = units.most_common(1)[0][0]
    readings = [NumberReading(mark, unit) for mark in (".", ",") if decimal in (mark, "auto")]
    unread = {reading: {t for t in texts if not reads(reading, t)} for reading in readings}
    best = min(readings, key=lambda reading: len(unread[reading]))
    example = max((t for t in texts if t not in unread[best]), key=len, default="")
    if not example:
        return Found(), set()
    marked = any(mark in m["digits"] for m in matches.values() if m for mark in ",.")
    both = len(readings) == 2 and len({len(odd) for odd in unread.values()}) == 1
    return Found(best, example=example, is_ambiguous=both and marked), unread[best]


def _find_dates(texts: list[str], *, date: str, **_: str) -> tuple[Found, set[str]]:
    """Return the format of most texts, and the texts it does not read."""
    some = texts[:50]
    if sum(bool(_LIKE_A_DATE.fullmatch(text)) for text in some) < MOSTLY * len(some):
        return Found(), set()
    formats = (date,) if date else DATE_FORMATS
    best = max(formats, key=lambda format_: sum(reads(DateReading(format_), t) for t in some))
    tried = [DateReading(format_) for format_ in _as_good(best, some, formats)]
    unread = {reading: {t for t in texts if not reads(reading, t)} for reading in tried}
    chosen = min(tried, key=lambda reading: len(unread[reading]))
    example = next((t for t in texts if t not in unread[chosen]), "")
    return (Found(chosen, example=example), unread[chosen]) if example else (Found(), set())


def _as_good(best: str, texts: list[str], formats: tuple[str, ...]) -> list[str]:
    """Return the formats that read as many of some texts as the best: the others will tell."""
    count = sum(reads(DateReading(best), text) for text in texts)
    return [f for f in formats if sum(reads(DateReading(f), t) for t in texts) == count]


def reads(reading: Reading, text: str) -> bool:
    """Tell whether a reading understands a text."""
    try:
        reading.value(text)
    except ValueError:
        return False
    return True
