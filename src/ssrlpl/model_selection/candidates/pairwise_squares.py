"""Kernel least squares for each pair of classes, on the labeled rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..._core.blocks import block_rows, middle_of, row_slices
from ..._core.least_squares import PairwiseFit, centered, pairwise_least_squares, ridge_kernel
from ..._utils.types import Floats
from ._base import Bench, OfLabeledRows, Scored


@dataclass(frozen=True)
class PairwiseLeastSquares(OfLabeledRows):
    """Candidate with the settings factor on the median γ, and ridge."""

    bandwidth: float
    ridge: float

    @classmethod
    def loo_scores(cls, bench: Bench, candidates: Sequence[PairwiseLeastSquares]) -> Scored:
        """Yield scores, exact."""
        for candidate in candidates:
            yield candidate, candidate._fit(bench)[2]

    def _fit(self, bench: Bench) -> tuple[PairwiseFit, Any, Floats]:
        """Return the fits, what gives kernel values of rows with the labeled ones, and scores."""
        kernel = ridge_kernel("rbf", bench.gamma * self.bandwidth)
        rows = bench.X[bench.labeled]
        center = middle_of(rows)
        rows = centered(rows, center)
        fit, scores = pairwise_least_squares(
            kernel.square(rows), bench.codes, len(bench.target.classes), self.ridge, bench.weight
        )
        return fit, lambda X: kernel(centered(X, center), rows), scores

    def row_scores(self, bench: Bench) -> Floats:
        """Return the scores of all rows."""
        fit, kernel_with, _ = self._fit(bench.taught())
        scores = np.empty((bench.X.shape[0], len(bench.target.classes)))
        for part in row_slices(len(scores), block_rows(8 * len(fit.pairs))):
            scores[part] = fit.scores(kernel_with(bench.X[part]))
        return scores

    def words(self) -> str:
        """Return a description of the setting."""
        shape = f"RBF x{self.bandwidth:g}, ridge={self.ridge:g}"
        return f"pairs of classes, labeled rows only, {shape}, {self.space}"
