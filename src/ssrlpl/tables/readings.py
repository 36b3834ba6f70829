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
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._utils.advice import missing_cells
from .cell_values import DATE, NUMBER, Cells
from .compound_cells import CompoundReading, SeveralReading, find_compound, find_several
from .date_formats import LONGEST, formats_like, in_english, swapped, without_zone
from .durations import has_seconds, hours

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
    rf"(?P<open>\()?(?P<sign>[-+−]?)\s*(?P<limit>[<>≤≥~≈]=?)?\s*"
    rf"(?P<front>{_CURRENCY})?\s*(?P<inner>[-+−]?)"
    r"(?P<digits>\d[\d.,'’\s]*|[.,]\d+)(?P<power>[eE][-+]?\d+)?"
    rf"\s*(?P<unit>%|‰|°[CF]?|{_CURRENCY}|[^\W\d_][\w²³°µ/%]{{0,9}}\.?)?(?P<tail>[-−])?(?P<close>\))?"
)
_SIGN_OUTSIDE = re.compile(rf"({_CURRENCY})\s*\((.*)\)")  # $(2.50), as ($2.50)
_POWER_OF_TEN = re.compile(r"(?<=\d)\s*[x×·*]\s*10\s*\^?\s*([-−⁻]?[\d⁰¹²³⁴⁵⁶⁷⁸⁹]+)")  # 1.5 x 10^3
_NO_CENTS = re.compile(r"(?<=\d)[.,](-+|[–—])(?=\s*(€|CHF|EUR|$))")  # 25,- is no minus
_ARROWS = str.maketrans("▲△↑▼▽↓", "+++---")
_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
_CODE = re.compile(r"0\d+")  # a number with a zero in front is a code, such as a postal one
_DIGITS = {
    decimal: re.compile(
        rf"(\d+|[1-9]\d{{0,2}}(?P<mark>[{others}\s'’])\d{{3}}((?P=mark)\d{{3}})*"
        rf"|[1-9]\d?({re.escape(others)}\d\d)+{re.escape(others)}\d{{3}})"  # as in India
        rf"({re.escape(decimal)}\d*)?|{re.escape(decimal)}\d+"
    )
    for decimal, others in ((".", ","), (",", "."))
}
_MARK = re.compile(r"\d[.,]\d")

ENOUGH_MARKED = 20
"""So many different numbers with three digits behind each mark, and others without one: the marks
stand between thousands. Of decimals one in ten would end with a zero, and have two."""

MOST_UNITS = 6
"""More different ends of numbers are no units: they are codes, such as 0x1df."""

_LIKE_A_DATE = re.compile(r"(?=.*\d).*[-/.:, ].*")

YES = frozenset((
    "yes", "y", "true", "t", "on", "ja", "j", "oui", "si", "sí", "da", "wahr", "vrai", "sim",
    "tak", "да", "是", "はい", "✓", "✔", "☑",
))  # fmt: skip
NO = frozenset((
    "no", "n", "false", "f", "off", "nein", "non", "net", "falsch", "faux", "não", "nej", "nee",
    "nie", "нет", "否", "いいえ", "✗", "✘", "☐",
))  # fmt: skip
_DIGITS_OF_TRUTH = {"1": 1.0, "0": 0.0}
"""They mean yes and no among such words only."""

_KIN = (
    {"µm": 1e-6, "mm": 1e-3, "cm": 1e-2, "dm": 0.1, "m": 1.0, "km": 1e3, "in": 0.0254, "ft": 0.3048,
     "mi": 1609.344},
    {"µg": 1e-6, "mg": 1e-3, "g": 1.0, "kg": 1e3, "t": 1e6, "oz": 28.349523125, "lb": 453.59237,
     "lbs": 453.59237},
    {"ml": 1e-3, "mL": 1e-3, "cl": 1e-2, "dl": 0.1, "l": 1.0, "L": 1.0, "hl": 100.0},
    {"µs": 1e-6, "ms": 1e-3, "s": 1.0, "sec": 1.0, "min": 60.0, "h": 3600.0, "hr": 3600.0},
    {"B": 1.0, "KB": 1e3, "kB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12,
     "KiB": 2.0**10, "MiB": 2.0**20, "GiB": 2.0**30, "TiB": 2.0**40},
    {"Hz": 1.0, "kHz": 1e3, "MHz": 1e6, "GHz": 1e9},
    {"": 1.0, "k": 1e3, "K": 1e3, "M": 1e6, "Mio": 1e6, "mn": 1e6, "Mrd": 1e9, "bn": 1e9},
    {"CR": 1.0, "DR": -1.0, "Cr": 1.0, "Dr": -1.0},
)  # fmt: skip
"""Units that measure the same, by their size; credit is the opposite of debit."""


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
        found = _matched(text)
        if found is None or _DIGITS[self.decimal].fullmatch(found["digits"].strip()) is None:
            raise ValueError(text)
        kept = "".join(c for c in found["digits"] if c.isdigit() or c == self.decimal)
        number = float(kept.replace(self.decimal, ".") + (found["power"] or ""))
        times = _times(_unit(found), self.unit)
        if times is None and (number or _unit(found)):  # nothing is nothing in every unit
            raise ValueError(text)
        if times is not None and times < 0 and (found["open"] or "-" in text or "−" in text):
            raise ValueError(text)  # -5 DR: it is below zero twice
        signs = found["sign"] + found["inner"] + (found["tail"] or "")
        is_negative = found["open"] or "-" in signs or "−" in signs
        scale = {"%": 100, "‰": 1000}.get(self.unit, 1) / (times or 1)
        return (-number if is_negative else number) / scale

    def cells(self, texts: NDArray[Any]) -> Cells:
        """Return the numbers, NaN where a cell is empty."""
        return Cells(NUMBER, np.asarray(_each(self.value, texts, np.nan), dtype=np.float64))

    def words(self, example: str) -> str:
        """Return what the reading does, by an example."""
        unit = self.unit if _unit_of(example) != self.unit else ""
        return f"{plain(example)!r} is {self.value(example):.12g} {unit}".rstrip()


@dataclass(frozen=True)
class DateReading:
    """Dates, or times, written in one format of :func:`datetime.datetime.strptime`."""

    format: str

    def value(self, text: str) -> datetime:
        """Return the date."""
        text = in_english(without_zone(text, self.format), self.format)
        return datetime.strptime(text, self.format).replace(tzinfo=None)

    def cells(self, texts: NDArray[Any]) -> Cells:
        """Return the dates, NaT where a cell is empty."""
        return Cells(DATE, np.array(_each(self.value, texts, None), dtype="datetime64[s]"))

    def words(self, example: str) -> str:
        """Return what the reading does, by an example."""
        written = f"{self.value(example):%d %B %Y %H:%M}".removesuffix(" 00:00")
        return f"{plain(example)!r} is {written.removeprefix('01 January 1900 ')}"


@dataclass(frozen=True)
class DurationReading:
    """Durations; "59:30" is minutes and seconds where other cells are like "1:02:10"."""

    clock_has_seconds: bool

    def value(self, text: str) -> float:
        """Return the hours."""
        return hours(text, clock_has_seconds=self.clock_has_seconds)

    def cells(self, texts: NDArray[Any]) -> Cells:
        """Return the hours, NaN where a cell is empty."""
        return Cells(NUMBER, np.asarray(_each(self.value, texts, np.nan), dtype=np.float64))

    def words(self, example: str) -> str:
        """Return what the reading does, by an example."""
        return f"{plain(example)!r} is {self.value(example):.4g} hours"


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
        if word not in YES | NO | {self.yes, self.no}:
            raise ValueError(text)
        return float(word == self.yes or (word in YES and word != self.no))

    def cells(self, texts: NDArray[Any]) -> Cells:
        """Return ones and zeros, NaN where a cell is empty."""
        return Cells(NUMBER, np.asarray(_each(self.value, texts, np.nan), float), is_bool=True)

    def words(self, example: str) -> str:
        """Return what the reading does, by an example."""
        return f"{example!r} is {self.value(example):.0f}"


Reading = (
    NumberReading | DateReading | DurationReading | TruthReading | CompoundReading | SeveralReading
)


class Found(NamedTuple):
    """A reading, and the cells that stand for "not known" or spoil it."""

    reading: Reading | None = None
    no_value: tuple[str, ...] = ()
    """Cells such as "?", which are missing under this reading."""
    odd: tuple[str, ...] = ()
    """Cells that are neither: most cells have a reading and these do not."""
    example: str = ""
    is_ambiguous: bool = False
    """Whether "," and ".", or day and month, could change their roles: no cell tells."""
    mixture: str = ""
    """What the cells are if they are not written in one way, in words."""
    limits: tuple[str, ...] = ()
    """Cells such as "<0.05" among plain numbers, which are read as the number behind the sign."""


def _each(read: Any, texts: NDArray[Any], gap: Any) -> list[Any]:
    """Read every text, each distinct one once."""
    known = {text: read(text) for text in set(texts.tolist()) if text is not None}
    return [gap if text is None else known[text] for text in texts.tolist()]


def plain(text: str) -> str:
    """Write a cell for a person: blanks of every kind and length as one."""
    return " ".join(text.split())


def _matched(text: str) -> re.Match[str] | None:
    text = _NO_CENTS.sub("", text.strip().removeprefix("'").translate(_ARROWS))
    text = _POWER_OF_TEN.sub(_as_power, text)
    if len(text) > LONGEST:
        return None
    return _NUMBER.fullmatch(text) or _NUMBER.fullmatch(_SIGN_OUTSIDE.sub(r"(\1\2)", text))


def _as_power(found: re.Match[str]) -> str:
    return f"e{found[1].translate(_RAISED).replace('−', '-')}"


def _unit(found: re.Match[str]) -> str:
    """Return what stands around a number; with a currency and a unit, as in $2 k, both."""
    both = (found["front"] or "", found["unit"] or "")
    return " ".join(part.rstrip(".") for part in both if part)


def _unit_of(text: str) -> str | None:
    found = _matched(text)
    return None if found is None else _unit(found)


def _times(unit: str, wanted: str) -> float | None:
    """Return how many of a wanted unit another one is, None if they measure different things."""
    if unit == wanted:
        return 1.0
    (front, back), (asked, wanted) = _parts(unit), _parts(wanted)
    if front != asked:
        return None
    return next((kin[back] / kin[wanted] for kin in _KIN if back in kin and wanted in kin), None)


def _parts(unit: str) -> tuple[str, str]:
    """Return the currency and the unit, either of them may be missing."""
    first, _, second = unit.partition(" ")
    return (first, second) if second or re.fullmatch(_CURRENCY, first) else ("", first)


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
    no_value = tuple(text for text in texts if _means_nothing(text))
    there = [text for text in texts if text not in no_value]
    if not there:
        return Found()
    needed = MOSTLY * sum(texts[text] for text in there)
    mixture = ""
    finders = (_find_dates,) if date else FINDERS
    for find in finders:
        found, odd = find(there, decimal=decimal, date=date)
        mixture = mixture or found.mixture
        if found.reading is None:
            continue
        if not odd:
            return found._replace(no_value=no_value, mixture="")
        read = sum(texts[t] for t in there if t not in odd)
        if len(odd) <= MOST_ODD and read >= needed:
            return Found(odd=tuple(odd), example=found.example)
        if len(odd) <= MOST_ODD and 2 * read >= needed and not mixture:
            cells = sorted(odd)
            mixture = (
                f"cells like {plain(found.example)!r} and also {', '.join(map(repr, cells[:3]))}"
                f" ({missing_cells(cells)} takes these for missing ones)"
            )
    return Found(mixture=mixture)


def _means_nothing(text: str) -> bool:
    """Tell whether a cell says that there is no value, also in money: "$ -"."""
    text = text.strip().lower()
    return text in NO_VALUE or text.strip("$€£¥₹ ") in ("-", "–", "—")


def _find_truth(texts: Iterable[str]) -> TruthReading | None:
    words = {text.strip().lower() for text in texts}
    yes, no = sorted(words & YES), sorted(words & NO)
    known = words <= YES | NO | _DIGITS_OF_TRUTH.keys()
    yes, no = yes or list(words & {"1"}), no or list(words & {"0"})
    if not known or not yes or not no or words <= _DIGITS_OF_TRUTH.keys():
        return None
    return TruthReading(yes[0], no[0])


def _find_numbers(texts: list[str], *, decimal: str, **_: str) -> tuple[Found, set[str]]:
    """Return the reading of most texts, and the texts it does not read."""
    matches = {text: _matched(text) for text in texts}
    units = Counter(
        _unit(m) for m in matches.values() if m and not _CODE.fullmatch(m["digits"].strip())
    )
    if not units or any(m and _CODE.fullmatch(m["digits"].strip()) for m in matches.values()):
        return Found(), set()
    unit = units.most_common(1)[0][0]
    readings = [NumberReading(mark, unit) for mark in (".", ",") if decimal in (mark, "auto")]
    unread = {reading: {t for t in texts if not reads(reading, t)} for reading in readings}
    best = min(readings, key=lambda reading: len(unread[reading]))
    # An example in another unit than most, because it is converted, or one with a mark.
    example = max(
        (t for t in texts if t not in unread[best]),
        key=lambda t: (_unit_of(t) != unit and best.value(t) != 0, bool(_MARK.search(t)), len(t)),
        default="",
    )
    if not example:
        return Found(), set()
    mixture = ""
    if unread[best] and all(matches.values()):
        swap = NumberReading("," if best.decimal == "." else ".", unit)
        shown = [repr(next(plain(t) for t in texts if _unit_of(t) == unit)) for unit in units]
        if 1 < len(units) <= MOST_UNITS:
            mixture = f"numbers with different units or signs ({', '.join(shown[:4])})"
        elif len(units) == 1 and all(reads(swap, t) for t in unread[best]):
            mixture = "numbers of which some have a decimal comma and some a decimal point"
    both = len(readings) == 2 and not unread[readings[0]] and not unread[readings[1]]
    marked = any(mark in m["digits"] for m in matches.values() if m for mark in ",.")
    if both and marked:
        best = NumberReading(likely_decimal(texts) or ".", unit)
    signed = [text for text, m in matches.items() if m and m["limit"]]
    limits = tuple(signed[:3]) if len(signed) < len(matches) else ()
    found = Found(best, example=example, is_ambiguous=both and marked, mixture=mixture)
    return found._replace(limits=limits), unread[best]


def likely_decimal(texts: Iterable[str]) -> str | None:
    """Return the decimal character of numbers that could have either, None if nothing tells.

    Examples
    --------
    >>> from ssrlpl.tables.readings import likely_decimal
    >>> likely_decimal(["950", *(f"{n}.123" for n in range(1, 30))])
    ','
    """
    distinct = {text.strip() for text in texts}
    marked = {text for text in distinct if _MARK.search(text)}
    marks = {mark for text in marked for mark in ",." if mark in text}
    if len(marks) != 1 or not ENOUGH_MARKED <= len(marked) < len(distinct):
        return None
    return "," if marks == {"."} else "."


def _find_dates(texts: list[str], *, date: str, **_: str) -> tuple[Found, set[str]]:
    """Return the format of most texts, and the texts it does not read."""
    some = texts[:50]
    like = sum(len(t) <= LONGEST and bool(_LIKE_A_DATE.fullmatch(t)) for t in some)
    if not date and like < MOSTLY * len(some):
        return Found(), set()
    formats = [date] if date else formats_like(some)
    if not formats:
        return Found(), set()
    read = {f: sum(reads(DateReading(f), t) for t in some) for f in formats}
    # Formats that read as many of some texts as the best: the other texts will tell.
    tried = [DateReading(f) for f in formats if read[f] == max(read.values())]
    unread = {reading: {t for t in texts if not reads(reading, t)} for reading in tried}
    chosen = min(tried, key=lambda reading: len(unread[reading]))
    example = next((t for t in texts if t not in unread[chosen]), "")
    if not example:
        return Found(), set()
    mixture = ""
    if unread[chosen] and all(any(reads(DateReading(f), t) for f in formats) for t in some):
        mixture = "dates in several formats"
    other = DateReading(swapped(chosen.format))
    differs = other != chosen and other in unread and not unread[other]
    found = Found(chosen, example=example, is_ambiguous=differs, mixture=mixture)
    return found, unread[chosen]


def _find_durations(texts: list[str], **_: str) -> tuple[Found, set[str]]:
    """Return durations, and the texts that are none."""
    return _unless_unread(DurationReading(any(map(has_seconds, texts))), texts)


def _find_compounds(texts: list[str], **_: str) -> tuple[Found, set[str]]:
    """Return quantities in several numbers, and the texts that are none."""
    return _unless_unread(find_compound(texts), texts)


def _find_several(texts: list[str], *, decimal: str, **_: str) -> tuple[Found, set[str]]:
    """Return several numbers in a cell; a few different ones are a category, such as 3/4."""
    is_many = len(texts) > ENOUGH_MARKED
    return _unless_unread(find_several(texts, decimal) if is_many else None, texts)


def _unless_unread(reading: Reading | None, texts: list[str]) -> tuple[Found, set[str]]:
    unread = set() if reading is None else {text for text in texts if not reads(reading, text)}
    example = next((text for text in texts if text not in unread), "")
    return (Found(reading, example=example), unread) if reading and example else (Found(), set())


FINDERS = (_find_numbers, _find_dates, _find_durations, _find_compounds, _find_several)
"""What is tried on the texts of a column, in this order."""


def reads(reading: Reading, text: str) -> bool:
    """Tell whether a reading understands a text."""
    try:
        reading.value(text)
    except ValueError:
        return False
    return True
