"""From a map and a partially labeled table to label errors that a certificate can use."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import KFold

from .._core.geometry import MapGeometry
from .._core.loo_maps import Products
from .._utils import limits
from ..labels import PartialLabels
from .label_errors import LabelErrors

MAX_FOLDS = 10

FIT_SHARE = 0.4
"""Share of the labels the map is fitted on when the others are held out: fewer make a worse map,
more make a wider margin. Between 0.3 and 0.5 it matters little."""


def draw_split(
    target: PartialLabels, rng: np.random.RandomState
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Draw the labels to fit on and, in random order, those to hold out.

    The draw must not look at the labels: a stratified one would make the held-out rows a biased
    sample.
    """
    order = rng.permutation(target.labeled)
    count = int(np.clip(round(FIT_SHARE * len(order)), 2, len(order) - 2))
    return order[:count], order[count:]


def held_out_errors(
    map_: Any,
    X: Any,
    target: PartialLabels,
    held_out: NDArray[np.intp],
    products: Products | None = None,
) -> tuple[Any, LabelErrors]:
    """Fit a map without the labels of some rows and return the errors of their label vectors.

    The population is all rows whose labels the map has not seen. ``products`` are those of all
    rows, if they are at hand.
    """
    products = map_.products(X, None) if products is None else products
    fitted, Y, Z = map_.refit(X, target.hiding(held_out))
    return fitted, _errors(target, held_out, Y, products.geometry(Z))


def _errors(
    target: PartialLabels, held_out: NDArray[np.intp], Y: NDArray[np.float64], geometry: MapGeometry
) -> LabelErrors:
    truth = np.eye(Y.shape[1])[target.codes[held_out]]
    population = np.flatnonzero(~target.hiding(held_out).is_labeled)
    return LabelErrors(geometry, held_out, truth - Y[held_out], Y, population)


def cross_fitted_errors(
    map_: Any, X: Any, target: PartialLabels, products: Products | None = None
) -> list[LabelErrors]:
    """Hold out each labeled row once: the label errors of each fold, and where its map puts rows.

    A fold whose rest has a single class is left out.
    """
    labeled, codes = target.labeled, target.codes
    hidden = [
        labeled[left]
        for kept, left in folds(len(labeled), X.shape[0])
        if len(left) > 1 and len(np.unique(codes[labeled[kept]])) > 1
    ]
    if not hidden:
        return []
    products = map_.products(X, None) if products is None else products
    return [
        _errors(target, held_out, y, products.geometry(z))
        for part, Y, Z in map_.fit_without(X, target, hidden, products=products)
        for held_out, y, z in zip(hidden[part], Y, Z, strict=True)
    ]


def folds(n_labeled: int, n_rows: int) -> list[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    """Return (kept, left out) positions among the labeled rows.

    Ten folds of at least two rows for small tables; two for large ones, where a fit takes
    seconds and half of the labels are still many.
    """
    most = MAX_FOLDS if n_rows <= limits.TEN_FOLD_ROWS else 2
    splitter = KFold(max(2, min(most, n_labeled // 2)), shuffle=True, random_state=0)
    return list(splitter.split(np.arange(n_labeled)))
