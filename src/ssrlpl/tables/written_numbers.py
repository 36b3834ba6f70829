"""Numbers as people write them: with a currency or a unit, marks between thousands, a limit."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from .._utils.types import Array
from .cell_values import NUMBER, Cells
from .date_formats import LONGEST
from .found_readings import Found, each, plain, reads
from .unit_sizes import CURRENCY, SIDES, times_of

_NEAR = (
    "under|below|over|above|about|approx|up to|less than|more than|at least|at most|ca"
    "|unter|über|bis|bis zu|mehr als|weniger als|mindestens|höchstens"  # codespell:ignore
)
_OR_MORE = (
    "(?:and|or|und|oder|et|ou|y|o) "  # codespell:ignore
    "(?:more|over|older|above|up|less|under|younger|fewer|below|mehr|älter|weniger|jünger|plus"
    "|moins|más|menos)"
)
_FOOTNOTE = r"(?P<foot>\s?(?:\*{1,4}|[†‡§]{1,2}|\[\w{1,2}\]))?"  # also of significance
_NUMBER = re.compile(
    rf"(?P<open>\()?(?P<sign>[-+−]?)\s*(?P<limit>[<>≤≥~≈]=?|(?i:{_NEAR})\.?(?=\s))?\s*"
    rf"(?P<front>{CURRENCY})?\s*(?P<inner>[-+−]?)"
    r"(?P<digits>\d[\d.,'’\s]*|[.,]\d+)(?P<power>[eE][-+]?\d+|[dD][-+]\d+)?"
    r"(?P<part>\s?[½¼¾⅓⅔⅛⅜⅝⅞])?(?P<plus>\s*\+)?"
    rf"\s*(?P<unit>‰|°[CF]?|(?:{CURRENCY})(?:/[^\W\d_][\w²³]{{0,9}})?"
    rf"|%(?:\s?[^\W\d_](?:[^\W\d_]|\.){{0,5}})?|(?:(?i:sq|square|cu|cubic|fl)\.? )?"
    rf"/?[^\W\d_][\w²³°µ/%]{{0,9}}\.?)?"
    rf"(?P<more>\s+(?i:{_OR_MORE}))?{_FOOTNOTE}(?P<tail>[-−])?(?P<close>\))?"
    r"(?P<words>\s*(?:[-–—=:]\s*|\()[^\W\d_][^\d]*)?"
)
_SIGN_OUTSIDE = re.compile(rf"({CURRENCY})\s*\((.*)\)")  # $(2.50), as ($2.50)
_POWER_OF_TEN = re.compile(r"(?<=\d)\s*[x×·*]\s*10\s*\^?\s*([-−⁻]?[\d⁰¹²³⁴⁵⁶⁷⁸⁹]+)")  # 1.5 x 10^3
_NO_CENTS = re.compile(r"(?<=\d)(?:[.,](-+|[–—])(?=\s*(€|CHF|EUR|$))|/-$)")  # 25,- 25/-
_USUAL = str.maketrans("▲△↑▼▽↓٫٬．，％￥＄￡－μ", "+++---.,.,%¥$£-µ")
"""Arrows, and the marks of other scripts, as the characters they stand for."""

_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
_LONG_MINUS = re.compile(r"^(\(?)–(?=\s?\D{0,3}\d)")  # editors of letters make it of a minus
_PART_ALONE = re.compile("(?<!\\d)(?<!\\d )(?=[½¼¾⅓⅔⅛⅜⅝⅞])")  # ½, as 0½
_MONTH_OF_YEAR = re.compile(r"(0[1-9]|1[0-2])[.](19|20)\d\d")
_CODE = re.compile(r"0\d+")  # a number with a zero in front is a code, such as a postal one
_PHONE = re.compile(r"\+\d[\d\s]{9,}")
_DIGITS = {
    decimal: re.compile(
        rf"(\d+|[1-9]\d{{0,2}}(?P<mark>[{others}\s'’])\d{{3}}((?P=mark)\d{{3}})*"
        rf"|[1-9]\d?({re.escape(others)}\d\d)+{re.escape(others)}\d{{3}})"  # as in India
        rf"({re.escape(decimal)}\d*)?|{re.escape(decimal)}\d+"
    )
    for decimal, others in ((".", ","), (",", "."))
}
_IN_THOUSANDS = re.compile(r"-?([1-9]\d{0,2}(\.\d{3})+|\d{1,3})")
_GRADE = re.compile(r"\d\s?[-−+]?")
_NOT_ZERO = re.compile("[1-9]")
_MARK = re.compile(r"\d[.,]\d")

ENOUGH_MARKED = 20
"""So many different numbers with three digits behind each mark, and others without one: the marks
stand between thousands. Of decimals one in ten would end with a zero, and have two."""

MOST_UNITS = 6
"""More different ends of numbers are no units: they are codes, such as 0x1df."""

ENOUGH_BARE = 3
"""So many different numbers without a unit, and with one, tell whether they are equally large."""

LARGEST_OF_SCALE = 100
"""Answers on a scale are whole numbers up to this one."""


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
    is_scale : bool
        Whether some numbers have words behind them, as the ends of a scale have: "10 (likely)".
    in_brackets : bool
        Whether parentheses are around every number, as in "(1990)", and mean nothing.
    may_lack_unit : bool
        Whether numbers without a unit are meant in the unit of the others.
    """

    decimal: str
    unit: str = ""
    is_scale: bool = False
    in_brackets: bool = False
    may_lack_unit: bool = False

    def value(self, text: str) -> float:
        """Return the number; a percentage is a share, parentheses mean "less than zero"."""
        found = _matched(text)
        if found is None or _DIGITS[self.decimal].fullmatch(found["digits"].strip()) is None:
            raise ValueError(text)
        if found["words"] and not self.is_scale:
            raise ValueError(text)
        kept = "".join(c for c in found["digits"] if c.isdigit() or c == self.decimal)
        power = (found["power"] or "").lower().replace("d", "e")  # Fortran writes 1.5D+02
        number = float(kept.replace(self.decimal, ".") + power)
        number += unicodedata.numeric(found["part"].strip()) if found["part"] else 0
        times = times_of(_unit(found), self.unit)
        if times is None and not _unit(found) and self.may_lack_unit:
            times = 1.0
        if times is None and (number or _unit(found)):  # nothing is nothing in every unit
            raise ValueError(text)
        signs = found["sign"] + found["inner"] + (found["tail"] or "")
        is_negative = (found["open"] and not self.in_brackets) or "-" in signs or "−" in signs
        if times is not None and times < 0 and is_negative:
            raise ValueError(text)  # -5 DR: it is below zero twice
        scale = {"%": 100, "‰": 1000}.get(self.unit, 1) / (times or 1)
        return (-number if is_negative else number) / scale

    def cells(self, texts: Array) -> Cells:
        """Return the numbers, NaN where a cell is empty."""
        return Cells(NUMBER, np.asarray(each(self.value, texts, np.nan), dtype=np.float64))

    def words(self, example: str) -> str:
        """Return what the reading does, by an example."""
        unit = self.unit if _unit_of(example) != self.unit else ""
        return f"{plain(example)!r} is {self.value(example):.12g} {unit}".rstrip()


def _matched(text: str) -> re.Match[str] | None:
    text = text.strip().removeprefix("'").translate(_USUAL)
    if not text.isascii():
        text = "".join(str(unicodedata.decimal(c, c)) for c in text)  # digits of every script
        text = _PART_ALONE.sub("0", _LONG_MINUS.sub(r"\1-", text))
    text = _NO_CENTS.sub("", text)
    text = _POWER_OF_TEN.sub(_as_power, text)
    if len(text) > LONGEST or _PHONE.fullmatch(text):
        return None
    return _NUMBER.fullmatch(text) or _NUMBER.fullmatch(_SIGN_OUTSIDE.sub(r"(\1\2)", text))


def _as_power(found: re.Match[str]) -> str:
    return f"e{found[1].translate(_RAISED).replace('−', '-')}"


def _unit(found: re.Match[str]) -> str:
    """Return what stands around a number; with a currency and a unit, as in $2 k, both."""
    both = (found["front"] or "", found["unit"] or "")
    return " ".join(part.rstrip(".").replace(" ", "") for part in both if part)  # sq ft is one


def _unit_of(text: str) -> str | None:
    found = _matched(text)
    return None if found is None else _unit(found)


def find_numbers(texts: list[str], *, decimal: str) -> tuple[Found, set[str]]:
    """Return the reading of most texts, and the texts it does not read."""
    if are_months(texts) or _are_grades(texts):
        return Found(), set()
    matches = {text: _matched(text) for text in texts}
    is_scale = _are_on_a_scale([m for m in matches.values() if m])
    if not is_scale:
        matches = {text: None if m and m["words"] else m for text, m in matches.items()}
    units = Counter(
        _unit(m) for m in matches.values() if m and not _CODE.fullmatch(m["digits"].strip())
    )
    if not units or any(m and _CODE.fullmatch(m["digits"].strip()) for m in matches.values()):
        return Found(), set()
    signs = {text: sign for text, m in matches.items() if m and (sign := _sign(m))}
    if len(signs) == len(matches) and len({*signs.values()}) > 1:
        return Found(), set()  # <50 and >50 are classes, and one number
    unit = units.most_common(1)[0][0]
    marks = [mark for mark in (".", ",") if decimal in (mark, "auto")]
    in_brackets = all(map(_is_in_brackets, matches.values()))
    readings = [NumberReading(mark, unit, is_scale, in_brackets) for mark in marks]
    bare = []
    if len(units) == 2 and "" in units:
        named = next(filter(None, units))
        lenient = [replace(r, unit=named, may_lack_unit=True) for r in readings]
        bare = _in_the_same_unit(lenient, texts)
        readings = lenient if bare else readings
    unread = {reading: {t for t in texts if not reads(reading, t)} for reading in readings}
    best = min(readings, key=lambda reading: len(unread[reading]))
    # An example in another unit than most, because it is converted, or one with a mark.
    example = max(
        (t for t in texts if t not in unread[best]),
        key=lambda t: (_unit_of(t) != unit and best.value(t) != 0, has_mark(t), len(t)),
        default="",
    )
    if not example:
        return Found(), set()
    both = len(readings) == 2 and not unread[readings[0]] and not unread[readings[1]]
    marked = any(mark in m["digits"] for m in matches.values() if m for mark in ",.")
    if both and marked:
        best = replace(best, decimal=likely_decimal(texts) or ".")
    limits = tuple(signs)[:3] if len(signs) < len(matches) else ()
    limits = limits or tuple(text for text, m in matches.items() if m and m["foot"])[:3]
    limits = limits or tuple(bare[:3])
    mixture = _mixture(texts, best, unread[best]) if all(matches.values()) else ""
    found = Found(best, example=example, is_ambiguous=both and marked, mixture=mixture)
    return found._replace(limits=limits), unread[best]


def _in_the_same_unit(readings: list[NumberReading], texts: list[str]) -> list[str]:
    """Return the numbers that lack the unit of the others, if they are as large.

    Credit and debit are no unit, and "2 M" beside "900" has its own size.
    """
    unit = readings[0].unit
    if unit in SIDES or times_of("", unit) is not None:
        return []
    sizes = max(
        ({t: reading.value(t) for t in texts if reads(reading, t)} for reading in readings), key=len
    )
    bare = {text: size for text, size in sizes.items() if not _unit_of(text)}
    without, others = list(bare.values()), [s for text, s in sizes.items() if text not in bare]
    if min(len(without), len(others)) < ENOUGH_BARE:
        return []
    middle, other = np.median(without), np.median(others)
    overlap = min(others) <= middle <= max(others) and min(without) <= other <= max(without)
    return list(bare) if overlap else []


def are_months(texts: Iterable[str]) -> bool:
    """Tell whether texts are months such as 01.2024, of which a zero in front tells.

    Examples
    --------
    >>> from ssrlpl.tables.written_numbers import are_months
    >>> are_months(["01.2024", "11.2023"]), are_months(["11.2023", "1.2024"])
    (True, False)
    """
    written = [text for text in texts if text]
    has_zero = any(text.startswith("0") for text in written)
    return has_zero and all(map(_MONTH_OF_YEAR.fullmatch, written))


def _are_grades(texts: list[str]) -> bool:
    """Tell whether a sign behind a digit makes it better or worse, as in 2+ and 2-."""
    signed = any(text.endswith(("-", "−")) for text in texts)
    return signed and all(map(_GRADE.fullmatch, texts))


def _is_in_brackets(found: re.Match[str] | None) -> bool:
    """Tell whether a whole number is in parentheses, and has no sign of money."""
    if found is None or not (found["open"] and found["close"]):
        return False
    return found[0][1:-1].isdecimal()


def _mixture(texts: list[str], reading: NumberReading, unread: set[str]) -> str:
    """Say in which ways texts are written that are all numbers, if a reading does not read some."""
    if not unread:
        return ""
    shown = {_unit_of(text): repr(plain(text)) for text in reversed(texts)}
    if 1 < len(shown) <= MOST_UNITS:
        listed = ", ".join([*shown.values()][::-1][:4])
        return f"numbers with different units or signs ({listed})"
    swap = replace(reading, decimal="," if reading.decimal == "." else ".")
    if len(shown) == 1 and all(reads(swap, text) for text in unread):
        return "numbers of which some have a decimal comma and some a decimal point"
    return ""


def _sign(found: re.Match[str]) -> str:
    """Return what says that a number is a limit, or what it means: "<", "+", "or more"."""
    return (found["limit"] or found["plus"] or found["more"] or found["words"] or "").strip()


def _are_on_a_scale(found: list[re.Match[str]]) -> bool:
    """Tell whether whole numbers are answers on a scale of which some are explained.

    At most half of them have words, each of these numbers always the same ones.
    """
    numbers = {m["digits"].strip() for m in found}
    words = {(m["digits"].strip(), m["words"]) for m in found if m["words"]}
    return (
        0 < 2 * len(words) <= len(numbers)
        and len({number for number, _ in words}) == len(words)
        and all(n.isdecimal() and int(n) <= LARGEST_OF_SCALE for n in numbers)
        and not any(map(_unit, found))
    )


def has_mark(text: str) -> bool:
    """Tell whether a number has a decimal or thousands character; "1. OG" has none."""
    return _MARK.search(text) is not None


def are_in_thousands(texts: Iterable[str]) -> bool:
    """Tell whether numbers such as 1.951 have points between thousands: 950 is among them.

    Examples
    --------
    >>> from ssrlpl.tables.written_numbers import are_in_thousands
    >>> marked = [f"{n}.123" for n in range(1, 30)]
    >>> are_in_thousands([*marked, "950", "700", "88"]), are_in_thousands([*marked, "0"])
    (True, False)
    """
    distinct = {text.strip() for text in texts} - {""}
    return (
        sum(text.isdecimal() and text != "0" for text in distinct) >= ENOUGH_BARE
        and all(map(_IN_THOUSANDS.fullmatch, distinct))
        and likely_decimal(distinct) == ","
    )


def likely_decimal(texts: Iterable[str]) -> str | None:
    """Return the decimal character of numbers that could have either, None if nothing tells.

    Examples
    --------
    >>> from ssrlpl.tables.written_numbers import likely_decimal
    >>> likely_decimal(["950", *(f"{n}.123" for n in range(1, 30))])
    ','
    """
    distinct = {text.strip() for text in texts}
    marked = {text for text in distinct if has_mark(text)}
    marks = {mark for text in marked for mark in ",." if mark in text}
    others = any(_NOT_ZERO.search(text) for text in distinct - marked)  # 0 is 0 in both
    if len(marks) != 1 or len(marked) < ENOUGH_MARKED or not others:
        return None
    return "," if marks == {"."} else "."
