"""How a column of texts is read: as numbers with units, as dates, as durations, or as yes and no.

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

import numpy as np

from .._utils.advice import missing_cells
from .._utils.types import Array
from .cell_values import DATE, NUMBER, Cells
from .compound_cells import find_compound, find_several
from .date_formats import (
    BETWEEN_FORMATS,
    COUNTED,
    LONGEST,
    bare,
    for_strptime,
    formats_like,
    swapped,
)
from .durations import has_seconds, hours, is_beyond_clock
from .found_readings import Found, Reading, each, plain, reads
from .written_numbers import ENOUGH_MARKED, find_numbers

MOSTLY = 0.8
"""A column with this share of numbers, or of dates, is meant to hold them."""

MOST_ODD = 5
"""More different cells of another kind are no slips: the column holds texts, such as tickets."""

MOST_FORMATS = 4
"""Formats of dates in one column; more are no dates, or nobody knows what they are."""

NO_VALUE = frozenset((
    "?", "??", "-", "--", "---", "–", "—", ".", "..", "na", "n.a.", "n/a", "#n/a", "nan", "nil",
    "null", "none", "unknown", "missing", "tbd", "k.a.", "k. a.", "n.d.", "n. d.", "nd", "n/d",
    "no data", "not measured", "not available", "not applicable", "keine angabe", "unbekannt",
    "inconnu",
))  # fmt: skip
"""What people write where a number or a date is not known, in lower case."""

_LIKE_A_DATE = re.compile(r"(?=.*\d).*(?:[-/.:, QTWM年년]|\d[A-Za-z]{3}\d).*")
_NO_WORD = re.compile(
    r"[?*#_.–—-]+"
    r"|0000-00-00.*|9999-12-31.*|31\.12\.9999.*"  # no day, and no end
    r"|\.[a-z]"  # Stata numbers its missing values: .a, .b
    r"|#(?:¡?[^\W\d_]{3,7}[!?]|nv|n/d)"  # what spreadsheets say in German, French, Spanish: #WERT!
)

YES = frozenset((
    "yes", "y", "true", "t", "on", "ja", "j", "oui", "si", "sí", "da", "wahr", "vrai", "sim",
    "tak", "vero", "verdadero", "verdadeiro", "waar", "sant", "prawda", "истина",
    "да", "是", "はい", "✓", "✔", "☑",
))  # fmt: skip
NO = frozenset((
    "no", "n", "false", "f", "off", "nein", "non", "net", "falsch", "faux", "não", "nej", "nee",
    "nie", "falso", "onwaar", "falskt", "fałsz",  # codespell:ignore
    "ложь", "нет", "否", "いいえ", "✗", "✘", "☐",
))  # fmt: skip
_DIGITS_OF_TRUTH = {"1": 1.0, "0": 0.0}
"""They mean yes and no among such words only."""

HOURS_SHOWN = 1000
"""A longer duration is shown in days."""


@dataclass(frozen=True)
class DateReading:
    """Dates, or times, written in a format of :func:`datetime.datetime.strptime`, or counted.

    Several formats, with a bar between them, are those of which every cell has one.
    """

    format: str

    def value(self, text: str) -> datetime:
        """Return the date."""
        if BETWEEN_FORMATS in self.format:
            each_alone = map(DateReading, self.format.split(BETWEEN_FORMATS))
            return next((r for r in each_alone if reads(r, text)), DateReading("")).value(text)
        if self.format in COUNTED:
            start, unit = COUNTED[self.format]
            try:
                return (start + float(text) * unit).replace(microsecond=0)
            except OverflowError as error:
                raise ValueError(text) from error
        try:
            found = datetime.strptime(*for_strptime(bare(text), self.format))
        except ValueError:  # the format may ask for all that is written, such as the zone
            found = datetime.strptime(*for_strptime(text.strip(), self.format))
        return found.replace(tzinfo=None)

    def cells(self, texts: Array) -> Cells:
        """Return the dates, NaT where a cell is empty."""
        return Cells(DATE, np.array(each(self.value, texts, None), dtype="datetime64[s]"))

    def words(self, example: str) -> str:
        """Return what the reading does, by an example."""
        has_day = self.format in COUNTED or any(p in self.format for p in ("%Y", "%y", "%G"))
        shown = f"{self.value(example):{'%d %B %Y ' * has_day}%H:%M}"
        count = self.format.count(BETWEEN_FORMATS) + 1
        others = f", and {count} formats" if count > 1 else ""
        return f"{plain(example)!r} is {shown.removesuffix(' 00:00')}{others}"


@dataclass(frozen=True)
class DurationReading:
    """Durations; "59:30" is minutes and seconds where other cells are like "1:02:10"."""

    clock_has_seconds: bool

    def value(self, text: str) -> float:
        """Return the hours."""
        return hours(text, clock_has_seconds=self.clock_has_seconds)

    def cells(self, texts: Array) -> Cells:
        """Return the hours, NaN where a cell is empty."""
        return Cells(NUMBER, np.asarray(each(self.value, texts, np.nan), dtype=np.float64))

    def words(self, example: str) -> str:
        """Return what the reading does, by an example."""
        number, unit = self.value(example), "hours"
        if abs(number) > HOURS_SHOWN:
            number, unit = number / 24, "days"
        return f"{plain(example)!r} is {number:.4g} {unit}"


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

    def cells(self, texts: Array) -> Cells:
        """Return ones and zeros, NaN where a cell is empty."""
        return Cells(NUMBER, np.asarray(each(self.value, texts, np.nan), float), is_bool=True)

    def words(self, example: str) -> str:
        """Return what the reading does, by an example."""
        return f"{example!r} is {self.value(example):.0f}"


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
    NumberReading(decimal='.', unit='$', is_scale=False, in_brackets=False, ...
    >>> find_reading(Counter({"23/05/2024": 1, "06/05/2023": 1})).reading
    DateReading(format='%d/%m/%Y')
    """
    truth = _find_truth(texts)
    if truth is not None:
        return Found(truth, example=next(iter(texts)))
    no_value = tuple(text for text in texts if means_nothing(text))
    there = [text for text in texts if text not in no_value]
    if not there:
        return Found()
    mostly = Found()
    for find in (_find_dates,) if date else FINDERS:
        if mostly.mixture and find is _find_several:  # 1.234,5 and 1,234.5 are no pairs of numbers
            continue
        found, odd = find(there, decimal=decimal, date=date)
        if found.reading is not None and not odd:
            return found._replace(no_value=no_value, mixture="")
        if not (mostly.odd or mostly.mixture):
            mostly = _mostly(found, odd, texts)
    return mostly


def _mostly(found: Found, odd: set[str], texts: Counter[str]) -> Found:
    """Return what is known of texts of which some have no reading: what they are, in words."""
    if found.mixture or found.reading is None or len(odd) > MOST_ODD:
        return Found(mixture=found.mixture)
    there = sum(count for text, count in texts.items() if not means_nothing(text))
    read = there - sum(texts[text] for text in odd)
    if read >= MOSTLY * there:
        return Found(odd=tuple(odd), example=found.example)
    if 2 * read < MOSTLY * there:
        return Found()
    cells = sorted(odd)
    return Found(
        mixture=f"cells like {plain(found.example)!r} and also {', '.join(map(repr, cells[:3]))}"
        f" ({missing_cells(cells)} takes these for missing ones)"
    )


def means_nothing(text: str) -> bool:
    """Tell whether a cell says that there is no value, also in money: "$ -"."""
    text = text.strip().lower()
    return (
        text in NO_VALUE
        or bool(_NO_WORD.fullmatch(text))
        or text.strip("$€£¥₹ ") in ("-", "–", "—")
    )


def _find_truth(texts: Iterable[str]) -> TruthReading | None:
    words = {text.strip().lower() for text in texts}
    yes, no = sorted(words & YES), sorted(words & NO)
    known = words <= YES | NO | _DIGITS_OF_TRUTH.keys()
    yes, no = yes or list(words & {"1"}), no or list(words & {"0"})
    if not known or not yes or not no or words <= _DIGITS_OF_TRUTH.keys():
        return None
    return TruthReading(yes[0], no[0])


def _find_numbers(texts: list[str], *, decimal: str, **_: str) -> tuple[Found, set[str]]:
    """Return numbers, and the texts that are none."""
    return find_numbers(texts, decimal=decimal)


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
        several = _several_formats(texts, formats)
        if several is not None:
            return Found(several, example=example), set()
        mixture = "dates in several formats"
    other = DateReading(swapped(chosen.format))
    differs = other != chosen and other in unread and not unread[other]
    found = Found(chosen, example=example, is_ambiguous=differs, mixture=mixture)
    return found, unread[chosen]


def _several_formats(texts: list[str], formats: list[str]) -> DateReading | None:
    """Return the formats of which each text has one, None if day and month could be exchanged."""
    chosen: list[str] = []
    rest = set(texts)
    while rest and len(chosen) < MOST_FORMATS:
        read = {f: {t for t in rest if reads(DateReading(f), t)} for f in formats}
        best = max(formats, key=lambda f: len(read[f]))
        other = swapped(best)
        could_be_other = other != best and read[best] <= read.get(other, set())
        if not read[best] or could_be_other or (other != best and other in chosen):
            return None
        chosen.append(best)
        rest -= read[best]
    return None if rest else DateReading(BETWEEN_FORMATS.join(chosen))


def _find_durations(texts: list[str], **_: str) -> tuple[Found, set[str]]:
    """Return durations, and the texts that are none; 30:70 says that the others are shares."""
    if any(map(is_beyond_clock, texts)):
        return Found(), set()
    return _unless_unread(DurationReading(any(map(has_seconds, texts))), texts)


def _find_compounds(texts: list[str], **_: str) -> tuple[Found, set[str]]:
    """Return quantities in several numbers, and the texts that are none."""
    return _unless_unread(find_compound(texts), texts)


def _find_several(texts: list[str], *, decimal: str, **_: str) -> tuple[Found, set[str]]:
    """Return several numbers in a cell; a few different ones are a category, if none is "4/5"."""
    is_many = len(texts) > ENOUGH_MARKED or len({t.rpartition("/")[2] for t in texts}) == 1
    return _unless_unread(find_several(texts, decimal) if is_many else None, texts)


def _unless_unread(reading: Reading | None, texts: list[str]) -> tuple[Found, set[str]]:
    unread = set() if reading is None else {text for text in texts if not reads(reading, text)}
    example = next((text for text in texts if text not in unread), "")
    return (Found(reading, example=example), unread) if reading and example else (Found(), set())


FINDERS = (_find_numbers, _find_dates, _find_durations, _find_compounds, _find_several)
"""What is tried on the texts of a column, in this order."""
