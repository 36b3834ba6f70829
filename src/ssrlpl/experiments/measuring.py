"""Compute one cell and put everything worth knowing into a row, failures included."""

from __future__ import annotations

import platform
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import version

from .cells import Cell, Row
from .fingerprint import code_fingerprint
from .hints import Hints
from .methods import METHODS, Method
from .problems import PAPER_SETTINGS, Problem, Protocol, load_problem
from .scoring import score

OK, FAILED, NO_DATA, NOT_INSTALLED = "ok", "failed", "no data", "not installed"


@dataclass(frozen=True)
class Workbench:
    """Where the names in a cell become a method and a problem."""

    methods: Mapping[str, Method]
    load: Callable[[str, Protocol, int], Problem]

    def fingerprint(self, cell: Cell) -> str:
        """Return the fingerprint of the code behind a cell: its method, its problem, its score."""
        method = self.methods[cell.method]
        return code_fingerprint(method.module, load_problem.__module__, score.__module__)


WORKBENCH = Workbench(METHODS, load_problem)


def compute(cell: Cell, bench: Workbench = WORKBENCH) -> Row:
    """Return the row of a cell. What goes wrong is written into the row, not raised."""
    row: Row = {**cell.identity(), "status": OK, "reason": ""}
    try:
        problem = bench.load(cell.dataset, cell.protocol, cell.seed)
        row |= _measure(bench.methods[cell.method], problem, cell)
    except FileNotFoundError as error:
        row |= {"status": NO_DATA, "reason": str(error)}
    except ImportError as error:
        row |= {"status": NOT_INSTALLED, "reason": str(error)}
    except Exception as error:  # a method may fail in any way, and the run must go on
        row |= {"status": FAILED, "reason": f"{type(error).__name__}: {error}"}
    return {**row, "fingerprint": bench.fingerprint(cell), "versions": versions()}


def _measure(method: Method, problem: Problem, cell: Cell) -> Row:
    p, k = PAPER_SETTINGS.get(cell.dataset, (None, None))
    hints = Hints(cell.seed, problem.n_classes, len(problem.labeled), p, k)
    estimator = method.build(hints)
    row = score(estimator, problem, sees_all_labels=method.sees_all_labels)
    if method.measure is not None:
        row["measures"] = dict(method.measure(estimator, problem))
    return row


@lru_cache(maxsize=1)
def versions() -> dict[str, str]:
    """Return what the numbers were computed with."""
    packages = ("ssrlpl", "numpy", "scipy", "scikit-learn")
    return {"python": platform.python_version(), **{name: version(name) for name in packages}}
