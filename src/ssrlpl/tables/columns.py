"""Which columns are used and how, and which are left out and why.

Every column was looked at in all rows (:class:`~.evidence.Evidence`). The thresholds are guesses;
what they leave out is named, with the option that keeps it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from .._utils import limits
from .cell_values import DATE, NUMBER, TEXT, shell
from .embedded_text import EmbeddedTextColumn
from .encoded_columns import (
    CategoryColumn,
    DateColumn,
    EncodedColumn,
    MarkColumn,
    NumberColumn,
    TextColumn,
)
from .errors import TableError, unknown_column
from .evidence import ColumnEvidence, Evidence
from .image_columns import ImageColumn
from .readings import DateReading, NumberReading

MANY_WORDS = 5
"""A text column with more words a cell, on average, is free text."""

DISTINCT_SHARE = 0.9
"""A text column in which more than this share of the cells differ identifies rows."""

_IDENTIFIER = re.compile(
    r"(.*[\s_.-])?(id|ids|index|idx|key|no|nr|row|uuid)|.*[a-z](Id|ID)|unnamed: \d+", re.I
)
_SURELY_ONE = re.compile(r"(.*[\s_.-])?(id|ID|Id|ids|uuid|UUID)|.*[a-z](Id|ID)")


class Judgement(NamedTuple):
    """The columns a model uses, why others are not among them, and what a person should know."""

    used: list[EncodedColumn]
    left_out: dict[str, str]
    notes: list[str]


def candidates(
    names: Iterable[str], *, features: list[str], drop: list[str], reserved: dict[str, str]
) -> list[str]:
    """Return the columns that may be features; ``reserved`` are target and ids by their option."""
    known = list(names)
    for option, asked in (("--features", features), ("--drop", drop)):
        for name in asked:
            if name not in known:
                raise unknown_column(name, known, option)
    for option, name in reserved.items():
        if name in features:
            raise TableError(f"{name!r} is given both to --features and to {option}: leave one.")
    left_out = {*drop, *reserved.values()}
    kept = [name for name in features or known if name not in left_out]
    if not kept:
        raise TableError(
            "No column is left to learn from: name some with --features, or drop fewer with --drop."
        )
    return kept


@dataclass(frozen=True)
class Judge:
    """Decides what becomes of columns.

    Parameters
    ----------
    scale : bool
        Whether numbers get mean zero and variance one.
    max_categories : int
        Most texts of a category.
    keep : set of str
        Columns that are used even if they look like identifiers; what cannot be used is refused.
    images : set of str
        Columns of names of pictures.
    embed : str, optional
        The model that makes sentence embeddings of texts; their words are used without one.
    """

    scale: bool = True
    max_categories: int = limits.MAX_CATEGORIES
    keep: frozenset[str] = frozenset()
    images: frozenset[str] = frozenset()
    embed: str | None = None

    def __call__(self, evidence: Evidence) -> Judgement:
        """Judge every column; raise one sentence with all that a person has to decide."""
        self._refuse_odd_cells(evidence)
        used: list[EncodedColumn] = []
        left_out: dict[str, str] = {}
        for name, column in evidence.columns.items():
            reason = self.why_not(column)
            if reason is None:
                used.append(self.encoded(column))
            else:
                left_out[name] = reason
        self._refuse_kept(left_out)
        if not used:
            reasons = "; ".join(f"{name!r} {reason}" for name, reason in left_out.items())
            raise TableError(f"No column is left to learn from: {reasons}.")
        notes = [*_about_left_out(left_out), *_about_readings(evidence, used),
                 *_about_missing(evidence, used)]  # fmt: skip
        return Judgement(used, left_out, notes)

    def encoded(self, column: ColumnEvidence) -> EncodedColumn:
        """Return what a column becomes that is used."""
        if column.kinds == {NUMBER}:
            return NumberColumn.of(column, scale=self.scale)
        if column.kinds == {DATE}:
            return DateColumn.of(column, scale=self.scale)
        if column.is_mark:
            return MarkColumn.of(column, scale=self.scale)
        if not column.is_prose:
            return CategoryColumn.of(column)
        if column.name in self.images:
            return ImageColumn.of(column)
        return EmbeddedTextColumn.of(column, self.embed) if self.embed else TextColumn.of(column)

    def _refuse_odd_cells(self, evidence: Evidence) -> None:
        odd = {name: column.found for name, column in evidence.columns.items() if column.found.odd}
        if not odd:
            return
        told = "; ".join(
            f"column {name!r} holds cells like {found.example!r}, but also"
            f" {', '.join(map(repr, found.odd[:3]))}" + ", …" * (len(found.odd) > 3)
            for name, found in odd.items()
        )
        cells = dict.fromkeys(cell for found in odd.values() for cell in found.odd)
        missing = " ".join(f"--missing {shell(cell)}" for cell in list(cells)[:5])
        raise TableError(
            f"{told[0].upper()}{told[1:]}: pass {missing} if these cells are missing, or leave"
            f" the {'column' if len(odd) == 1 else 'columns'} out with --drop"
            f" {shell(','.join(odd))}."
        )

    def _refuse_kept(self, left_out: dict[str, str]) -> None:
        asked = {name: why for name, why in left_out.items() if name in self.keep}
        hopeless = {n: why for n, why in asked.items() if not why.startswith("is empty")}
        if hopeless:
            told = "; ".join(f"{name!r} {reason}" for name, reason in hopeless.items())
            raise TableError(
                f"Not every column that was asked for can be used: {told}. Leave it out of"
                " --features, or change it as said."
            )

    def why_not(self, column: ColumnEvidence) -> str | None:
        """Return why a column is left out, and what would keep it."""
        if not column.present or column.is_constant:
            return "is empty or the same in every row"
        if column.kinds == {NUMBER}:
            if not column.can_be_measured:
                reach = f"{column.low:.3g} to {column.high:.3g}"
                return f"holds numbers too large or too close to compute with ({reach})"
            return self._why_an_identifier(column)
        if column.kinds == {DATE}:
            return None
        if not column.kinds <= {TEXT}:
            return "holds lists or objects"
        return None if column.is_prose or column.is_mark else self._why_not_a_category(column)

    def _why_an_identifier(self, column: ColumnEvidence) -> str | None:
        if column.name in self.keep or column.rows < limits.ROWS_TO_JUDGE:
            return None
        rises = column.counts_rows or (column.increases and _IDENTIFIER.fullmatch(column.name))
        could_differ = column.is_whole and column.high - column.low >= column.present - 1
        if not (rises or (could_differ and _SURELY_ONE.fullmatch(column.name))):
            return None
        reach = f"{column.low:.0f} to {column.high:.0f}"
        return f"looks like an identifier ({reach}; --id {shell(column.name)} names rows by it)"

    def _why_not_a_category(self, column: ColumnEvidence) -> str | None:
        distinct = len(column.texts)
        if column.found.mixture:
            return f"holds {column.found.mixture}: write all of them in one way"
        if column.words > MANY_WORDS * column.present:
            return f"holds free text (--text {shell(column.name)} reads its words)"
        if column.present >= limits.ROWS_TO_JUDGE and distinct > DISTINCT_SHARE * column.counted:
            return "looks like an identifier (nearly every value differs)"
        if distinct > self.max_categories:
            return f"has {distinct:,} different texts (--max-categories {distinct} allows them)"
        return None


def _listed(items: Iterable[str], most: int = 8) -> str:
    shown = list(items)
    return ", ".join(shown[:most]) + f" and {len(shown) - most} more" * (len(shown) > most)


def _about_left_out(left_out: dict[str, str]) -> list[str]:
    if not left_out:
        return []
    which = "A column is" if len(left_out) == 1 else f"{len(left_out)} columns are"
    reasons = [f"{name!r} {reason}" for name, reason in left_out.items()]
    return [f"{which} left out: {_listed(reasons)}."]


def _about_readings(evidence: Evidence, used: list[EncodedColumn]) -> list[str]:
    """Say how texts were read: numbers and dates by an example, and cells taken for missing."""
    found = {column.name: evidence[column.name].found for column in used}
    read = [
        f"{name!r} ({f.reading.words(f.example)})"
        for name, f in found.items()
        if isinstance(f.reading, NumberReading | DateReading)
    ]
    notes = [f"Texts read as numbers or dates: {_listed(read)}."] if read else []
    gaps = [f"{', '.join(map(repr, f.no_value))} in {name!r}" for name, f in found.items()
            if f.reading is not None and f.no_value]  # fmt: skip
    return notes + ([f"Read as missing: {_listed(gaps)}."] if gaps else [])


def _about_missing(evidence: Evidence, used: list[EncodedColumn]) -> list[str]:
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
