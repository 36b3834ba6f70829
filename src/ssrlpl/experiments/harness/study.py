"""A study: which cells it needs and what its rows become."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..._utils.printing import Table
from .cell_store import Cell, Row
from .measuring import Workbench


@dataclass(frozen=True)
class Plan:
    """Data sets with protocols × methods × seeds.

    ``takes(dataset, method)`` tells which methods a data set is for, if not for all;
    ``fewer(dataset, method)`` how many of the seeds are enough where a cell takes long.
    """

    problems: tuple[tuple[str, Any], ...]
    methods: tuple[str, ...]
    seeds: int
    takes: Callable[[str, str], bool] = lambda _dataset, _method: True
    fewer: Callable[[str, str], int | None] = lambda _dataset, _method: None


@dataclass(frozen=True)
class Section:
    """A table under a heading, with a few words."""

    title: str
    table: Table | None = None
    text: str = ""


@dataclass(frozen=True)
class Report:
    """What a study says: flat rows for a program, sections for a reader."""

    flat: list[dict[str, Any]]
    sections: list[Section] = field(default_factory=list)


def flat_table(flat: Sequence[Row], heads: Mapping[str, str] | None = None) -> Table | None:
    """Return flat rows as a table, None if there are none; a missing entry is left empty.

    ``heads`` are what a reader sees in place of names that programs read.
    """
    names = tuple(dict.fromkeys(name for row in flat for name in row))
    rows = tuple(tuple(row.get(name, "") for name in names) for row in flat)
    return Table(tuple((heads or {}).get(name, name) for name in names), rows) if flat else None


@dataclass(frozen=True)
class Study:
    """An experiment: a figure or a table of the paper, or one of our own.

    ``about`` is a paragraph on what is done; ``quick`` are a few cells that take seconds. ``draw``
    takes rows and a path without suffix, writes the figure and returns its files.
    """

    name: str
    title: str
    about: str
    full: Plan
    quick: Plan
    report: Callable[[Sequence[Row]], Report]
    bench: Workbench
    draw: Callable[[Sequence[Row], Path], list[Path]] | None = None

    def cells(
        self, *, quick: bool = False, seeds: int | None = None, methods: Sequence[str] = ()
    ) -> list[Cell]:
        """Return the cells of the full or the quick plan, fewer or more by choice.

        Seeds come first, so that a run stopped early has something to show for every method.
        """
        plan = self.quick if quick else self.full
        known = self.bench.methods
        unknown = [name for name in methods if name not in known]
        if unknown:
            raise ValueError(f"methods must be among {', '.join(known)}. Got {unknown[0]!r}.")
        return [
            Cell(self.name, dataset, protocol, method, seed)
            for seed in range(plan.seeds if seeds is None else seeds)
            for dataset, protocol in plan.problems
            for method in methods or plan.methods
            if plan.takes(dataset, method)
            and (seeds is not None or seed < (plan.fewer(dataset, method) or plan.seeds))
        ]
