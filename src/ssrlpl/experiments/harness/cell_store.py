"""Cells of an experiment and the folder that keeps their results.

A cell is data set × protocol × method × seed. Each finished cell is one small JSON file, written
whole or not at all, so a run can be killed at any moment and loses nothing but the cells that were
being computed. The file's name holds the fingerprint of the code: results of older code stay
beside those of newer code and are never mistaken for them.
"""

from __future__ import annotations

import json
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
    """Rows of finished cells on disk.

    Parameters
    ----------
    root : path
        The folder; it is made when the first row is written.
    """

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
