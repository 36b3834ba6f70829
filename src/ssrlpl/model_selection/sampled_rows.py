"""Which rows of a large table the search looks at, and to which its map is fitted."""

from __future__ import annotations

import numpy as np

from .._core.folds import each_class_first
from .._utils import limits
from .._utils.types import Ints
from ..labels import PartialLabels
from .budget import place_in_class


def choice_rows(target: PartialLabels, seed: int) -> Ints:
    """Return the rows on which the choice is made, sorted; every class keeps a label.

    Of more classes than the sample has pairs of labels, every class keeps two, so that there is
    another one when one is hidden.
    """
    rng = np.random.RandomState(seed)
    order = rng.permutation(len(target.codes))
    labeled = order[target.is_labeled[order]]
    most = max(limits.SEARCH_LABELED, min(2 * len(target.classes), limits.SEARCH_ROWS))
    if len(labeled) > most:
        labeled = labeled[each_class_first(target.codes[labeled])]
        if most > limits.SEARCH_LABELED:
            labeled = labeled[np.argsort(place_in_class(target.codes[labeled]), kind="stable")]
        labeled = labeled[:most]
    others = order[~target.is_labeled[order]][: max(0, limits.SEARCH_ROWS - len(labeled))]
    return np.sort(np.concatenate([labeled, others]))


def rows_of_map(target: PartialLabels, seed: int) -> Ints:
    """Return the rows to which the map is fitted, sorted; labeled ones up to half of them."""
    n = len(target.codes)
    if n <= limits.MAP_ROWS:
        return np.arange(n)
    order = np.random.RandomState(seed).permutation(n)
    labeled = order[target.is_labeled[order]][: limits.MAP_ROWS // 2]
    others = order[~np.isin(order, labeled)][: limits.MAP_ROWS - len(labeled)]
    return np.sort(np.concatenate([labeled, others]))
