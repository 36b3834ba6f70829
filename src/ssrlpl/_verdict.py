"""Do the unlabeled rows help? Held-out 1-NN errors of two maps on the same rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binomtest
from sklearn.base import clone

from ._certificate import Comparison
from ._evidence import Table
from .labeling import KNNLabeler
from .labels import UNLABELED

SIGNIFICANT = 0.05
"""Two-sided level at which a difference counts (docs/guarantee.md says how it was picked)."""


def compare_with_labeled_only(
    estimator: Any, table: Table, splits: list[tuple[Any, NDArray[np.intp]]]
) -> Comparison:
    """Compare the map from all rows with the map from the labeled rows.

    ``splits`` holds fitted maps, each with the labeled rows whose labels it has not seen. Such a
    row is classified by the other labeled rows.
    """
    nothing = np.empty(0, dtype=bool)
    everything, alone = [nothing], [nothing]
    for fitted, left in splits:
        kept = np.setdiff1d(table.labeled, left)
        few = clone(estimator).set_params(unlabeled=UNLABELED)
        few.fit(table.X[kept], table.target.codes[kept])
        everything.append(_wrong(fitted, table, kept, left))
        alone.append(_wrong(few, table, kept, left))
    return _compare(np.concatenate(everything), np.concatenate(alone))


def _compare(everything: NDArray[np.bool_], alone: NDArray[np.bool_]) -> Comparison:
    only_with = int(np.count_nonzero(everything & ~alone))
    only_without = int(np.count_nonzero(alone & ~everything))
    differ = only_with + only_without
    p_value = float(binomtest(only_with, differ).pvalue) if differ else 1.0
    trials = len(everything)
    rates = (float(everything.mean()), float(alone.mean())) if trials else (np.nan, np.nan)
    return Comparison(*rates, only_with, only_without, trials, p_value)


def _wrong(
    map_: Any, table: Table, kept: NDArray[np.intp], left: NDArray[np.intp]
) -> NDArray[np.bool_]:
    codes = table.target.codes
    nearest = KNNLabeler(1).fit(map_.transform(table.X[kept]), codes[kept])
    return np.asarray(nearest.predict(map_.transform(table.X[left])) != codes[left])


def verdict_of(comparison: Comparison) -> str:
    """Return "helps", "hurts" or "undecided"."""
    if comparison.p_value > SIGNIFICANT:
        return "undecided"
    return "helps" if comparison.only_without > comparison.only_with else "hurts"
