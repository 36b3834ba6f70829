"""Forests of decision trees on the labeled rows, left out by their bootstrap samples."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..._utils.quiet_learners import quiet_learners
from ._base import Bench, Candidate, Scored, log_scores

_TREES = 100


@dataclass(frozen=True)
class ForestLabels(Candidate):
    """Candidate with the setting ``random_splits``: extremely randomized trees."""

    random_splits: bool

    effort = 20

    @property
    def uses_unlabeled(self) -> bool:
        """A forest uses the labeled rows only."""
        return False

    def _forest(self, bench: Bench) -> Any:
        """Return the forest of a bench, which left-out rows and all rows ask."""
        return bench.shared.once(self, lambda: self._fit(bench))

    def _fit(self, bench: Bench) -> Any:
        # Imported here because ensembles alone would double the import time of this package.
        from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier

        kind = ExtraTreesClassifier if self.random_splits else RandomForestClassifier
        forest = kind(_TREES, bootstrap=True, oob_score=True, random_state=bench.seed)
        with quiet_learners():  # with very few rows all trees may have seen one
            return forest.fit(_for_trees(bench.X)[bench.labeled], bench.codes, bench.weight)

    @classmethod
    def loo_scores(cls, bench: Bench, candidates: Sequence[ForestLabels]) -> Scored:
        """Yield scores: the vote of the trees that did not see a row (out-of-bag).

        With few labels these trees saw clearly less of the row's class than the forest does, and
        a leaf answers by shares of classes: votes for that class are scaled by n/(n - 1).
        """
        rows, of_class = np.arange(len(bench.codes)), np.bincount(bench.codes)[bench.codes]
        for candidate in candidates:
            # A row that all trees saw has no vote.
            votes = np.nan_to_num(candidate._forest(bench).oob_decision_function_)
            if bench.has_few_of_a_class:
                votes[rows, bench.codes] *= of_class / np.maximum(of_class - 1, 1)
                votes /= np.maximum(votes.sum(axis=1, keepdims=True), 1e-12)
            yield candidate, _scores(votes)

    def row_scores(self, bench: Bench) -> NDArray[np.float64]:
        """Return the scores of all rows."""
        return _scores(self._forest(bench).predict_proba(_for_trees(bench.X)))

    def words(self) -> str:
        """Return a description of the setting."""
        kind = "extremely randomized trees" if self.random_splits else "random forest"
        return f"{kind} of labeled rows, {self.space}"


def _scores(shares: NDArray[np.float64]) -> NDArray[np.float64]:
    return log_scores(shares, 1 / _TREES)  # as if each class had the vote of one more tree


def _for_trees(X: Any) -> Any:
    """Return rows whose values single precision can hold, in which trees compare them."""
    largest = float(abs(X).max())
    return X if largest == 0 or 1e-30 < largest < 1e30 else X / largest
