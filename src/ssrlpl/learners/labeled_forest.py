"""A forest of decision trees of the labeled rows, with probabilities fitted to left-out votes."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import csr_matrix, issparse
from sklearn.utils.validation import check_is_fitted

from .._core.least_squares import FEW_OF_A_CLASS
from .._core.readout import log_scores
from .._core.trees import Trees
from .._utils.quiet_learners import quiet_learners
from .._utils.types import Floats, Ints, MatrixLike
from .._utils.validation import check_count
from ..labels import PartialLabels
from ._base import LabeledRowsClassifier


class LabeledForest(LabeledRowsClassifier):
    r"""Random forest of the labeled rows, whose probabilities suit rows that it has not seen.

    With the share :math:`v_c` of votes for class c of m trees, probabilities are
    softmax(:math:`\log(v + 1/m)/\tau`). A row is left out by the votes of the trees whose
    bootstrap sample does not hold it; τ maximizes the likelihood of the labels under these. The
    fitted trees are plain arrays, so a model file may hold them.

    Parameters
    ----------
    random_splits : bool, default=False
        Extremely randomized trees: thresholds are drawn, and the best of them is taken.
    n_trees : int, default=100
        Number of trees m.
    temperature : "auto" or float, default="auto"
        τ; "auto" fits it to the left-out votes.
    unlabeled : "auto", None, a value or a list, default="auto"
        What marks an unlabeled row, see :func:`ssrlpl.encode_labels`.
    random_state : int or RandomState, default=0
        Draws the samples and splits.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes in sorted order.
    trees_ : Trees
        The nodes of all trees.
    loo_scores_ : ndarray of shape (n_labeled, n_classes)
        Scores of each labeled row by the trees that have not seen it.
    temperature_ : float
        Scale of the probabilities that was used.
    n_features_in_ : int
        Number of columns of X.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from ssrlpl import LabeledForest
    >>> X, y = load_iris(return_X_y=True)
    >>> partly = y.copy()
    >>> partly[::2] = -1  # every second row keeps its label
    >>> float(LabeledForest().fit(X, partly).score(X[::2], y[::2])) > 0.9
    True
    """

    def __init__(
        self,
        random_splits: bool = False,
        n_trees: int = 100,
        *,
        temperature: str | float = "auto",
        unlabeled: Any = "auto",
        random_state: Any = 0,
    ):
        self.random_splits = random_splits
        self.n_trees = n_trees
        self.temperature = temperature
        self.unlabeled = unlabeled
        self.random_state = random_state

    def fit_checked(
        self, X: Any, target: PartialLabels, sample_weight: Floats | None = None
    ) -> None:
        """Fit to checked rows and a decoded target; weights are those of the labeled rows."""
        # Imported here because ensembles alone would double the import time of this package.
        from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier

        check_count("n_trees", self.n_trees)
        self._check_temperature()
        self.n_features_in_, self.classes_ = X.shape[1], target.classes
        self._unit = _units(X)
        codes = target.codes[target.labeled]
        kind = ExtraTreesClassifier if self.random_splits else RandomForestClassifier
        forest = kind(self.n_trees, bootstrap=True, oob_score=True, random_state=self.random_state)
        with quiet_learners:  # with very few rows all trees may have seen one
            forest.fit(_in_units(X[target.labeled], self._unit), codes, sample_weight)
        self.trees_ = Trees.of(forest)
        self.loo_scores_ = self._scores(_left_out_votes(forest.oob_decision_function_, codes))
        self._settle_temperature(codes)

    def _scores(self, votes: Floats) -> Floats:
        return log_scores(votes, 1 / self.n_trees)  # as if each class had one vote more

    def label_scores(self, X: MatrixLike) -> Floats:
        """Return the logarithm of the votes for each class (column)."""
        check_is_fitted(self)
        return self.scores_of_checked(self.check_rows(X, reset=False))

    def scores_of_checked(self, X: Any) -> Floats:
        """Return the scores of checked rows."""
        return self._scores(self.trees_(_in_units(X, self._unit)))


def _units(X: Any) -> Any:
    """Return by what columns are divided, so that trees can tell their values apart.

    To trees of scikit-learn values that differ by less than 1e-7 are equal, and they compare in
    single precision, which has to hold the values. One number if it is the same for all columns.
    """
    largest = abs(X).max(axis=0)
    largest = largest.toarray().ravel() if issparse(X) else largest
    fits = (largest == 0) | ((largest > 1e-3) & (largest < 1e30))
    power_of_two = np.ldexp(1.0, np.frexp(largest)[1] - 1)  # changes no digit
    return 1.0 if fits.all() else np.where(fits, 1.0, power_of_two)


def _in_units(X: Any, unit: Any) -> Any:
    """Return rows in units of their columns; sparse ones with indices of 32 bits, as trees want."""
    if not issparse(X):
        return X if np.ndim(unit) == 0 and unit == 1 else X / unit
    values = X.data / np.broadcast_to(unit, X.shape[1])[X.indices]
    indices, starts = X.indices.astype(np.int32), X.indptr.astype(np.int32)
    return csr_matrix((values, indices, starts), shape=X.shape)


def _left_out_votes(votes: Floats, codes: Ints) -> Floats:
    """Return the votes of the trees that have not seen a row; none where all trees have.

    With few labels these trees saw clearly less of the row's class than the forest does, and a
    leaf answers by shares of classes: votes for that class are scaled by n/(n - 1).
    """
    votes = np.nan_to_num(votes)
    if len(codes) > FEW_OF_A_CLASS * votes.shape[1]:
        return votes
    rows, of_class = np.arange(len(codes)), np.bincount(codes)[codes]
    votes[rows, codes] *= of_class / np.maximum(of_class - 1, 1)
    return np.asarray(votes / np.maximum(votes.sum(axis=1, keepdims=True), 1e-12))
