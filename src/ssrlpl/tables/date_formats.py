"""The formats of dates and times that are tried, and which of them a text may have."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import lru_cache
from itertools import product

_DAYS = ("%Y-%m-%d", "%Y/%m/%d", "%Y.%m.%d", "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y",
         "%m-%d-%Y", "%d.%m.%y", "%d/%m/%y", "%m/%d/%y", "%d %b %Y", "%d-%b-%Y",
         "%d-%b-%y", "%b %d, %Y", "%b %d %Y", "%d. %B %Y", "%d/%b/%Y", "%d/%b/%y",
         "%d%b%Y", "%d%b%y", "%Y年%m月%d日", "%Y년 %m월 %d일", "%Y. %m. %d.")  # fmt: skip
_TIMES = ("", " %H:%M", " %H:%M:%S", "T%H:%M:%S", "T%H:%M", " %I:%M %p", " %I:%M:%S %p")
_PERIODS = ("%Y-%m", "%m/%Y", "%m.%Y", "%b %Y", "%b-%Y", "%b-%y", "%Y年%m月", "%YM%m",
            "%G-W%V", "%GW%V", "%G-W%V-%u", "KW %V/%G", "%Y-Q%q", "%YQ%q", "%Y Q%q", "Q%q %Y",
            "Q%q/%Y", "Q%q-%Y")  # fmt: skip
"""Months, weeks and quarters (%q, which strptime does not know): their first days."""

DATE_FORMATS = (
    *(day + time for time, day in product(_TIMES, _DAYS)), "%H:%M", "%H:%M:%S", "%I:%M %p",
    "%I:%M:%S %p", "%I:%M%p", "%d/%b/%Y:%H:%M:%S", "%d%b%Y:%H:%M:%S", "%d%b%y:%H:%M:%S",
    "%b %d %H:%M:%S %Y", "%Y%m%dT%H%M%S", "%Y%m%dT%H%M", *_PERIODS,
)  # fmt: skip
"""Tried in this order; where day and month can be told apart by no cell, the day comes first."""

COMPACT = {6: "%Y%m", 8: "%Y%m%d", 12: "%Y%m%d%H%M", 14: "%Y%m%d%H%M%S"}
"""Dates that look like whole numbers, by the number of digits."""

COUNTED = {
    "excel": (datetime(1899, 12, 30), timedelta(days=1)),
    "unix": (datetime(1970, 1, 1), timedelta(seconds=1)),
    "unix ms": (datetime(1970, 1, 1), timedelta(milliseconds=1)),
}
"""Numbers that count from a day on, by what is called their format."""

COUNTED_YEARS = (1980, 2100)
"""Numbers whose column is called a date are dates if they are within these years."""

BETWEEN_FORMATS = " | "
"""Stands between formats of which each cell has one."""

_CALLED_DATE = re.compile(
    r"(.*[\s_.-])?(date|datum|fecha|dato)([\s_.-].*)?|.*[a-z](?-i:Date)", re.I
)
_CALLED_TIME = re.compile(
    r"(.*[\s_.-])?(time|timestamp|ts|date|datetime|epoch|created|updated|at)([\s_.-].*)?"
    r"|.*[a-z](?-i:Date|Time|At|Timestamp)",
    re.I,
)

LONGEST = 40
"""A longer text is no date."""

_MONTH = r"[^\W\d_]+\.?"  # "janv." has a point
_PIECES = {
    "%Y": r"\d{4}", "%y": r"\d{2}", "%b": _MONTH, "%B": _MONTH, "%G": r"\d{4}", "%u": "[1-7]",
    "%q": "[1-4]", "%M": r"\d{2}", "%S": r"\d{2}", "%p": "[AaPp][Mm]",
}  # fmt: skip


_CLOCK = r"\d{1,2}:\d\d(?::\d\d)?(?:\s?[AaPp]\.?[Mm]\.?)?"
_ZONE = r"(?:Z|(?:GMT|UTC)?\s?[+-]\d{1,2}(?::?\d\d)?|GMT|UTC|CES?T|BST|[ECMP][SD]T|Uhr"
_ZONE += r"|[A-Z][a-z]+/[A-Z][A-Za-z_]+)"
_BEHIND_CLOCK = re.compile(rf"(?:(?<=\d\d[T :])|^(?!.*[+-]))({_CLOCK})\s?{_ZONE}(?=$| \d{{4}}$)")
_BEHIND_COMPACT = re.compile(r"^(\d{8}T\d{4,6})(?:Z|[+-]\d{4})$")
_WEEKDAY = re.compile(
    "^(?:mo|t[ehu]|w[eo]|fr|s[aáeou]|d[io]|m[aei]|lu|j[eu]|v[eir]|gi|qu|z[ao])"
    r"[^\W\d_]*(?:-feira)?[.,]{0,2}\s+(?=\d+(?:[./-]|\.?\s*[^\W\d_])|[^\W\d_]{3,10}\.?\s\d{1,2}\b)"
    r"|\s?[(（][月火水木金土日][)）]$",
    re.I,
)
_FILLERS = re.compile(
    r"(?<=\d)(?:st|nd|rd|th|er|[ºª])(?=[\s,])|,(?=\s(?:at\s)?\d{1,2}:\d\d)"
    r"|(?<=\s)(?:of|de|del|(?:at|um|às|à|a las|-)(?=\s\d))\s+",
    re.I,
)
_NOON = re.compile(r"\b([ap])\.\s?m\.?(?=\s|$)", re.I)  # 6:10 p. m.
_FRACTION = re.compile(r"(?<=\d:\d\d:\d\d)[.,]\d+")

_MONTHS = (
    "jan january januar janvier enero gennaio januari janeiro janv ene gen",  # codespell:ignore
    "feb february februar février febrero febbraio februari fevereiro févr fév"  # codespell:ignore
    " fev",
    "mar march märz mär mars marzo maart março mrz mrt",
    "apr april avril abril aprile avr abr",
    "may may mai mayo maggio mei maio mag maj",
    "jun june juni juin junio giugno junho giu",  # codespell:ignore
    "jul july juli juillet julio luglio julho juil lug",  # codespell:ignore
    "aug august août agosto augustus ago",
    "sep september sept septembre septiembre settembre setembro set",
    "oct october oktober okt octobre octubre ottobre outubro ott out",  # codespell:ignore
    "nov november novembre noviembre novembro",
    "dec december dezember dez décembre diciembre dicembre dezembro déc dic",  # codespell:ignore
)
"""The months in the languages that are known; the first two names are those of strptime."""

_ENGLISH = {name: words.split()[:2] for words in _MONTHS for name in words.split()}


def counted_format(name: str, low: float, high: float) -> str:
    """Return from which day on the numbers of a column count, "" if it is not called a date.

    Examples
    --------
    >>> from ssrlpl.tables.date_formats import counted_format
    >>> counted_format("Order Date", 45292, 45400.5), counted_format("weight", 45292, 45400)
    ('excel', '')
    """
    called = {"excel": _CALLED_DATE, "unix": _CALLED_TIME, "unix ms": _CALLED_TIME}
    for format_, (start, unit) in COUNTED.items():
        first, last = ((datetime(year, 1, 1) - start) / unit for year in COUNTED_YEARS)
        if first <= low <= high < last and called[format_].fullmatch(name):
            return format_
    return ""


def for_strptime(text: str, format_: str) -> tuple[str, str]:
    """Return a date and its format as strptime knows them: months in English, weeks with a day.

    Examples
    --------
    >>> from ssrlpl.tables.date_formats import for_strptime
    >>> for_strptime("5. März 2024", "%d. %B %Y")
    ('5. march 2024', '%d. %B %Y')
    >>> for_strptime("2024-W07", "%G-W%V"), for_strptime("Q3 2024", "Q%q %Y")
    (('2024-W07 1', '%G-W%V %u'), ('07 2024', '%m %Y'))
    """
    if "%b" in format_.lower():
        which = 1 if "%B" in format_ else 0
        text = re.sub(_MONTH, lambda m: _english(m[0])[which], text)
    if "Q%q" in format_:
        text = re.sub("Q([1-4])", lambda m: f"{3 * int(m[1]) - 2:02}", text)
        format_ = format_.replace("Q%q", "%m")
    if "%V" in format_ and "%u" not in format_:
        text, format_ = f"{text} 1", f"{format_} %u"
    return text, format_


def _english(word: str) -> tuple[str, str]:
    """Return the short and the long English name of a month; another word as it is."""
    short, long = _ENGLISH.get(word.lower().removesuffix("."), (word, word))
    return short, long


def bare(text: str) -> str:
    """Return a date as the clock at its place showed it, to the second, without words around it.

    Examples
    --------
    >>> from ssrlpl.tables.date_formats import bare
    >>> bare("2024-03-01T10:00:12.250Z"), bare("2024/03/01 9:00:12 AM GMT+1")
    ('2024-03-01T10:00:12', '2024/03/01 9:00:12 AM')
    >>> bare("[10/Oct/2023:13:55:36 +0000]"), bare("10:00-12:30"), bare("07:45 Uhr")
    ('10/Oct/2023:13:55:36', '10:00-12:30', '07:45')
    >>> bare("Mo, 05.02.2024"), bare("Friday, March 3rd, 2024"), bare("5 de marzo de 2024")
    ('05.02.2024', 'March 3, 2024', '5 marzo 2024')
    """
    text = text.strip()
    if text.startswith("[") and text.endswith("]"):
        text = text[1:-1]
    text = _NOON.sub(r"\1m", _WEEKDAY.sub("", _FILLERS.sub("", text)))
    return _BEHIND_COMPACT.sub(r"\1", _BEHIND_CLOCK.sub(r"\1", _FRACTION.sub("", text)))


def formats_like(texts: Sequence[str]) -> list[str]:
    """Return the formats that one of the texts may have, by where its digits and letters are.

    Asking :func:`datetime.datetime.strptime` is slow, because it forgets all but five formats.

    Examples
    --------
    >>> from ssrlpl.tables.date_formats import formats_like
    >>> formats_like(["31/12/2024"])
    ['%d/%m/%Y', '%m/%d/%Y']
    """
    short = [bare(text) for text in texts if len(text) <= LONGEST]
    return [f for f in DATE_FORMATS if any(map(_pattern(f).fullmatch, short))]


def swapped(format_: str) -> str:
    """Return a format with day and month exchanged."""
    return format_.replace("%d", "\0").replace("%m", "%d").replace("\0", "%m")


@lru_cache(maxsize=len(DATE_FORMATS))
def _pattern(format_: str) -> re.Pattern[str]:
    pieces = re.findall(r"%\w|\s+|.", format_)
    return re.compile("".join(_piece(piece) for piece in pieces))


def _piece(piece: str) -> str:
    if piece.startswith("%"):
        return _PIECES.get(piece, r"\d{1,2}")
    return r"\s+" if piece.isspace() else re.escape(piece)
