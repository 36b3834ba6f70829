"""Multinomial logistic regression on the labeled rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..._core.logistic import left_out_with_class_totals, logistic
from ..._utils import limits
from ._base import Bench, Candidate, Scored


@dataclass(frozen=True)
class LogisticLabels(Candidate):
    """Candidate with the setting C, for rows of mean squared length one."""

    C: float

    @property
    def uses_unlabeled(self) -> bool:
        """Whether unlabeled rows are used: only in principal components."""
        return self.space.n_principal is not None

    @classmethod
    def loo_scores(cls, bench: Bench, candidates: Sequence[LogisticLabels]) -> Scored:
        """Yield scores, left out approximately, see :mod:`ssrlpl._core.logistic`."""
        for candidate in candidates:
            rows, codes, n_classes = candidate._rows(bench)
            settings = (rows, codes, n_classes, candidate.C, bench.weight)
            # A fit for each class is cheap only if rows are left out by a Newton step.
            size = (min(rows.shape) + 1) * n_classes
            if bench.has_few_of_a_class and size <= limits.LOGISTIC_COEFFICIENTS:
                yield candidate, left_out_with_class_totals(*settings)
            else:
                yield candidate, logistic(*settings).loo_scores

    @staticmethod
    def _rows(bench: Bench) -> tuple[Any, NDArray[np.intp], int]:
        """Return scaled labeled rows, their codes, and the number of classes."""
        rows = bench.X[bench.labeled] / np.sqrt(bench.variance)
        return rows, bench.codes, len(bench.target.classes)

    def row_scores(self, bench: Bench) -> NDArray[np.float64]:
        """Return the scores of all rows."""
        fit = logistic(*self._rows(bench), self.C, bench.weight)
        return np.asarray(bench.X @ (fit.coef / np.sqrt(bench.variance)) + fit.intercept)

    def words(self) -> str:
        """Return a description of the setting."""
        return f"logistic regression of labeled rows, C={self.C:g}, {self.space}"
