"""Forests of decision trees on the labeled rows, left out by their bootstrap samples."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass

from ..._utils.types import Floats
from ...learners import LabeledForest
from ._base import Bench, OfLabeledRows, Scored

_TREES = 100


@dataclass(frozen=True)
class ForestLabels(OfLabeledRows):
    """Candidate with the setting ``random_splits``: extremely randomized trees."""

    random_splits: bool

    border = "steps"
    effort = 20

    def _forest(self, bench: Bench) -> LabeledForest:
        """Return the forest of a bench, which left-out rows and all rows ask."""

        def fitted() -> LabeledForest:
            forest = LabeledForest(self.random_splits, _TREES, random_state=bench.seed)
            forest.fit_checked(bench.X, bench.target, bench.weight)
            return forest

        return bench.shared.once(self, fitted)

    @classmethod
    def loo_scores(cls, bench: Bench, candidates: Sequence[ForestLabels]) -> Scored:
        """Yield scores: the votes of the trees that did not see a row (out-of-bag)."""
        for candidate in candidates:
            yield candidate, candidate._forest(bench).loo_scores_

    def row_scores(self, bench: Bench) -> Floats:
        """Return the scores of all rows."""
        return self._forest(bench).scores_of_checked(bench.X)

    def own_reader(self, bench: Bench, temperature: float) -> LabeledForest:
        """Return the forest itself: a smooth map cannot follow the steps of its trees."""
        forest = copy(self._forest(bench)).set_params(temperature=temperature)
        forest.temperature_ = temperature
        return forest

    def words(self) -> str:
        """Return a description of the setting."""
        kind = "extremely randomized trees" if self.random_splits else "random forest"
        return f"{kind} of labeled rows, {self.space}"
