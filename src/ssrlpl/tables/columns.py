"""Which columns are used and how, and which are left out and why.

Every column was looked at in all rows (:class:`~.evidence.Evidence`). The thresholds are guesses;
what they leave out is named, with the option that keeps it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from .._utils import limits
from .._utils.advice import dropped, either, missing_cells, option
from .._utils.printing import listed
from .cell_values import DATE, NUMBER, NUMBERS, TEXT, infinite_cell
from .choices import find_choices
from .column_notes import about_doubts, about_left_out, about_missing, about_readings
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
from .grouped_columns import ChoicesColumn, SeveralColumn
from .image_columns import ENDINGS as PICTURES
from .image_columns import ImageColumn
from .naming import nameless

MANY_WORDS = 5
"""A text column with more words a cell, on average, is free text."""

DISTINCT_SHARE = 0.9
"""A text column in which more than this share of the cells differ identifies rows."""

FEW_TEXTS = 20
"""So many texts are a category, even if they look like numbers that are written in several ways."""

_SEVERAL_NUMBERS = re.compile(
    r"[\[(]?\s*-?(?!0\d)\d+([.,]\d+)?(\s?[,;/x×*|°'’±~:-]\s*-?\d+([.,]\d+)?)+\W*\w?"
)

_IDENTIFIER = re.compile(
    r"(.*[\s_.-])?(id|ids|index|idx|key|no|nr|row|uuid)\.?|.*[a-z](Id|ID)", re.I
)
_SURELY_ONE = re.compile(
    r"(.*[\s_.-])?(id|ids|uuid|phone|t[eé]l[eé](ph|f)on\w*|tel|mobile|fax|iban|ssn|isbn|ean)\.?"
    r"|.*[\s_.-](no|nr|number|num)\.?|.*#|.*nummer|.*nr\.?|.*[a-z](?-i:Id|ID|No|Nr)",
    re.I,
)


LONGEST_CODE = 60
"""Longer texts are free text, whatever is in them."""

SHORTEST_CODE = 1e9
"""Shorter numbers that differ may well be amounts."""

YEARS = (1500, 2100)
"""Numbers between these that increase by one may be years, which tell something."""

HUGE = "holds numbers too large or too close to compute with"


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
    for asker, asked in (("--features", features), ("--drop", drop)):
        for name in asked:
            if name not in known:
                raise unknown_column(name, known, asker)
    for asker, name in reserved.items():
        if name in features:
            raise TableError(f"{name!r} is given both to --features and to {asker}: leave one.")
    left_out = {*drop, *reserved.values()}
    kept = [name for name in features or known if name not in left_out]
    if not {*known} - {*reserved.values()}:
        others = " and ".join(map(repr, reserved.values()))
        raise TableError(
            f"The table has no column besides {others}, so that there is nothing to learn from: add"
            " columns that describe each row."
        )
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
        notes = [*about_left_out(left_out), *about_readings(evidence, used),
                 *about_missing(evidence, used),
                 *about_doubts(evidence, used, self.max_categories)]  # fmt: skip
        return Judgement(used, left_out, notes)

    def encoded(self, column: ColumnEvidence) -> EncodedColumn:
        """Return what a column becomes that is used."""
        if column.is_mark:
            return MarkColumn.of(column, scale=self.scale)
        if column.kinds == {NUMBER}:
            return NumberColumn.of(column, scale=self.scale)
        if column.kinds == {DATE}:
            return DateColumn.of(column, scale=self.scale)
        if column.kinds == {NUMBERS}:
            return SeveralColumn.of(column, scale=self.scale)
        if not column.is_prose:
            choices = find_choices(column.texts, self.max_categories)
            return ChoicesColumn.of(column, choices) if choices else CategoryColumn.of(column)
        if column.name in self.images:
            return ImageColumn.of(column)
        return EmbeddedTextColumn.of(column, self.embed) if self.embed else TextColumn.of(column)

    def _refuse_odd_cells(self, evidence: Evidence) -> None:
        """Raise one error about all cells that a person has to decide on."""
        complaints = []
        odd = {name: column.found for name, column in evidence.columns.items() if column.found.odd}
        if odd:
            told = "; ".join(
                f"column {name!r} holds cells like {found.example!r}, but also"
                f" {listed(map(repr, found.odd), 3)}"
                for name, found in odd.items()
            )
            cells = dict.fromkeys(cell for found in odd.values() for cell in found.odd)
            complaints.append(
                f"{told[0].upper()}{told[1:]}: pass {missing_cells(list(cells)[:5])} if these cells"
                f" are missing, or leave the {'column' if len(odd) == 1 else 'columns'} out with"
                f" {dropped(list(odd))}."
            )
        complaints += [
            infinite_cell(name, column.infinite)
            for name, column in evidence.columns.items()
            if column.infinite is not None
        ]
        if complaints:
            raise TableError(" ".join(complaints))

    def _refuse_kept(self, left_out: dict[str, str]) -> None:
        asked = {name: why for name, why in left_out.items() if name in self.keep}
        hopeless = {n: why for n, why in asked.items() if not why.startswith("is empty")}
        if hopeless:
            told = "; ".join(f"{name!r} {reason}" for name, reason in hopeless.items())
            raise TableError(
                f"Not every column that was asked for can be used: {told}. Leave it out of"
                f" {option('keep')}, or change it as said."
            )

    def why_not(self, column: ColumnEvidence) -> str | None:
        """Return why a column is left out, and what would keep it."""
        if not column.present or column.is_constant:
            return "is empty or the same in every row"
        if column.is_mark:
            return None
        if column.kinds == {NUMBER}:
            if not column.can_be_measured:
                return f"{HUGE} ({column.low:.3g} to {column.high:.3g})"
            return self._why_an_identifier(column)
        if column.kinds == {NUMBERS}:
            parts = column.parts.values()
            return None if all(p.is_constant or p.can_be_measured for p in parts) else HUGE
        if column.kinds == {DATE}:
            return None
        if not column.kinds <= {TEXT}:
            return "holds lists or objects"
        return None if column.is_prose else self._why_not_a_category(column)

    def _why_an_identifier(self, column: ColumnEvidence) -> str | None:
        if column.name in self.keep or column.rows < limits.ROWS_TO_JUDGE:
            return None
        are_years = YEARS[0] <= column.low <= column.high <= YEARS[1]
        are_digits = column.is_whole and _are_random_digits(column)
        rises = (
            are_digits
            or (column.counts_rows and not are_years)
            or (column.is_sorted and _IDENTIFIER.fullmatch(column.name))
        )
        could_differ = column.is_whole and column.high - column.low >= column.present - 1
        is_index = could_differ and nameless([column.name]) and _never_twice(column)
        if not (rises or is_index or (could_differ and _SURELY_ONE.fullmatch(column.name))):
            return None
        reach = f"{column.low:.0f} to {column.high:.0f}"
        cure = either(f"{option('id', column.name)} names rows by it",
                      f"{option('keep', [column.name])} uses it")  # fmt: skip
        return f"looks like an identifier ({reach}; {cure})"

    def _why_not_a_category(self, column: ColumnEvidence) -> str | None:
        if find_choices(column.texts, self.max_categories):
            return None
        distinct = len(column.texts)
        # A few texts are a category, whatever they look like.
        if column.found.mixture and distinct > FEW_TEXTS:
            return f"holds {column.found.mixture}: write all of them in one way"
        if all(text.startswith(("[", "{")) for text in column.texts) and distinct > FEW_TEXTS:
            return "holds lists or objects: give each part a column of its own"
        differ = distinct > FEW_TEXTS or 2 * distinct > column.present  # else they are answers
        if differ and column.words > MANY_WORDS * column.present and _is_prose(column):
            return f"holds free text ({option('text', [column.name])} reads its words)"
        is_id = (
            column.present >= limits.ROWS_TO_JUDGE and distinct > DISTINCT_SHARE * column.counted
        )
        if not is_id and distinct <= self.max_categories:
            return None
        shapes = {re.sub(r"\d", "0", text) for text in column.texts}  # of a card: 0000-0000
        is_card = len(shapes) == 1 and {*"".join(shapes)} <= {*"0-"}
        is_known_id = is_id and (is_card or _SURELY_ONE.fullmatch(column.name))
        if not is_known_id and all(_SEVERAL_NUMBERS.fullmatch(text) for text in column.texts):
            example = next(iter(column.texts))
            return f"holds several numbers in a cell ({example!r}): give each a column of its own"
        if not is_id:
            cure = option("max_categories", distinct)
            return f"has {distinct:,} different texts ({cure} allows them)"
        return f"looks like an identifier (nearly every value differs{_other_reading(column)})"


def _are_random_digits(column: ColumnEvidence) -> bool:
    """Tell whether long numbers have equally many digits, begin with any, and never come twice.

    Numbers of telephones, cards and articles do; times since 1970 begin alike, amounts differ in
    length.
    """
    if column.low < SHORTEST_CODE or len(f"{column.low:.0f}") != len(f"{column.high:.0f}"):
        return False
    return column.high > 2 * column.low and _never_twice(column)


def _never_twice(column: ColumnEvidence) -> bool:
    cells = column.sample[~np.isnan(column.sample)]
    return len(np.unique(cells)) == len(cells)


def _is_prose(column: ColumnEvidence) -> bool:
    """Tell whether texts are long, or half of what stands between blanks is made of letters."""
    if any(len(text) > LONGEST_CODE for text in column.texts):
        return True
    words = [word for text in list(column.texts)[:100] for word in text.split()]
    return 2 * sum(word.strip(".,;:!?()'\"").isalpha() for word in words) >= len(words)


def _other_reading(column: ColumnEvidence) -> str:
    """Say which option reads texts that differ, if they are words or names of pictures."""
    if all(text.lower().endswith(PICTURES) for text in column.texts):
        return f"; {option('images', 'FOLDER')} reads the pictures that it names"
    return f"; {option('text', [column.name])} reads its words" if _has_words(column) else ""


def _has_words(column: ColumnEvidence) -> bool:
    """Tell whether texts have words in common, as titles and addresses on the web have."""
    texts = list(column.texts)[:100]
    words = Counter(w for text in texts for w in set(re.findall(r"[^\W\d_]{3,}", text)))
    return words.total() >= 2 * len(texts) and max(words.values()) > 2 + 0.05 * len(texts)
