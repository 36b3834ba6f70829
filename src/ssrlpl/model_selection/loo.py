"""Exact leave-one-out predictions at the cost of a few fits."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import _num_samples, indexable

from .._utils.arrays import in_numpy
from .._utils.progress import Progress
from .._utils.types import Array, Ints, MatrixLike, VectorLike
from .._utils.validation import has_our
from ..labelers._base import marker_of
from ..labels import UNLABELED, PartialLabels, encode_labels, read_codes_only


def loo_predict(
    estimator: Any, X: MatrixLike, y: VectorLike, *, unlabeled: Any = "auto", verbose: bool = False
) -> Array:
    """Return a prediction of each given label from all other labels (exact leave-one-out).

    For :class:`SSRLPL` and :class:`KernelSSRLPL` the label is hidden, the label vectors that depend
    on it and the map are computed again, and the row gets the label of the nearest labeled row in
    the new representation. The result equals that of one fit for each label, but all fits share
    one pass over the data. :class:`SSRLPLClassifier` with a map fits its classifier in each
    representation; labelers are exact and fast, too. Other estimators are fitted again for each
    label, which can be slow.

    Parameters
    ----------
    estimator : estimator
        A map, a labeler, or any object with ``fit(X, y)`` and ``predict`` that accepts partially
        labeled targets. It is not changed.
    X : array-like or sparse matrix of shape (n_samples, n_features)
        All rows, labeled and unlabeled.
    y : array-like of shape (n_samples,)
        Labels, with a marker for unlabeled rows.
    unlabeled : "auto", None, a value or a list, default="auto"
        What marks an unlabeled row, see :func:`ssrlpl.encode_labels`. "auto" is what the
        estimator reads as unlabeled.
    verbose : bool, default=False
        Show a progress bar if it takes longer than two seconds.

    Returns
    -------
    ndarray of shape (n_labeled,)
        One predicted label for each labeled row, in row order. If only one class remains when a
        label is hidden, the prediction is that class.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from ssrlpl import KernelSSRLPL
    >>> from ssrlpl.model_selection import loo_predict
    >>> X, y = load_digits(return_X_y=True)
    >>> partly = y.copy()
    >>> partly[100:] = -1  # the first 100 rows keep their label
    >>> float((loo_predict(KernelSSRLPL(), X, partly) == y[:100]).mean())
    0.96
    """
    (X,) = indexable(in_numpy(X))
    marker = marker_of(estimator, unlabeled)
    target = encode_labels(y, unlabeled=marker, n_samples=_num_samples(X))
    # A subclass with methods of its own may do something else: it is fitted again for each label.
    asked = [m for m in ("transform", "predict") if hasattr(estimator, m)]
    is_ours = has_our(estimator, "loo_codes", "fit", *asked)
    quick = estimator.loo_codes(X, target) if is_ours else None
    codes = np.empty(target.n_labeled, dtype=np.intp)
    with Progress("leave-one-out", len(codes), verbose=verbose) as progress:
        for part, found in _refits(estimator, X, target) if quick is None else quick:
            codes[part] = found
            progress.advance(part.stop - part.start)
    return np.asarray(target.classes[codes])


def _refits(estimator: Any, X: Any, target: PartialLabels) -> Iterator[tuple[slice, Ints]]:
    """Yield predictions of refitted estimators, by 1-NN if they have no ``predict``."""
    for position, row in enumerate(target.labeled):
        codes = target.hiding(row).codes
        labeled = np.flatnonzero(codes != UNLABELED)
        place = slice(position, position + 1)
        if len(np.unique(codes[labeled])) == 1:
            yield place, codes[labeled[:1]]
            continue
        fitted = read_codes_only(clone(estimator)).fit(X, codes)
        if UNLABELED in getattr(fitted, "classes_", ()):
            raise ValueError(
                f"{type(estimator).__name__} does not know unlabeled rows: it learned their marker"
                f" as a class. Pass LabeledOnly({type(estimator).__name__}(...)), which fits it to"
                " the labeled rows."
            )
        if hasattr(fitted, "predict"):
            yield place, np.asarray(fitted.predict(_safe_indexing(X, [int(row)])))
            continue
        Z = np.asarray(fitted.transform(_safe_indexing(X, [*labeled.tolist(), int(row)])))
        distances = np.sum((Z[:-1] - Z[-1]) ** 2, axis=1)
        yield place, codes[labeled[[distances.argmin()]]]
