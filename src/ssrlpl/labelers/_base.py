"""Base class of labelers, and functions that accept any classifier as a labeler.

A labeler turns rows and a partially labeled target into a label vector for each row. Maps,
leave-one-out and certificates use it through two functions: :func:`label_rows` gives the label
vectors, :func:`labels_without` the label vectors without some of the labels. Labelers of this
package compute the second fast; others are fitted again.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any, Self, TypeAlias

import numpy as np
from sklearn.base import (
    BaseEstimator,
    ClassifierMixin,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
    clone,
)
from sklearn.metrics import accuracy_score
from sklearn.pipeline import Pipeline
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import _num_samples, check_is_fitted, has_fit_parameter, indexable

from .._core.blocks import MAX_BLOCK_ROWS, row_slices
from .._core.shared import SharedRows
from .._utils.arrays import to_numpy
from .._utils.chunked import takes_chunks
from .._utils.left_behind import LeavesRowsBehind
from .._utils.types import Array, Floats, Ints, Mask, MatrixLike, VectorLike
from .._utils.user_warnings import warn_user
from .._utils.validation import check_numpy_rows, has_our
from .._utils.whole_fits import whole_or_not
from ..labels import UNLABELED, PartialLabels, encode_labels, read_codes_only, settled_marker

Hidden: TypeAlias = Sequence[Ints] | Ints
"""Sets of labeled rows, or a matrix with one set in each row; there is one fit for each set."""

LeftOut = Iterator[tuple[slice, Floats]]
"""Batches: a slice of the hidden sets, and label vectors (n_sets, n_rows, n_classes)."""


class LabeledScoreMixin:
    """Accuracy on labeled rows; unlabeled rows are ignored."""

    classes_: Array
    unlabeled: Any

    def score(self, X: MatrixLike, y: VectorLike, sample_weight: VectorLike | None = None) -> float:
        """Return the accuracy on the rows of X whose label is given in y.

        Parameters
        ----------
        X : array-like, sparse matrix or DataFrame of shape (n_rows, n_features)
            Rows.
        y : array-like of shape (n_rows,)
            Labels, with a marker for unlabeled rows.
        sample_weight : array-like of shape (n_rows,), optional
            Weights of the rows.

        Returns
        -------
        float
        """
        check_is_fitted(self)
        marker = settled_marker(self.unlabeled, self.classes_)
        target = encode_labels(y, unlabeled=marker, n_samples=_num_samples(X), min_classes=1)
        rows = target.labeled
        X, weight = indexable(X, to_numpy(sample_weight))
        weight = None if weight is None else np.asarray(weight)[rows]
        predicted = to_numpy(self.predict(_safe_indexing(X, rows)))  # type: ignore[attr-defined]
        return float(accuracy_score(target.labels_of_labeled(), predicted, sample_weight=weight))


class RepresentingClassifier(
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
    LabeledScoreMixin,
    ClassifierMixin,
    BaseEstimator,
):
    """A classifier that gives a representation of the rows, too."""


class PartlyLabeledClassifier(LabeledScoreMixin, ClassifierMixin, BaseEstimator, ABC):
    """A classifier that is fitted to rows of which some are labeled.

    ``fit`` checks the rows and decodes the target; subclasses offer ``fit_checked``.
    """

    limits_hit_: tuple[str, ...] = ()

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    @whole_or_not
    def fit(self, X: MatrixLike, y: VectorLike) -> Self:
        """Fit to all rows, labeled and unlabeled.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            All rows.
        y : array-like of shape (n_samples,)
            Labels, with a marker for unlabeled rows.

        Returns
        -------
        self
        """
        X = self.check_rows(X)
        target = encode_labels(y, unlabeled=self.unlabeled, n_samples=X.shape[0])
        self.fit_checked(X, target)
        return self

    def check_rows(self, X: Any, *, reset: bool = True) -> Any:
        """Return rows as ``fit`` (or, without ``reset``, ``predict``) accepts them."""
        return check_numpy_rows(self, X, reset=reset, only_squared=True)

    @abstractmethod
    def fit_checked(self, X: Any, target: PartialLabels) -> Any:
        """Fit to checked rows and a decoded target."""


class BaseLabeler(LeavesRowsBehind, PartlyLabeledClassifier):
    """A labeler of this package, with and without some of the labels."""

    label_distributions_: Array
    learns_from_labeled = False
    """Whether unlabeled rows get label vectors without any effect on those of other rows."""

    fit = whole_or_not(takes_chunks(PartlyLabeledClassifier.fit))

    @abstractmethod
    def fit_checked(
        self,
        X: Any,
        target: PartialLabels,
        sample_weight: Floats | None = None,
        shared: SharedRows | None = None,
    ) -> Any:
        """Fit to checked rows and a decoded target.

        ``shared`` caches what other fits have computed from the same rows.
        """

    def _keep(self, target: PartialLabels, Y: Array) -> None:
        self.classes_ = target.classes
        self.label_distributions_ = Y
        self.transduction_ = self.classes_[Y.argmax(axis=1)]

    def labels_without(
        self, X: Any, target: PartialLabels, hidden: Hidden, rows: Ints | None = None
    ) -> LeftOut:
        """Yield the label vectors of a fit without the labels of each hidden set, in batches.

        Labeled rows that are not hidden are one-hot; a class without a remaining label has a
        column of zeros. ``rows`` are the rows whose vectors are returned, by default all.
        """
        return _refitted(self, X, target, hidden, rows)

    def loo_scores(
        self,
        X: Any,
        target: PartialLabels,
        shared: SharedRows | None = None,  # noqa: ARG002
    ) -> Floats:
        """Return the label vector of each labeled row by the fit without its label.

        X are checked rows; ``shared`` caches what other fits have computed from them.
        """
        labeled = target.labeled
        found = self.labels_without(X, target, labeled[:, None], labeled)
        return np.concatenate(
            [Y[np.arange(len(Y)), np.arange(part.start, part.stop)] for part, Y in found]
        )

    def loo_codes(self, X: Any, target: PartialLabels) -> Iterator[tuple[slice, Ints]]:
        """Yield the predicted code of each labeled row when its label is hidden."""
        X = clone(self).check_rows(X)
        yield slice(0, target.n_labeled), self.loo_scores(X, target).argmax(axis=1)

    @takes_chunks
    def predict(self, X: MatrixLike) -> Array:
        """Return the most probable label of new rows; in a tie the first class."""
        probabilities = self.predict_proba(X)
        return self.classes_[probabilities.argmax(axis=1)]

    @takes_chunks
    def predict_proba(self, X: MatrixLike) -> Array:
        """Return the label probabilities of new rows, columns in the order of ``classes_``.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)
            New rows.

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
        """
        check_is_fitted(self)
        return self._label_new(self.check_rows(X, reset=False))

    @abstractmethod
    def _label_new(self, X: Any) -> Array:
        """Return the label vectors of checked rows that were not in the training table."""


def label_rows(
    labeler: Any,
    X: Any,
    target: PartialLabels,
    sample_weight: Array | None = None,
    shared: SharedRows | None = None,
) -> tuple[Any, Array]:
    """Return a fitted copy of a labeler and the label vectors of all rows.

    A labeler is an object with ``fit(X, y)`` and a fitted ``label_distributions_`` (fitted to all
    rows, with -1 for unlabeled ones), or a classifier with ``predict_proba`` (fitted to the
    labeled rows). Both get the classes as integers 0..C-1. Labeled rows are always one-hot.
    """
    if not hasattr(labeler, "fit"):
        raise TypeError(_NOT_A_LABELER.format(repr(labeler)))
    # An object that is no estimator of scikit-learn is copied as it is instead of refused.
    fitted = read_codes_only(clone(labeler, safe=hasattr(labeler, "get_params")))
    if has_our(fitted, "fit", "labels_without"):
        fitted.fit_checked(X, target.in_codes(), sample_weight, shared)
        return fitted, fitted.label_distributions_
    given = target.is_labeled
    if not _is_plain_classifier(fitted, X, target, sample_weight):
        _fit(fitted, X, target.codes, sample_weight)
    if hasattr(last_step(fitted), "label_distributions_"):
        answer = last_step(fitted).label_distributions_
        found = _aligned(fitted, answer, ~given, len(target.classes))
    else:
        found = _predict_in_blocks(fitted, X, np.flatnonzero(~given), len(target.classes))
    Y = np.empty((X.shape[0], len(target.classes)), dtype=X.dtype)
    Y[given] = target.one_hot(X.dtype)
    Y[~given] = _put_on_simplex(found, target)
    return fitted, Y


def labels_without(
    labeler: Any, X: Any, target: PartialLabels, hidden: Hidden, rows: Ints | None = None
) -> LeftOut:
    """Yield the result of :meth:`BaseLabeler.labels_without` for any labeler."""
    if has_our(labeler, "fit", "labels_without"):
        return labeler.labels_without(X, target, hidden, rows)
    return _refitted(labeler, X, target, hidden, rows)


def _refitted(
    labeler: Any, X: Any, target: PartialLabels, hidden: Hidden, rows: Ints | None
) -> LeftOut:
    """Yield the label vectors without each hidden set, by fitting the labeler again."""
    for position, one in enumerate(hidden):
        rest = target.without(one, min_classes=1)
        found = np.ones((X.shape[0], 1))  # if only one class remains
        if len(rest.classes) > 1:
            _, found = label_rows(labeler, X, rest)
        yield slice(position, position + 1), spread_columns(found, rest, target, rows)[None]


def spread_columns(
    Y: Array, part: PartialLabels, whole: PartialLabels, rows: Ints | None
) -> Floats:
    """Return label vectors for the classes of ``part`` as vectors for all classes, in float64."""
    wanted = Y if rows is None else Y[rows]
    result = np.zeros((len(wanted), len(whole.classes)))
    result[:, np.searchsorted(whole.classes, part.classes)] = wanted
    return result


class GivenKeeper:
    """Sets labeled rows to their own label, except the one row that is hidden in each fit."""

    def __init__(self, target: PartialLabels, rows: Ints | None):
        wanted = np.arange(len(target.codes)) if rows is None else rows
        codes = target.codes[wanted]
        self._given = np.flatnonzero(codes != UNLABELED)
        self._vectors = np.eye(len(target.classes))[codes[self._given]]
        self._place = np.full(len(target.codes), -1)
        self._place[wanted] = np.arange(len(wanted))

    def __call__(self, Y: Floats, hidden: Ints) -> Floats:
        """Return Y of shape (n_fits, n_rows, n_classes), changed in place."""
        places = self._place[hidden]
        fits = np.flatnonzero(places >= 0)
        said = Y[fits, places[fits]].copy()
        Y[:, self._given] = self._vectors
        Y[fits, places[fits]] = said
        return Y


_NOT_A_LABELER = (
    "labeler must offer label_distributions_ after fit, or predict_proba. Got {}, which has"
    " neither: for a classifier without probabilities use CalibratedClassifierCV around it."
)


def predict_label_vectors(fitted: Any, X: Any, target: PartialLabels) -> Array:
    """Return the label vectors of new rows by a fitted labeler."""
    if not hasattr(fitted, "predict_proba"):
        raise TypeError(
            f"{type(fitted).__name__} has no predict_proba, so it cannot label rows that arrive"
            " after fit: use fit instead of partial_fit, or a labeler such as KNNLabeler."
        )
    Y = _aligned(fitted, fitted.predict_proba(X), np.ones(X.shape[0], bool), len(target.classes))
    return _put_on_simplex(Y, target).astype(X.dtype, copy=False)


def _predict_in_blocks(fitted: Any, X: Any, rows: Ints, n_classes: int) -> Array:
    """Return the label vectors of some rows of X, computed in blocks to save memory."""
    if not hasattr(fitted, "predict_proba"):
        raise TypeError(_NOT_A_LABELER.format(type(fitted).__name__))
    Y = np.empty((len(rows), n_classes), dtype=X.dtype)
    for part in row_slices(len(rows), MAX_BLOCK_ROWS):
        block = X[rows[part]]
        every = np.ones(block.shape[0], dtype=bool)
        Y[part] = _aligned(fitted, fitted.predict_proba(block), every, n_classes)
    return Y


def _is_plain_classifier(
    labeler: Any, X: Any, target: PartialLabels, sample_weight: Array | None
) -> bool:
    """Fit a classifier to the labeled rows; return False if it is a labeler of all rows instead.

    For an unknown estimator, only a fit shows whether it has ``label_distributions_``; a fit to
    the few labeled rows is cheap.
    """
    last = last_step(labeler)
    sees_all_rows = type(last).__module__.startswith("sklearn.semi_supervised")
    if sees_all_rows or hasattr(last, "labels_without") or not hasattr(labeler, "predict_proba"):
        return False
    given = target.is_labeled
    weight = None if sample_weight is None else sample_weight[given]
    _fit(labeler, X[given], target.codes[given], weight)
    return not hasattr(last_step(labeler), "label_distributions_")


def last_step(estimator: Any) -> Any:
    """Return the last step of a pipeline, or the estimator itself."""
    return estimator[-1] if isinstance(estimator, Pipeline) else estimator


def parameters_of(estimator: Any) -> dict[str, Any]:
    """Return the parameters of an estimator, or of the last step of a pipeline."""
    last = last_step(estimator)
    readable = hasattr(last, "get_params") and not isinstance(last, type)
    return dict(last.get_params(deep=False)) if readable else {}


def marker_of(estimator: Any, given: Any = "auto") -> Any:
    """Return what marks unlabeled rows: what was given; for "auto" what the estimator reads so."""
    is_auto = isinstance(given, str) and given == "auto"
    return parameters_of(estimator).get("unlabeled", "auto") if is_auto else given


def _fit(labeler: Any, X: Any, codes: Ints, weight: Array | None) -> None:
    if weight is None:
        labeler.fit(X, codes)
    elif has_fit_parameter(labeler, "sample_weight"):
        labeler.fit(X, codes, sample_weight=weight)
    else:
        refuse_weights(labeler)


def refuse_weights(labeler: Any) -> None:
    """Raise because the labeler does not accept sample weights."""
    raise ValueError(
        f"sample_weight was given, but {type(labeler).__name__}.fit does not take it: leave"
        " it out or use a labeler that does, such as KNNLabeler."
    )


def _aligned(fitted: Any, columns: Any, wanted: Mask, n_classes: int) -> Array:
    """Return the wanted rows of the labeler's result, with columns in the order of the codes."""
    columns = np.asarray(columns.toarray() if hasattr(columns, "toarray") else columns)
    seen = np.asarray(getattr(fitted, "classes_", np.arange(n_classes)))
    known = np.isin(seen, np.arange(n_classes)).all()
    if columns.shape != (len(wanted), len(seen)) or not known:
        raise ValueError(
            f"{type(fitted).__name__} must give {len(wanted)} rows of probabilities for the"
            f" classes 0..{n_classes - 1}. Got shape {columns.shape} for classes {seen}: a labeler"
            " must keep the order of the rows and read -1 as unlabeled."
        )
    dtype = columns.dtype if columns.dtype.kind == "f" else np.float64
    Y = np.zeros((np.count_nonzero(wanted), n_classes), dtype=dtype)
    Y[:, seen.astype(np.intp)] = columns[wanted]
    return Y


def _put_on_simplex(Y: Array, target: PartialLabels) -> Array:
    """Scale rows in place so that they sum to one; a row of zeros gets the class shares.

    Rows that already sum to one are not changed, not even by rounding.
    """
    Y[~(Y > 0) | np.isinf(Y)] = 0
    largest = Y.max(axis=1, keepdims=True)
    empty = largest[:, 0] == 0
    if empty.any():
        warn_user(
            f"The labeler gave no probability to {np.count_nonzero(empty)} rows: they get the"
            " class shares of the labeled rows."
        )
        counts = np.bincount(target.codes[target.is_labeled], minlength=Y.shape[1])
        # Equal shares if a chunk has no labels.
        Y[empty] = counts / counts.sum() if counts.any() else 1 / Y.shape[1]
        largest[empty] = 1
    with np.errstate(over="ignore"):  # the bound is the rounding error of a sum of C numbers
        off = np.abs(Y.sum(axis=1) - 1) > 4 * Y.shape[1] * np.finfo(Y.dtype).eps
    scaled = Y[off] / largest[off]  # first, because the sum could overflow
    Y[off] = scaled / scaled.sum(axis=1, keepdims=True)
    return Y
