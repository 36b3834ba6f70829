"""Kernel least squares on the labeled rows alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..._core.blocks import middle_of
from ..._core.least_squares import centered, least_squares, left_out_with_class_totals, ridge_kernel
from ..._utils.types import Floats
from ...maps.ridge import LabeledRidge
from ._base import Bench, OfLabeledRows, Scored, grouped


@dataclass(frozen=True)
class LabeledLeastSquares(OfLabeledRows):
    """Candidate with the settings kernel, factor on the median γ, and ridge."""

    kernel: str
    bandwidth: float
    ridge: float

    is_read_by_map = False

    @property
    def border(self) -> str:
        """A linear kernel draws straight lines; principal components follow all rows."""
        is_straight = self.kernel == "linear" and self.space.n_principal is None
        return "straight" if is_straight else "curved"

    def _gamma(self, bench: Bench) -> float:
        """Return the median γ times a factor; for a linear kernel 1/(total variance)."""
        return bench.gamma * self.bandwidth if self.kernel == "rbf" else 1 / bench.variance

    def build(self, bench: Bench, labels: Floats) -> Any:
        """Return the estimator, see :class:`Candidate`."""
        # An estimator that is fitted again would not know the weights.
        alone = bench.weight is None and bench.taught() is bench
        return self._ridge(bench) if alone else super().build(bench, labels)

    def _ridge(self, bench: Bench) -> LabeledRidge:
        return LabeledRidge(self.kernel, self._gamma(bench), ridge=self.ridge)

    def row_scores(self, bench: Bench) -> Floats:
        """Return the scores of all rows."""
        taught, ridge = bench.taught(), self._ridge(bench)
        if taught is bench:
            return ridge.fit_scores(bench.X, bench.target, sample_weight=bench.weight)
        ridge.fit_checked(taught.X, taught.target, taught.weight)
        return ridge.label_scores(bench.X)

    @classmethod
    def loo_scores(cls, bench: Bench, candidates: Sequence[LabeledLeastSquares]) -> Scored:
        """Yield scores, see :class:`Candidate`."""
        rows = bench.X[bench.labeled]
        rows = centered(rows, middle_of(rows))
        for _, group in grouped(candidates, "kernel", "bandwidth"):
            K = ridge_kernel(group[0].kernel, group[0]._gamma(bench)).square(rows)
            for candidate in group:
                if bench.has_few_of_a_class:
                    settings = (bench.codes, candidate.ridge, bench.weight)
                    yield candidate, left_out_with_class_totals(K, bench.given, *settings)
                else:
                    found = least_squares(K, bench.given, candidate.ridge, bench.weight)
                    yield candidate, found[2]

    def words(self) -> str:
        """Return a description of the setting."""
        rows = "labeled rows only"
        if self.uses_unlabeled:
            rows = "labeled rows, components of all rows"
        shape = "linear" if self.kernel == "linear" else f"RBF x{self.bandwidth:g}"
        return f"{rows}, {shape}, ridge={self.ridge:g}, {self.space}"
