"""The paper's method: labels from the nearest labeled rows, kernel map, nearest neighbor."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..._core.loo_maps import distances_to_hidden
from ..._core.readout import nearest_scores
from ..._utils import limits
from ..._utils.types import Floats
from ...classify import SSRLPLClassifier
from ...labelers.knn import KNNLabeler
from ...maps.kernel import KernelSSRLPL
from ._base import Bench, Candidate, Scored


@dataclass(frozen=True)
class PlainMap(Candidate):
    """Candidate with the setting ``n_neighbors``, the number of labeled rows that vote."""

    n_neighbors: int

    takes_weights = False
    effort = 40
    is_read_by_map = False

    def build(self, bench: Bench, _labels: Floats | None = None) -> SSRLPLClassifier:
        """Return the estimator, see :class:`Candidate`; at most all labeled rows vote."""
        labeler = KNNLabeler(min(self.n_neighbors, len(bench.labeled)), gamma=bench.gamma)
        map_ = KernelSSRLPL(gamma=bench.gamma, labeler=labeler, random_state=bench.seed)
        return SSRLPLClassifier(map_, "nearest")

    def row_scores(self, bench: Bench) -> Floats:
        """Return the scores of all rows."""
        n = bench.X.shape[0]
        if n <= limits.EXACT_KERNEL_ROWS:
            return self.build(bench).fit_scores(bench.X, bench.target, bench.shared)
        # The map of all rows would take n² kernel values: a sample with all labels stands for them.
        order = np.random.RandomState(bench.seed).permutation(n)
        others = order[~bench.target.is_labeled[order]]
        labeled = order[bench.target.is_labeled[order]][: limits.LEAST_SQUARES_LABELED]
        first = np.unique(bench.codes, return_index=True)[1]  # of each class one
        labeled = np.union1d(labeled, bench.labeled[first])
        rows = np.sort(np.r_[labeled, others[: limits.EXACT_KERNEL_ROWS]])
        fitted = self.build(bench)
        fitted.fit_scores(bench.X[rows], bench.target.of_rows(rows))
        return fitted.label_scores(bench.X)

    @classmethod
    def loo_scores(cls, bench: Bench, candidates: Sequence[PlainMap]) -> Scored:
        """Yield scores, see :class:`Candidate`."""
        labeled, scores = bench.labeled, np.empty_like(bench.given)
        codes = bench.target.codes[labeled]
        for candidate in candidates:
            map_ = candidate.build(bench).representation
            for part, _, Z in map_.fit_without(bench.X, bench.target, labeled[:, None], labeled):
                scores[part] = nearest_scores(distances_to_hidden(Z, part), codes, scores.shape[1])
            yield candidate, scores.copy()

    def words(self) -> str:
        """Return a description of the setting."""
        return f"plain SSRL-PL (k={self.n_neighbors}), RBF x1, {self.space}"
