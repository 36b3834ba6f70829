"""What the paper leaves open, answered in other ways, one at a time.

Each variant differs from the plain kernel method with the paper's p and k in a single choice. They
are there to explain differences, not to win: nothing is chosen by what they give on test rows.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.neighbors import KNeighborsClassifier, NearestCentroid
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler, Normalizer, StandardScaler
from sklearn.svm import SVC

from .._core.bandwidth import median_gamma
from ..classify import LabeledOnly, SSRLPLClassifier
from ..labelers.knn import KNNLabeler
from ..labels import UNLABELED
from ..maps.kernel import KernelSSRLPL
from ..maps.linear import SSRLPL
from .problems import Hints


class Scaled(ClassifierMixin, BaseEstimator):
    """Scale the rows, then build an estimator for the scaled rows."""

    def __init__(self, scaler: Any, build: Callable[[Any], Any]):
        self.scaler = scaler
        self.build = build

    def fit(self, X: Any, y: NDArray[np.intp]) -> Scaled:
        """Fit both; y holds codes, -1 for unlabeled."""
        self.scaler_ = clone(self.scaler)
        X = self.scaler_.fit_transform(X)
        self.estimator_ = self.build(X).fit(X, y)
        return self

    def predict(self, X: Any) -> NDArray[np.intp]:
        """Predict the scaled rows."""
        return np.asarray(self.estimator_.predict(self.scaler_.transform(X)))


class AllRowsVote(ClassifierMixin, BaseEstimator):
    """1-NN among all training rows, the unlabeled ones with the label they were given."""

    def __init__(self, map_: Any):
        self.map_ = map_

    def fit(self, X: Any, y: NDArray[np.intp]) -> AllRowsVote:
        """Fit the map, then let every row vote."""
        self.fitted_ = clone(self.map_)
        Z = self.fitted_.fit_transform(X, y)
        self.nearest_ = KNeighborsClassifier(1).fit(Z, self.fitted_.transduction_)
        return self

    def predict(self, X: Any) -> NDArray[np.intp]:
        """Return the label of the nearest training row in the representation."""
        return np.asarray(self.nearest_.predict(self.fitted_.transform(X)))


class RandomlyFilled(ClassifierMixin, BaseEstimator):
    """The linear map whose components beyond C-1 are random directions, then 1-NN.

    That is what an eigensolver returns for the eigenvalue zero if nobody asks for more.
    """

    def __init__(self, p: int | None, k: int, seed: int):
        self.p = p
        self.k = k
        self.seed = seed

    def fit(self, X: Any, y: NDArray[np.intp]) -> RandomlyFilled:
        """Fit the map, draw the directions that are missing, and fit the classifier."""
        V = SSRLPL(labeler=KNNLabeler(self.k)).fit(X, y).components_.T
        missing = max((self.p or 0) - V.shape[1], 0)
        drawn = np.random.default_rng(self.seed).normal(size=(len(V), missing))
        self.directions_ = np.linalg.qr(np.hstack([V, drawn]))[0][:, : self.p]
        rows = y != UNLABELED
        self.nearest_ = KNeighborsClassifier(1).fit(X[rows] @ self.directions_, y[rows])
        return self

    def predict(self, X: Any) -> NDArray[np.intp]:
        """Return the label of the nearest labeled row in the representation."""
        return np.asarray(self.nearest_.predict(X @ self.directions_))


def randomly_filled(hints: Hints) -> RandomlyFilled:
    """Return the linear method with the paper's p and k, filled at random beyond C-1."""
    return RandomlyFilled(hints.p, min(hints.k or 5, hints.n_labeled), hints.seed)


def _map(
    hints: Hints, X: Any, *, p: int | None = -1, k: int | None = None, width: float = 1.0,
    similarity: str = "rbf", linear: bool = False,
) -> Any:  # fmt: skip
    """Return the paper's map, changed where asked; p=-1 is the paper's p."""
    components = hints.p if p == -1 else p
    neighbors = min(k or hints.k or 5, hints.n_labeled)
    labeler = KNNLabeler(neighbors, similarity=similarity)
    if linear:
        return SSRLPL(components, labeler=labeler)
    return KernelSSRLPL(components, gamma=width * median_gamma(X, seed=0), labeler=labeler)


def variant(
    hints: Hints, *, classifier: Any = None, scaler: Any = "passthrough", vote: bool = False,
    **changes: Any,
) -> Scaled:  # fmt: skip
    """Return the plain method with one thing changed."""

    def build(X: Any) -> Any:
        map_ = _map(hints, X, **changes)
        if vote:
            return AllRowsVote(map_)
        return SSRLPLClassifier(map_, classifier or KNeighborsClassifier(1))

    return Scaled(_Nothing() if scaler == "passthrough" else scaler, build)


class _Nothing(BaseEstimator):
    """Leave rows as they are."""

    def fit_transform(self, X: Any) -> Any:
        return X

    def transform(self, X: Any) -> Any:
        return X


def raw_nearest(hints: Hints) -> LabeledOnly:  # noqa: ARG001 - nothing to set
    """Return 1-NN on the rows as they come, no map at all."""
    return LabeledOnly(KNeighborsClassifier(1))


def raw_vote(hints: Hints) -> LabeledOnly:
    """Return the vote of the labeler itself, no map at all."""
    return LabeledOnly(KNNLabeler(min(hints.k or 5, hints.n_labeled)))


VARIANTS: dict[str, Callable[[Hints], Any]] = {
    "as in the table": variant,
    "p = C-1": partial(variant, p=None),
    "p = 10": partial(variant, p=10),
    "p = 24": partial(variant, p=24),
    "k = 1": partial(variant, k=1),
    "γ × 4": partial(variant, width=4.0),
    "γ × 16": partial(variant, width=16.0),
    "γ / 4": partial(variant, width=0.25),
    "uniform votes": partial(variant, similarity="uniform"),
    "linear map": partial(variant, linear=True),
    "linear map, p > C-1 filled at random": randomly_filled,
    "unit rows": partial(variant, scaler=Normalizer()),
    "standardized columns": partial(variant, scaler=StandardScaler(with_mean=False)),
    "columns to [-1, 1]": partial(variant, scaler=MaxAbsScaler()),
    "5-NN": partial(variant, classifier=KNeighborsClassifier(5, weights="distance")),
    "nearest class mean": partial(variant, classifier=NearestCentroid()),
    "linear SVM": partial(
        variant, classifier=make_pipeline(StandardScaler(), SVC(kernel="linear", C=10))
    ),
    "RBF-SVM": partial(variant, classifier=make_pipeline(StandardScaler(), SVC(C=10))),
    "1-NN among all rows, guessed labels": partial(variant, vote=True),
    "no map, 1-NN": raw_nearest,
    "no map, vote of k": raw_vote,
}
"""By what is different."""
