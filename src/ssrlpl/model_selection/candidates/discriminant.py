"""Linear discriminant with the labels of the labeled rows and the scatter of all rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..._core.moments import row_moments
from ..._core.whitening import ridge_of_share, scatter_solver
from ..._utils.types import Floats
from ...classify import SSRLPLClassifier
from ...labelers.knn import KNNLabeler
from ...maps.linear import SSRLPL
from ._base import Bench, Candidate, Scored


@dataclass(frozen=True)
class AllRowsDiscriminant(Candidate):
    """Candidate with the setting ρ, as a share of the total scatter."""

    rho: float

    border = "straight"
    takes_weights = False
    is_read_by_map = False

    def build(self, _bench: Bench | None = None, _labels: Floats | None = None) -> SSRLPLClassifier:
        """Return the estimator, see :class:`Candidate`."""
        map_ = SSRLPL(
            constraint="whitened", rho=self.rho, unlabeled_weight=0.0, labeler=KNNLabeler(1)
        )
        return SSRLPLClassifier(map_, "least_squares")

    def row_scores(self, bench: Bench) -> Floats:
        """Return the scores of all rows."""
        return self.build().fit_scores(bench.X, bench.target)

    @classmethod
    def loo_scores(cls, bench: Bench, candidates: Sequence[AllRowsDiscriminant]) -> Scored:
        """Yield scores; only the labeled rows of the hat matrix are needed."""
        labeled, n = bench.labeled, bench.X.shape[0]
        S = row_moments(bench.X).scatter
        assert S is not None
        rows = (bench.X[labeled] - bench.X.mean(axis=0)).astype(np.float64)
        count = len(labeled) - 1
        mean = (bench.given.sum(axis=0) - bench.given) / count
        for candidate in candidates:
            solve = scatter_solver(S, ridge_of_share(candidate.rho, np.trace(S)))
            hat = rows @ solve(np.ascontiguousarray(rows.T))
            np.fill_diagonal(hat, 0)  # a row says nothing of itself
            # Labels are centered by the mean of the other rows, a different one for each row.
            told = hat @ bench.given - hat.sum(axis=1, keepdims=True) * mean
            yield candidate, mean + told * n / count

    def words(self) -> str:
        """Return a description of the setting."""
        return f"labeled rows, scatter of all rows, linear, whitened rho={self.rho:g}, {self.space}"
