"""A study: which cells it needs and what its rows become."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .._utils.printing import Table
from .cells import Cell, Row
from .measuring import Workbench
from .methods import METHODS, Method, find_methods
from .problems import Protocol, load_problem


@dataclass(frozen=True)
class Plan:
    """Data sets with protocols × methods × seeds."""

    problems: tuple[tuple[str, Protocol], ...]
    methods: tuple[str, ...]
    seeds: int


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


@dataclass(frozen=True)
class Study:
    """A figure or a table of the paper.

    Parameters
    ----------
    name, title, about : str
        The name on the command line, the heading, and a paragraph on what is done.
    full, quick : Plan
        All cells, and a few that take seconds.
    report : callable
        Takes rows, returns a :class:`Report`.
    draw : callable, optional
        Takes rows and a path without suffix, writes the figure and returns its files.
    methods : mapping
        Methods by name; the registry unless the study has its own.
    """

    name: str
    title: str
    about: str
    full: Plan
    quick: Plan
    report: Callable[[Sequence[Row]], Report]
    draw: Callable[[Sequence[Row], Path], list[Path]] | None = None
    methods: Mapping[str, Method] = field(default_factory=lambda: METHODS)

    @property
    def bench(self) -> Workbench:
        """Where this study's cells are computed."""
        return Workbench(self.methods, load_problem)

    def cells(
        self, *, quick: bool = False, seeds: int | None = None, methods: Sequence[str] = ()
    ) -> list[Cell]:
        """Return the cells of the full or the quick plan, fewer or more by choice.

        Seeds come first, so that a run stopped early has something to show for every method.
        """
        plan = self.quick if quick else self.full
        chosen = find_methods(list(methods or plan.methods), self.methods)
        return [
            Cell(self.name, dataset, protocol, method.name, seed)
            for seed in range(plan.seeds if seeds is None else seeds)
            for dataset, protocol in plan.problems
            for method in chosen
        ]
