"""Exact leave-one-out predictions at the price of a few fits."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import _num_samples, indexable

from .._core import loo_maps
from .._core.whitening import centered_gram, gram_solver, scatter_solver
from .._utils import limits
from .._utils.progress import Progress
from .._utils.types import MatrixLike, VectorLike
from ..classify import SSRLPLClassifier
from ..labelers._base import fit_labeler
from ..labelers.graph import GraphLabeler
from ..labelers.knn import KNNLabeler
from ..labelers.left_out import left_out_label_vectors
from ..labels import UNLABELED, PartialLabels, encode_labels, read_codes_only
from ..maps._base import BaseMap, read_rows
from ..maps.kernel import KernelSSRLPL
from ..maps.linear import SSRLPL

Classify = Callable[[NDArray[np.float64], NDArray[np.intp], slice], NDArray[np.intp]]
"""From labeled rows as each fit represents them, their codes and which row each fit left out to
the codes predicted for those."""


def loo_predict(
    estimator: Any,
    X: MatrixLike,
    y: VectorLike,
    *,
    unlabeled: Any = "auto",
    verbose: bool = False,
) -> NDArray[Any]:
    """Predict each given label from all the others, as if it had been hidden.

    For :class:`SSRLPL` and :class:`KernelSSRLPL` the label is hidden, the labels of all rows that
    leaned on it change, the map changes, and the row gets the label of the labeled row nearest to
    it in the new representation. The answer is that of fitting once for each label, but all fits
    share one pass over the data. :class:`SSRLPLClassifier` around a map fits its own classifier in
    each representation; labelers are exact and quick, too. Other estimators are fitted again for
    each label, which takes as long as it takes.

    Parameters
    ----------
    estimator : estimator
        A map, a labeler, or anything with ``fit(X, y)`` and ``predict`` that takes partially
        labeled targets. It is not changed.
    X : array-like or sparse matrix of shape (n_samples, n_features)
        All rows, labeled and unlabeled.
    y : array-like of shape (n_samples,)
        Labels, with a marker where a row has none.
    unlabeled : "auto", None, a value or a list, default="auto"
        What marks an unlabeled row, see :func:`ssrlpl.encode_labels`.
    verbose : bool, default=False
        Show a line of progress if it takes longer than two seconds.

    Returns
    -------
    ndarray of shape (n_labeled,)
        One predicted label for each labeled row, in row order. Where hiding a label leaves a
        single class, that class.

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
    (X,) = indexable(X)
    target = encode_labels(y, unlabeled=unlabeled, n_samples=_num_samples(X))
    quick = _quick_way(estimator, X, target)
    ways = _refits(estimator, X, target) if quick is None else quick
    codes = np.empty(target.n_labeled, dtype=np.intp)
    with Progress("leave-one-out", len(codes), verbose=verbose) as progress:
        for part, found in ways:
            codes[part] = found
            progress.advance(part.stop - part.start)
    return np.asarray(target.classes[codes])


Found = Iterator[tuple[slice, NDArray[np.intp]]]


def _quick_way(estimator: Any, X: Any, target: PartialLabels) -> Found | None:
    if isinstance(estimator, KNNLabeler | GraphLabeler):
        return _labeled_anew(estimator, read_rows(estimator, X), target)
    if _is_quick_map(estimator, target):
        return _mapped_anew(estimator, X, target, _nearest_codes)
    if isinstance(estimator, SSRLPLClassifier):
        map_ = read_codes_only(clone(estimator._representation()))
        if _is_quick_map(map_, target):
            return _mapped_anew(map_, X, target, _refitted_classifier(estimator._classifier()))
    return None


def _is_quick_map(estimator: Any, target: PartialLabels) -> bool:
    """Tell whether the map follows from the label vectors by the formulas of ``left_out``."""
    if type(estimator) not in (SSRLPL, KernelSSRLPL) or estimator.relabel_rounds:
        return False
    counts = np.bincount(target.codes[target.is_labeled])
    fewest = len(counts) - bool(np.any(counts == 1))
    is_determined = (estimator.n_components or 1) <= fewest - 1
    small = estimator.constraint == "orthonormal" or len(target.codes) <= limits.EXACT_KERNEL_ROWS
    return is_determined and (small or isinstance(estimator, SSRLPL))


def _labeled_anew(labeler: Any, X: Any, target: PartialLabels) -> Found:
    labeled = np.flatnonzero(target.is_labeled)
    for part, Y in left_out_label_vectors(labeler, X, target):
        yield part, Y[np.arange(len(Y)), labeled[part]].argmax(axis=1)


def _mapped_anew(map_: BaseMap, X: Any, target: PartialLabels, classify: Classify) -> Found:
    X = read_rows(map_, X)
    labeled = np.flatnonzero(target.is_labeled)
    codes = target.codes[labeled]
    for part, Z in left_out_representations(map_, X, target):
        yield part, classify(Z, codes, part)


def left_out_representations(
    map_: Any, X: Any, target: PartialLabels
) -> Iterator[tuple[slice, NDArray[np.float64]]]:
    """Yield the labeled rows as the map represents them without each label.

    Arrays have shape (n_hidden, n_labeled, n_classes), with columns of zeros beyond the
    components. X must have gone through ``read_rows``.
    """
    labeled = np.flatnonzero(target.is_labeled)
    counts = np.bincount(target.codes[labeled])
    products = _products(map_, X, labeled)
    labeler = map_._default_labeler() if map_.labeler is None else map_.labeler
    changed = _changed_labels(map_, labeler, X, target, labeled)
    for part, Y in left_out_label_vectors(labeler, X, target):
        components = len(counts) - (counts[target.codes[labeled[part]]] == 1) - 1
        if map_.n_components is not None:
            components = np.minimum(components, map_.n_components)
        if changed is not None and changed.few(Y):
            yield part, loo_maps.along_eigenvectors(*changed(Y), components)
        else:
            B = loo_maps.centered_labels(Y, labeled[part], labeled, map_.unlabeled_weight)
            yield part, loo_maps.representations(B, products, components)


def _changed_labels(
    map_: Any, labeler: Any, X: Any, target: PartialLabels, labeled: NDArray[np.intp]
) -> loo_maps.ChangedLabels | None:
    """Return products that follow changes, for the kernel map whose K is not in memory."""
    is_plain = map_.constraint == "orthonormal" and map_.unlabeled_weight == 1
    streamed = isinstance(map_, KernelSSRLPL) and map_.kernel != "precomputed"
    if not (is_plain and streamed and len(labeled) * X.shape[0] <= limits.LOO_KERNEL_ENTRIES):
        return None
    # With a bandwidth that follows the labeled rows, or a graph, every row changes.
    is_local = isinstance(labeler, KNNLabeler) and (
        labeler.n_neighbors == 1 or labeler.similarity != "rbf" or labeler.gamma != "median"
    )
    if not is_local:
        return None
    fresh = clone(map_)
    fresh._set_kernel(X, None)
    _, Y = fit_labeler(labeler, X, target)
    return loo_maps.ChangedLabels(fresh._kernel, X, labeled, Y.astype(np.float64))


def _products(map_: Any, X: Any, labeled: NDArray[np.intp]) -> loo_maps.Products:
    if isinstance(map_, SSRLPL):
        return _linear_products(map_, X, labeled)
    fresh = clone(map_)
    fresh._set_kernel(X, None)
    is_matrix = fresh.kernel == "precomputed"
    if fresh.constraint == "orthonormal":
        if is_matrix:
            return loo_maps.matrix_products(X, labeled)
        return loo_maps.kernel_products(fresh._kernel, X, labeled)
    K = X.astype(np.float64) if is_matrix else fresh._kernel.square(X).astype(np.float64)
    labeled_rows = K[labeled]
    centered = centered_gram(K, None)
    n = len(centered)
    ridge = fresh._ridge(np.trace(centered), np.sum(centered**2), n - 1, n)
    return loo_maps.whitened_products(labeled_rows, gram_solver(centered, ridge), ridge)


def _linear_products(map_: SSRLPL, X: Any, labeled: NDArray[np.intp]) -> loo_maps.Products:
    if map_.constraint == "orthonormal":
        return loo_maps.linear_products(X, labeled)
    fresh = clone(map_)
    S = fresh.row_scatter(X, None)
    ridge = fresh._ridge(np.trace(S), np.sum(S**2), len(S), X.shape[0])
    return loo_maps.linear_products(X, labeled, scatter_solver(S, ridge))


def distances_to_hidden(Z: NDArray[np.float64], part: slice) -> NDArray[np.float64]:
    """Return squared distances of labeled rows to the one each fit left out, itself infinite."""
    fits, hidden = np.arange(len(Z)), np.arange(part.start, part.stop)
    away = Z - Z[fits, hidden][:, None]
    distances = np.einsum("ijc,ijc->ij", away, away)
    distances[fits, hidden] = np.inf
    return distances


def _nearest_codes(
    Z: NDArray[np.float64], codes: NDArray[np.intp], part: slice
) -> NDArray[np.intp]:
    """Return the code of the nearest row; the first of equally near ones."""
    return np.asarray(codes[distances_to_hidden(Z, part).argmin(axis=1)])


def _refitted_classifier(classifier: Any) -> Classify:
    def classify_one(Z: NDArray[Any], codes: NDArray[np.intp], z: NDArray[Any]) -> int:
        if len(np.unique(codes)) == 1:
            return int(codes[0])
        used = np.flatnonzero(np.abs(Z).max(axis=0) > 0)
        fitted = read_codes_only(clone(classifier)).fit(Z[:, used], codes)
        return int(fitted.predict(z[None, used])[0])

    def classify(Z: NDArray[np.float64], codes: NDArray[np.intp], part: slice) -> NDArray[np.intp]:
        others = ~np.eye(len(codes), dtype=bool)[part]
        return np.array(
            [
                classify_one(z[rest], codes[rest], z[~rest][0])
                for z, rest in zip(Z, others, strict=True)
            ]
        )

    return classify


def _refits(estimator: Any, X: Any, target: PartialLabels) -> Found:
    """Fit the estimator again for each label, and classify by 1-NN if it only transforms."""
    for position, row in enumerate(np.flatnonzero(target.is_labeled)):
        codes = target.codes.copy()
        codes[row] = UNLABELED
        rest = np.unique(codes[codes != UNLABELED])
        code = int(rest[0]) if len(rest) == 1 else _refit(estimator, X, codes, int(row))
        yield slice(position, position + 1), np.array([code])


def _refit(estimator: Any, X: Any, codes: NDArray[np.intp], row: int) -> int:
    fitted = read_codes_only(clone(estimator)).fit(X, codes)
    if hasattr(fitted, "predict"):
        return int(fitted.predict(_safe_indexing(X, [row]))[0])
    labeled = np.flatnonzero(codes != UNLABELED)
    Z = np.asarray(fitted.transform(_safe_indexing(X, [*labeled.tolist(), row])))
    distances = np.sum((Z[:-1] - Z[-1]) ** 2, axis=1)
    return int(codes[labeled][distances.argmin()])
