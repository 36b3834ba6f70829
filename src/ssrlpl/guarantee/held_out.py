"""Label errors of held-out rows, from a map and a partially labeled table."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import KFold

from .._core.geometry import MapGeometry
from .._core.loo_maps import Products
from .._utils.validation import check_share
from ..labels import PartialLabels
from .label_errors import LabelErrors

MAX_FOLDS = 10

FIT_SHARE = 0.4
"""Share of the labels to which the map is fitted; the others are held out. A smaller share gives a
worse map, a larger one a wider margin. Between 0.3 and 0.5 the results are nearly the same."""


def draw_split(
    target: PartialLabels, rng: np.random.RandomState, audit: Any = None
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the rows whose labels teach and, in random order, those that are held out (audit).

    ``audit`` is a mask of the rows to hold out, or a share of the labels, by default 60 %. The
    draw of a share must not depend on the labels: with a stratified draw the held-out rows would
    not be a random sample.
    """
    if audit is None or isinstance(audit, Real):
        share = 1 - FIT_SHARE if audit is None else float(audit)
        check_share("audit", share)
        order = rng.permutation(target.labeled)
        if len(order) < 4:
            raise ValueError(
                f"Labels must be divided into some to learn from and some to check with. Got"
                f" {len(order)} labels: label four rows or more."
            )
        count = int(np.clip(round((1 - share) * len(order)), 2, len(order) - 2))
        return order[:count], order[count:]
    mask = _check_mask(audit, target)
    return np.flatnonzero(target.is_labeled & ~mask), rng.permutation(np.flatnonzero(mask))


def _check_mask(audit: Any, target: PartialLabels) -> NDArray[np.bool_]:
    mask = np.asarray(audit)
    if mask.shape != target.codes.shape or mask.dtype != np.bool_:
        raise ValueError(
            f"audit must be a share or a boolean mask of all {len(target.codes)} rows. Got"
            f" {mask.dtype} of shape {mask.shape}: pass True where a label audits."
        )
    blank = np.flatnonzero(mask & ~target.is_labeled)
    if len(blank):
        raise ValueError(
            f"audit must mark rows that have a label. Got {len(blank)} that have none, the first"
            f" is row {blank[0]}: fill in their labels, or take them out of the mask."
        )
    if not mask.any():
        raise ValueError("audit must mark at least one row. Got none: pass True for some rows.")
    return mask


def held_out_errors(
    map_: Any,
    X: Any,
    target: PartialLabels,
    held_out: NDArray[np.intp],
    products: Products | None = None,
) -> tuple[Any, LabelErrors]:
    """Return a map fitted without the labels of some rows, and the errors of their label vectors.

    The population is all rows whose labels the map did not use. ``products`` may be passed if
    they are already computed for all rows.
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
    """Return the label errors of each fold, with each labeled row held out once.

    A fold is skipped if the other folds have labels of a single class.
    """
    labeled, codes = target.labeled, target.codes
    hidden = [
        labeled[left]
        for kept, left in folds(len(labeled))
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


def folds(n_labeled: int) -> list[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    """Return pairs of positions among the labeled rows: kept, held out.

    Ten folds, or fewer so that each has at least two rows. Two folds would be faster on large
    tables, but a map of half of the labels is another one than the map of all.
    """
    # A fixed seed, so that the same table always gives the same certificate.
    splitter = KFold(max(2, min(MAX_FOLDS, n_labeled // 2)), shuffle=True, random_state=0)
    return list(splitter.split(np.arange(n_labeled)))
