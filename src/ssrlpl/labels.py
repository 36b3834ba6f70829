"""Decoding of partially labeled targets; only this module decides which rows are unlabeled.

A *partially labeled target* is the ``y`` a user passes: labels for some rows, a marker for the
others. :func:`encode_labels` converts every accepted form to the same three things: the sorted
classes, an integer code for each row (-1 for unlabeled) and a mask.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.exceptions import DataConversionWarning
from sklearn.utils import column_or_1d

from ._utils.arrays import to_numpy
from ._utils.types import Array, Floats, Ints, Mask, VectorLike
from ._utils.user_warnings import warn_user

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
        Position in ``classes`` of the label of each row, -1 for unlabeled rows.
    kept : mask of shape (n_classes_before,), optional
        Which of the classes before ``without`` still have a label.

    Examples
    --------
    >>> from ssrlpl import encode_labels
    >>> target = encode_labels(["cat", None, "dog"])
    >>> target.classes.tolist(), target.codes.tolist(), target.n_labeled
    (['cat', 'dog'], [0, -1, 1], 2)
    """

    classes: Array
    codes: Ints
    kept: Mask | None = None

    @property
    def is_labeled(self) -> Mask:
        """Mask of the labeled rows."""
        return self.codes != UNLABELED

    @property
    def labeled(self) -> Ints:
        """Row numbers of the labeled rows."""
        return np.flatnonzero(self.is_labeled)

    @property
    def n_labeled(self) -> int:
        """Number of labeled rows."""
        return int(np.count_nonzero(self.is_labeled))

    def one_hot(self, dtype: Any = np.float64) -> Array:
        """Return the label vectors of the labeled rows."""
        return np.eye(len(self.classes), dtype=dtype)[self.codes[self.is_labeled]]

    def labels_of_labeled(self) -> Array:
        """Return the labels of the labeled rows, in row order and in the caller's dtype."""
        return np.asarray(self.classes[self.codes[self.is_labeled]])

    def hiding(self, rows: Array) -> PartialLabels:
        """Return the same target with the labels of some rows removed; all classes are kept."""
        codes = self.codes.copy()
        codes[rows] = UNLABELED
        return replace(self, codes=codes)

    def of_rows(self, rows: Array) -> PartialLabels:
        """Return the target of some rows; all classes are kept."""
        return replace(self, codes=self.codes[rows])

    def in_codes(self) -> PartialLabels:
        """Return the same target with the classes 0, 1, ..., C-1."""
        return replace(self, classes=np.arange(len(self.classes)))

    def with_classes(self, classes: Array) -> PartialLabels:
        """Return the same target with codes for given sorted classes."""
        unknown = np.setdiff1d(self.classes, classes)
        if len(unknown):
            raise ValueError(
                f"y holds the label {shown(unknown[0])}, which is not among the classes of the"
                " first chunk: name all classes in the first call, partial_fit(X, y, classes=...)."
            )
        position = np.searchsorted(classes, self.classes)
        codes = np.where(self.is_labeled, position[self.codes], UNLABELED)
        return PartialLabels(classes, codes)

    def without(self, rows: Array, *, min_classes: int = 2) -> PartialLabels:
        """Return the same target with the labels of some rows (numbers or a mask) removed.

        A class without a remaining label is removed; fewer than ``min_classes`` remaining classes
        are an error.
        """
        codes = self.hiding(rows).codes
        kept, compact = np.unique(codes[codes != UNLABELED], return_inverse=True)
        before = np.ones(len(self.classes), dtype=bool) if self.kept is None else self.kept
        if len(kept) < min_classes:
            raise ValueError(
                f"At least {min_classes} classes must keep a label. Got {len(kept)} after the"
                " labels of some rows were set aside: label more rows, or give a labeled row of"
                " another class a weight above zero."
            )
        codes[codes != UNLABELED] = compact
        still = np.isin(np.arange(len(before)), np.flatnonzero(before)[kept])
        return PartialLabels(self.classes[kept], codes, still)


def encode_labels(
    y: VectorLike, *, unlabeled: Any = "auto", n_samples: int | None = None, min_classes: int = 2
) -> PartialLabels:
    """Return the classes, integer codes and labeled rows of a partially labeled target.

    Empty values (None, NaN, NaT, pd.NA, the empty string, a masked entry) are always unlabeled.
    NumPy writes NaN and -1 as "nan" and "-1" into an array of strings, so these count as well.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        Integers, floats, booleans, strings or objects; lists, NumPy arrays, pandas and polars
        columns (also nullable and categorical ones).
    unlabeled : "auto", None, a value or a list of values, default="auto"
        What marks an unlabeled row, in addition to empty values. "auto": -1 or "-1", unless ``y``
        has empty values (then -1 is a normal class); the number -1 among strings is always a
        marker. None: only empty values. Otherwise the given value or values.
    n_samples : int, optional
        Number of rows of X; ``y`` must have the same length.
    min_classes : int, default=2
        Fewer classes than this are an error. With 0 a target without any label is allowed.

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
    values, missing = _read(y, n_samples)
    marked = _marked(values, missing, unlabeled)
    cure = _MINUS_ONE_CURE if _is_auto(unlabeled) and marked.any() else ""
    missing |= marked
    labels = _plain(values[~missing])
    _check_labels(labels)
    classes, inverse = np.unique(labels, return_inverse=True)
    _check_enough_classes(classes, min_classes, len(values), cure)
    codes = np.full(len(values), UNLABELED, dtype=np.intp)
    codes[~missing] = inverse
    return PartialLabels(classes, codes)


def settled_marker(unlabeled: Any, classes: Array) -> Any:
    """Return what marks unlabeled rows in later targets, when the classes are known.

    "auto" depends on the target. Later targets must be decoded like the first one: if -1 is one
    of the classes, it stays a class; if the classes are strings, -1 always means unlabeled.
    """
    known, minus_one = classes.tolist(), [UNLABELED, str(UNLABELED)]
    if not _is_auto(unlabeled):
        return unlabeled
    if any(label in minus_one for label in known):
        return None
    of_text = bool(known) and all(isinstance(label, str) for label in known)
    return minus_one if of_text else unlabeled


def decode_more(
    y: VectorLike | None, classes: Array, *, unlabeled: Any, n_samples: int
) -> PartialLabels:
    """Return the target of further rows by known classes; None means that all are unlabeled."""
    nothing = np.full(n_samples, UNLABELED, dtype=np.intp)
    if y is None:
        return PartialLabels(classes, nothing)
    marker = settled_marker(unlabeled, classes)
    target = encode_labels(y, unlabeled=marker, n_samples=n_samples, min_classes=0)
    return target.with_classes(classes) if target.n_labeled else PartialLabels(classes, nothing)


def write_labels(target: PartialLabels, shown_rows: Ints, *, unlabeled: Any = "auto") -> Array:
    """Return a target with the labels of ``shown_rows``; all other rows are unlabeled.

    :func:`encode_labels` with the same ``unlabeled`` decodes it. The marker is -1 if that is
    certain to mean unlabeled (no class is negative and no other marker is set), otherwise None.
    """
    classes = target.classes
    dtype = (
        np.result_type(classes.dtype, np.int8) if classes.dtype.kind in "iu" else np.dtype(object)
    )
    # No integer type holds both uint64 and -1: NumPy would return floats.
    signed = _is_auto(unlabeled) and dtype.kind == "i" and bool((classes >= 0).all())
    marker = UNLABELED if signed else None
    y = np.full(len(target.codes), marker, dtype=dtype if signed else object)
    y[shown_rows] = classes[target.codes[shown_rows]]
    return y


def read_markers(estimator: Any, unlabeled: Any) -> Any:
    """Make every part of an estimator read the same marker as unlabeled, and return it."""
    if not hasattr(estimator, "get_params"):
        return estimator
    names = [n for n in estimator.get_params() if n == "unlabeled" or n.endswith("__unlabeled")]
    return estimator.set_params(**dict.fromkeys(names, unlabeled)) if names else estimator


def read_codes_only(estimator: Any) -> Any:
    """Return the estimator with ``unlabeled=-1`` set in every part.

    Internally estimators are fitted to codes, whatever the marker in the caller's target was.
    """
    return read_markers(estimator, UNLABELED)


def read_numbers(
    y: VectorLike, *, unlabeled: Any = "auto", n_samples: int | None = None
) -> tuple[Floats, Mask]:
    """Return the known values of a numeric target (regression), and which rows have one.

    Here -1 is a normal number: with "auto" only empty values are unlabeled.
    """
    values, missing = _read(y, n_samples)
    missing |= _marked(values, missing, None if _is_auto(unlabeled) else unlabeled)
    if missing.all():
        raise ValueError(
            f"y has no known value. Got {len(values)} empty entries: give the value of at least"
            " one row."
        )
    return values[~missing].astype(np.float64), ~missing


def _read(y: VectorLike, n_samples: int | None) -> tuple[Array, Mask]:
    """Return the entries of y, and which of them are empty."""
    values = _as_column(y)
    if n_samples is not None and len(values) != n_samples:
        raise ValueError(
            f"X and y must have the same length. Got {n_samples} rows in X and {len(values)} in"
            " y: pass one entry for each row, with -1, NaN or None where the label is not known."
        )
    missing = _empty(values)
    if np.ma.isMA(y):
        missing |= np.ma.getmaskarray(y).ravel()
    return values, missing


def _as_column(y: Any) -> Array:
    if y is None:
        raise ValueError(
            "This estimator requires y to be passed, but the target y is None: pass one label"
            " for each row, with -1, NaN or None where the label is not known."
        )
    values = _as_array(to_numpy(y))
    if values.ndim > 2 or (values.ndim == 2 and values.shape[1] > 1):
        raise ValueError(
            f"y should be a 1d array, one label for each row. Got shape {values.shape}: for"
            " one-hot or probability columns pass y.argmax(axis=1), for several targets fit one"
            " estimator for each column."
        )
    if values.ndim == 2:
        warn_user(
            "A column-vector y was passed when a 1d array was expected: pass y.ravel(), or one"
            " column of the DataFrame.",
            DataConversionWarning,
        )
    return np.asarray(column_or_1d(values))


def _as_array(y: Any) -> Array:
    """Return y as an array in which every label keeps its type."""
    if isinstance(y, list | tuple) and any(isinstance(v, str | bool) or v is None for v in y):
        return _objects(y)  # np.asarray would turn ["a", -1] into strings, [True, -1] into numbers
    dtype = str(getattr(y, "dtype", ""))
    if dtype == "category":
        y = y.astype(object)
    try:
        values = np.asarray(y)
    except ValueError as error:  # raised by NumPy for rows of different lengths
        raise ValueError(
            "y should be a 1d array, one label for each row. Got lists of different lengths: for"
            " several labels a row fit one estimator for each of them."
        ) from error
    # An integer column with empty values (pandas Int64, polars) is converted to floats with NaN.
    if values.dtype.kind == "f" and "int" in dtype.lower():
        return _objects(y)
    return values.astype(object) if values.dtype.kind == "T" else values


def _objects(y: Iterable[Any]) -> Array:
    return np.array([*y, None], dtype=object)[:-1]  # None keeps a list of lists in one dimension


def _empty(values: Array) -> Mask:
    """Return the mask of the entries that can never be a class."""
    kind = values.dtype.kind
    if kind == "f":
        return np.asarray(np.isnan(values))
    if kind in "mM":
        return np.asarray(np.isnat(values))
    if kind == "U":
        return np.asarray((values == "") | (values == "nan"))  # np.array(["a", np.nan])
    if kind == "O":
        return np.fromiter((is_empty(v) for v in values), dtype=bool, count=len(values))
    return np.zeros(len(values), dtype=bool)


def is_empty(value: Any) -> bool:
    """Return whether an entry can never be a class: None, NaN, NaT, pd.NA or the empty string."""
    # pd.NA cannot be compared; checking the name of its type avoids an import of pandas.
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return (isinstance(value, str) and value == "") or bool(np.isscalar(value) and value != value)


def _is_auto(unlabeled: Any) -> bool:
    # == alone is not enough: for an array or pd.NA it does not return True or False.
    return isinstance(unlabeled, str) and unlabeled == "auto"


def _marked(values: Array, missing: Mask, unlabeled: Any) -> Mask:
    """Return the mask of the entries equal to a marker."""
    mask = np.zeros(len(values), dtype=bool)
    present = values[~missing]  # without pd.NA, which cannot be compared
    if _is_auto(unlabeled):
        mask[~missing] = _marked_by_default(present, bool(missing.any()))
        return mask
    several = isinstance(unlabeled, Iterable) and not isinstance(unlabeled, str | bytes)
    markers = [m for m in (unlabeled if several else [unlabeled]) if not is_empty(m)]
    _check_markers(present, markers)
    for marker in markers:
        mask[~missing] |= np.asarray(present == marker, dtype=bool)
    return mask


def _marked_by_default(present: Array, has_empty: bool) -> Mask:
    nothing = np.zeros(len(present), dtype=bool)
    if present.dtype.kind in "iuf":
        return nothing if has_empty else np.asarray(present == UNLABELED)
    if present.dtype.kind == "U":
        return nothing if has_empty else np.asarray(present == str(UNLABELED))
    if present.dtype.kind != "O":
        return nothing
    number = np.array([np.isscalar(v) and v == UNLABELED for v in present], dtype=bool)
    text = np.array([isinstance(v, str) and v == str(UNLABELED) for v in present], dtype=bool)
    if has_empty:
        return number if any(isinstance(v, str) for v in present) else nothing
    return number | text


def _check_markers(present: Array, markers: list[Any]) -> None:
    """Raise for a marker that cannot occur in y, such as -1 in a y of strings."""
    looked_at = present if present.dtype.kind == "O" else present[:1]
    held = {isinstance(v, str) for v in looked_at}
    if held and markers and not held & {isinstance(m, str) for m in markers}:
        raise ValueError(
            f"unlabeled must be a value that y can hold. Got unlabeled={shown(markers[0])} while"
            f" y holds {type(present[0]).__name__} values such as {shown(present[0])}: pass the"
            " marker in the same type."
        )


def shown(value: Any) -> str:
    """Return a value as text for a message: 1 instead of NumPy's np.int64(1)."""
    return repr(value.item() if isinstance(value, np.generic) else value)


def _plain(labels: Array) -> Array:
    """Return object labels that are all numbers or all booleans in their natural dtype."""
    if labels.dtype.kind != "O":
        return labels
    is_text = {isinstance(v, str) for v in labels}
    if is_text == {True, False}:
        odd = shown(next(v for v in labels if not isinstance(v, str)))
        raise ValueError(
            f"y must not mix strings and other values. Got {odd} among strings: write it as a"
            f" string, or pass unlabeled={odd} if it marks unlabeled rows."
        )
    is_number = len(labels) and False not in {np.isscalar(v) for v in labels}
    return np.array(labels.tolist()) if is_text == {False} and is_number else labels


def _check_labels(labels: Array) -> None:
    kind = labels.dtype.kind
    is_text = all(isinstance(v, str) for v in labels) if kind == "O" else kind == "U"
    if not is_text and kind not in "biufmM":
        raise ValueError(
            "Unknown label type: y must hold ints, whole floats, booleans, strings or NumPy"
            f" dates. Got {type(labels[0]).__name__} values such as {shown(labels[0])}: convert"
            ' the labels to strings, with pandas by y.astype("string"), which keeps empty values.'
        )
    if kind == "f" and np.isinf(labels).any():
        raise ValueError(
            "Input y contains infinity or a value too large for a class label: use NaN or -1 for"
            " rows whose label is not known."
        )
    if kind == "f" and np.any(labels != np.rint(labels)):
        broken = labels[labels != np.rint(labels)][0]
        raise ValueError(
            "Unknown label type: continuous. y must hold classes, floats must be whole. Got"
            f" {shown(broken)}: cut the values into classes, for example with np.digitize."
        )


def _check_enough_classes(classes: Array, min_classes: int, n_rows: int, cure: str) -> None:
    if len(classes) >= min_classes:
        return
    if not len(classes):
        raise ValueError(
            f"y has no labeled row. Got {n_rows} entries that all mark unlabeled rows: label at"
            f" least one row of each class.{cure}"
        )
    found = ", ".join(shown(label) for label in classes)
    raise ValueError(
        f"y must hold labels of at least {min_classes} classes. Got {len(classes)} class"
        f" ({found}) among the labeled rows: label a row of another class.{cure}"
    )
