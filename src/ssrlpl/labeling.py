"""Labelers: from rows and a partially labeled target to a label vector for each row."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.metrics import accuracy_score
from sklearn.pipeline import Pipeline
from sklearn.utils import _safe_indexing, check_random_state
from sklearn.utils.validation import (
    _num_samples,
    check_is_fitted,
    has_fit_parameter,
    indexable,
    validate_data,
)

from ._core import assign, neighbors
from ._core.blocks import MAX_BLOCK_ROWS, row_slices
from ._core.gram import median_gamma
from ._core.types import MatrixLike, VectorLike
from ._core.validation import check_choice, check_count, check_gamma, check_weights
from .labels import PartialLabels, encode_labels, read_codes_only, settled_marker

SIMILARITIES = ("rbf", "cosine", "inverse_distance", "uniform", "precomputed")


class LabeledScoreMixin:
    """Accuracy that looks at labeled rows only: others can be neither right nor wrong."""

    classes_: NDArray[Any]
    unlabeled: Any

    def score(self, X: MatrixLike, y: VectorLike, sample_weight: VectorLike | None = None) -> float:
        """Return the accuracy on the rows of X whose label is given in y.

        Parameters
        ----------
        X : array-like, sparse matrix or DataFrame of shape (n_rows, n_features)
            Rows.
        y : array-like of shape (n_rows,)
            Labels, with the marker where a row has none.
        sample_weight : array-like of shape (n_rows,), optional
            How much each row counts.

        Returns
        -------
        float
        """
        check_is_fitted(self)
        marker = settled_marker(self.unlabeled, self.classes_)
        target = encode_labels(y, unlabeled=marker, n_samples=_num_samples(X), min_classes=1)
        rows = np.flatnonzero(target.is_labeled)
        weight = None if sample_weight is None else np.asarray(sample_weight)[rows]
        (X,) = indexable(X)
        predicted = self.predict(_safe_indexing(X, rows))  # type: ignore[attr-defined]
        return float(accuracy_score(target.labels_of_labeled(), predicted, sample_weight=weight))


class KNNLabeler(LabeledScoreMixin, ClassifierMixin, BaseEstimator):
    r"""Label probabilities from the nearest labeled rows, weighted by similarity.

    .. math::

        y_i^c \propto \sum_{x_j \in L_{i,k},\; y_j = c} S(x_i, x_j)

    where :math:`L_{i,k}` holds the k labeled rows nearest to :math:`x_i` (eq. ``label_vec`` of
    the paper). A labeled row gets the one-hot vector of its own label.

    Parameters
    ----------
    n_neighbors : int, default=5
        How many labeled rows vote. With fewer labeled rows all of them vote, and a warning says
        so.
    gamma : "median" or float, default="median"
        Parameter of the RBF similarity exp(-γ|x-x'|²), γ = 1/(2σ²). "median" takes for σ the
        median distance between labeled rows.
    similarity : str or callable, default="rbf"
        "rbf", "inverse_distance" and "uniform" use Euclidean neighbors, "cosine" the rows of
        largest cosine. "precomputed": X is a kernel matrix, distances are read off it and
        weighted by RBF. A callable takes two matrices of rows and returns the matrix of their
        similarities (>= 0); the k most similar rows vote.
    winner_take_all : bool, default=False
        Set the largest probability of each row to one (section 4 of the paper).
    unlabeled : "auto", None, a value or a list, default="auto"
        What marks an unlabeled row, see :func:`ssrlpl.encode_labels`.
    random_state : int or RandomState, default=0
        Draws the sample for the median when more than 500 rows are labeled.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes in sorted order.
    label_distributions_ : ndarray of shape (n_samples, n_classes)
        A probability vector for each row of the training table.
    transduction_ : ndarray of shape (n_samples,)
        The most probable label of each row of the training table.
    gamma_ : float
        The γ that was used.
    n_neighbors_ : int
        The number of labeled rows that vote.
    n_features_in_ : int
        Number of columns of X.

    Notes
    -----
    Labeled rows at the same distance (to rounding) are taken in row order. Memory is O(block).

    Examples
    --------
    >>> from ssrlpl import KNNLabeler
    >>> labeler = KNNLabeler(n_neighbors=2, similarity="inverse_distance")
    >>> labeler.fit([[0.0], [4.0], [1.0]], ["low", "high", None]).label_distributions_[2]
    array([0.25, 0.75])
    >>> labeler.predict([[3.5]])
    array(['high'], dtype=object)
    """

    _labels_all_rows = True

    def __init__(
        self,
        n_neighbors: int = 5,
        gamma: str | float = "median",
        similarity: str | Callable[[Any, Any], Any] = "rbf",
        winner_take_all: bool = False,
        *,
        unlabeled: Any = "auto",
        random_state: Any = 0,
    ):
        self.n_neighbors = n_neighbors
        self.gamma = gamma
        self.similarity = similarity
        self.winner_take_all = winner_take_all
        self.unlabeled = unlabeled
        self.random_state = random_state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self.similarity != "precomputed"
        tags.input_tags.pairwise = self.similarity == "precomputed"
        return tags

    def fit(
        self, X: MatrixLike, y: VectorLike, sample_weight: VectorLike | None = None
    ) -> KNNLabeler:
        """Label every row of X.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            All rows, labeled and unlabeled.
        y : array-like of shape (n_samples,)
            Labels, with a marker where a row has none.
        sample_weight : array-like of shape (n_samples,), optional
            How often each row counts: a labeled row of weight 2 votes as two equal rows would.
            The label of a row of weight zero is not used.

        Returns
        -------
        self
        """
        check_count("n_neighbors", self.n_neighbors)
        check_gamma(self.gamma)
        check_choice("similarity", self.similarity, SIMILARITIES)
        X = self._check_rows(X, reset=True)
        target = encode_labels(y, unlabeled=self.unlabeled, n_samples=X.shape[0])
        weight = check_weights(sample_weight, X)
        if weight is not None:
            target = target.without(weight == 0)
        self.classes_ = target.classes
        self._set_voters(X, target, weight)
        self.label_distributions_ = self._label_training_rows(X, target)
        self.transduction_ = self.classes_[self.label_distributions_.argmax(axis=1)]
        return self

    def _check_rows(self, X: Any, *, reset: bool) -> Any:
        is_kernel = self.similarity == "precomputed"
        X = validate_data(
            self,
            X,
            accept_sparse=False if is_kernel else "csr",
            dtype=[np.float64, np.float32],
            reset=reset,
        )
        if is_kernel and reset and X.shape[0] != X.shape[1]:
            raise ValueError(
                f"A precomputed kernel must be a square matrix. Got shape {X.shape}: pass"
                " K(X, X) to fit and K(X_new, X) to predict."
            )
        return X

    def _set_voters(self, X: Any, target: PartialLabels, weight: NDArray[Any] | None) -> None:
        voters = np.flatnonzero(target.is_labeled)
        mass = np.ones(len(voters)) if weight is None else weight[voters]
        self.n_neighbors_ = self._count_neighbors(mass)
        anchors = self._anchors(X, voters)
        self.gamma_ = self._choose_gamma(X, voters, mass, anchors)
        self._voters = assign.Voters(
            anchors,
            self._weights(),
            target.codes[voters],
            mass,
            len(target.classes),
            self.n_neighbors_,
        )

    def _count_neighbors(self, mass: NDArray[Any]) -> int:
        available = int(np.ceil(mass.sum()))
        if self.n_neighbors > available:
            warnings.warn(
                f"n_neighbors={self.n_neighbors} with {len(mass)} labeled rows: all of them vote."
                " Lower n_neighbors or label more rows.",
                UserWarning,
                stacklevel=4,
            )
        return int(min(self.n_neighbors, available))

    def _anchors(self, X: Any, voters: NDArray[np.intp]) -> Any:
        if self.similarity == "precomputed":
            return neighbors.KernelAnchors(X, voters)
        if self.similarity == "cosine":
            return neighbors.CosineAnchors(X[voters])
        if callable(self.similarity):
            return neighbors.SimilarityAnchors(X[voters], self.similarity)
        return neighbors.EuclideanAnchors(X[voters])

    def _choose_gamma(
        self, X: Any, voters: NDArray[np.intp], mass: NDArray[Any], anchors: Any
    ) -> float:
        if not isinstance(self.gamma, str):
            return float(self.gamma)
        seed = check_random_state(self.random_state)
        if self.similarity == "precomputed":
            return anchors.median_gamma(X, mass, seed)
        return median_gamma(X[voters], weight=mass, seed=seed)

    def _weights(self) -> Callable[[NDArray[Any]], NDArray[Any]]:
        if callable(self.similarity):
            return assign.given_weights
        weights: dict[str, Callable[[NDArray[Any]], NDArray[Any]]] = {
            "rbf": partial(assign.rbf_weights, gamma=self.gamma_),
            "precomputed": partial(assign.rbf_weights, gamma=self.gamma_),
            "cosine": assign.cosine_weights,
            "inverse_distance": assign.inverse_distance_weights,
            "uniform": assign.uniform_weights,
        }
        return weights[self.similarity]

    def _label_training_rows(self, X: Any, target: PartialLabels) -> NDArray[Any]:
        given = target.is_labeled
        Y = np.empty((X.shape[0], len(target.classes)), dtype=X.dtype)
        Y[given] = assign.one_hot(target.codes[given], Y.shape[1], X.dtype)
        if not given.all():
            Y[~given] = self._vote(X, np.flatnonzero(~given))
        return Y

    def _vote(self, X: Any, rows: NDArray[np.intp] | None = None) -> NDArray[Any]:
        return self._finish(assign.vote(X, self._voters, rows))

    def _finish(self, Y: NDArray[Any]) -> NDArray[Any]:
        return assign.winner_take_all(Y) if self.winner_take_all else Y

    def predict_proba(self, X: MatrixLike) -> NDArray[Any]:
        """Return the label probabilities of new rows, voted by the labeled training rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)
            New rows.

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
        """
        check_is_fitted(self)
        return self._vote(self._check_rows(X, reset=False))

    def predict(self, X: MatrixLike) -> NDArray[Any]:
        """Return the most probable label of new rows; the first class wins a tie."""
        probabilities = self.predict_proba(X)
        return self.classes_[probabilities.argmax(axis=1)]


def fit_labeler(
    labeler: Any, X: Any, target: PartialLabels, sample_weight: NDArray[Any] | None = None
) -> tuple[Any, NDArray[Any]]:
    """Fit a copy of a labeler and return it with the label vectors of all rows.

    A labeler is anything with ``fit(X, y)`` and a fitted ``label_distributions_`` (it sees all
    rows, -1 for the unlabeled ones), or a classifier with ``predict_proba`` (it sees the labeled
    rows). Both see the classes as integers 0..C-1. Labeled rows are one-hot whatever it says.
    """
    given = target.is_labeled
    fitted = _fresh_copy(labeler)
    if not _is_plain_classifier(fitted, X, target, sample_weight):
        _fit(fitted, X, target.codes, sample_weight)
    if hasattr(_last_step(fitted), "label_distributions_"):
        answer = _last_step(fitted).label_distributions_
        found = _aligned(fitted, answer, ~given, len(target.classes))
    else:
        found = _predict_in_blocks(fitted, X, np.flatnonzero(~given), len(target.classes))
    Y = np.empty((X.shape[0], len(target.classes)), dtype=X.dtype)
    Y[given] = assign.one_hot(target.codes[given], Y.shape[1], X.dtype)
    Y[~given] = _put_on_simplex(found, target)
    return fitted, Y


_NOT_A_LABELER = (
    "labeler must offer label_distributions_ after fit, or predict_proba. Got {}, which has"
    " neither: for a classifier without probabilities use CalibratedClassifierCV around it."
)


def predict_label_vectors(fitted: Any, X: Any, target: PartialLabels) -> NDArray[Any]:
    """Return the label vectors a fitted labeler gives to rows it has not seen."""
    if not hasattr(fitted, "predict_proba"):
        raise TypeError(
            f"{type(fitted).__name__} has no predict_proba, so it cannot label rows that arrive"
            " after fit: use fit instead of partial_fit, or a labeler such as KNNLabeler."
        )
    Y = _aligned(fitted, fitted.predict_proba(X), np.ones(X.shape[0], bool), len(target.classes))
    return _put_on_simplex(Y, target).astype(X.dtype, copy=False)


def _fresh_copy(labeler: Any) -> Any:
    """Return an unfitted copy of a labeler that reads codes."""
    if not hasattr(labeler, "fit"):
        raise TypeError(_NOT_A_LABELER.format(repr(labeler)))
    return read_codes_only(clone(labeler, safe=hasattr(labeler, "get_params")))


def _predict_in_blocks(fitted: Any, X: Any, rows: NDArray[np.intp], n_classes: int) -> NDArray[Any]:
    """Label some rows of X without gathering all of them at once."""
    if not hasattr(fitted, "predict_proba"):
        raise TypeError(_NOT_A_LABELER.format(type(fitted).__name__))
    Y = np.empty((len(rows), n_classes), dtype=X.dtype)
    for part in row_slices(len(rows), MAX_BLOCK_ROWS):
        block = X[rows[part]]
        every = np.ones(block.shape[0], dtype=bool)
        Y[part] = _aligned(fitted, fitted.predict_proba(block), every, n_classes)
    return Y


def _is_plain_classifier(
    labeler: Any, X: Any, target: PartialLabels, sample_weight: NDArray[Any] | None
) -> bool:
    """Fit a classifier on the labeled rows, unless it is, or turns out to be, a labeler.

    Of an estimator we do not know, nothing but a fit tells whether it will offer
    ``label_distributions_``; on the few labeled rows that fit is cheap.
    """
    if _reads_unlabeled_rows(_last_step(labeler)) or not hasattr(labeler, "predict_proba"):
        return False
    given = target.is_labeled
    weight = None if sample_weight is None else sample_weight[given]
    _fit(labeler, X[given], target.codes[given], weight)
    return not hasattr(_last_step(labeler), "label_distributions_")


def _last_step(labeler: Any) -> Any:
    return labeler[-1] if isinstance(labeler, Pipeline) else labeler


def _reads_unlabeled_rows(labeler: Any) -> bool:
    is_semi_supervised = type(labeler).__module__.startswith("sklearn.semi_supervised")
    return is_semi_supervised or getattr(labeler, "_labels_all_rows", False)


def _fit(labeler: Any, X: Any, codes: NDArray[np.intp], weight: NDArray[Any] | None) -> None:
    if weight is None:
        labeler.fit(X, codes)
    elif has_fit_parameter(labeler, "sample_weight"):
        labeler.fit(X, codes, sample_weight=weight)
    else:
        raise ValueError(
            f"sample_weight was given, but {type(labeler).__name__}.fit does not take it: leave"
            " it out or use a labeler that does, such as KNNLabeler."
        )


def _aligned(fitted: Any, columns: Any, wanted: NDArray[np.bool_], n_classes: int) -> NDArray[Any]:
    """Return the wanted rows of a labeler's answer, their columns in the order of the codes."""
    columns = np.asarray(columns.toarray() if hasattr(columns, "toarray") else columns)
    seen = np.asarray(getattr(fitted, "classes_", np.arange(n_classes)))
    known = np.isin(seen, np.arange(n_classes)).all()
    if columns.shape != (len(wanted), len(seen)) or not known:
        raise ValueError(
            f"{type(fitted).__name__} must give {len(wanted)} rows of probabilities for the"
            f" classes 0..{n_classes - 1}. Got shape {columns.shape} for classes {seen}: a labeler"
            " must keep the order of the rows and read -1 as unlabeled."
        )
    dtype = columns.dtype if columns.dtype.kind == "f" else np.float64
    Y = np.zeros((np.count_nonzero(wanted), n_classes), dtype=dtype)
    Y[:, seen.astype(np.intp)] = columns[wanted]
    return Y


def _put_on_simplex(Y: NDArray[Any], target: PartialLabels) -> NDArray[Any]:
    """Scale rows in place to sum one; a row without any mass gets the class shares.

    Rows that sum to one are left as they are, to the last bit.
    """
    Y[~(Y > 0) | np.isinf(Y)] = 0
    largest = Y.max(axis=1, keepdims=True)
    empty = largest[:, 0] == 0
    if empty.any():
        warnings.warn(
            f"The labeler gave no probability to {np.count_nonzero(empty)} rows: they get the"
            " class shares of the labeled rows.",
            UserWarning,
            stacklevel=4,
        )
        Y[empty], largest[empty] = _class_shares(target), 1
    with np.errstate(over="ignore"):
        off = np.abs(Y.sum(axis=1) - 1) > 4 * Y.shape[1] * np.finfo(Y.dtype).eps
    scaled = Y[off] / largest[off]  # first, since the sum could overflow
    Y[off] = scaled / scaled.sum(axis=1, keepdims=True)
    return Y


def _class_shares(target: PartialLabels) -> NDArray[np.float64]:
    """Return the share of each class among the labeled rows, equal shares if there are none."""
    counts = np.bincount(target.codes[target.is_labeled], minlength=len(target.classes))
    return counts / counts.sum() if counts.any() else np.full(len(counts), 1 / len(counts))
