r"""Do the unlabeled rows help? Two maps on the same rows, one with and one without them.

Each labeled row is held out once. Both maps, fitted without its label, classify it by 1-NN:
:math:`z_j = 1` if only the map with the unlabeled rows is right, -1 if only the other one is. The
mean of z estimates the gain without bias, but from few rows. The many unlabeled rows tell where
the maps differ, and a third opinion tells what to expect there: the probabilities of
:class:`SSRLPLCV`, which chooses from a family that the paper's own method is part of. Expectation
and z are put together in :func:`compare_with_opinion`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from .._utils import limits
from ..labelers.knn import KNNLabeler
from ..labels import UNLABELED
from ..model_selection import SSRLPLCV
from .held_out import Table
from .label_errors import LabelErrors
from .paired import Comparison, Opinion, compare, compare_with_opinion


def compare_with_labeled_only(
    estimator: Any, table: Table, folds: list[LabelErrors], third: SSRLPLCV | None = None
) -> Comparison:
    """Compare the map from all rows with the map from the labeled rows.

    Each fold holds the map from all rows, fitted without the labels of its ``rows``. ``third`` is
    a search fitted to the same table, if there is one already.
    """
    if not folds:
        return Comparison(np.nan, np.nan, 0, 0, 0, 1.0, 0.0, np.inf)
    rows = np.concatenate([fold.rows for fold in folds])
    answers = [_codes_by_both(estimator, table, f.geometry.Z, f.rows, f.rows) for f in folds]
    with_all, alone = np.concatenate(answers, axis=1)
    truth = table.target.codes[rows]
    right = with_all == truth, alone == truth
    if third is None and _search_pays(estimator, table):
        third = SSRLPLCV(unlabeled=UNLABELED).fit(table.X, table.target.codes)
    nothing_to_expect = table.target.is_labeled.all()
    if nothing_to_expect or third is None or len(third.loo_probabilities_) < len(table.labeled):
        return compare(*right)
    seen = third.loo_probabilities_[np.searchsorted(table.labeled, rows)]
    return compare_with_opinion(
        *right, Opinion.of(seen, with_all, alone), _opinion_on_hidden(estimator, table, third)
    )


def _search_pays(estimator: Any, table: Table) -> bool:
    """Tell whether a search is affordable beside the certificate itself.

    Of larger tables it would look at a part only; there are more labels to go by, too. It needs
    rows, not a kernel matrix.
    """
    is_matrix = getattr(estimator, "kernel", None) == "precomputed"
    hidden = ~table.target.is_labeled
    few = len(hidden) <= limits.SEARCH_ROWS and np.count_nonzero(~hidden) <= limits.SEARCH_LABELED
    return bool(few and hidden.any() and not is_matrix)


def _opinion_on_hidden(estimator: Any, table: Table, third: SSRLPLCV) -> Opinion:
    """Return what to expect on unlabeled rows of the maps from all labels."""
    hidden = np.flatnonzero(~table.target.is_labeled)
    map_ = clone(estimator).set_params(unlabeled=UNLABELED)
    Z = map_.fit_transform(table.X, table.target.codes)
    nobody = np.zeros(0, dtype=np.intp)
    codes = _codes_by_both(estimator, table, Z, nobody, hidden)
    return Opinion.of(third.label_distributions_[hidden], *codes)


def _codes_by_both(
    estimator: Any,
    table: Table,
    Z: NDArray[Any],
    held_out: NDArray[np.intp],
    rows: NDArray[np.intp],
) -> NDArray[np.intp]:
    """Return the codes 1-NN gives to rows, with and without the unlabeled rows in the map.

    Z is the representation by the map with them.
    """
    kept = np.setdiff1d(table.labeled, held_out)
    codes = table.target.codes[kept]
    alone = clone(estimator).set_params(unlabeled=UNLABELED)
    is_matrix = getattr(alone, "kernel", None) == "precomputed"
    X = table.X[:, kept] if is_matrix else table.X
    alone.fit(X[kept], codes)
    return np.stack(
        [
            KNNLabeler(1).fit(Z[kept], codes).predict(Z[rows]),
            KNNLabeler(1).fit(alone.transform(X[kept]), codes).predict(alone.transform(X[rows])),
        ]
    )
