"""Other answers to what the paper leaves open, one at a time.

Each variant differs from the plain kernel method with the paper's p and k in a single choice. They
are there to explain differences, not to win: nothing is chosen by what they give on test rows.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.neighbors import KNeighborsClassifier, NearestCentroid
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, MaxAbsScaler, Normalizer, StandardScaler
from sklearn.svm import SVC

from .._core.bandwidth import median_gamma
from .._utils.types import Ints
from ..any_estimator import LabeledOnly
from ..classify import SSRLPLClassifier
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

    def fit(self, X: Any, y: Ints) -> Scaled:
        """Fit both; y holds codes, -1 for unlabeled."""
        self.scaler_ = clone(self.scaler)
        X = self.scaler_.fit_transform(X)
        self.estimator_ = self.build(X).fit(X, y)
        return self

    def predict(self, X: Any) -> Ints:
        """Predict the scaled rows."""
        return np.asarray(self.estimator_.predict(self.scaler_.transform(X)))


class AllRowsVote(ClassifierMixin, BaseEstimator):
    """1-NN among all training rows, the unlabeled ones with the label they were given."""

    def __init__(self, map_: Any):
        self.map_ = map_

    def fit(self, X: Any, y: Ints) -> AllRowsVote:
        """Fit the map, then let every row vote."""
        self.fitted_ = clone(self.map_)
        Z = self.fitted_.fit_transform(X, y)
        self.nearest_ = KNeighborsClassifier(1).fit(Z, self.fitted_.transduction_)
        return self

    def predict(self, X: Any) -> Ints:
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

    def fit(self, X: Any, y: Ints) -> RandomlyFilled:
        """Fit the map, draw the directions that are missing, and fit the classifier."""
        V = SSRLPL(labeler=KNNLabeler(self.k)).fit(X, y).components_.T
        missing = max((self.p or 0) - V.shape[1], 0)
        drawn = np.random.default_rng(self.seed).normal(size=(len(V), missing))
        self.directions_ = np.linalg.qr(np.hstack([V, drawn]))[0][:, : self.p]
        rows = y != UNLABELED
        self.nearest_ = KNeighborsClassifier(1).fit(X[rows] @ self.directions_, y[rows])
        return self

    def predict(self, X: Any) -> Ints:
        """Return the label of the nearest labeled row in the representation."""
        return np.asarray(self.nearest_.predict(X @ self.directions_))


def _neighbors(hints: Hints, k: int | None = None) -> int:
    return min(k or hints.k or 5, hints.n_labeled)


def variant(
    hints: Hints, *, p: int | None = -1, k: int | None = None, width: float = 1.0,
    similarity: str = "rbf", linear: bool = False, classifier: Any = None, scaler: Any = None,
    vote: bool = False
) -> Scaled:  # fmt: skip
    """Return the plain method with one thing changed; p=-1 is the paper's p."""
    components = hints.p if p == -1 else p
    labeler = KNNLabeler(_neighbors(hints, k), similarity=similarity)

    def build(X: Any) -> Any:
        map_ = (
            SSRLPL(components, labeler=labeler)
            if linear
            else KernelSSRLPL(components, gamma=width * median_gamma(X, seed=0), labeler=labeler)
        )
        if vote:
            return AllRowsVote(map_)
        return SSRLPLClassifier(map_, classifier or KNeighborsClassifier(1))

    return Scaled(scaler or FunctionTransformer(), build)


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
    "linear map, p > C-1 filled at random": lambda hints: RandomlyFilled(
        hints.p, _neighbors(hints), hints.seed
    ),
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
    "no map, 1-NN": lambda _: LabeledOnly(KNeighborsClassifier(1)),
    "no map, vote of k": lambda hints: LabeledOnly(KNNLabeler(_neighbors(hints))),
}
"""By what is different."""
