"""The paper's labeler: votes of the nearest labeled rows."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils import check_random_state

from .._core import anchors, loo_votes, votes
from .._core.bandwidth import median_gamma
from .._core.blocks import row_slices
from .._core.shared import SharedRows
from .._utils import limits
from .._utils.arrays import in_numpy
from .._utils.chunked import takes_chunks
from .._utils.types import Array, Floats, Ints, MatrixLike, VectorLike
from .._utils.user_warnings import warn_user
from .._utils.validation import (
    DTYPES,
    check_choice,
    check_count,
    check_gamma,
    check_table,
    check_weights,
)
from .._utils.whole_fits import whole_or_not
from ..labels import PartialLabels, encode_labels
from ._base import BaseLabeler, GivenKeeper, Hidden, LeftOut

_BATCH_BYTES = 1 << 26
"""Bytes of label vectors and weights in one batch of hidden labels."""

SIMILARITIES = ("rbf", "cosine", "inverse_distance", "uniform", "precomputed")


class KNNLabeler(BaseLabeler):
    r"""Label probabilities from the nearest labeled rows, weighted by similarity.

    .. math::

        y_i^c \propto \sum_{x_j \in L_{i,k},\; y_j = c} S(x_i, x_j)

    where :math:`L_{i,k}` is the set of the k labeled rows nearest to :math:`x_i` (eq.
    ``label_vec`` of the paper). A labeled row gets the one-hot vector of its own label.

    Parameters
    ----------
    n_neighbors : int, default=5
        How many labeled rows vote. With fewer labeled rows all of them vote, with a warning.
    gamma : "median" or float, default="median"
        Parameter of the RBF similarity exp(-γ‖x-x'‖²), γ = 1/(2σ²). With "median", σ is the
        median distance between labeled rows.
    similarity : str or callable, default="rbf"
        "rbf", "inverse_distance" and "uniform" use Euclidean neighbors, "cosine" the rows with
        the largest cosine. "precomputed": X is a kernel matrix, from which distances are computed
        for the RBF similarity. A callable takes two matrices of rows and returns the matrix of
        their similarities (>= 0); the k most similar rows vote.
    winner_take_all : bool, default=False
        Set the largest probability of each row to one (section 4 of the paper).
    unlabeled : "auto", None, a value or a list, default="auto"
        What marks an unlabeled row, see :func:`ssrlpl.encode_labels`.
    random_state : int or RandomState, default=0
        Draws the sample for the median if more than 500 rows are labeled.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes in sorted order.
    label_distributions_ : ndarray of shape (n_samples, n_classes)
        A probability vector for each row of the training table.
    transduction_ : ndarray of shape (n_samples,)
        The most probable label of each row of the training table.
    gamma_ : float
        The γ that was used; with "median" 1 if the similarity has none.
    n_neighbors_ : int
        The number of labeled rows that vote.
    limits_hit_ : tuple of str
        Size limits of ``docs/limits.md`` that the table exceeds.
    n_features_in_ : int
        Number of columns of X.

    Notes
    -----
    Labeled rows at equal distances (up to rounding) are taken in row order. Memory is O(block).

    Examples
    --------
    >>> from ssrlpl import KNNLabeler
    >>> labeler = KNNLabeler(n_neighbors=2, similarity="inverse_distance")
    >>> labeler.fit([[0.0], [4.0], [1.0]], ["low", "high", None]).label_distributions_[2]
    array([0.25, 0.75])
    >>> labeler.predict([[3.5]])
    array(['high'], dtype=object)
    """

    learns_from_labeled = True
    _only_of_training_rows = ("label_distributions_",)

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

    @whole_or_not
    @takes_chunks
    def fit(
        self, X: MatrixLike, y: VectorLike, sample_weight: VectorLike | None = None
    ) -> KNNLabeler:
        """Label every row of X.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            All rows, labeled and unlabeled.
        y : array-like of shape (n_samples,)
            Labels, with a marker for unlabeled rows.
        sample_weight : array-like of shape (n_samples,), optional
            How often each row counts: a labeled row of weight 2 votes like two equal rows. The
            label of a row of weight zero is ignored.

        Returns
        -------
        self
        """
        X = self.check_rows(X)
        target = encode_labels(y, unlabeled=self.unlabeled, n_samples=X.shape[0])
        return self.fit_checked(X, target, check_weights(sample_weight, X))

    def check_rows(self, X: Any, *, reset: bool = True) -> Any:
        """Return rows, or a kernel matrix, as ``fit`` accepts them."""
        is_kernel = self.similarity == "precomputed"
        X = check_table(
            self,
            in_numpy(X),
            accept_sparse=False if is_kernel else "csr",
            dtype=DTYPES,
            reset=reset,
        )
        if is_kernel and reset and X.shape[0] != X.shape[1]:
            raise ValueError(
                f"A precomputed kernel must be a square matrix. Got shape {X.shape}: pass"
                " K(X, X) to fit and K(X_new, X) to predict."
            )
        return X

    def fit_checked(
        self,
        X: Any,
        target: PartialLabels,
        sample_weight: Floats | None = None,
        shared: SharedRows | None = None,  # noqa: ARG002
    ) -> KNNLabeler:
        """Label every row of a checked table, see :class:`BaseLabeler`; ``shared`` is not used."""
        if sample_weight is not None:
            target = target.without(sample_weight == 0)
        self.n_features_in_ = X.shape[1]
        self._set_voters(X, target, sample_weight)
        given = target.is_labeled
        Y = np.empty((X.shape[0], len(target.classes)), dtype=X.dtype)
        Y[given] = target.one_hot(X.dtype)
        if not given.all():
            rows, wta = np.flatnonzero(~given), self.winner_take_all
            Y[~given] = votes.vote(X, self._voters, rows, winner_takes_all=wta)
        self._keep(target, Y)
        return self

    def _set_voters(self, X: Any, target: PartialLabels, weight: Array | None) -> None:
        check_count("n_neighbors", self.n_neighbors)
        check_gamma(self.gamma)
        check_choice("similarity", self.similarity, SIMILARITIES)
        rows = target.labeled
        mass = np.ones(len(rows)) if weight is None else weight[rows]
        available = int(np.ceil(mass.sum()))  # a row of weight 2 has two votes
        if self.n_neighbors > available:
            warn_user(
                f"n_neighbors={self.n_neighbors} with {len(mass)} labeled rows: all of them vote."
                " Lower n_neighbors or label more rows."
            )
        self.n_neighbors_ = int(min(self.n_neighbors, available))
        near: Any
        if self.similarity == "precomputed":
            near = anchors.KernelAnchors(X, rows)
        elif self.similarity == "cosine":
            near = anchors.CosineAnchors(X[rows])
        elif callable(self.similarity):
            near = anchors.SimilarityAnchors(X[rows], self.similarity)
        else:
            near = anchors.EuclideanAnchors(X[rows])
        self.limits_hit_ = limits.hit(MEDIAN_ROWS=len(rows) if self._uses_median else 0)
        if not self._uses_median:
            self.gamma_ = 1.0 if isinstance(self.gamma, str) else float(self.gamma)
        elif self.similarity == "precomputed":
            self.gamma_ = near.median_gamma(X, mass, check_random_state(self.random_state))
        else:
            seed = check_random_state(self.random_state)
            self.gamma_ = median_gamma(X[rows], weight=mass, seed=seed)
        self._voters = votes.Voters(
            near, self._weights(), target.codes[rows], mass, len(target.classes), self.n_neighbors_
        )

    def _weights(self) -> Callable[[Array], Array]:
        if callable(self.similarity):
            return votes.given_weights
        weights: dict[str, Callable[[Array], Array]] = {
            "rbf": partial(votes.rbf_weights, gamma=self.gamma_),
            "precomputed": partial(votes.rbf_weights, gamma=self.gamma_),
            "cosine": votes.cosine_weights,
            "inverse_distance": votes.inverse_distance_weights,
            "uniform": votes.uniform_weights,
        }
        return weights[self.similarity]

    @property
    def _uses_median(self) -> bool:
        return self.similarity in ("rbf", "precomputed") and isinstance(self.gamma, str)

    @property
    def is_local(self) -> bool:
        """Whether hiding a label changes only the rows that it votes for.

        A median bandwidth depends on all labeled rows, so that all rows change.
        """
        return self.n_neighbors == 1 or not self._uses_median

    def labels_without(
        self, X: Any, target: PartialLabels, hidden: Hidden, rows: Ints | None = None
    ) -> LeftOut:
        """Yield the votes without each hidden label, see :class:`BaseLabeler`.

        For labels hidden one at a time, one neighbor search is enough for all of them.
        """
        if self.similarity == "precomputed" or any(len(one) != 1 for one in hidden):
            yield from super().labels_without(X, target, hidden, rows)
            return
        labeled = target.labeled
        check_count("n_neighbors", self.n_neighbors)
        fresh = clone(self)
        fresh.n_neighbors = min(self.n_neighbors, len(labeled) - 1)  # avoids a warning per fit
        fresh._set_voters(X, target, None)
        voters = fresh._voters
        table = loo_votes.vote_table(
            X if rows is None else X[rows], voters.anchors.nearest, voters.anchors.row_bytes,
            voters.codes, voters.n_classes, fresh.n_neighbors,
        )  # fmt: skip
        gammas = None if self.is_local else self._bandwidths_without(X[labeled])

        alone, keep = np.concatenate([*hidden]), GivenKeeper(target, rows)
        places = np.searchsorted(labeled, alone)
        entries = len(table.columns) * (table.n_voting + table.n_classes)
        for part in row_slices(len(hidden), max(1, _BATCH_BYTES // (8 * entries))):
            their_gammas = None if gammas is None else gammas[places[part]]
            Y = loo_votes.votes_without(table, places[part], voters.weigh, their_gammas)
            if self.winner_take_all:
                Y = votes.winner_take_all(Y)
            yield part, keep(Y, alone[part])

    def _bandwidths_without(self, rows: Any) -> Floats:
        """Return γ of the median heuristic on all labeled rows but one, for each row left out."""
        if rows.shape[0] - 1 <= limits.MEDIAN_ROWS:
            return loo_votes.median_gammas_without(rows)
        every = np.arange(rows.shape[0])
        return np.array(
            [median_gamma(rows[every != i], seed=self.random_state) for i in every], dtype=float
        )

    def _label_new(self, X: Any) -> Array:
        return votes.vote(X, self._voters, winner_takes_all=self.winner_take_all)
