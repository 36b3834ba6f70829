"""Hide labels of a fully labeled target, to see how well one does without them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from .._core.types import VectorLike
from ..labels import PartialLabels, encode_labels


def hide_labels(
    y: VectorLike,
    *,
    keep: int | float | None = None,
    keep_per_class: int | None = None,
    random_state: Any = None,
) -> NDArray[Any]:
    """Return a copy of y in which only some labels are left.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        Labels; rows without one stay without.
    keep : int or float, optional
        How many labels stay, or which share of them (a float below 1). Drawn at random from all
        rows; each class keeps at least one, as in the paper's experiments.
    keep_per_class : int, optional
        How many labels stay in each class. Give this or ``keep``.
    random_state : int, RandomState or None
        Seed of the draw.

    Returns
    -------
    ndarray of shape (n_samples,)
        Integers keep their dtype and get -1 where a label is hidden, other labels become objects
        with None.

    Examples
    --------
    >>> from ssrlpl.datasets import hide_labels
    >>> hide_labels([0, 0, 0, 1, 1, 1], keep_per_class=1, random_state=0)
    array([-1, -1,  0, -1, -1,  1])
    """
    if (keep is None) == (keep_per_class is None):
        raise ValueError("Pass either keep or keep_per_class, as in hide_labels(y, keep=0.1).")
    target = encode_labels(y)
    rng = check_random_state(random_state)
    order = rng.permutation(np.flatnonzero(target.is_labeled))
    shown = (
        _first_of_each_class(target, order, keep_per_class)
        if keep_per_class is not None
        else _first_of_all(target, order, _how_many(keep, target))
    )
    return _mask(target, shown)


def _how_many(keep: Any, target: PartialLabels) -> int:
    count = round(keep * target.n_labeled) if isinstance(keep, float) and keep < 1 else int(keep)
    if not len(target.classes) <= count <= target.n_labeled:
        raise ValueError(
            f"keep must leave between {len(target.classes)} labels (one for each class) and"
            f" {target.n_labeled} (all there are). Got {keep}, that is {count} labels."
        )
    return count


def _first_of_each_class(
    target: PartialLabels, order: NDArray[np.intp], count: int
) -> NDArray[np.intp]:
    available = int(np.bincount(target.codes[order]).min())
    if not 1 <= count <= available:
        raise ValueError(
            f"keep_per_class must be an int in [1, {available}], the size of the smallest class."
            f" Got {count}."
        )
    codes = target.codes[order]
    return np.concatenate([order[codes == c][:count] for c in range(len(target.classes))])


def _first_of_all(target: PartialLabels, order: NDArray[np.intp], count: int) -> NDArray[np.intp]:
    """Take one row of each class, then fill up in the order of the draw."""
    seeds = _first_of_each_class(target, order, 1)
    others = order[~np.isin(order, seeds)]
    return np.concatenate([seeds, others[: count - len(seeds)]])


def _mask(target: PartialLabels, shown: NDArray[np.intp]) -> NDArray[Any]:
    whole_numbers = target.classes.dtype.kind in "iu" and (target.classes >= 0).all()
    dtype = np.result_type(target.classes.dtype, np.int8) if whole_numbers else object
    hidden = np.full(len(target.codes), -1 if whole_numbers else None, dtype=dtype)
    hidden[shown] = target.classes[target.codes[shown]]
    return hidden
