"""Compute one cell and put everything worth knowing into a row, failures included."""

from __future__ import annotations

import platform
import subprocess
import time
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from .cell_store import Cell, Row
from .fingerprint import code_fingerprint
from .skipping import SkippedCellError

OK, FAILED, SKIPPED = "ok", "failed", "skipped"
NO_DATA, NOT_INSTALLED = "no data", "not installed"


@dataclass(frozen=True)
class Trial(ABC):
    """What is done with a problem: a row or a column of a table, with a title there."""

    name: str
    title: str

    @property
    @abstractmethod
    def modules(self) -> tuple[str, ...]:
        """The modules whose code makes the numbers, for the fingerprint."""

    @abstractmethod
    def run(self, problem: Any, cell: Cell) -> Row:
        """Return entries of the cell's row; ``status`` and ``reason`` if there is no number."""


@dataclass(frozen=True)
class Measurement(Trial):
    """A trial that is a function.

    From a problem and its cell to numbers by name, or to a sentence that says why this problem
    has none.
    """

    measure: Callable[[Any, Cell], Mapping[str, Any] | str]

    @property
    def modules(self) -> tuple[str, ...]:
        """The module of the function."""
        return (self.measure.__module__,)

    def run(self, problem: Any, cell: Cell) -> Row:
        """Measure, and take the time."""
        start = time.perf_counter()
        found = self.measure(problem, cell)
        row: Row = {"fit_seconds": round(time.perf_counter() - start, 4)}
        if isinstance(found, str):
            return row | {"status": SKIPPED, "reason": found}
        return row | {"measures": dict(found)}


@dataclass(frozen=True)
class Workbench:
    """Where the names in a cell become a trial and a problem."""

    methods: Mapping[str, Trial]
    load: Callable[[str, Any, int], Any]

    def fingerprint(self, cell: Cell) -> str:
        """Return the fingerprint of the code behind a cell: its method and its problem."""
        return code_fingerprint(*self.methods[cell.method].modules, self.load.__module__)


def compute(cell: Cell, bench: Workbench) -> Row:
    """Return the row of a cell. What goes wrong is written into the row, not raised."""
    row: Row = {**cell.identity(), "status": OK, "reason": ""}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            problem = bench.load(cell.dataset, cell.protocol, cell.seed)
            row |= bench.methods[cell.method].run(problem, cell)
        except SkippedCellError as skipped:
            row |= {"status": SKIPPED, "reason": str(skipped)}
        except FileNotFoundError as error:
            # Result pages are read elsewhere: they name no folder of this machine's user.
            reason = str(error).replace(str(Path.home()), "~")
            row |= {"status": NO_DATA, "reason": reason}
        except ImportError as error:
            row |= {"status": NOT_INSTALLED, "reason": str(error)}
        except Exception as error:  # a method may fail in any way, and the run must continue
            row |= {"status": FAILED, "reason": f"{type(error).__name__}: {error}"}
    # Three tell what happened; some methods warn at every step, each time with other numbers.
    row["warnings"] = sorted({str(w.message).split("\n")[0] for w in caught})[:3]
    code = {"fingerprint": bench.fingerprint(cell), "commit": commit()}
    return {**row, **code, "versions": versions()}


@lru_cache(maxsize=1)
def commit() -> str:
    """Return the commit of the code that runs; empty outside a checkout or if it was changed."""

    def git(*arguments: str) -> str:
        found = subprocess.run(
            ["git", "-C", str(Path(__file__).parent), *arguments],
            capture_output=True, text=True, check=True,
        )  # fmt: skip
        return found.stdout.strip()

    try:
        is_changed = git("status", "--porcelain", "--", ":(top)src")
        return "" if is_changed else git("rev-parse", "--short=7", "HEAD")
    except (OSError, subprocess.CalledProcessError):
        return ""


@lru_cache(maxsize=1)
def versions() -> dict[str, str]:
    """Return what the numbers were computed with."""
    packages = ("ssrlpl", "numpy", "scipy", "scikit-learn")
    return {"python": platform.python_version(), **{name: version(name) for name in packages}}
