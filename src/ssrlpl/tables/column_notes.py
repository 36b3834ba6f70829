"""What a person should know about the columns, in sentences."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from .cell_values import shell
from .date_formats import swapped
from .encoded_columns import EncodedColumn, MarkColumn, NumberColumn
from .evidence import Evidence
from .readings import DateReading, DurationReading, Found, NumberReading

STAND_INS = (-9999, -999, -99, 999, 9999, 99999)
"""Numbers that people write where a value is missing."""


def _listed(items: Iterable[str], most: int = 8) -> str:
    shown = list(items)
    return ", ".join(shown[:most]) + f" and {len(shown) - most} more" * (len(shown) > most)


def about_left_out(left_out: dict[str, str]) -> list[str]:
    """Say which columns are left out, and why."""
    if not left_out:
        return []
    which = "A column is" if len(left_out) == 1 else f"{len(left_out)} columns are"
    reasons = [f"{name!r} {reason}" for name, reason in left_out.items()]
    return [f"{which} left out: {_listed(reasons)}."]


def about_readings(evidence: Evidence, used: list[EncodedColumn]) -> list[str]:
    """Say how texts were read: numbers and dates by an example, and cells taken for missing."""
    found = {column.name: evidence[column.name].found for column in used}
    read = [
        f"{name!r} ({f.reading.words(f.example)}{or_else(f, name)})"
        for name, f in found.items()
        if isinstance(f.reading, NumberReading | DateReading | DurationReading)
    ]
    notes = [f"Texts read as numbers or dates: {_listed(read)}."] if read else []
    gaps = [f"{', '.join(map(repr, f.no_value))} in {name!r}" for name, f in found.items()
            if f.reading is not None and f.no_value]  # fmt: skip
    return notes + ([f"Read as missing: {_listed(gaps)}."] if gaps else [])


def or_else(found: Found, name: str) -> str:
    """Say what else a cell could mean, where no cell tells, and the option that says so."""
    if not found.is_ambiguous:
        return ""
    if isinstance(found.reading, DateReading):
        other = DateReading(swapped(found.reading.format))
        option = f"--date {shell(f'{name}={other.format}')}"
        return f", and {other.words(found.example).split(' is ')[1]} with {option}"
    if not isinstance(found.reading, NumberReading):
        return ""
    mark = "." if found.reading.decimal == "," else ","
    number = NumberReading(mark, found.reading.unit).value(found.example)
    return f", and {number:.12g} with --decimal {mark}"


def about_far_values(evidence: Evidence, used: list[EncodedColumn]) -> list[str]:
    """Point out numbers that people write for "missing", where they are far from the others."""
    told = []
    for column in used:
        cells = evidence[column.name].sample
        if not isinstance(column, NumberColumn) or evidence[column.name].is_bool:
            continue
        for value in STAND_INS:
            rest = cells[~np.isnan(cells) & (cells != value)]
            count = int((cells == value).sum())
            if count < 2 or not len(rest):
                continue
            reach = rest.max() - rest.min()
            if value < rest.min() - reach or value > rest.max() + reach:
                told.append(f"{value} in {column.name!r} ({count:,} rows; --missing {value})")
    if not told:
        return []
    return [f"Far from all other numbers, so perhaps a mark of missing cells: {_listed(told)}."]


def about_missing(evidence: Evidence, used: list[EncodedColumn]) -> list[str]:
    """Say how many cells were missing, and what they became."""
    seen = (evidence[column.name] for column in used if not isinstance(column, MarkColumn))
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
