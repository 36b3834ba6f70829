"""How good the best candidate of the search would have been, had somebody known which it is.

Candidates label the rows of the training table, so they are judged there. The best of many on the
same rows is too good by luck: the best one on a half of the unlabeled rows is measured on the other
half, and the other way round. If the search loses against a rival and this oracle does not, the
weights are the cause; if both lose, the family of candidates is.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .._utils.types import Floats, Mask
from ..labels import encode_labels
from ..model_selection.refits import Refits
from ..model_selection.search import SSRLPLCV
from .problems import Problem


class _OpenSearch(SSRLPLCV):
    """A search that keeps what it found about each candidate."""

    def _search(self, X: Any, target: Any, rows: Any, seed: int, *rest: Any) -> Any:
        benches, board = super()._search(X, target, rows, seed, *rest)
        whole = len(rows) == X.shape[0]
        self.refits_ = Refits(board, benches, X, target, seed, is_whole=whole)
        return benches, board


def measure_oracle(problem: Problem, _: Any) -> dict[str, Any] | str:
    """Return the accuracy of the oracle, and of each candidate on both halves of unlabeled rows."""
    X, y = problem.X[problem.train], problem.target()
    if len(encode_labels(y).classes) < 2:
        return "All labeled rows are of one class."
    search = _OpenSearch(choose="one").fit(X, y)
    truth, hidden = problem.truth[problem.train], y < 0
    is_right = [
        (search.refits_.labels(place).argmax(axis=1) == truth)[hidden]
        for place in range(len(search.refits_.board.candidates))
    ]
    halves = 100 * halves_of(np.array(is_right))
    best = int(halves.mean(axis=0).argmax())
    return {
        "oracle": cross_fitted(halves),
        "candidates": len(is_right),
        "best": search.refits_.board.candidates[best].words(),
        "halves": " ".join(f"{a:.1f}/{b:.1f}" for a, b in halves.T),
    }


def halves_of(is_right: Mask) -> Floats:
    """Return the share of right rows (last axis) on both halves; rows are in random order."""
    return np.array([is_right[:, ::2].mean(axis=1), is_right[:, 1::2].mean(axis=1)])


def cross_fitted(halves: Floats) -> float:
    """Return the mean accuracy of the best candidate of each half on the other half.

    Examples
    --------
    >>> import numpy as np
    >>> from ssrlpl.experiments.candidate_oracle import cross_fitted
    >>> cross_fitted(np.array([[90.0, 80.0], [70.0, 75.0]]))  # the first, then the second
    75.0
    """
    first, second = halves
    return float((second[first.argmax()] + first[second.argmax()]) / 2)
