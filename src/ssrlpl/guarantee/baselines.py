"""What needs no semi-supervised method: the largest class, and logistic regression."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from .._utils.types import Ints
from ..labels import PartialLabels, shown

LARGEST = "largest class"
LOGISTIC = "logistic regression"


class BestGuess(NamedTuple):
    """The error that is expected of filled-in labels, beside that of simple answers.

    ``baselines`` has the errors of "largest class" and "logistic regression" on the same rows, NaN
    if there is none; ``largest_class`` is what the first of them always says. All were measured on
    ``n_labels`` labels: if none of them was wrong, the words assume one of two further ones was
    (Laplace's rule of succession).

    Examples
    --------
    >>> from ssrlpl.guarantee import BestGuess
    >>> BestGuess(0.0, {"largest class": 0.33, "logistic regression": 0.14}, "no", 21).in_words()
    "best guess 96; always saying 'no' would be right for 67, logistic regression for 86"
    """

    error: float
    baselines: Mapping[str, float]
    largest_class: Any
    n_labels: int

    def right(self, least: int = 0) -> int:
        """Return how many of 100 labels are right; ``least`` are so for certain."""
        return max(self._right(self.error), least)

    def in_words(self, least: int = 0) -> str:
        """Say how many of 100 labels are right by each."""
        largest, logistic = self.baselines[LARGEST], self.baselines[LOGISTIC]
        words = (
            f"best guess {self.right(least)}; always saying {shown(self.largest_class)} would"
            f" be right for {self._right(largest)}"
        )
        return words if np.isnan(logistic) else f"{words}, {LOGISTIC} for {self._right(logistic)}"

    def _right(self, error: float) -> int:
        """Return how many of 100 are right; never all of them."""
        error = error or 1 / (self.n_labels + 2)
        return round(min(100 * (1 - error), 99))


def simple_answers(X: Any, target: PartialLabels, rows: Ints) -> dict[str, Ints]:
    """Return the codes that simple classifiers predict for some rows.

    They learn from the labels of the target. X are numbers, or None if there are none: then
    logistic regression is left out.
    """
    codes = target.codes[target.labeled]
    found = {LARGEST: np.full(len(rows), np.bincount(codes).argmax())}
    if X is not None:
        # Imported here because linear_model alone would double the import time of this package.
        from sklearn.linear_model import LogisticRegression
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import StandardScaler

        # A sparse matrix keeps its zeros; an intercept replaces the centering.
        scale = StandardScaler(with_mean=isinstance(X, np.ndarray))
        model = make_pipeline(scale, LogisticRegression(max_iter=2000))
        found[LOGISTIC] = model.fit(X[target.labeled], codes).predict(X[rows])
    return found
