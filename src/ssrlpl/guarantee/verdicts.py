r"""Do the unlabeled rows help? Compare two maps on the same rows, one with and one without them.

Each labeled row is held out once. Both maps, fitted without its label, classify it by 1-NN:
:math:`z_j = 1` if only the map with the unlabeled rows is right, -1 if only the other one is, else
0. The mean of z is an unbiased estimate of the gain, but from few rows. The many unlabeled rows
show where the maps differ, and a third opinion gives the expected gain there: the probabilities of
a fitted :class:`ssrlpl.SSRLPLCV`, whose candidates include the paper's method.
:func:`compare_with_opinion` combines the expected gain with z.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from .._core.anchors import EuclideanAnchors, nearest_one
from .._utils import limits
from .._utils.arrays import in_numpy
from .._utils.types import Array, Ints, MatrixLike, VectorLike
from ..labels import PartialLabels, encode_labels
from .coverage import open_up
from .held_out import cross_fitted_errors
from .label_errors import LabelErrors
from .paired import Comparison, Opinion, compare, compare_with_opinion


def verdict(
    estimator: Any, X: MatrixLike, y: VectorLike, *, third_opinion: Any = None
) -> Comparison:
    """Return a comparison that shows whether using the unlabeled rows makes a map better.

    Parameters
    ----------
    estimator : SSRLPL, KernelSSRLPL or Pipeline
        The map, fitted or not; copies of it are fitted, see :func:`ssrlpl.certify`.
    X : array-like or sparse matrix of shape (n_samples, n_features)
        All rows, labeled and unlabeled.
    y : array-like of shape (n_samples,)
        Partially labeled target.
    third_opinion : SSRLPLCV, optional
        A search fitted to the same rows and labels: its probabilities give the expected gain on
        unlabeled rows, so that fewer verdicts are undecided. Without it a paired t-test on the
        labeled rows is used.

    Returns
    -------
    Comparison
        ``verdict`` is "helps", "undecided" or "hurts".

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from ssrlpl import KernelSSRLPL
    >>> from ssrlpl.datasets import hide_labels
    >>> from ssrlpl.guarantee import verdict
    >>> X, truth = load_digits(return_X_y=True)
    >>> verdict(KernelSSRLPL(), X, hide_labels(truth, keep=60, random_state=0)).verdict
    'undecided'
    """
    map_, X, _ = open_up(estimator, in_numpy(X))
    X = clone(map_).check_rows(X)
    target = encode_labels(y, unlabeled=map_.unlabeled, n_samples=X.shape[0])
    check_opinion(third_opinion, target)
    folds = cross_fitted_errors(map_, X, target)
    return compare_with_labeled_only(map_, X, target, folds, third_opinion)


def check_opinion(third_opinion: Any, target: PartialLabels) -> None:
    """Raise if a search was fitted to other rows or labels."""
    if third_opinion is None:
        return
    if not hasattr(third_opinion, "best_estimator"):
        raise TypeError(
            f"third_opinion must be a fitted SSRLPLCV. Got {type(third_opinion).__name__}: fit a"
            " search to the same rows, or leave it out."
        )
    check_is_fitted(third_opinion)
    Y, labeled = third_opinion.label_distributions_, target.labeled
    same = (
        Y.shape == (len(target.codes), len(target.classes))
        and len(third_opinion.loo_probabilities_) == min(len(labeled), limits.SEARCH_LABELED)
        and np.array_equal(Y[labeled], target.one_hot(Y.dtype))
    )
    if not same:
        raise ValueError(
            "third_opinion must be fitted to the rows and labels that are certified. Got one that"
            " was fitted to others: fit it again, or omit it."
        )


def compare_with_labeled_only(
    map_: Any, X: Any, target: PartialLabels, folds: list[LabelErrors], third_opinion: Any = None
) -> Comparison:
    """Return the comparison of the map from all rows with the map from the labeled rows.

    Each fold has the map from all rows, fitted without the labels of its ``rows``.
    """
    if not folds:
        return Comparison(np.nan, np.nan, 0, 0, 0, 1.0, 0.0, np.inf)
    rows = np.concatenate([fold.rows for fold in folds])
    answers = [_codes_by_both(map_, X, target, f.geometry.Z, f.rows, f.rows) for f in folds]
    with_all, alone = np.concatenate(answers, axis=1)
    right = with_all == target.codes[rows], alone == target.codes[rows]
    labeled, hidden = target.labeled, np.flatnonzero(~target.is_labeled)
    # With more labels the search uses only a part of them.
    if third_opinion is None or not len(hidden) or target.n_labeled > limits.SEARCH_LABELED:
        return compare(*right)
    q = third_opinion.loo_probabilities_[np.searchsorted(labeled, rows)]
    seen = Opinion.of(q, with_all, alone)
    _, _, Z = map_.refit(X, target)
    codes = _codes_by_both(map_, X, target, Z, labeled[:0], hidden)
    expected = Opinion.of(third_opinion.label_distributions_[hidden], *codes)
    return compare_with_opinion(*right, seen, expected)


def _codes_by_both(
    map_: Any, X: Any, target: PartialLabels, Z: Array, held_out: Ints, rows: Ints
) -> Ints:
    """Return the codes of rows by 1-NN, with and without the unlabeled rows in the map.

    Z is the representation by the map with unlabeled rows.
    """
    kept = np.setdiff1d(target.labeled, held_out)
    codes = target.codes[kept]
    is_matrix = getattr(map_, "kernel", None) == "precomputed"
    # The map from the labeled rows needs the kernel with these rows only.
    table = X[:, kept] if is_matrix else X
    alone, _, own = map_.refit(table[kept], PartialLabels(target.classes, codes))
    return np.stack(
        [
            codes[nearest_one(EuclideanAnchors(Z[kept]), Z[rows])],
            codes[nearest_one(EuclideanAnchors(own), alone.represent(table[rows]))],
        ]
    )
