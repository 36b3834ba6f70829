"""From an estimator and a partially labeled table to label errors that a certificate can use."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.model_selection import KFold

from .._core import loo_maps
from .._core.geometry import MapGeometry, kernel_geometry, linear_geometry
from .._core.kernels import Kernel, diagonal
from .._core.products import gram_product
from .._core.votes import one_hot, vote_without_self
from .._utils import limits
from ..labelers._base import fit_labeler
from ..labelers.graph import GraphLabeler
from ..labelers.knn import KNNLabeler
from ..labels import UNLABELED, PartialLabels
from ..maps.kernel import KernelSSRLPL
from ..maps.linear import SSRLPL
from .label_errors import LabelErrors

MAX_FOLDS = 10


@dataclass(frozen=True)
class Table:
    """Rows and what is known of their labels."""

    X: Any
    target: PartialLabels

    @property
    def labeled(self) -> NDArray[np.intp]:
        """Numbers of the labeled rows."""
        return np.flatnonzero(self.target.is_labeled)

    def hiding(self, rows: NDArray[np.intp]) -> PartialLabels:
        """Return the target without the labels of some rows; classes keep their codes."""
        codes = self.target.codes.copy()
        codes[rows] = UNLABELED
        return PartialLabels(self.target.classes, codes)


def fit_map(
    estimator: Any, X: Any, target: PartialLabels, means: NDArray[np.float64] | None = None
) -> tuple[Any, NDArray[np.float64], MapGeometry]:
    """Fit a copy of a map; return it, the label vectors it used (all classes) and its geometry.

    ``means`` are the row means of the kernel, if they are known already: they do not depend on
    the labels and cost a pass over the kernel matrix.
    """
    fitted = clone(estimator).set_params(unlabeled=UNLABELED)
    Z = np.asarray(fitted.fit_transform(X, target.codes))
    Y = np.zeros((X.shape[0], len(target.classes)))
    Y[:, fitted.classes_] = fitted.label_distributions_
    return fitted, Y, geometry_of(fitted, X, Z, means)


def geometry_of(
    fitted: Any, X: Any, Z: NDArray[Any], means: NDArray[np.float64] | None = None
) -> MapGeometry:
    """Return where the rows lie relative to a fitted map."""
    if isinstance(fitted, SSRLPL):
        return linear_geometry(X, Z, fitted.mean_)
    if means is None:
        means = kernel_means(fitted, X)
    if fitted.kernel == "precomputed":
        return kernel_geometry(Z, np.diag(X), means, lambda r: X[np.ix_(r, r)])
    return _streamed_geometry(fitted._kernel, X, Z, means)


def _streamed_geometry(
    kernel: Kernel, X: Any, Z: NDArray[Any], means: NDArray[np.float64]
) -> MapGeometry:
    return kernel_geometry(Z, diagonal(kernel, X), means, lambda r: kernel.square(X[r]))


def kernel_means(fitted: Any, X: Any) -> NDArray[np.float64]:
    """Return the mean of each row of the kernel matrix, in one pass over it."""
    if fitted.kernel == "precomputed":
        return np.asarray(X.mean(axis=1), dtype=np.float64)
    n = X.shape[0]
    return gram_product(fitted._kernel, X, np.full((n, 1), 1 / n))[:, 0]


def held_out_errors(
    estimator: Any,
    table: Table,
    held_out: NDArray[np.intp],
    means: NDArray[np.float64] | None = None,
) -> tuple[Any, LabelErrors]:
    """Fit the map without the labels of some rows and return the errors of their label vectors.

    The population is all rows whose labels the map has not seen.
    """
    fitted, Y, geometry = fit_map(estimator, table.X, table.hiding(held_out), means)
    return fitted, _errors(table, held_out, Y, geometry)


def _errors(
    table: Table, held_out: NDArray[np.intp], Y: NDArray[np.float64], geometry: MapGeometry
) -> LabelErrors:
    truth = one_hot(table.target.codes[held_out], Y.shape[1], np.float64)
    population = np.flatnonzero(~table.hiding(held_out).is_labeled)
    return LabelErrors(geometry, held_out, truth - Y[held_out], Y, population)


def cross_fitted_errors(
    estimator: Any, table: Table, means: NDArray[np.float64] | None = None
) -> list[LabelErrors]:
    """Hold out each labeled row once: the label errors of each fold, and where its map puts rows.

    A fold whose rest has a single class is left out.
    """
    labeled, codes = table.labeled, table.target.codes
    parts = [
        labeled[left]
        for kept, left in folds(len(labeled), table.X.shape[0])
        if len(left) > 1 and len(np.unique(codes[labeled[kept]])) > 1
    ]
    if parts and _follows_from_labels(estimator, len(table.target.classes)):
        return _in_one_pass(estimator, table, parts)
    found: list[LabelErrors] = []
    for held_out in parts:
        found.append(held_out_errors(estimator, table, held_out, means)[1])
        means = found[-1].geometry.row_means
    return found


def _follows_from_labels(estimator: Any, n_classes: int) -> bool:
    """Tell whether one pass over the kernel gives the map for several sets of labels."""
    return (
        isinstance(estimator, KernelSSRLPL)
        and estimator.kernel != "precomputed"
        and estimator.constraint == "orthonormal"
        and estimator.relabel_rounds == 0
        and (estimator.n_components or 1) < n_classes
    )


def _in_one_pass(
    estimator: Any, table: Table, parts: list[NDArray[np.intp]]
) -> list[LabelErrors]:  # fmt: skip
    """Fit the map without each part of the labels; all fits share one pass over the kernel."""
    X, n = table.X, table.X.shape[0]
    fresh = clone(estimator)
    fresh._set_kernel(X, None)
    labeler = fresh._default_labeler() if fresh.labeler is None else fresh.labeler
    Y = np.stack([*map(labels_without(labeler, table), parts)])
    means = np.empty(n)

    def products(B: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        side_by_side = B.transpose(1, 0, 2).reshape(n, -1)
        found = gram_product(fresh._kernel, X, np.column_stack([side_by_side, np.full(n, 1 / n)]))
        means[:] = found[:, -1]
        KB = found[:, :-1].reshape(n, len(B), -1).transpose(1, 0, 2)
        return B.transpose(0, 2, 1) @ KB, KB

    classes_left = np.array([np.count_nonzero(y.any(axis=0)) for y in Y])
    components = np.minimum(classes_left - 1, fresh.n_components or n)
    B = Y - Y.mean(axis=1, keepdims=True)
    Z = loo_maps.representations(B, products, components)
    return [
        _errors(table, held_out, y, _streamed_geometry(fresh._kernel, X, z, means))
        for held_out, y, z in zip(parts, Y, Z, strict=True)
    ]


def labels_without(
    labeler: Any, table: Table
) -> Callable[[NDArray[np.intp]], NDArray[np.float64]]:  # fmt: skip
    """Return a function from hidden rows to what a labeler says without their labels.

    A class that lost all its labels has a column of zeros. The neighborhood graph of
    :class:`GraphLabeler` does not depend on labels and is built once.
    """
    say = partial(_refitted_labels, labeler, table.X)
    if isinstance(labeler, GraphLabeler):
        graph = clone(labeler).set_params(unlabeled=UNLABELED)
        graph.build_graph(table.X)
        say = graph.label_vectors

    def without(hidden: NDArray[np.intp]) -> NDArray[np.float64]:
        mask = np.zeros(table.X.shape[0], dtype=bool)
        mask[hidden] = True
        rest = table.target.without(mask)
        Y = np.zeros((len(mask), len(table.target.classes)))
        Y[:, np.searchsorted(table.target.classes, rest.classes)] = say(rest)
        return Y

    return without


def _refitted_labels(labeler: Any, X: Any, target: PartialLabels) -> NDArray[Any]:
    return fit_labeler(labeler, X, target)[1]


def left_out_label_vectors(labeler: Any, table: Table) -> NDArray[np.float64]:
    """Return a label vector for each labeled row from the labels of other rows.

    Exact leave-one-out for :class:`KNNLabeler`, with the bandwidth of all labeled rows; ten-fold
    for other labelers.
    """
    rows = table.labeled
    if isinstance(labeler, KNNLabeler) and labeler.similarity != "precomputed":
        fitted = clone(labeler).set_params(unlabeled=UNLABELED)
        fitted.fit(table.X[rows], table.target.codes[rows])
        Y = vote_without_self(table.X[rows], fitted._voters)
        return fitted._finish(Y).astype(np.float64)
    Y = np.zeros((len(rows), len(table.target.classes)))
    for _, fold in folds(len(rows), table.X.shape[0]):
        _, vectors = fit_labeler(labeler, table.X, table.hiding(rows[fold]))
        Y[fold] = vectors[rows[fold]]
    return Y


def folds(n_labeled: int, n_rows: int) -> list[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    """Return (kept, left out) positions among the labeled rows.

    Ten folds of at least two rows for small tables; two for large ones, where a fit takes
    seconds and half of the labels are still many.
    """
    most = MAX_FOLDS if n_rows <= limits.TEN_FOLD_ROWS else 2
    splitter = KFold(max(2, min(most, n_labeled // 2)), shuffle=True, random_state=0)
    return list(splitter.split(np.arange(n_labeled)))


def spans_label_moments(fitted: Any) -> bool:
    """Tell whether the map has all directions that its labels determine.

    C-1 components do, and so does a linear map of as many components as there are features.
    """
    enough = len(fitted.classes_) - 1
    if isinstance(fitted, SSRLPL):
        enough = min(enough, fitted.n_features_in_)
    return bool(fitted.n_components_ >= enough)
