"""Base class of classifiers that are fitted to the labeled rows of a partially labeled target."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from .._core.readout import decision_values, left_out_temperature, probabilities
from .._utils.types import Array, Floats, Ints, MatrixLike
from .._utils.validation import check_numpy_rows, check_share
from ..labelers._base import PartlyLabeledClassifier
from ..labels import PartialLabels


class LabeledRowsClassifier(PartlyLabeledClassifier):
    """Scores of the classes that are learned from the labeled rows; softmax(scores/τ) of them."""

    temperature: str | float
    loo_scores_: Floats
    temperature_: float

    def check_rows(self, X: Any, *, reset: bool = True) -> Any:
        """Return rows as ``fit`` (or, without ``reset``, ``predict``) accepts them."""
        return check_numpy_rows(self, X, reset=reset)

    @abstractmethod
    def fit_checked(
        self, X: Any, target: PartialLabels, sample_weight: Floats | None = None
    ) -> None:
        """Fit to checked rows and a decoded target; weights are those of the labeled rows."""

    @abstractmethod
    def label_scores(self, X: MatrixLike) -> Floats:
        """Return the score of each class (column) for each row."""

    def _settle_temperature(self, codes: Ints) -> None:
        """Keep τ: the one that was given, or the one that suits the left-out scores best."""
        if isinstance(self.temperature, str):
            self.temperature_ = left_out_temperature(self.loo_scores_, codes)
        else:
            self.temperature_ = float(self.temperature)

    def _check_temperature(self) -> None:
        check_share("temperature", self.temperature, high=np.inf, or_auto=True)

    def decision_function(self, X: MatrixLike) -> Floats:
        """Return the scores of the classes; for two classes, the second score minus the first.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)
            Training rows or new rows.

        Returns
        -------
        ndarray of shape (n_rows, n_classes), or (n_rows,) for two classes
        """
        return decision_values(self.label_scores(X))

    def predict_proba(self, X: MatrixLike) -> Floats:
        """Return the probability of each class, columns in the order of ``classes_``."""
        check_is_fitted(self)
        return probabilities(self.label_scores(X), self.temperature_)

    def predict(self, X: MatrixLike) -> Array:
        """Return the class with the largest score; in a tie the first class."""
        scores = self.label_scores(X)
        return self.classes_[scores.argmax(axis=1)]
