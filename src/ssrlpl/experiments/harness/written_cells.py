"""Cells that a results folder came with, as ``cells/NAME.csv`` keeps them.

The store of a run is not part of the repository. A fresh clone goes on from the table of cells that
was committed: what these cells say is read back, and only what is missing is computed.
"""

from __future__ import annotations

import csv
from ast import literal_eval
from pathlib import Path
from typing import Any

from .cell_store import Cell, Row

_TEXTS = frozenset(
    {"study", "dataset", "protocol", "method", "status", "reason", "fingerprint", "commit",
     "params", "versions"}
)  # fmt: skip
_NUMBERS = frozenset(
    {"seed", "n_labeled", "error_unlabeled", "error_test", "fit_seconds", "predict_seconds",
     "choice_seconds", "seconds_alone", "loo_error"}
)  # fmt: skip
_ENTRIES = _TEXTS | _NUMBERS | {"of_other_code"}  # a text, or True where the code has no name
"""What a row holds itself; every other column is a measure."""


class WrittenCells:
    """Rows of a table of cells, by cell.

    Parameters
    ----------
    path : path
        The file; if there is none, no cell is known.
    """

    def __init__(self, path: Path):
        self._rows: dict[tuple[str, str, str, int], Row] = {}
        if path.is_file():
            with path.open(encoding="utf-8", newline="") as lines:
                for line in csv.DictReader(lines):
                    row = _row(line)
                    self._rows[row["dataset"], row["protocol"], row["method"], row["seed"]] = row

    def read(self, cell: Cell) -> list[Row]:
        """Return the row of a cell in a list, or an empty list, as a store does."""
        found = self._rows.get((cell.dataset, str(cell.protocol), cell.method, cell.seed))
        return [] if found is None else [found]


def _row(line: dict[str, str]) -> Row:
    """Return a row as it was before it was made flat; an empty entry was None or not there."""
    entries = {key: _value(key, text) for key, text in line.items() if text}
    row: Row = {"reason": "", **{k: v for k, v in entries.items() if k in _ENTRIES}}
    measures = {key: value for key, value in entries.items() if key not in _ENTRIES}
    if measures:
        row["measures"] = measures
    row["params"] = {"": row["params"]} if "params" in row else {}
    pairs = (pair.partition("=") for pair in row.get("versions", "").split())
    row["versions"] = {name: version for name, _, version in pairs}
    return row


def _value(key: str, text: str) -> Any:
    if key in _TEXTS:  # a fingerprint may look like a number
        return text
    try:
        return literal_eval(text)
    except (SyntaxError, ValueError):
        return text
