"""Fit any classifier to the teaching labels, and read what it says about the other rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils import _safe_indexing
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import _num_samples

from .._utils.chunked import fits_chunks, is_chunked
from .._utils.types import Array, Floats, Ints
from ..labelers._base import last_step, marker_of, parameters_of
from ..labels import UNLABELED, PartialLabels, shown, write_labels

AFTER_ALL_ROWS = ("label_distributions_", "transduction_")
"""Fitted attributes of estimators that learn from labeled and unlabeled rows at once."""


def fit_to_teaching(
    estimator: Any, X: Any, target: PartialLabels, semi_supervised: bool | None
) -> Any:
    """Return a copy of an estimator, fitted to the rows of a table and the labels of a target.

    A semi-supervised estimator gets all rows, any other one the labeled rows only, so that no
    estimator learns "unlabeled" as a class. An estimator of unknown kind is fitted to the
    labeled rows; if it then has an attribute in :data:`AFTER_ALL_ROWS`, it is fitted again. One
    that cannot be told which rows are unlabeled but by -1 may come back as :class:`NamedClasses`.
    """
    if isinstance(estimator, type):
        raise TypeError(
            f"estimator must be a classifier with its parameters. Got the class"
            f" {estimator.__name__}: pass {estimator.__name__}()."
        )
    if not hasattr(estimator, "fit") or not hasattr(estimator, "predict"):
        raise TypeError(
            "estimator must be a classifier with fit and predict. Got"
            f" {type(estimator).__name__}: for a map pass SSRLPLClassifier(map), or SSRLPLCV()."
        )
    if is_chunked(X) and not fits_chunks(estimator):
        raise TypeError(
            f"{type(estimator).__name__} learns from rows in memory, but X comes in chunks: pass"
            " SSRLPLCV(), or rows in memory, as X.compute() of dask returns them."
        )
    fitted = _fresh(estimator)
    takes_all = _takes_all_rows(estimator) if semi_supervised is None else semi_supervised
    if not takes_all:
        fitted.fit(_safe_indexing(X, target.labeled), target.labels_of_labeled())
        unknown = semi_supervised is None
        takes_all = unknown and any(hasattr(last_step(fitted), name) for name in AFTER_ALL_ROWS)
    known = target.classes
    if takes_all:
        fitted = _fresh(estimator)
        known = _fit_to_all(fitted, X, target)
    learned = np.asarray(getattr(fitted, "classes_", known))
    strange = [label for label in learned.tolist() if label not in known.tolist()]
    if strange:
        raise ValueError(
            f"{type(estimator).__name__} learned {shown(strange[0])}, which marks unlabeled rows,"
            " as a class: pass semi_supervised=False, or wrap it in LabeledOnly."
        )
    return fitted if known is target.classes else NamedClasses(fitted, target.classes)


def _fresh(estimator: Any) -> Any:
    # An object that is no estimator of scikit-learn is copied as it is instead of refused.
    return clone(estimator, safe=hasattr(estimator, "get_params"))


def _takes_all_rows(estimator: Any) -> bool:
    last = last_step(estimator)
    if {"estimator", "refit"} <= parameters_of(last).keys():  # a search, such as GridSearchCV
        return _takes_all_rows(last.estimator)
    of_sklearn = type(last).__module__.startswith("sklearn.semi_supervised")
    return of_sklearn or "unlabeled" in parameters_of(last)


def _fit_to_all(fitted: Any, X: Any, target: PartialLabels) -> Array:
    """Fit to all rows and return the classes as they were passed: as they are, or numbers."""
    classes = target.classes
    if "unlabeled" in parameters_of(fitted):
        fitted.fit(X, write_labels(target, target.labeled, unlabeled=marker_of(fitted)))
        return classes
    # Estimators of other packages read -1 as unlabeled, and nothing else. Beside it text and
    # truth values are no classes to them, and -1 may be one.
    if classes.dtype.kind in "iuf" and (classes >= 0).all():
        y = np.full(len(target.codes), UNLABELED, dtype=np.result_type(classes, np.int64))
        y[target.labeled] = target.labels_of_labeled()
        fitted.fit(X, y)
        return classes
    fitted.fit(X, target.codes)
    return np.arange(len(classes))


class NamedClasses:
    """A fitted classifier that knows classes by their numbers, and here answers with their names.

    It was fitted to numbers 0, 1, ..., and -1 for unlabeled rows.
    """

    def __init__(self, fitted: Any, classes: Array):
        self.fitted = fitted
        self.classes = classes

    @property
    def classes_(self) -> Array:
        """The names of the classes that were learned."""
        return np.asarray(self.classes[getattr(self.fitted, "classes_", slice(None))])

    def predict(self, X: Any) -> Array:
        """Return the names of the predicted classes."""
        codes = np.asarray(self.fitted.predict(X))
        if codes.min(initial=0) < 0:  # the last class, if it were used as an index
            raise ValueError(
                f"{type(self.fitted).__name__} predicts -1, which marks unlabeled rows: pass"
                " another classifier."
            )
        return np.asarray(self.classes[codes])

    @available_if(lambda self: hasattr(self.fitted, "predict_proba"))
    def predict_proba(self, X: Any) -> Floats:
        """Return the probabilities of the classes."""
        return np.asarray(self.fitted.predict_proba(X))

    @available_if(lambda self: hasattr(self.fitted, "decision_function"))
    def decision_function(self, X: Any) -> Floats:
        """Return the scores of the classes."""
        return np.asarray(self.fitted.decision_function(X))


def predicted_codes(fitted: Any, X: Any, classes: Array) -> Ints:
    """Return the codes of the predicted classes."""
    predicted = np.asarray(fitted.predict(X))
    if predicted.shape != (_num_samples(X),):
        raise ValueError(
            f"{type(fitted).__name__} must predict one class for each of {_num_samples(X)} rows."
            f" Got an array of shape {predicted.shape}: pass a classifier."
        )
    # By value and not by order: what an estimator predicts may be of any type.
    code_of = {label: code for code, label in enumerate(classes.tolist())}
    codes = [code_of.get(label, UNLABELED) for label in predicted.tolist()]
    if UNLABELED in codes:
        strange = predicted[codes.index(UNLABELED)]
        raise ValueError(
            f"{type(fitted).__name__} predicts {shown(strange)}, which is no class of y: pass a"
            " classifier."
        )
    return np.array(codes, dtype=np.intp)


def class_scores(fitted: Any, X: Any, classes: Array, predicted: Ints) -> Floats:
    """Return how much a model believes in each class: probabilities if it gives them.

    Otherwise its decision function, and without one just its prediction. A class that it was not
    taught has the lowest score.
    """
    given = getattr(fitted, "classes_", classes)
    if hasattr(fitted, "predict_proba"):
        found, least = np.asarray(fitted.predict_proba(X), dtype=np.float64), 0.0
    elif hasattr(fitted, "decision_function"):
        found, least = np.asarray(fitted.decision_function(X), dtype=np.float64), -np.inf
        found = np.column_stack([-found, found]) if found.ndim == 1 else found
        # Three classes have three pairs, whose scores are not those of the classes.
        if len(given) > 2 and getattr(last_step(fitted), "decision_function_shape", "") == "ovo":
            found = np.empty((0, 0))
    else:
        found = np.empty((0, 0))
    if found.shape != (len(predicted), len(given)):
        return np.eye(len(classes))[predicted]
    scores = np.full((len(predicted), len(classes)), least)
    scores[:, np.searchsorted(classes, given)] = np.nan_to_num(found, nan=least, neginf=-np.inf)
    return scores
