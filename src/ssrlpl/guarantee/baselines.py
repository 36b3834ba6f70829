"""What needs no semi-supervised method: the largest class, and logistic regression."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..labels import PartialLabels

LARGEST = "largest class"
LOGISTIC = "logistic regression"


def simple_answers(
    X: Any, target: PartialLabels, rows: NDArray[np.intp]
) -> dict[str, NDArray[np.intp]]:
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
