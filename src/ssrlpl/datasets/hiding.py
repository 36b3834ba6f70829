"""Hide labels of a fully labeled target, to measure what a method does without them."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from .._utils.types import Array, Ints, VectorLike
from .._utils.validation import check_count
from ..labels import PartialLabels, encode_labels, write_labels


def hide_labels(
    y: VectorLike,
    *,
    keep: int | float | None = None,
    keep_per_class: int | None = None,
    unlabeled: Any = "auto",
    random_state: Any = None,
) -> Array:
    """Return a copy of y in which only some labels are left.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        Labels; unlabeled rows stay unlabeled.
    keep : int or float, optional
        How many labels stay (an int), or which share of them (a float in (0, 1]; 1.0 keeps all).
        Drawn at random from all rows; each class keeps at least one, as in the paper's
        experiments.
    keep_per_class : int, optional
        How many labels stay in each class. Give this or ``keep``. The labeled rows are then no
        random sample of all rows, which every certificate assumes: audit other rows, drawn at
        random (``audit=mask`` of :func:`ssrlpl.guarantee.certify_labels`).
    unlabeled : "auto", None, a value or a list, default="auto"
        What marks a row of ``y`` that has no label already, see :func:`ssrlpl.encode_labels`.
        With classes -1 and +1 pass None.
    random_state : int, RandomState or None
        Seed of the draw.

    Returns
    -------
    ndarray of shape (n_samples,)
        Integers >= 0 stay integers and get -1 where a label is hidden. Other labels, and all
        labels if you name the marker yourself, become objects with None, which is unlabeled
        whatever ``unlabeled`` is: pass the same ``unlabeled`` when you use the result.

    Examples
    --------
    >>> from ssrlpl.datasets import hide_labels
    >>> hide_labels([0, 0, 0, 1, 1, 1], keep_per_class=1, random_state=0)
    array([-1, -1,  0, -1, -1,  1])
    >>> hide_labels([-1, -1, 1, 1], keep_per_class=1, unlabeled=None, random_state=0)
    array([None, -1, 1, None], dtype=object)
    """
    if (keep is None) == (keep_per_class is None):
        raise ValueError("Pass either keep or keep_per_class, as in hide_labels(y, keep=0.1).")
    target = encode_labels(y, unlabeled=unlabeled)
    rng = check_random_state(random_state)
    order = rng.permutation(np.flatnonzero(target.is_labeled))
    shown = (
        _first_of_each_class(target, order, keep_per_class)
        if keep_per_class is not None
        else _first_of_all(target, order, _how_many(keep, target))
    )
    return write_labels(target, shown, unlabeled=unlabeled)


def _how_many(keep: Any, target: PartialLabels) -> int:
    # NumPy's floats are Real, too.
    if isinstance(keep, Integral) or not isinstance(keep, Real):
        count = check_count("keep", keep)
    elif 0 < float(keep) <= 1:
        count = round(float(keep) * target.n_labeled)
    else:
        raise ValueError(
            f"keep must be an int >= 1 or a share in (0, 1]. Got {keep!r}: pass an int for a number"
            " of labels, as in keep=20, or a float for a share of them, as in keep=0.1."
        )
    if not len(target.classes) <= count <= target.n_labeled:
        raise ValueError(
            f"keep must leave between {len(target.classes)} labels (one for each class) and"
            f" {target.n_labeled} (all there are). Got {keep}, that is {count} labels: pass"
            " keep in this range."
        )
    return count


def _first_of_each_class(target: PartialLabels, order: Ints, count: int) -> Ints:
    codes = target.codes[order]
    available = int(np.bincount(codes).min())
    if check_count("keep_per_class", count) > available:
        raise ValueError(
            f"keep_per_class must be an int in [1, {available}], the size of the smallest class."
            f" Got {count}: lower keep_per_class, or pass keep for a total over all classes."
        )
    return np.concatenate([order[codes == c][:count] for c in range(len(target.classes))])


def _first_of_all(target: PartialLabels, order: Ints, count: int) -> Ints:
    """Take one row of each class, then fill up in the order of the draw."""
    seeds = _first_of_each_class(target, order, 1)
    others = order[~np.isin(order, seeds)]
    return np.concatenate([seeds, others[: count - len(seeds)]])
