"""Cells of an experiment and the folder that keeps their results.

A cell is data set × protocol × method × seed. Each finished cell is one small JSON file, written
whole or not at all, so a run can be killed at any moment and loses nothing but the cells that were
being computed. The file's name holds the fingerprint of the code: results of older code stay
beside those of newer code and are never mistaken for them.

The store of a run is not part of the repository. A fresh clone goes on from the table of cells that
was committed, ``cells/NAME.csv``: what these cells say is read back, and only what is missing is
computed.
"""

from __future__ import annotations

import csv
import json
from ast import literal_eval
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from ..._utils.files import whole_file

Row = dict[str, Any]
"""One result: the cell, its status, its numbers, seconds, chosen parameters and versions."""


@dataclass(frozen=True)
class Cell:
    """What is computed at once; its protocol is any object whose ``str()`` names it."""

    study: str
    dataset: str
    protocol: Any
    method: str
    seed: int

    def identity(self) -> Row:
        """Return the entries of a row that say which cell it belongs to."""
        return {
            "study": self.study,
            "dataset": self.dataset,
            "protocol": str(self.protocol),
            "method": self.method,
            "seed": self.seed,
        }

    @property
    def folder(self) -> Path:
        """Where results of the cell's data set, protocol and method lie in a store.

        The study is not part of it: a cell that two studies need is computed once.
        """
        names = (self.dataset, str(self.protocol), self.method)
        return Path(*(quote(name, safe=" @+=,") for name in names))  # no two names share one


class Store:
    """Rows of finished cells on disk, in a folder that the first row makes."""

    def __init__(self, root: str | Path):
        self.root = Path(root)

    def write(self, cell: Cell, row: Row) -> Path:
        """Keep the row of a cell. Readers see the whole row or none."""
        path = self.root / cell.folder / f"{cell.seed}-{row['fingerprint']}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        with whole_file(path) as partial:
            partial.write_text(json.dumps(row, indent=1), encoding="utf-8")
        return path

    def read(self, cell: Cell) -> list[Row]:
        """Return the rows of a cell, one for each version of the code, newest first."""
        paths = (self.root / cell.folder).glob(f"{cell.seed}-*.json")
        # By the time of the file: fingerprints have no order.
        newest_first = sorted(paths, key=lambda path: path.stat().st_mtime, reverse=True)
        rows = (json.loads(path.read_text(encoding="utf-8")) for path in newest_first)
        return [{**row, "study": cell.study} for row in rows]


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
    """Rows of a table of cells, by cell; if there is no such file, no cell is known."""

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
