"""Any scikit-learn estimator, fitted to the labeled rows only."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn import get_config
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone, is_classifier, is_regressor
from sklearn.utils import _safe_indexing, get_tags
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import _check_method_params, _num_samples, check_is_fitted, indexable

from ._utils import limits
from ._utils.types import Array, Ints, MatrixLike, VectorLike
from ._utils.whole_fits import whole_or_not
from .labels import encode_labels, read_numbers, settled_marker


def _inner_has(method: str) -> Any:
    """Return a decorator that makes a method available if the wrapped estimator has it."""

    def check(self: LabeledOnly) -> bool:
        return hasattr(getattr(self, "estimator_", self.estimator), method)

    return available_if(check)


class LabeledOnly(MetaEstimatorMixin, BaseEstimator):
    """Fit any estimator on the labeled rows of a partially labeled target.

    In a plain pipeline the last step would learn -1 as a class. Use instead::

        make_pipeline(KernelSSRLPL(), LabeledOnly(LinearSVC()))

    Parameters
    ----------
    estimator : estimator
        Any object with ``fit(X, y)``. Its methods predict, predict_proba, decision_function,
        transform and score are available here too; for the others use ``estimator_``.
    unlabeled : "auto", None, a value or a list, default="auto"
        What marks an unlabeled row, see :func:`ssrlpl.encode_labels`.

    Attributes
    ----------
    estimator_ : estimator
        The estimator, fitted on the labeled rows.
    n_labeled_ : int
        Number of rows it was fitted on.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from ssrlpl import LabeledOnly
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], ["low", None, None, "high"]
    >>> LabeledOnly(LogisticRegression()).fit(X, y).predict([[0.5], [2.5]])
    array(['low', 'high'], dtype=object)
    """

    def __init__(self, estimator: Any, *, unlabeled: Any = "auto"):
        self.estimator = estimator
        self.unlabeled = unlabeled

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        inner = get_tags(self.estimator)
        for name in ("estimator_type", "classifier_tags", "regressor_tags", "transformer_tags"):
            setattr(tags, name, getattr(inner, name))
        tags.input_tags = inner.input_tags
        tags.target_tags.required = True
        return tags

    def get_metadata_routing(self) -> MetadataRouter:
        """Return that the estimator gets what it requests, for scikit-learn's metadata routing."""
        pairs = MethodMapping().add(caller="fit", callee="fit").add(caller="score", callee="score")
        return MetadataRouter(owner=self).add(estimator=self.estimator, method_mapping=pairs)

    def _passed(self, method: str, X: Any, params: dict[str, Any], rows: Ints) -> dict[str, Any]:
        """Return the parameters of a method of the estimator, restricted to the labeled rows."""
        if get_config()["enable_metadata_routing"]:
            params = process_routing(self, method, **params)["estimator"][method]
        return _check_method_params(X, params, rows)

    @whole_or_not
    def fit(self, X: MatrixLike, y: VectorLike, **fit_params: Any) -> LabeledOnly:
        """Fit the estimator on the labeled rows.

        Parameters
        ----------
        X : array-like, sparse matrix or DataFrame of shape (n_samples, n_features)
            All rows, labeled and unlabeled.
        y : array-like of shape (n_samples,)
            Labels, with a marker for unlabeled rows.
        **fit_params : dict
            Passed to the estimator; arrays with one entry for each row (``sample_weight``) are
            restricted to the labeled rows.

        Returns
        -------
        self
        """
        (X,) = indexable(X)
        labels, rows = self._labeled_rows(X, y, self.unlabeled, is_classifier(self.estimator) + 1)
        passed = self._passed("fit", X, fit_params, rows)
        self.estimator_ = clone(self.estimator)
        self.estimator_.fit(_safe_indexing(X, rows), labels, **passed)
        self.n_labeled_ = len(rows)
        self.limits_hit_ = limits.hit(self.estimator_)
        for name in ("classes_", "n_features_in_", "feature_names_in_"):
            if hasattr(self.estimator_, name):
                setattr(self, name, getattr(self.estimator_, name))
            elif name in vars(self):  # of an earlier fit
                delattr(self, name)
        return self

    def _labeled_rows(
        self, X: MatrixLike, y: VectorLike, unlabeled: Any, min_classes: int
    ) -> tuple[Array, Ints]:
        how = {"unlabeled": unlabeled, "n_samples": _num_samples(X)}
        if is_regressor(self.estimator):
            numbers, known = read_numbers(y, **how)
            return numbers, np.flatnonzero(known)
        target = encode_labels(y, **how, min_classes=min_classes)
        return target.labels_of_labeled(), target.labeled

    @_inner_has("score")
    def score(self, X: MatrixLike, y: VectorLike, **score_params: Any) -> float:
        """Return the score of the fitted estimator on the rows whose label is given in y."""
        check_is_fitted(self)
        (X,) = indexable(X)
        classes = getattr(self, "classes_", np.empty(0))
        labels, rows = self._labeled_rows(X, y, settled_marker(self.unlabeled, classes), 1)
        passed = self._passed("score", X, score_params, rows)
        return float(self.estimator_.score(_safe_indexing(X, rows), labels, **passed))

    @_inner_has("predict")
    def predict(self, X: MatrixLike) -> Array:
        """Predict with the fitted estimator."""
        check_is_fitted(self)
        return self.estimator_.predict(X)

    @_inner_has("predict_proba")
    def predict_proba(self, X: MatrixLike) -> Array:
        """Return class probabilities of the fitted estimator."""
        check_is_fitted(self)
        return self.estimator_.predict_proba(X)

    @_inner_has("decision_function")
    def decision_function(self, X: MatrixLike) -> Array:
        """Return the decision function of the fitted estimator."""
        check_is_fitted(self)
        return self.estimator_.decision_function(X)

    @_inner_has("transform")
    def transform(self, X: MatrixLike) -> Any:
        """Transform with the fitted estimator."""
        check_is_fitted(self)
        return self.estimator_.transform(X)
