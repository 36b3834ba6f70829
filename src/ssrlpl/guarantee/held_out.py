"""Label errors of held-out rows, from a map and a partially labeled table."""

from __future__ import annotations

from numbers import Real
from typing import Any, NamedTuple

import numpy as np
from sklearn.model_selection import KFold

from .._core.geometry import MapGeometry
from .._core.loo_maps import Products
from .._utils.chunked import is_chunked
from .._utils.types import Array, Floats, Ints, Mask
from .._utils.validation import check_share
from ..labelers._base import label_rows
from ..labelers.graph import GraphLabeler
from ..labels import PartialLabels, is_empty
from .label_errors import LabelErrors

MAX_FOLDS = 10

FIT_SHARE = 0.4
"""Share of the labels to which the map is fitted; the others are held out. A smaller share gives a
worse map, a larger one a wider margin. Between 0.3 and 0.5 results are nearly the same."""

FEWEST_THAT_ACCEPT = 59
"""Audited rows without an error that accept rows at 5 %, with 95 % confidence: 0.95^59 < 0.049."""

FIRST_SHARE, MORE_DIVISIONS = 0.98, 2
"""Part of δ for the first division of the labels, and how many others share what is left. With 0.97
or more for the first, 59 audited rows still accept."""

UNTAUGHT_LABELS = 3
"""Audited labels of classes that nobody teaches, from which on another division is used. Each is an
error, and the bound of 3 errors is about that of none with a hundredth of δ."""


def audit_share(n_labels: int) -> float:
    """Return the share of the labels that audits filled-in labels, unless a user names one.

    60 %, or half if 60 % are too few to accept anything: then only the bound is left, and a model
    of more labels makes that smaller (docs/guarantee.md, section 1).
    """
    share = 1 - FIT_SHARE
    return share if round(share * n_labels) >= FEWEST_THAT_ACCEPT else 0.5


class Division(NamedTuple):
    """The rows that audit, and the part of δ that statements about the other labels may spend."""

    held_out: Ints
    delta_share: float = 1.0


def draw_divisions(
    target: PartialLabels, rng: np.random.RandomState, audit: Any, splits: int
) -> list[Division]:
    """Divide the labels into some that teach and some that audit, as often as is asked for.

    A single random division may leave a class without a teaching label. Then another one is used,
    and that there are others is paid for: the parts of δ sum to one, so statements hold by
    whatever rule one of the divisions is used (docs/guarantee.md, sections 7.7 and 7.8).
    """

    def draw() -> Ints:
        return draw_split(target, rng, audit)[1]

    if not isinstance(audit, Real):
        return [Division(draw())]
    if splits > 1:
        return [Division(draw(), 1 / splits) for _ in range(splits)]
    rest = (1 - FIRST_SHARE) / MORE_DIVISIONS
    drawn = [Division(draw(), share) for share in (FIRST_SHARE, *[rest] * MORE_DIVISIONS)]
    teaches = (one for one in drawn if _n_untaught(target, one.held_out) < UNTAUGHT_LABELS)
    return [next(teaches, drawn[0])]


def _n_untaught(target: PartialLabels, held_out: Ints) -> int:
    """Return how many held-out labels are of a class that no other label has."""
    taught = target.hiding(held_out)
    return int(np.count_nonzero(~np.isin(target.codes[held_out], taught.codes[taught.labeled])))


def draw_split(
    target: PartialLabels, rng: np.random.RandomState, audit: Any = None
) -> tuple[Ints, Ints]:
    """Return the rows whose labels teach and, in random order, those that are held out (audit).

    ``audit`` is a mask of the rows to hold out, their numbers in the order drawn, or a share of
    the labels, by default 60 %. The draw of a share must not depend on the labels: with a
    stratified draw the held-out rows would not be a random sample.
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
    given = np.asarray(audit)
    if not in_drawn_order(given):
        mask = _check_mask(given, target)
        return np.flatnonzero(target.is_labeled & ~mask), rng.permutation(np.flatnonzero(mask))
    mask = np.zeros(len(target.codes), dtype=bool)
    if len(np.unique(given)) < len(given) or given.min() < 0 or given.max() >= len(mask):
        raise ValueError(
            f"audit must name each row once, by numbers from 0 to {len(mask) - 1}. Got"
            f" {len(given)} numbers from {given.min()} to {given.max()}: pass the audited part of"
            " audit_order(X, y), or a mask of True and False."
        )
    mask[given] = True
    _check_mask(mask, target)
    return np.flatnonzero(target.is_labeled & ~mask), given.astype(np.intp)


def named_audit(X: Any, audit: Any) -> tuple[Any, Any]:
    """Return the rows without the column that ``audit`` names, and its cells as a mask.

    Other forms of ``audit`` are returned as they are.
    """
    if not isinstance(audit, str):
        return X, audit
    if is_chunked(X):
        raise ValueError(
            f"audit names the column {audit!r} of a table in chunks: take the column out of X and"
            " pass it as a mask in memory."
        )
    if audit not in getattr(X, "columns", ()):
        raise ValueError(
            f"audit names the column {audit!r}, which X does not have: pass a DataFrame with that"
            " column, a mask, or a share."
        )
    if len(X[audit].shape) > 1:
        raise ValueError(
            f"audit names the column {audit!r}, which X has twice: rename one of them."
        )
    cells = [0 if is_empty(cell) else cell for cell in X[audit].to_list()]
    if not all(isinstance(c, Real) for c in cells):
        raise ValueError(
            f"The column {audit!r} must have True or 1 where a label audits, and False, 0 or an"
            f" empty cell elsewhere. Got {X[audit].dtype}: convert it."
        )
    return X[[name for name in X.columns if name != audit]], np.asarray(cells) != 0


def in_drawn_order(audit: Any) -> bool:
    """Tell whether audited rows are given by number, in the order in which they were drawn."""
    given = np.asarray(audit)
    return given.ndim == 1 and given.dtype.kind in "iu" and len(given) > 0


def _check_mask(mask: Array, target: PartialLabels) -> Mask:
    if mask.shape != target.codes.shape or mask.dtype != np.bool_:
        raise ValueError(
            f"audit must be a share, row numbers, or a boolean mask of all {len(target.codes)}"
            f" rows. Got {mask.dtype} of shape {mask.shape}: pass True where a label audits."
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


def planned_audits(n_teaching: int) -> int:
    """Return the size of an audit for which bounds at every look are tuned.

    It must not depend on when one looks. It is the size that the default share gives.
    """
    return max(2, round(n_teaching * (1 - FIT_SHARE) / FIT_SHARE))


def control_labels(control: Any, map_: Any, X: Any, taught: PartialLabels) -> Floats | None:
    """Return label vectors of all rows from the teaching labels, for a control variate.

    ``control`` is a labeler or None: then a graph labels the rows, and if there are no rows but a
    kernel matrix, there is no control variate.
    """
    if control is None:
        if getattr(map_, "kernel", None) == "precomputed":
            return None
        control = GraphLabeler(10, alpha=0.9, sharpness=4)
    rest = taught.without(np.empty(0, dtype=np.intp))
    Q = np.zeros((len(taught.codes), len(taught.classes)))
    Q[:, np.searchsorted(taught.classes, rest.classes)] = label_rows(control, X, rest)[1]
    return Q


def held_out_errors(
    map_: Any, X: Any, target: PartialLabels, held_out: Ints, products: Products | None = None
) -> tuple[Any, LabelErrors]:
    """Return a map fitted without the labels of some rows, and the errors of their label vectors.

    The population is all rows whose labels the map did not use. ``products`` may be passed if
    they are already computed for all rows.
    """
    products = map_.products(X, None) if products is None else products
    fitted, Y, Z = map_.refit(X, target.hiding(held_out))
    return fitted, _errors(target, held_out, Y, products.geometry(Z))


def _errors(target: PartialLabels, held_out: Ints, Y: Floats, geometry: MapGeometry) -> LabelErrors:
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


def folds(n_labeled: int) -> list[tuple[Ints, Ints]]:
    """Return pairs of positions among the labeled rows: kept, held out.

    Ten folds, or fewer so that each has at least two rows. Two folds would be faster on large
    tables, but a map of half of the labels is another one than the map of all.
    """
    # A fixed seed, so that the same table always gives the same certificate.
    splitter = KFold(max(2, min(MAX_FOLDS, n_labeled // 2)), shuffle=True, random_state=0)
    return list(splitter.split(np.arange(n_labeled)))
