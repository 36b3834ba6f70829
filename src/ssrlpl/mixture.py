"""A classifier with a representation, and others that have a say in its probabilities."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from sklearn.base import clone
from sklearn.utils import get_tags
from sklearn.utils.validation import _num_samples, check_is_fitted, validate_data

from ._utils.arrays import in_numpy
from ._utils.types import Array, Floats, MatrixLike, VectorLike
from ._utils.validation import names_were_checked
from ._utils.whole_fits import whole_or_not
from .labelers._base import RepresentingClassifier, last_step
from .labels import encode_labels, read_codes_only


class MixtureClassifier(RepresentingClassifier):
    r"""Mixture of the probabilities of a map and of classifiers that it cannot stand for.

    .. math:: p(x) = w_0\,p_0(x) + \sum_m w_m\,p_m(x)

    A whitened kernel map is smooth: fitted to the labels that a forest gives to all rows, it
    blurs the steps of its trees, and reads new rows worse than the forest does. So
    :class:`SSRLPLCV` lets forests answer for themselves, with the weight they have in its mixture.

    Parameters
    ----------
    reader : classifier with ``transform``
        p₀: :class:`SSRLPLClassifier`, or a pipeline that ends with one. The representation is its.
    others : sequence of classifiers
        p₁, p₂, ...: they take a target with unlabeled rows, as :class:`LabeledForest` does.
    weights : array-like of shape (1 + n_others,), optional
        w, on any scale, that of the reader first. By default all are the same.
    unlabeled : "auto", None, a value or a list, default="auto"
        What marks an unlabeled row, see :func:`ssrlpl.encode_labels`.

    Attributes
    ----------
    reader_, others_ : estimators
        The fitted parts.
    weights_ : ndarray of shape (1 + n_others,)
        The weights; they sum to one.
    classes_ : ndarray of shape (n_classes,)
        The classes in sorted order.
    representation_ : estimator
        The fitted map of the reader.
    n_features_in_ : int
        Number of columns of X.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from ssrlpl import LabeledForest, MixtureClassifier, SSRLPLClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> partly = y.copy()
    >>> partly[::2] = -1  # every second row keeps its label
    >>> model = MixtureClassifier(SSRLPLClassifier(), [LabeledForest()], weights=[0.7, 0.3])
    >>> model.fit(X, partly).transform(X).shape
    (150, 2)
    >>> float(model.score(X[::2], y[::2])) > 0.9
    True
    """

    def __init__(
        self, reader: Any, others: Sequence[Any], *, weights: Any = None, unlabeled: Any = "auto"
    ):
        self.reader = reader
        self.others = others
        self.weights = weights
        self.unlabeled = unlabeled

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        inner = [get_tags(part).input_tags.sparse for part in (self.reader, *self.others)]
        tags.input_tags.sparse = all(inner)
        return tags

    @whole_or_not
    def fit(self, X: MatrixLike, y: VectorLike) -> Self:
        """Fit the reader and the others.

        Parameters
        ----------
        X : array-like, sparse matrix or DataFrame of shape (n_samples, n_features)
            All rows, labeled and unlabeled.
        y : array-like of shape (n_samples,)
            Labels, with a marker for unlabeled rows.

        Returns
        -------
        self
        """
        weights = self._shares()
        X = in_numpy(X)
        validate_data(self, X, skip_check_array=True)
        target = encode_labels(y, unlabeled=self.unlabeled, n_samples=_num_samples(X))
        parts = [read_codes_only(clone(part)) for part in (self.reader, *self.others)]
        for part in parts:
            part.fit(X, target.codes)
        return self._keep(target.classes, parts, weights)

    @classmethod
    def of_fitted(
        cls,
        reader: Any,
        others: Sequence[Any],
        weights: Sequence[float],
        classes: Array,
        unlabeled: Any = "auto",
    ) -> MixtureClassifier:
        """Return the mixture of parts that are fitted already, in the order of the classes."""
        unfitted = [clone(part) for part in (reader, *others)]
        shares = [float(weight) for weight in weights]
        model = cls(unfitted[0], unfitted[1:], weights=shares, unlabeled=unlabeled)
        model.n_features_in_ = reader.n_features_in_
        return model._keep(classes, [reader, *others], model._shares())

    def _keep(self, classes: Array, parts: list[Any], weights: Floats) -> Self:
        self.classes_, self.weights_ = classes, weights
        self.reader_, *self.others_ = parts
        return self

    def _shares(self) -> Floats:
        """Return the weights, which sum to one."""
        n = 1 + len(self.others)
        weights = np.ones(n) if self.weights is None else np.asarray(self.weights, dtype=float)
        if weights.shape != (n,) or not (np.isfinite(weights).all() and (weights >= 0).all()):
            raise ValueError(
                f"weights must be {n} numbers >= 0, that of the reader first. Got"
                f" {self.weights!r}: pass one for the reader and one for each of the others."
            )
        if not weights.any():
            raise ValueError("weights must not all be zero. Got zeros: pass a positive one.")
        return np.asarray(weights / weights.sum())

    @property
    def representation_(self) -> Any:
        """The fitted map of the reader."""
        check_is_fitted(self)
        fitted = last_step(self.reader_)
        return getattr(fitted, "representation_", fitted)

    @property
    def _n_features_out(self) -> int:
        return int(last_step(self.reader_)._n_features_out)

    def _ask(self, part: Any, method: str, X: Any) -> Array:
        with names_were_checked(part, X):
            return np.asarray(getattr(part, method)(X))

    def _checked(self, X: MatrixLike) -> Any:
        check_is_fitted(self)
        X = in_numpy(X)
        rules = {"accept_sparse": True, "dtype": None, "ensure_all_finite": False}
        validate_data(self, X, reset=False, **rules)  # the parts check the values
        return X

    def transform(self, X: MatrixLike) -> Array:
        """Return the representation of rows by the reader.

        Parameters
        ----------
        X : array-like, sparse matrix or DataFrame of shape (n_rows, n_features)
            Training rows or new rows.

        Returns
        -------
        ndarray of shape (n_rows, n_components)
        """
        return self._ask(self.reader_, "transform", self._checked(X))

    def predict_proba(self, X: MatrixLike) -> Floats:
        """Return the probability of each class, columns in the order of ``classes_``."""
        X = self._checked(X)
        found = np.zeros((_num_samples(X), len(self.classes_)))
        for weight, part in zip(self.weights_, (self.reader_, *self.others_), strict=True):
            if weight:
                found += weight * self._ask(part, "predict_proba", X)
        return found

    def predict(self, X: MatrixLike) -> Array:
        """Return the most probable label of each row; in a tie the first class."""
        places = self.predict_proba(X).argmax(axis=1)
        return self.classes_[places]
