"""A published method as a job needs it: with probabilities, and with a map of the rows."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone

from .. import GivenLabels, KernelSSRLPL, encode_labels
from .._core.readout import best_temperature, probabilities
from .._core.shared import SharedRows
from .._utils.types import Array, Floats
from ..baselines._base import Baseline, label_groups
from ..baselines.registry import BASELINES
from ..labels import PartialLabels


class PublishedModel(ClassifierMixin, BaseEstimator):
    """A published method with settings that left-out labels choose, and a picture of its labels.

    Labels are those of the method. Decision values become probabilities by a softmax whose scale
    fits labels that are left out. The map, of which the picture is made, is a kernel map fitted to
    these probabilities. Certificates look for the parameter ``unlabeled``: it says that the model
    learns from all rows.
    """

    def __init__(
        self,
        method: str,
        n_components: int | None = None,
        *,
        unlabeled: Any = None,
        random_state: int = 0,
    ):
        self.method = method
        self.n_components = n_components
        self.unlabeled = unlabeled
        self.random_state = random_state

    def fit(self, X: Array, y: Any) -> Self:
        """Fit the method, then the map."""
        marker = self.unlabeled
        self.estimator_ = BASELINES[self.method].tune(X, y, unlabeled=marker)
        self.classes_ = self.estimator_.classes_
        if not hasattr(self.estimator_, "predict_proba"):
            self.temperature_ = _temperature(self.estimator_, X, encode_labels(y, unlabeled=marker))
        labels = GivenLabels(self.predict_proba(X), keep_rows=False, unlabeled=marker)
        self.map_ = KernelSSRLPL(
            self.n_components, labeler=labels, unlabeled=marker, random_state=self.random_state
        ).fit(X, y)
        return self

    def predict(self, X: Array) -> Array:
        """Return the labels that the method gives."""
        return np.asarray(self.estimator_.predict(X))

    def predict_proba(self, X: Array) -> Floats:
        """Return the probability of each class."""
        if hasattr(self.estimator_, "predict_proba"):
            return np.asarray(self.estimator_.predict_proba(X))
        return probabilities(_scores(self.estimator_, X), self.temperature_)

    def transform(self, X: Array) -> Array:
        """Return the coordinates of rows in the map."""
        return np.asarray(self.map_.transform(X))


def _scores(fitted: Any, X: Array) -> Floats:
    """Return a decision value for each class."""
    values = np.asarray(fitted.decision_function(X), dtype=np.float64)
    return np.column_stack([-values, values]) if values.ndim == 1 else values


def _temperature(estimator: Baseline, X: Array, target: PartialLabels) -> float:
    """Return the scale of decision values that fits labels left out in groups.

    A group with the last label of a class says nothing; without any other group it is one.
    """
    shared, scores, rows = SharedRows(X), [], []
    for group in label_groups(target):
        rest = target.without(group, min_classes=1)
        if len(rest.classes) == len(target.classes):
            fitted = clone(estimator)
            fitted.check_rows(X)
            fitted.fit_checked(X, rest, shared=shared)
            scores.append(_scores(fitted, X[group]))
            rows.append(group)
    if not rows:
        return 1.0
    return best_temperature(np.concatenate(scores), target.codes[np.concatenate(rows)])
