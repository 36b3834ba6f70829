"""From an estimator and a partially labeled table to label errors that a certificate can use."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.model_selection import KFold
from sklearn.utils.validation import validate_data

from ._core import gram
from ._core.assign import one_hot, vote_without_self
from ._core.geometry import MapGeometry, kernel_geometry, linear_geometry
from ._core.sampling import LabelErrors
from ._map import DTYPES
from .kernel import KernelSSRLPL
from .labeling import KNNLabeler, fit_labeler
from .labels import UNLABELED, PartialLabels
from .linear import SSRLPL

MAX_FOLDS = 10
MANY_ROWS = 4000


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


def read_rows(estimator: Any, X: Any) -> Any:
    """Check the rows as the estimator would, without fitting it."""
    sparse_ok = getattr(estimator, "kernel", None) != "precomputed" and "csr"
    return validate_data(clone(estimator), X, accept_sparse=sparse_ok, dtype=DTYPES)


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
    kernel = fitted._kernel
    return kernel_geometry(Z, gram.diagonal(kernel, X), means, lambda r: kernel.square(X[r]))


def kernel_means(fitted: Any, X: Any) -> NDArray[np.float64]:
    """Return the mean of each row of the kernel matrix, in one pass over it."""
    if fitted.kernel == "precomputed":
        return np.asarray(X.mean(axis=1), dtype=np.float64)
    n = X.shape[0]
    return gram.gram_product(fitted._kernel, X, np.full((n, 1), 1 / n))[:, 0]


def held_out_errors(
    estimator: Any,
    table: Table,
    held_out: NDArray[np.intp],
    means: NDArray[np.float64] | None = None,
) -> tuple[Any, LabelErrors]:
    """Fit the map without the labels of some rows and return the errors of their label vectors.

    The population is all rows whose labels the map has not seen.
    """
    target = table.hiding(held_out)
    fitted, Y, geometry = fit_map(estimator, table.X, target, means)
    truth = one_hot(table.target.codes[held_out], Y.shape[1], np.float64)
    population = np.flatnonzero(~target.is_labeled)
    return fitted, LabelErrors(geometry, held_out, truth - Y[held_out], Y, population)


def cross_fitted_errors(
    estimator: Any, table: Table, means: NDArray[np.float64] | None = None
) -> list[tuple[Any, LabelErrors]]:
    """Hold out each labeled row once: a fitted map and the label errors for each fold.

    A fold whose rest has a single class is left out.
    """
    labeled, codes = table.labeled, table.target.codes
    parts: list[tuple[Any, LabelErrors]] = []
    for kept, left in folds(len(labeled), table.X.shape[0]):
        if len(left) < 2 or len(np.unique(codes[labeled[kept]])) < 2:
            continue
        parts.append(held_out_errors(estimator, table, labeled[left], means))
        means = parts[-1][1].geometry.row_means
    return parts


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
    most = MAX_FOLDS if n_rows <= MANY_ROWS else 2
    splitter = KFold(max(2, min(most, n_labeled // 2)), shuffle=True, random_state=0)
    return list(splitter.split(np.arange(n_labeled)))


def is_map(estimator: Any) -> bool:
    """Tell whether an estimator is one of the maps the guarantee covers."""
    return isinstance(estimator, SSRLPL | KernelSSRLPL)


def spans_label_moments(fitted: Any) -> bool:
    """Tell whether the map has all directions that its labels determine.

    C-1 components do, and so does a linear map of as many components as there are features.
    """
    enough = len(fitted.classes_) - 1
    if isinstance(fitted, SSRLPL):
        enough = min(enough, fitted.n_features_in_)
    return bool(fitted.n_components_ >= enough)
