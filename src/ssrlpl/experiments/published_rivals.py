"""Published methods on a problem: settings by left-out labels, matrices shared between cells.

The splits of a data set differ in their labels only. Neighbors, kernel matrices, factorizations
and codes of its rows are computed once for all splits, settings and methods that are computed one
after the other. So the seconds of a cell say nothing; in the first split the method is fitted once
more, alone.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from .._core.shared import SharedRows
from .._utils.types import Ints
from ..baselines.registry import BASELINES
from ..labels import UNLABELED, encode_labels
from .fit_and_score import error_on
from .problems import Problem


def score_published(name: str, problem: Problem, *, seed: int) -> dict[str, Any]:
    """Choose settings of a baseline, fit, and return errors, seconds and what was chosen.

    With seed 0 the row gets ``seconds_alone``, those of one fit with the chosen settings and its
    predictions, with nothing shared.
    """
    entry, rows = BASELINES[name], np.sort(problem.train)
    y = np.where(np.isin(rows, problem.labeled), problem.truth[rows], UNLABELED)
    shared = _shared(_Rows(problem.X, rows))
    start = time.perf_counter()
    target = encode_labels(y, unlabeled=UNLABELED)
    settings = entry.choose(shared.X, target, shared)
    chosen = time.perf_counter()
    fitted = entry.estimator(**settings, unlabeled=UNLABELED)
    fitted.check_rows(shared.X)
    fitted.fit_checked(shared.X, target, shared=shared)
    unlabeled, test = (
        error_on(fitted, problem, part) for part in (problem.unlabeled, problem.test)
    )
    row = {
        "n_labeled": len(problem.labeled),
        "error_unlabeled": unlabeled,
        "error_test": test,
        "fit_seconds": round(time.perf_counter() - chosen, 4),
        "choice_seconds": round(chosen - start, 4),
        "params": settings,
    }
    if seed == 0:
        start = time.perf_counter()
        alone = entry.estimator(**settings, unlabeled=UNLABELED).fit(shared.X, y)
        alone.predict(problem.X[problem.unlabeled])
        row["seconds_alone"] = round(time.perf_counter() - start, 4)
    return row


@dataclass(frozen=True, eq=False)
class _Rows:
    """Some rows of a table; two of them are equal if they are the same rows of one object."""

    X: Any
    rows: Ints

    def __hash__(self) -> int:
        return hash((id(self.X), self.rows.tobytes()))

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, _Rows) and self.X is other.X and np.array_equal(self.rows, other.rows)
        )


@lru_cache(maxsize=1)
def _shared(part: _Rows) -> SharedRows:
    return SharedRows(next(iter(BASELINES.values())).estimator().check_rows(part.X[part.rows]))
