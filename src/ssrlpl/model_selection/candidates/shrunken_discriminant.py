"""Linear discriminant analysis of the labeled rows, with a shrunken covariance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..._core.shrunken_covariance import discriminant, discriminant_without
from ..._utils.types import Floats
from ._base import Bench, OfLabeledRows, Scored


@dataclass(frozen=True)
class ShrunkenDiscriminant(OfLabeledRows):
    """Candidate with the setting ``shrinkage``, of the covariance toward equal variances."""

    shrinkage: float

    border = "straight"
    takes_weights = False

    @classmethod
    def loo_scores(cls, bench: Bench, candidates: Sequence[ShrunkenDiscriminant]) -> Scored:
        """Yield scores, exact."""
        found = discriminant_without(
            bench.labeled_unit_rows(),
            bench.codes,
            len(bench.target.classes),
            [candidate.shrinkage for candidate in candidates],
            keep_counts=bench.has_few_of_a_class,
        )
        yield from zip(candidates, found, strict=True)

    def row_scores(self, bench: Bench) -> Floats:
        """Return the scores of all rows."""
        taught = bench.taught()
        rows, n_classes = taught.labeled_unit_rows(), len(bench.target.classes)
        return bench.linear_scores(*discriminant(rows, taught.codes, n_classes, self.shrinkage))

    def words(self) -> str:
        """Return a description of the setting."""
        return f"discriminant of labeled rows, shrinkage={self.shrinkage:g}, {self.space}"
