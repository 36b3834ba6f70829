r"""Do the unlabeled rows help? Two maps on the same rows, one with and one without them.

Each labeled row is held out once. Both maps, fitted without its label, classify it by 1-NN:
:math:`z_j = 1` if only the map with the unlabeled rows is right, -1 if only the other one is. The
mean of z estimates the gain, but from few rows. The many unlabeled rows tell where the maps
differ, and a third opinion :math:`q_i` (a labeler and a classifier that know neither map) tells
what to expect there, :math:`p_i = q_i(\text{with}) - q_i(\text{without})`. With any λ

.. math:: \hat g = \lambda \bar p_U + \overline{(z - \lambda p)}_L

is unbiased however wrong the opinion is, because held-out rows correct it ("prediction-powered
inference", Angelopoulos et al. 2023); λ is set to make its variance small. A verdict is given if a
t-test at 5 % refutes a gain of zero.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from ._core.comparison import Comparison, compare
from ._core.sampling import LabelErrors
from ._evidence import MANY_ROWS, Table, labels_without
from .graph import GraphLabeler
from .labeling import KNNLabeler
from .labels import UNLABELED
from .ridge import LabeledRidge


def compare_with_labeled_only(
    estimator: Any, table: Table, folds: list[LabelErrors]
) -> Comparison:  # fmt: skip
    """Compare the map from all rows with the map from the labeled rows.

    Each fold holds the map from all rows, fitted without the labels of its ``rows``.
    """
    right: list[NDArray[np.bool_]] = []
    expected: list[NDArray[np.float64]] = []
    hidden = np.flatnonzero(~table.target.is_labeled)
    everywhere = np.zeros(len(hidden))
    opinion = ThirdOpinion(estimator, table)
    for fold in folds:
        rows = np.concatenate([fold.rows, hidden])
        codes = _both_maps(estimator, table, fold, rows)
        says = opinion.without(fold)[rows]
        gain = np.subtract(*(says[np.arange(len(rows)), code] for code in codes))
        held_out = len(fold.rows)
        truth = table.target.codes[fold.rows]
        right.append(np.column_stack([code[:held_out] == truth for code in codes]))
        expected.append(gain[:held_out])
        everywhere += gain[held_out:] / len(folds)
    if not folds:
        return Comparison(np.nan, np.nan, 0, 0, 0, 1.0, 0.0, np.inf)
    with_all, alone = np.concatenate(right).T
    return compare(with_all, alone, np.concatenate(expected), everywhere)


def _both_maps(
    estimator: Any, table: Table, fold: LabelErrors, rows: NDArray[np.intp]
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the codes 1-NN gives to rows, with and without the unlabeled rows in the map."""
    kept = np.setdiff1d(table.labeled, fold.rows)
    codes = table.target.codes[kept]
    alone = clone(estimator).set_params(unlabeled=UNLABELED)
    is_matrix = getattr(alone, "kernel", None) == "precomputed"
    X = table.X[:, kept] if is_matrix else table.X
    alone.fit(X[kept], codes)
    Z = fold.geometry.Z
    return (
        KNNLabeler(1).fit(Z[kept], codes).predict(Z[rows]),
        KNNLabeler(1).fit(alone.transform(X[kept]), codes).predict(alone.transform(X[rows])),
    )


class ThirdOpinion:
    """Label probabilities from a graph of all rows and from least squares on labeled rows.

    The mean of both: the one is good where classes are clusters, the other where they are not.
    Of tables of more than 4,000 rows the label vectors of the map take the place of the graph, and
    of a precomputed kernel they are all there is.
    """

    def __init__(self, estimator: Any, table: Table):
        self.table = table
        self.is_matrix = getattr(estimator, "kernel", None) == "precomputed"
        self.spread: Callable[[NDArray[np.intp]], NDArray[np.float64]] | None = None
        if not self.is_matrix and table.X.shape[0] <= MANY_ROWS:
            self.spread = labels_without(GraphLabeler(alpha=0.9, sharpness=4), table)

    def without(self, fold: LabelErrors) -> NDArray[np.float64]:
        """Return the opinion on all rows without the labels of a fold."""
        spread = fold.used if self.spread is None else self.spread(fold.rows)
        if self.is_matrix:
            return spread
        codes = self.table.hiding(fold.rows).codes
        ridge = LabeledRidge(unlabeled=UNLABELED).fit(self.table.X, codes)
        fitted = np.zeros_like(spread)
        fitted[:, ridge.classes_] = ridge.predict_proba(self.table.X)
        return np.asarray((spread + fitted) / 2)
