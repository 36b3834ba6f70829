"""Linear discriminant analysis of the labeled rows, with a shrunken covariance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..._core.shrunken_covariance import discriminant, discriminant_without
from ..._utils.types import Floats
from ._base import Bench, Candidate, Scored


@dataclass(frozen=True)
class ShrunkenDiscriminant(Candidate):
    """Candidate with the setting ``shrinkage``, of the covariance toward equal variances."""

    shrinkage: float

    border = "straight"
    takes_weights = False

    @property
    def uses_unlabeled(self) -> bool:
        """Whether unlabeled rows are used: only in principal components."""
        return self.space.n_principal is not None

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
        coef, intercept = discriminant(
            taught.labeled_unit_rows(), taught.codes, len(bench.target.classes), self.shrinkage
        )
        return np.asarray(bench.X @ (coef / np.sqrt(bench.variance)) + intercept)

    def words(self) -> str:
        """Return a description of the setting."""
        return f"discriminant of labeled rows, shrinkage={self.shrinkage:g}, {self.space}"
