"""What makes a labeler: scores on labeled rows, and an adapter for any classifier."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.metrics import accuracy_score
from sklearn.pipeline import Pipeline
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import (
    _num_samples,
    check_is_fitted,
    has_fit_parameter,
    indexable,
)

from .._core import votes
from .._core.blocks import MAX_BLOCK_ROWS, row_slices
from .._utils.types import MatrixLike, VectorLike
from ..labels import PartialLabels, encode_labels, read_codes_only, settled_marker


class LabeledScoreMixin:
    """Accuracy that looks at labeled rows only: others can be neither right nor wrong."""

    classes_: NDArray[Any]
    unlabeled: Any

    def score(self, X: MatrixLike, y: VectorLike, sample_weight: VectorLike | None = None) -> float:
        """Return the accuracy on the rows of X whose label is given in y.

        Parameters
        ----------
        X : array-like, sparse matrix or DataFrame of shape (n_rows, n_features)
            Rows.
        y : array-like of shape (n_rows,)
            Labels, with the marker where a row has none.
        sample_weight : array-like of shape (n_rows,), optional
            How much each row counts.

        Returns
        -------
        float
        """
        check_is_fitted(self)
        marker = settled_marker(self.unlabeled, self.classes_)
        target = encode_labels(y, unlabeled=marker, n_samples=_num_samples(X), min_classes=1)
        rows = np.flatnonzero(target.is_labeled)
        weight = None if sample_weight is None else np.asarray(sample_weight)[rows]
        (X,) = indexable(X)
        predicted = self.predict(_safe_indexing(X, rows))  # type: ignore[attr-defined]
        return float(accuracy_score(target.labels_of_labeled(), predicted, sample_weight=weight))


def fit_labeler(
    labeler: Any, X: Any, target: PartialLabels, sample_weight: NDArray[Any] | None = None
) -> tuple[Any, NDArray[Any]]:
    """Fit a copy of a labeler and return it with the label vectors of all rows.

    A labeler is anything with ``fit(X, y)`` and a fitted ``label_distributions_`` (it sees all
    rows, -1 for the unlabeled ones), or a classifier with ``predict_proba`` (it sees the labeled
    rows). Both see the classes as integers 0..C-1. Labeled rows are one-hot whatever it says.
    """
    given = target.is_labeled
    fitted = _fresh_copy(labeler)
    if not _is_plain_classifier(fitted, X, target, sample_weight):
        _fit(fitted, X, target.codes, sample_weight)
    if hasattr(_last_step(fitted), "label_distributions_"):
        answer = _last_step(fitted).label_distributions_
        found = _aligned(fitted, answer, ~given, len(target.classes))
    else:
        found = _predict_in_blocks(fitted, X, np.flatnonzero(~given), len(target.classes))
    Y = np.empty((X.shape[0], len(target.classes)), dtype=X.dtype)
    Y[given] = votes.one_hot(target.codes[given], Y.shape[1], X.dtype)
    Y[~given] = _put_on_simplex(found, target)
    return fitted, Y


_NOT_A_LABELER = (
    "labeler must offer label_distributions_ after fit, or predict_proba. Got {}, which has"
    " neither: for a classifier without probabilities use CalibratedClassifierCV around it."
)


def predict_label_vectors(fitted: Any, X: Any, target: PartialLabels) -> NDArray[Any]:
    """Return the label vectors a fitted labeler gives to rows it has not seen."""
    if not hasattr(fitted, "predict_proba"):
        raise TypeError(
            f"{type(fitted).__name__} has no predict_proba, so it cannot label rows that arrive"
            " after fit: use fit instead of partial_fit, or a labeler such as KNNLabeler."
        )
    Y = _aligned(fitted, fitted.predict_proba(X), np.ones(X.shape[0], bool), len(target.classes))
    return _put_on_simplex(Y, target).astype(X.dtype, copy=False)


def _fresh_copy(labeler: Any) -> Any:
    """Return an unfitted copy of a labeler that reads codes."""
    if not hasattr(labeler, "fit"):
        raise TypeError(_NOT_A_LABELER.format(repr(labeler)))
    return read_codes_only(clone(labeler, safe=hasattr(labeler, "get_params")))


def _predict_in_blocks(fitted: Any, X: Any, rows: NDArray[np.intp], n_classes: int) -> NDArray[Any]:
    """Label some rows of X without gathering all of them at once."""
    if not hasattr(fitted, "predict_proba"):
        raise TypeError(_NOT_A_LABELER.format(type(fitted).__name__))
    Y = np.empty((len(rows), n_classes), dtype=X.dtype)
    for part in row_slices(len(rows), MAX_BLOCK_ROWS):
        block = X[rows[part]]
        every = np.ones(block.shape[0], dtype=bool)
        Y[part] = _aligned(fitted, fitted.predict_proba(block), every, n_classes)
    return Y


def _is_plain_classifier(
    labeler: Any, X: Any, target: PartialLabels, sample_weight: NDArray[Any] | None
) -> bool:
    """Fit a classifier on the labeled rows, unless it is, or turns out to be, a labeler.

    Of an estimator we do not know, nothing but a fit tells whether it will offer
    ``label_distributions_``; on the few labeled rows that fit is cheap.
    """
    if _reads_unlabeled_rows(_last_step(labeler)) or not hasattr(labeler, "predict_proba"):
        return False
    given = target.is_labeled
    weight = None if sample_weight is None else sample_weight[given]
    _fit(labeler, X[given], target.codes[given], weight)
    return not hasattr(_last_step(labeler), "label_distributions_")


def _last_step(labeler: Any) -> Any:
    return labeler[-1] if isinstance(labeler, Pipeline) else labeler


def _reads_unlabeled_rows(labeler: Any) -> bool:
    is_semi_supervised = type(labeler).__module__.startswith("sklearn.semi_supervised")
    return is_semi_supervised or getattr(labeler, "_labels_all_rows", False)


def _fit(labeler: Any, X: Any, codes: NDArray[np.intp], weight: NDArray[Any] | None) -> None:
    if weight is None:
        labeler.fit(X, codes)
    elif has_fit_parameter(labeler, "sample_weight"):
        labeler.fit(X, codes, sample_weight=weight)
    else:
        raise ValueError(
            f"sample_weight was given, but {type(labeler).__name__}.fit does not take it: leave"
            " it out or use a labeler that does, such as KNNLabeler."
        )


def _aligned(fitted: Any, columns: Any, wanted: NDArray[np.bool_], n_classes: int) -> NDArray[Any]:
    """Return the wanted rows of a labeler's answer, their columns in the order of the codes."""
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


def _put_on_simplex(Y: NDArray[Any], target: PartialLabels) -> NDArray[Any]:
    """Scale rows in place to sum one; a row without any mass gets the class shares.

    Rows that sum to one are left as they are, to the last bit.
    """
    Y[~(Y > 0) | np.isinf(Y)] = 0
    largest = Y.max(axis=1, keepdims=True)
    empty = largest[:, 0] == 0
    if empty.any():
        warnings.warn(
            f"The labeler gave no probability to {np.count_nonzero(empty)} rows: they get the"
            " class shares of the labeled rows.",
            UserWarning,
            stacklevel=4,
        )
        Y[empty], largest[empty] = _class_shares(target), 1
    with np.errstate(over="ignore"):
        off = np.abs(Y.sum(axis=1) - 1) > 4 * Y.shape[1] * np.finfo(Y.dtype).eps
    scaled = Y[off] / largest[off]  # first, since the sum could overflow
    Y[off] = scaled / scaled.sum(axis=1, keepdims=True)
    return Y


def _class_shares(target: PartialLabels) -> NDArray[np.float64]:
    """Return the share of each class among the labeled rows, equal shares if there are none."""
    counts = np.bincount(target.codes[target.is_labeled], minlength=len(target.classes))
    return counts / counts.sum() if counts.any() else np.full(len(counts), 1 / len(counts))
