"""Do the unlabeled rows help? Held-out 1-NN errors of two maps on the same rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binomtest
from sklearn.base import clone
from sklearn.neighbors import KNeighborsClassifier

from ._certificate import Comparison
from ._evidence import Table, folds
from .labels import UNLABELED

SIGNIFICANT = 0.05
"""Two-sided level at which a difference counts as seen."""


def compare_with_labeled_only(estimator: Any, table: Table) -> Comparison:
    """Compare, fold by fold, the map from all rows with the map from the labeled rows."""
    labeled = table.labeled
    pairs = [
        _wrong_on_split(estimator, table, labeled[kept], labeled[left])
        for kept, left in folds(len(labeled), table.X.shape[0])
    ]
    everything, alone = (np.concatenate(wrong) for wrong in zip(*pairs, strict=True))
    return _compare(everything, alone)


def _compare(everything: NDArray[np.bool_], alone: NDArray[np.bool_]) -> Comparison:
    only_with = int(np.count_nonzero(everything & ~alone))
    only_without = int(np.count_nonzero(alone & ~everything))
    differ = only_with + only_without
    p_value = float(binomtest(only_with, differ).pvalue) if differ else 1.0
    trials = len(everything)
    rates = (float(everything.mean()), float(alone.mean())) if trials else (np.nan, np.nan)
    return Comparison(*rates, only_with, only_without, trials, p_value)


def _wrong_on_split(
    estimator: Any,
    table: Table,
    kept: NDArray[np.intp],
    left: NDArray[np.intp],
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return which of the left-out rows 1-NN gets wrong, with and without unlabeled rows."""
    X, codes = table.X, table.target.codes
    if len(np.unique(codes[kept])) < 2:
        return np.empty(0, dtype=bool), np.empty(0, dtype=bool)
    base = clone(estimator).set_params(unlabeled=UNLABELED)
    fitted = clone(base).fit(X, table.hiding(left).codes)
    few = base.fit(X[kept], codes[kept])
    return _wrong(fitted, table, kept, left), _wrong(few, table, kept, left)


def _wrong(
    map_: Any, table: Table, kept: NDArray[np.intp], left: NDArray[np.intp]
) -> NDArray[np.bool_]:
    codes = table.target.codes
    nearest = KNeighborsClassifier(1).fit(map_.transform(table.X[kept]), codes[kept])
    return np.asarray(nearest.predict(map_.transform(table.X[left])) != codes[left])


def verdict_of(comparison: Comparison) -> str:
    """Return "helps", "hurts" or "undecided"."""
    if comparison.p_value > SIGNIFICANT:
        return "undecided"
    return "helps" if comparison.only_without > comparison.only_with else "hurts"
