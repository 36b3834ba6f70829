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
    "null", "none", "unknown", "missing", "tbd", "k.a.", "k. a.", "n.d.", "n. d.", "no data",
    "not measured", "not available", "not applicable", "keine angabe", "unbekannt", "inconnu",
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
    *(day + time for time, day in product(_TIMES, _DAYS)), "%H:%M", "%H:%M:%S", "%I:%M %p",
    "%I:%M:%S %p", "%I:%M%p", "%Y-%m", "%m/%Y",
)  # fmt: skip
"""Tried in this order; where day and month can be told apart by no cell, the day comes first."""

_LIKE_A_DATE = re.compile(r".*\d.*[-/.:, ].*\d.*")

_YES = frozenset(
    ("yes", "y", "true", "t", "on", "ja", "j", "oui", "si", "sí", "da", "wahr", "vrai")
)
_NO = frozenset(("no", "n", "false", "f", "off", "nein", "non", "net", "falsch", "faux"))
_DIGITS_OF_TRUTH = {"1": 1.0, "0": 0.0}
"""They mean yes and no among such words only."""

_KIN = (
    {"µm": 1e-6, "mm": 1e-3, "cm": 1e-2, "dm": 0.1, "m": 1.0, "km": 1e3},
    {"µg": 1e-6, "mg": 1e-3, "g": 1.0, "kg": 1e3, "t": 1e6},
    {"ml": 1e-3, "mL": 1e-3, "cl": 1e-2, "dl": 0.1, "l": 1.0, "L": 1.0, "hl": 100.0},
    {"ms": 1e-3, "s": 1.0, "sec": 1.0, "min": 60.0, "h": 3600.0, "hr": 3600.0},
    {"B": 1.0, "KB": 1e3, "kB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12},
    {"Hz": 1.0, "kHz": 1e3, "MHz": 1e6, "GHz": 1e9},
    {"": 1.0, "k": 1e3, "M": 1e6},
)
"""Units that measure the same, by their size."""


@dataclass(frozen=True)
class NumberReading:
    """Numbers written with a decimal character, marks between thousands, and a unit.

    Parameters
    ----------
    decimal : "." or ","
        The decimal character.
    unit : str
        What stands before or after every number: a currency, a unit, or nothing. Numbers in a
        unit that measures the same, such as kg beside g, are converted to it.
    """

    decimal: str
    unit: str = ""

    def value(self, text: str) -> float:
        """Return the number; a percentage is a share, parentheses mean "less than zero"."""
        found = _NUMBER.fullmatch(text.strip())
        times = None if found is None else _times(_unit(found), self.unit)
        if found is None or times is None:
            raise ValueError(text)
        digits = found["digits"].strip()
        if _DIGITS[self.decimal].fullmatch(digits) is None:
            raise ValueError(text)
        kept = "".join(c for c in digits if c.isdigit() or c == self.decimal)
        number = float(kept.replace(self.decimal, ".") + (found["power"] or ""))
        is_negative = found["open"] or "-" in found["sign"] + found["inner"] or "−" in text
        scale = {"%": 100, "‰": 1000}.get(self.unit, 1) / times
        return (-number if is_negative else number) / scale

    def cells(self, texts: NDArray[Any]) -> Cells:
        """Return the numbers, NaN where a cell is empty."""
        return Cells(NUMBER, np.asarray(_each(self.value, texts, np.nan), dtype=np.float64))

    def words(self, example: str) -> str:
        """Return what the reading does, by an example."""
        unit = self.unit if _unit_of(example) != self.unit else ""
        return f"{example!r} is {self.value(example):.12g} {unit}".rstrip()


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
        """Return 1 for yes and 0 for no, in any of the spellings that are known."""
        word = text.strip().lower()
        if word in _DIGITS_OF_TRUTH:
            return _DIGITS_OF_TRUTH[word]
        if word not in _YES | _NO | {self.yes, self.no}:
            raise ValueError(text)
        return float(word == self.yes or (word in _YES and word != self.no))

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
    mixture: str = ""
    """What the cells are if they are not written in one way, in words."""


def _each(read: Any, texts: NDArray[Any], gap: Any) -> list[Any]:
    """Read every text, each distinct one once."""
    known = {text: read(text) for text in set(texts.tolist()) if text is not None}
    return [gap if text is None else known[text] for text in texts.tolist()]


def _unit(found: re.Match[str]) -> str:
    return (found["front"] or found["unit"] or "").rstrip(".")


def _unit_of(text: str) -> str | None:
    found = _NUMBER.fullmatch(text.strip())
    return None if found is None else _unit(found)


def _times(unit: str, wanted: str) -> float | None:
    """Return how many of a wanted unit another one is, None if they measure different things."""
    if unit == wanted:
        return 1.0
    return next((kin[unit] / kin[wanted] for kin in _KIN if unit in kin and wanted in kin), None)


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
    mixture = ""
    for find in (_find_numbers, _find_dates):
        found, odd = find(there, decimal=decimal, date=date)
        mixture = mixture or found.mixture
        if found.reading is None:
            continue
        if not odd:
            return found._replace(no_value=no_value, mixture="")
        if len(odd) <= MOST_ODD and sum(texts[t] for t in there if t not in odd) >= needed:
            return Found(odd=tuple(odd), example=found.example)
    return Found(mixture=mixture)


def _find_truth(texts: Iterable[str]) -> TruthReading | None:
    words = {text.strip().lower() for text in texts}
    yes, no = sorted(words & _YES), sorted(words & _NO)
    known = words <= _YES | _NO | _DIGITS_OF_TRUTH.keys()
    yes, no = yes or list(words & {"1"}), no or list(words & {"0"})
    if not known or not yes or not no or words <= _DIGITS_OF_TRUTH.keys():
        return None
    return TruthReading(yes[0], no[0])


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
    # The longest example, of those in another unit than most, because they are converted.
    example = max(
        (t for t in texts if t not in unread[best]),
        key=lambda t: (_unit_of(t) != unit, len(t)),
        default="",
    )
    if not example:
        return Found(), set()
    mixture = ""
    if unread[best] and all(matches.values()):
        kinds = ", ".join(repr(kind or "none") for kind, _ in units.most_common(4))
        mixture = f"numbers with different units ({kinds})" if len(units) > 1 else ""
    marked = any(mark in m["digits"] for m in matches.values() if m for mark in ",.")
    both = len(readings) == 2 and len({len(odd) for odd in unread.values()}) == 1
    found = Found(best, example=example, is_ambiguous=both and marked, mixture=mixture)
    return found, unread[best]


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
    mixture = ""
    if unread[chosen] and all(any(reads(DateReading(f), t) for f in formats) for t in some):
        mixture = "dates in several formats"
    return (Found(chosen, example=example, mixture=mixture), unread[chosen]) if example else (
        Found(), set()
    )  # fmt: skip


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
