"""Columns whose cells hold several things: numbers such as 120/80, or choices such as "a; b"."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from .._utils.printing import listed
from .._utils.types import Floats
from .cell_values import NUMBERS, texts_of
from .choices import Choices, split_choices
from .encoded_columns import EncodedColumn, NumberColumn
from .evidence import ColumnEvidence


@dataclass(frozen=True)
class SeveralColumn(EncodedColumn):
    """Several numbers in a cell: each that varies becomes a number, as if it had its own column."""

    numbers: dict[str, NumberColumn]

    kind: ClassVar[str] = NUMBERS

    @classmethod
    def of(cls, seen: ColumnEvidence, *, scale: bool) -> SeveralColumn:
        """Return it for what was seen of the column."""
        parts = {name: part for name, part in seen.parts.items() if not part.is_constant}
        numbers = {name: NumberColumn.of(part, scale=scale) for name, part in parts.items()}
        return cls(seen.name, seen.found, numbers)

    def words(self) -> str:
        """Say what the column becomes."""
        return "a column of numbers" if len(self.numbers) == 1 else super().words()

    @property
    def names(self) -> list[str]:
        """The column's name with the place of each number."""
        return [f"{self.name}_{place}" for place in self.numbers]

    def encode(self, column: Any) -> Floats:
        """Return a column for each number that varied in the first table."""
        values = self._cells(column, NUMBERS).values
        if values.ndim == 1:  # no cell is filled
            values = np.full((len(values), 1 + max(map(int, self.numbers))), np.nan)
        encoded = [n.encode_numbers(values[:, int(p) - 1]) for p, n in self.numbers.items()]
        return np.hstack(encoded)


@dataclass(frozen=True)
class ChoicesColumn(EncodedColumn):
    """Choices in a cell: a column of zeros and ones for each of them; an empty cell has none."""

    sep: str
    choices: list[str]

    kind: ClassVar[str] = "choices"

    @classmethod
    def of(cls, seen: ColumnEvidence, found: Choices) -> ChoicesColumn:
        """Return it for what was seen of the column."""
        return cls(seen.name, seen.found, found.sep, found.names)

    def words(self) -> str:
        """Say what the column becomes."""
        shown = listed(self.choices, 3)
        return f"{len(self.choices)} columns of 0 and 1, one for each choice ({shown})"

    @property
    def names(self) -> list[str]:
        """The column's name with each choice."""
        return [f"{self.name}_{choice}" for choice in self.choices]

    def encode(self, column: Any) -> Floats:
        """Return zeros and ones; choices that the first table did not have do not count."""
        cells = [set(split_choices(text or "", self.sep)) for text in texts_of(column)]
        return np.array([[c in cell for c in self.choices] for cell in cells], dtype=np.float64)
