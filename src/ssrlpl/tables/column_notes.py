"""What a person should know about the columns, in sentences."""

from __future__ import annotations

import re

import numpy as np

from .._utils.advice import date_format, missing_cells, option
from .._utils.printing import listed
from .class_names import plain_name
from .date_formats import swapped
from .encoded_columns import CategoryColumn, EncodedColumn, MarkColumn, NumberColumn
from .evidence import ColumnEvidence, Evidence
from .found_readings import Found
from .grouped_columns import ChoicesColumn
from .readings import DateReading, TruthReading
from .written_numbers import NumberReading

_CODE_NAME = re.compile(
    r"(.*[\s_.-])?(codes?|zip|zipcode|postcode|plz|postal)|.*[a-z](?-i:Code|Zip)", re.I
)
SURELY_CATEGORIES = 10
"""More different texts, most of them numbers, may be meant as numbers."""

STAND_INS = (-9999, -999, -99, -9, -8, 97, 98, 99, 998, 999, 9999, 99999)
"""Numbers that people write where a value is missing."""


def about_left_out(left_out: dict[str, str]) -> list[str]:
    """Say which columns are left out, and why."""
    if not left_out:
        return []
    which = "A column is" if len(left_out) == 1 else f"{len(left_out)} columns are"
    reasons = [f"{name!r} {reason}" for name, reason in left_out.items()]
    return [f"{which} left out: {listed(reasons)}."]


def about_readings(evidence: Evidence, used: list[EncodedColumn]) -> list[str]:
    """Say how texts were read: numbers and dates by an example, and cells taken for missing."""
    found = {column.name: evidence[column.name].found for column in used}
    read = [
        f"{name!r} ({f.reading.words(f.example)}{or_else(f, name)}{_centuries(evidence[name])})"
        for name, f in found.items()
        if f.reading is not None and not isinstance(f.reading, TruthReading)
    ]
    notes = [f"Texts read as numbers or dates: {listed(read)}."] if read else []
    signs = [f"{', '.join(map(repr, f.limits))} in {name!r}{_unit_meant(f)}"
             for name, f in found.items() if f.limits]  # fmt: skip
    notes += [f"Read as the number in the cell: {listed(signs)}."] if signs else []
    choices = [f"{c.name!r} ({c.sep!r} between {len(c.choices)} choices)" for c in used
               if isinstance(c, ChoicesColumn)]  # fmt: skip
    notes += [f"Cells with several choices: {listed(choices)}."] if choices else []
    gaps = [f"{', '.join(map(repr, f.no_value))} in {name!r}" for name, f in found.items()
            if f.reading is not None and f.no_value]  # fmt: skip
    return notes + ([f"Read as missing: {listed(gaps)}."] if gaps else [])


def or_else(found: Found, name: str) -> str:
    """Say what else a cell could mean, where no cell tells, and the option that says so."""
    if not found.is_ambiguous:
        return ""
    if isinstance(found.reading, DateReading):
        other = DateReading(swapped(found.reading.format))
        meaning = other.words(found.example).split(" is ")[1]
        return f", and {meaning} with {date_format(name, other.format)}"
    if not isinstance(found.reading, NumberReading):
        return ""
    mark = "." if found.reading.decimal == "," else ","
    number = NumberReading(mark, found.reading.unit).value(found.example)
    return f", and {number:.12g} with {option('decimal', mark)}"


def _unit_meant(found: Found) -> str:
    if not isinstance(found.reading, NumberReading) or not found.reading.may_lack_unit:
        return ""
    return f" (in {found.reading.unit}, as the others)"


def _centuries(seen: ColumnEvidence) -> str:
    """Say which dates are the first and the last, if years of two digits are of two centuries."""
    reading = seen.found.reading
    if not isinstance(reading, DateReading) or "%y" not in reading.format:
        return ""
    days = seen.parts["day"]
    first, last = np.array([days.low, days.high]).astype("datetime64[D]")
    if not first < np.datetime64("2000") <= last:
        return ""
    cure = "write years with four digits if that is wrong"
    return f", the first is {first} and the last {last}: {cure}"


def about_doubts(evidence: Evidence, used: list[EncodedColumn], most: int) -> list[str]:
    """Point out what may be meant otherwise, and is left as it is."""
    many = [c for c in used if isinstance(c, CategoryColumn) and len(c.texts) > SURELY_CATEGORIES]
    found = {column.name: evidence[column.name].found.mixture for column in many}
    mixed = [f"{name!r} holds {mixture}" for name, mixture in found.items() if mixture]
    told = [f"Read as categories, and not as numbers or dates: {listed(mixed)}."] if mixed else []
    codes = _codes(evidence, used, most)
    return [*told, *_far_values(evidence, used), *codes, *_spellings(used)]


def _far_values(evidence: Evidence, used: list[EncodedColumn]) -> list[str]:
    """Point out numbers that people write for "missing", where they are far from the others."""
    told = []
    for column in used:
        seen = evidence[column.name]
        # What is far from all others is the smallest or the largest: few columns have one there.
        if not isinstance(column, NumberColumn) or not {seen.low, seen.high} & {*STAND_INS}:
            continue
        cells = seen.sample
        rest = cells[~np.isnan(cells) & ~np.isin(cells, STAND_INS)]
        for value in STAND_INS:
            count = int((cells == value).sum())
            if count < 2 or not len(rest):
                continue
            reach = rest.max() - rest.min()
            if value < rest.min() - reach or value > rest.max() + reach:
                cure = f"{missing_cells([str(value)])} makes them missing"
                told.append(f"{value} in {column.name!r} ({count:,} rows; {cure})")
    if not told:
        return []
    return [
        "Read as numbers, but far from all others, so that they may stand for missing cells:"
        f" {listed(told)}."
    ]


def _codes(evidence: Evidence, used: list[EncodedColumn], most: int) -> list[str]:
    """Point out whole numbers that are called codes: each of a few may be a category."""
    named = [
        column.name
        for column in used
        if isinstance(column, NumberColumn)
        and _CODE_NAME.fullmatch(column.name)
        and evidence[column.name].is_whole
        and 2 < len(np.unique(evidence[column.name].sample)) <= most
    ]
    if not named:
        return []
    which = "is called a code and was" if len(named) == 1 else "are called codes and were"
    return [
        f"{listed(map(repr, named))} {which} read as numbers; {option('category', named)} takes"
        " each number as a category."
    ]


def _spellings(used: list[EncodedColumn]) -> list[str]:
    """Point out words of a category that differ by case or blanks only."""
    told = []
    for column in [c for c in used if isinstance(c, CategoryColumn)]:
        groups: dict[str, list[str]] = {}
        for text in column.texts:
            groups.setdefault(plain_name(text), []).append(text)
        twice = [group for name, group in groups.items() if len(group) > 1 and len(name) > 1]
        if twice:
            told.append(f"{column.name!r} ({', '.join(map(repr, twice[0]))})")
    if not told:
        return []
    return [
        f"Words that differ by case or blanks only are different categories here: {listed(told)}."
        " Write them in one way if they mean the same."
    ]


def about_missing(evidence: Evidence, used: list[EncodedColumn]) -> list[str]:
    """Say how many cells were missing, and what they became."""
    filled = (c for c in used if not isinstance(c, MarkColumn | ChoicesColumn))
    seen = (evidence[column.name] for column in filled)
    holes = [(column.name, column.missing, column.rows) for column in seen if column.missing]
    if not holes:
        return []
    name, most, rows = max(holes, key=lambda hole: hole[1])
    total = sum(count for _, count, _ in holes)
    where = "a column" if len(holes) == 1 else f"{len(holes)} columns"
    return [
        f"{total:,} missing cells in {where} were filled with the column's mean or"
        f" most frequent value (most in {name!r}: {most:,} of {rows:,})."
    ]
