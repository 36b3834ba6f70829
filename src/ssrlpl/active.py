r"""Choice of the rows to label next.

An unlabeled row contributes up to :math:`\|\phi(x_j) - \mu\|^2 \|e_j\|^2` to
:math:`\|\epsilon\|^2`, and its label error decreases when a nearer row is labeled. Let
:math:`D_j` be the squared distance of row j to its nearest labeled row, and let
:math:`w_j = \|\phi(x_j) - \mu\|^2 (\tfrac1{10} + 1 - \|y_j\|^2)`, where :math:`1 - \|y_j\|^2`
measures how uncertain the label vector is. Labeling row i is expected to reduce the deviation in
proportion to

.. math:: \sum_j w_j \max(0,\, D_j - \|x_i - x_j\|^2).

Rows are chosen greedily: each has the largest gain, given the rows chosen before it.

A classifier is asked for the rows of which it is least sure: those where its two most probable
classes are closest. That finds the hard rows of a table in which no region lacks a label any more,
and a hard row that was labeled cannot be filled in wrongly.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.metrics import pairwise_distances_argmin_min
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.pipeline import Pipeline
from sklearn.utils import _safe_indexing, check_random_state
from sklearn.utils.validation import _num_samples, check_is_fitted, indexable

from ._core.blocks import middle_of
from ._core.least_squares import centered
from ._utils import limits
from ._utils.arrays import in_numpy
from ._utils.types import Array, Ints, MatrixLike, VectorLike
from ._utils.validation import check_count
from .guarantee.filling_in import class_scores, fit_to_teaching, predicted_codes
from .labelers._base import last_step, marker_of
from .labels import PartialLabels, encode_labels
from .maps._base import BaseMap


def label_next(
    estimator: Any, X: MatrixLike, y: VectorLike, n: int = 10, *, random_state: Any = 0
) -> Ints:
    """Return the rows whose labels would improve a map or a classifier the most, best first.

    Rows chosen this way are not a random sample: they may teach, but not audit. For a certificate
    label some of the other rows as well, drawn at random after these were chosen, and pass them
    as ``audit=mask`` to :func:`ssrlpl.certify` or :func:`ssrlpl.guarantee.certify_labels`.

    Parameters
    ----------
    estimator : SSRLPL, KernelSSRLPL, classifier or Pipeline
        The map, fitted or not; while there are few labels, it finds regions that have none. Or a
        classifier, such as :class:`ssrlpl.SSRLPLCV` and those of ``ssrlpl.baselines``, which
        names the rows of which it is least sure: by ``predict_proba``, else by
        ``decision_function``. If it is fitted, it is asked as it is. A pipeline ends with either;
        steps before a map are fitted to the rows.
    X : array-like, sparse matrix or DataFrame of shape (n_samples, n_features)
        All rows, labeled and unlabeled.
    y : array-like of shape (n_samples,)
        Partially labeled target.
    n : int, default=10
        How many rows to choose.
    random_state : int, RandomState or None, default=0
        Draws the candidates if there are more than 1,000 unlabeled rows.

    Returns
    -------
    ndarray of shape (n,)
        Row numbers of unlabeled rows (all of them if there are fewer than n).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from ssrlpl import SSRLPL, label_next
    >>> from ssrlpl.datasets import hide_labels
    >>> X, truth = load_iris(return_X_y=True)
    >>> y = hide_labels(truth, keep=6, random_state=0)
    >>> rows = label_next(SSRLPL(), X, y, n=3)
    >>> y[rows]
    array([-1, -1, -1])
    """
    check_count("n", n)
    is_map = isinstance(last_step(estimator), BaseMap)
    if is_map:
        estimator, X = _without_steps(estimator, X)
        X = clone(estimator).check_rows(in_numpy(X))
    elif not hasattr(estimator, "predict_proba") and not hasattr(estimator, "decision_function"):
        raise TypeError(
            "estimator must be SSRLPL, KernelSSRLPL, a classifier with predict_proba or"
            " decision_function, or a pipeline that ends with one. Got"
            f" {type(estimator).__name__}: pass the map itself, or another classifier."
        )
    (X,) = indexable(X)
    target = encode_labels(y, unlabeled=marker_of(estimator), n_samples=_num_samples(X))
    unlabeled = np.flatnonzero(~target.is_labeled)
    if not len(unlabeled):
        raise ValueError("y must have unlabeled rows. Got a label for every row: pass more rows.")
    if not is_map:
        return unlabeled[_least_sure(estimator, X, target, unlabeled)[:n]]
    rng = check_random_state(random_state)
    drawn = rng.permutation(len(unlabeled))[: max(n, limits.NEXT_CANDIDATES)]
    return _farthest_reaching(estimator, X, target, unlabeled, unlabeled[np.sort(drawn)], n)


def _without_steps(estimator: Any, X: Any) -> tuple[Any, Any]:
    """Return the map at the end of a pipeline, and the rows as the steps before it make them."""
    if not isinstance(estimator, Pipeline):
        return estimator, X
    before = clone(estimator[:-1])
    return estimator[-1], before.fit_transform(X) if len(before) else X


def _farthest_reaching(
    map_: BaseMap, X: Any, target: PartialLabels, unlabeled: Ints, candidates: Ints, n: int
) -> Ints:
    """Return the candidates whose labels would reduce the deviation of a map the most."""
    _, Y, Z = map_.refit(X, target)
    # The whitened constraint has no geometry, but distances to the mean do not depend on it.
    plain = clone(map_).set_params(constraint="orthonormal")
    geometry = plain.products(X, None).geometry(Z)
    # 0.1 is added because even a label vector that looks certain may be wrong.
    doubt = 0.1 + 1 - np.sum(Y[unlabeled] ** 2, axis=1)
    weights = geometry.squared[unlabeled] * doubt
    X = centered(X, middle_of(X))
    _, nearest = pairwise_distances_argmin_min(X[unlabeled], X[target.labeled])
    distances = euclidean_distances(X[candidates], X[unlabeled], squared=True)
    chosen = most_covering(distances, nearest**2, weights, min(n, len(candidates)))
    return candidates[chosen]


def _least_sure(estimator: Any, X: Any, target: PartialLabels, rows: Ints) -> Ints:
    """Return the order of rows by the gap between the scores of their two best classes."""
    try:
        check_is_fitted(estimator)
    except NotFittedError:
        estimator = fit_to_teaching(estimator, X, target, None)
    part = _safe_indexing(X, rows)
    predicted = predicted_codes(estimator, part, target.classes)
    scores = np.sort(class_scores(estimator, part, target.classes, predicted), axis=1)
    return np.argsort(scores[:, -1] - scores[:, -2], kind="stable")


def most_covering(distances: Array, nearest: Array, weights: Array, count: int) -> list[int]:
    """Return candidates (rows of ``distances``), chosen greedily by the largest remaining gain.

    The gain is the sum in the docstring of this module; in a tie the first candidate is chosen.
    """
    chosen: list[int] = []
    for _ in range(count):
        gains = np.maximum(nearest - distances, 0) @ weights
        gains[chosen] = -1
        chosen.append(int(gains.argmax()))
        nearest = np.minimum(nearest, distances[chosen[-1]])
    return chosen
