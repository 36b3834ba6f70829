"""Kernel least squares on the labeled rows alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..._core.least_squares import centered, least_squares, middle, ridge_kernel
from ...maps.ridge import LabeledRidge
from ._base import Bench, Candidate, Scored, TableFacts, column_scale, grouped


@dataclass(frozen=True)
class LabeledLeastSquares(Candidate):
    """Candidate with the settings kernel, factor on the median γ, and ridge."""

    kernel: str
    bandwidth: float
    ridge: float

    @property
    def uses_unlabeled(self) -> bool:
        """Whether unlabeled rows are used: only in principal components."""
        return self.space.n_principal is not None

    def gamma(self, bench: Bench) -> float:
        """Return the median γ times a factor; for a linear kernel 1/(total variance)."""
        if self.kernel == "rbf":
            return bench.gamma * self.bandwidth
        total = float(np.sum(column_scale(bench.X) ** 2))
        return 1 / total if total > 0 else 1.0

    def build(self, table: TableFacts) -> LabeledRidge:
        """Return the estimator, see :class:`Candidate`."""
        temperature = table.temperature
        return LabeledRidge(self.kernel, table.gamma, ridge=self.ridge, temperature=temperature)

    @classmethod
    def loo_scores(cls, bench: Bench, candidates: Sequence[LabeledLeastSquares]) -> Scored:
        """Yield scores, see :class:`Candidate`."""
        rows = bench.X[bench.labeled]
        rows = centered(rows, middle(rows))
        for _, group in grouped(candidates, "kernel", "bandwidth"):
            K = ridge_kernel(group[0].kernel, group[0].gamma(bench)).square(rows)
            for candidate in group:
                yield candidate, least_squares(K, bench.given, candidate.ridge)[2]

    def words(self) -> str:
        """Return a description of the setting."""
        rows = "labeled rows only"
        if self.uses_unlabeled:
            rows = "labeled rows, components of all rows"
        shape = "linear" if self.kernel == "linear" else f"RBF x{self.bandwidth:g}"
        return f"{rows}, {shape}, ridge={self.ridge:g}, {self.space}"
