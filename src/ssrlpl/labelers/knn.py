"""Labelers: from rows and a partially labeled target to a label vector for each row."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import (
    check_is_fitted,
    validate_data,
)

from .._core import anchors, votes
from .._core.bandwidth import median_gamma
from .._utils.types import MatrixLike, VectorLike
from .._utils.validation import check_choice, check_count, check_gamma, check_weights
from ..labels import PartialLabels, encode_labels
from ._base import LabeledScoreMixin

SIMILARITIES = ("rbf", "cosine", "inverse_distance", "uniform", "precomputed")


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
        self._voters = votes.Voters(
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
            return anchors.KernelAnchors(X, voters)
        if self.similarity == "cosine":
            return anchors.CosineAnchors(X[voters])
        if callable(self.similarity):
            return anchors.SimilarityAnchors(X[voters], self.similarity)
        return anchors.EuclideanAnchors(X[voters])

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
            return votes.given_weights
        weights: dict[str, Callable[[NDArray[Any]], NDArray[Any]]] = {
            "rbf": partial(votes.rbf_weights, gamma=self.gamma_),
            "precomputed": partial(votes.rbf_weights, gamma=self.gamma_),
            "cosine": votes.cosine_weights,
            "inverse_distance": votes.inverse_distance_weights,
            "uniform": votes.uniform_weights,
        }
        return weights[self.similarity]

    def _label_training_rows(self, X: Any, target: PartialLabels) -> NDArray[Any]:
        given = target.is_labeled
        Y = np.empty((X.shape[0], len(target.classes)), dtype=X.dtype)
        Y[given] = votes.one_hot(target.codes[given], Y.shape[1], X.dtype)
        if not given.all():
            Y[~given] = self._vote(X, np.flatnonzero(~given))
        return Y

    def _vote(self, X: Any, rows: NDArray[np.intp] | None = None) -> NDArray[Any]:
        return self._finish(votes.vote(X, self._voters, rows))

    def _finish(self, Y: NDArray[Any]) -> NDArray[Any]:
        return votes.winner_take_all(Y) if self.winner_take_all else Y

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
