"""Multinomial logistic regression on the labeled rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..._core.logistic import in_span, logistic, logistic_without, without_keeping_classes
from ..._utils.types import Floats, Ints
from ._base import Bench, Candidate, Scored


@dataclass(frozen=True)
class LogisticLabels(Candidate):
    """Candidate with the setting C, for rows of mean squared length one."""

    C: float

    border = "straight"
    effort = 25

    @property
    def uses_unlabeled(self) -> bool:
        """Whether unlabeled rows are used: only in principal components."""
        return self.space.n_principal is not None

    @classmethod
    def loo_scores(cls, bench: Bench, candidates: Sequence[LogisticLabels]) -> Scored:
        """Yield scores, left out approximately, see :mod:`ssrlpl._core.logistic`."""
        without = without_keeping_classes if bench.has_few_of_a_class else logistic_without
        rows, _, _ = in_span(bench.labeled_unit_rows())
        for candidate in candidates:
            yield candidate, without(rows, *candidate._problem(bench))

    def _problem(self, bench: Bench) -> tuple[Ints, int, float, Any]:
        return bench.codes, len(bench.target.classes), self.C, bench.weight

    def row_scores(self, bench: Bench) -> Floats:
        """Return the scores of all rows."""
        fit = logistic(bench.labeled_unit_rows(), *self._problem(bench))
        return np.asarray(bench.X @ (fit.coef / np.sqrt(bench.variance)) + fit.intercept)

    def words(self) -> str:
        """Return a description of the setting."""
        return f"logistic regression of labeled rows, C={self.C:g}, {self.space}"
