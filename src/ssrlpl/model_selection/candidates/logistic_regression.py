"""Multinomial logistic regression on the labeled rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..._core.logistic import logistic, logistic_without, without_keeping_classes
from ..._core.span import in_span
from ..._utils.types import Floats, Ints
from ._base import Bench, OfLabeledRows, Scored


@dataclass(frozen=True)
class LogisticLabels(OfLabeledRows):
    """Candidate with the setting C, for rows of mean squared length one."""

    C: float

    border = "straight"
    effort = 25

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
        return bench.linear_scores(*logistic(bench.labeled_unit_rows(), *self._problem(bench)))

    def words(self) -> str:
        """Return a description of the setting."""
        return f"logistic regression of labeled rows, C={self.C:g}, {self.space}"
