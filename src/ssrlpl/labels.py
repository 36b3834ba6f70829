"""The one place that knows what an unlabeled row looks like.

A *partially labeled target* is the ``y`` a user passes: real labels for some rows, a marker for
the rest. :func:`encode_labels` turns every accepted form of it into the same three things: the
sorted classes, an integer code for each row (-1 for unlabeled) and a mask.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import column_or_1d
from sklearn.utils.multiclass import check_classification_targets

from ._core.types import VectorLike

UNLABELED = -1
"""The code of an unlabeled row."""

_MINUS_ONE_CURE = (
    " If -1 is one of your classes, pass unlabeled=None (only empty values are unlabeled)"
    " or name your own marker, as in unlabeled=-99."
)


@dataclass(frozen=True)
class PartialLabels:
    """A partially labeled target, decoded once.

    Parameters
    ----------
    classes : ndarray of shape (n_classes,)
        The classes in sorted order, in the caller's own dtype.
    codes : ndarray of shape (n_samples,)
        Position in ``classes`` of each row's label, -1 where the row is unlabeled.
    """

    classes: NDArray[Any]
    codes: NDArray[np.intp]

    @property
    def is_labeled(self) -> NDArray[np.bool_]:
        """Mask of the labeled rows."""
        return self.codes != UNLABELED

    @property
    def n_labeled(self) -> int:
        """Number of labeled rows."""
        return int(np.count_nonzero(self.is_labeled))

    def labels_of_labeled(self) -> NDArray[Any]:
        """Return the labels of the labeled rows, in row order and in the caller's dtype."""
        return np.asarray(self.classes[self.codes[self.is_labeled]])

    def without(self, hidden: NDArray[np.bool_]) -> PartialLabels:
        """Return the same target with the labels of the ``hidden`` rows removed.

        A class that loses its last label is removed with it.
        """
        codes = np.where(hidden, UNLABELED, self.codes)
        kept, compact = np.unique(codes[codes != UNLABELED], return_inverse=True)
        codes[codes != UNLABELED] = compact
        return PartialLabels(self.classes[kept], codes)


def encode_labels(
    y: VectorLike, *, unlabeled: Any = "auto", n_samples: int | None = None, min_classes: int = 2
) -> PartialLabels:
    """Find the labeled rows, the classes and the integer codes of a partially labeled target.

    Empty values (None, NaN, NaT, pd.NA, the empty string, a masked entry) are always unlabeled.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        Integers, floats, booleans, strings or objects; lists, NumPy arrays, pandas and polars
        columns (also nullable and categorical ones).
    unlabeled : "auto", None, a value or a list of values, default="auto"
        What marks an unlabeled row besides an empty value. "auto": the number -1, unless ``y``
        has empty values (then -1 is a class like any other); a -1 among strings is always a
        marker. None: nothing but empty values. Otherwise the value, or values, given.
    n_samples : int, optional
        Number of rows of X, to check the length of ``y`` against.
    min_classes : int, default=2
        Fewer classes than this are an error. With 0 a target without any label is legal.

    Returns
    -------
    PartialLabels

    Examples
    --------
    >>> from ssrlpl import encode_labels
    >>> target = encode_labels(["cat", None, "dog", "", "cat"])
    >>> target.classes.tolist(), target.codes.tolist(), target.n_labeled
    (['cat', 'dog'], [0, -1, 1, -1, 0], 3)
    >>> encode_labels([-1, 1, -1, 1], unlabeled=None).classes
    array([-1,  1])
    """
    values = _as_column(y)
    _check_length(values, n_samples)
    missing = _empty(values) | np.ma.getmaskarray(y) if np.ma.isMA(y) else _empty(values)
    missing |= _marked(values, missing, unlabeled)
    labels = _plain(values[~missing])
    if len(labels) or min_classes:
        _check_labels(labels, len(values), unlabeled)
    classes, inverse = np.unique(labels, return_inverse=True)
    _check_enough_classes(classes, min_classes, unlabeled, bool(missing.any()))
    codes = np.full(len(values), UNLABELED, dtype=np.intp)
    codes[~missing] = inverse
    return PartialLabels(classes, codes)


def _as_column(y: Any) -> NDArray[Any]:
    if y is None:
        raise ValueError(
            "This estimator requires y to be passed, but the target y is None: pass one label"
            " for each row, with -1, NaN or None where the label is not known."
        )
    if isinstance(y, list | tuple) and any(isinstance(v, str) or v is None for v in y):
        y = np.array([*y, None], dtype=object)[:-1]  # keeps ["a", -1] from becoming two strings
    if hasattr(y, "dtype") and str(y.dtype) == "category":
        y = y.astype(object)
    values = np.asarray(y)
    if values.ndim == 2 and values.shape[1] > 1:
        raise ValueError(
            f"y should be a 1d array, one label for each row. Got shape {values.shape}: for"
            " one-hot or probability columns pass y.argmax(axis=1), for several targets fit one"
            " estimator for each column."
        )
    return np.asarray(column_or_1d(values, warn=True))


def _check_length(values: NDArray[Any], n_samples: int | None) -> None:
    if n_samples is not None and len(values) != n_samples:
        raise ValueError(
            f"X and y must have the same length. Got {n_samples} rows in X and {len(values)} in"
            " y: pass one entry for each row, with -1, NaN or None where the label is not known."
        )


def _empty(values: NDArray[Any]) -> NDArray[np.bool_]:
    """Mask of the entries that can never be a class."""
    if values.dtype.kind == "f":
        return np.asarray(np.isnan(values))
    if values.dtype.kind in "mM":
        return np.asarray(np.isnat(values))
    if values.dtype.kind in "US":
        return np.asarray(values == values.dtype.type())
    if values.dtype.kind == "O":
        return np.fromiter((_is_empty(v) for v in values), dtype=bool, count=len(values))
    return np.zeros(len(values), dtype=bool)


def _is_empty(value: Any) -> bool:
    # pd.NA refuses to be compared, so it is known by name and pandas need not be imported.
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return (isinstance(value, str) and value == "") or bool(np.isscalar(value) and value != value)


def _marked(values: NDArray[Any], missing: NDArray[np.bool_], unlabeled: Any) -> NDArray[np.bool_]:
    """Mask of the entries equal to the marker."""
    if isinstance(unlabeled, str) and unlabeled == "auto":
        return _marked_by_default(values, missing)
    markers = [m for m in _as_markers(unlabeled) if not _is_empty(m)]
    mask = np.zeros(len(values), dtype=bool)
    for marker in markers:
        _check_marker_type(values, missing, marker)
        mask |= np.asarray(values == marker, dtype=bool)
    return mask


def _marked_by_default(values: NDArray[Any], missing: NDArray[np.bool_]) -> NDArray[np.bool_]:
    kind = values.dtype.kind
    if kind in "iuf" and not missing.any():
        return np.asarray(values == UNLABELED)
    if kind == "U" and not missing.any():
        return np.asarray(values == str(UNLABELED))  # np.array(["a", -1]) holds the string "-1"
    if kind != "O":
        return np.zeros(len(values), dtype=bool)
    minus_one = np.array([not isinstance(v, str | bool) and v == UNLABELED for v in values], bool)
    has_strings = any(isinstance(v, str) for v in values[~missing])
    return minus_one if has_strings or not missing.any() else np.zeros(len(values), dtype=bool)


def _as_markers(unlabeled: Any) -> list[Any]:
    is_collection = isinstance(unlabeled, Iterable) and not isinstance(unlabeled, str | bytes)
    return list(unlabeled) if is_collection else [unlabeled]


def _check_marker_type(values: NDArray[Any], missing: NDArray[np.bool_], marker: Any) -> None:
    present = values[~missing]
    if len(present) and isinstance(marker, str) != isinstance(present[0], str):
        if values.dtype.kind == "O" and len({isinstance(v, str) for v in present}) == 2:
            return
        raise ValueError(
            f"unlabeled must be a value that y can hold. Got unlabeled={marker!r} while y holds"
            f" {type(present[0]).__name__} values such as {present[0]!r}: pass the marker in the"
            " same type."
        )


def _plain(labels: NDArray[Any]) -> NDArray[Any]:
    """Give object labels that are all numbers or all booleans their natural dtype."""
    if labels.dtype.kind != "O" or not len(labels):
        return labels
    is_text = {isinstance(v, str) for v in labels}
    if is_text == {True}:
        return labels
    if is_text == {True, False}:
        odd = next(v for v in labels if not isinstance(v, str))
        raise ValueError(
            f"y mixes strings and other values such as {odd!r}: convert it with y.astype(str),"
            f" or pass unlabeled={odd!r} if that value marks unlabeled rows."
        )
    return np.array(labels.tolist())


def _check_labels(labels: NDArray[Any], n_rows: int, unlabeled: Any) -> None:
    if not len(labels):
        raise ValueError(
            f"y has no labeled row: all {n_rows} entries mark unlabeled rows"
            f" (unlabeled={unlabeled!r}). Label at least one row of each class."
            + (_MINUS_ONE_CURE if unlabeled == "auto" else "")
        )
    if labels.dtype.kind == "f" and np.isinf(labels).any():
        raise ValueError(
            "Input y contains infinity or a value too large for a class label: use NaN or -1 for"
            " rows whose label is not known."
        )
    check_classification_targets(labels)


def _check_enough_classes(
    classes: NDArray[Any], min_classes: int, unlabeled: Any, has_unlabeled: bool
) -> None:
    if len(classes) >= min_classes:
        return
    cure = _MINUS_ONE_CURE if unlabeled == "auto" and has_unlabeled else ""
    raise ValueError(
        f"y must hold labels of at least {min_classes} classes. Got {len(classes)} class"
        f" ({classes[0]!r}) among the labeled rows: label a row of another class.{cure}"
    )
