r"""All leave-one-out fits of a map at once.

Hiding the label of a row changes the label vectors Y, nothing else: neighbors, kernel and scatter
are those of all rows. A map is found from two small things, both linear or quadratic in B = HY,

.. math:: G = B^\top A B, \qquad I_L = (A B)_L,

where A = K, or its whitened form. So the l fits share one product of A with all their columns
side by side, and each of them is left with an eigenproblem of size C×C.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import assign
from .blocks import CACHE_BYTES, block_rows, row_slices
from .cholesky import Solver
from .gram import Kernel, gram_product, squared_distances
from .neighbors import Neighbors

Products = Callable[[NDArray[np.float64]], tuple[NDArray[np.float64], NDArray[np.float64]]]
"""From B of shape (n_fits, n_rows, c) to G (n_fits, c, c) and I_L (n_fits, n_labeled, c)."""


_FEW = 0.2
"""Share of rows up to which changes are followed one fit at a time."""

_ROUNDING = 64
"""Sums that differ by fewer eps are equal; label vectors have the precision of the rows."""


def _side_by_side(B: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the columns of all fits as one matrix of n_rows rows."""
    return np.ascontiguousarray(B.transpose(1, 0, 2)).reshape(B.shape[1], -1)


def _stacked(columns: NDArray[Any], n_fits: int) -> NDArray[np.float64]:
    """Undo :func:`_side_by_side`."""
    return columns.reshape(len(columns), n_fits, -1).transpose(1, 0, 2)


def linear_products(X: Any, labeled: NDArray[np.intp], solve: Solver | None = None) -> Products:
    """Return the products for A = XXᵀ, or X(S + ρI)⁻¹Xᵀ if ``solve`` applies the inverse."""

    def products(B: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        M = np.asarray(X.T @ _side_by_side(B))
        D = M if solve is None else solve(M)
        M_stack, D_stack = _stacked(M, len(B)), _stacked(D, len(B))
        inner = M_stack.transpose(0, 2, 1) @ D_stack
        return inner, _stacked(np.asarray(X[labeled] @ D), len(B))

    return products


def kernel_products(kernel: Kernel, X: Any, labeled: NDArray[np.intp]) -> Products:
    """Return the products for A = K, streamed."""

    def products(B: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        KB = _stacked(gram_product(kernel, X, _side_by_side(B)), len(B))
        return B.transpose(0, 2, 1) @ KB, KB[:, labeled]

    return products


def matrix_products(K: NDArray[Any], labeled: NDArray[np.intp]) -> Products:
    """Return the products for A = K, in memory."""

    def products(B: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        KB = _stacked(np.asarray(K @ _side_by_side(B), dtype=np.float64), len(B))
        return B.transpose(0, 2, 1) @ KB, KB[:, labeled]

    return products


def whitened_products(labeled_rows: NDArray[Any], solve: Solver, ridge: float) -> Products:
    """Return the products for A = K(HKH + ρI)⁻¹.

    ``solve`` applies the inverse, ``labeled_rows`` holds the labeled rows of K.
    """

    def products(B: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        D = solve(_side_by_side(B))
        D -= D.mean(axis=0)  # zero but for rounding, which K would blow up
        D = _stacked(D, len(B))
        return B.transpose(0, 2, 1) @ (B - ridge * D), labeled_rows @ D

    return products


class ChangedLabels:
    r"""Products for label vectors that differ from known ones Y in a few rows.

    With E the change, on rows R, and :math:`K_c = HKH`,

    .. math::

        G = Y^\top K_c Y + E^\top (K_c Y)_R + (K_c Y)_R^\top E + E^\top (K_c)_{RR} E, \qquad
        I_L = (K H Y)_L + (K H)_{LR} E,

    so that one pass over K serves all fits, and each adds a corner of K.
    """

    def __init__(self, kernel: Kernel, X: Any, labeled: NDArray[np.intp], Y: NDArray[np.float64]):
        n = X.shape[0]
        centered = Y - Y.mean(axis=0)
        passed = gram_product(kernel, X, np.column_stack([centered, np.full(n, 1 / n)]))
        self._kernel, self._X, self._Y = kernel, X, Y
        self._rounding = _ROUNDING * float(np.finfo(X.dtype).eps)
        self._KHY, self._means = passed[:, :-1], passed[:, -1]
        self._KcY = self._KHY - self._KHY.mean(axis=0)
        self._inner = Y.T @ self._KcY
        self._labeled = labeled
        self._labeled_rows = np.asarray(kernel(X[labeled], X), dtype=np.float64)

    def few(self, Y: NDArray[np.float64]) -> bool:
        """Tell whether few enough rows change that corners of K cost less than a product."""
        return bool(np.mean(self._changed(Y)) < _FEW)

    def _changed(self, Y: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Tell which rows change by more than the rounding of sums in another order."""
        away = np.abs(Y - self._Y)
        return np.asarray(away @ np.ones(Y.shape[-1]) > self._rounding)

    def __call__(self, Y: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return G and I_L for label vectors of shape (n_fits, n_rows, n_classes)."""
        found = [self._one(matrix) for matrix in Y]
        inner, images = (np.array(parts) for parts in zip(*found, strict=True))
        return inner, images

    def _one(self, Y: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        rows = np.flatnonzero(self._changed(Y))
        if not len(rows):
            return self._inner, self._KHY[self._labeled]
        E = Y[rows] - self._Y[rows]
        half = E.T @ self._KcY[rows]
        means = self._means[rows]
        corner = self._kernel.square(self._X[rows]) - means - means[:, None] + self._means.mean()
        across = self._labeled_rows[:, rows] - self._means[self._labeled, None]
        return self._inner + half + half.T + E.T @ corner @ E, self._KHY[self._labeled] + across @ E


def centered_labels(
    Y: NDArray[np.float64], hidden: NDArray[np.intp], labeled: NDArray[np.intp], unlabeled: float
) -> NDArray[np.float64]:
    """Return B = w(Y - ȳ) of each fit, where unlabeled rows have the weight ``unlabeled``."""
    if unlabeled == 1:
        # A product, because sums over a middle axis are slow.
        return np.asarray(Y - np.full(Y.shape[1], 1 / Y.shape[1]) @ Y[:, None])
    w = np.full(Y.shape[:2], float(unlabeled))
    w[:, labeled] = 1
    w[np.arange(len(hidden)), hidden] = unlabeled
    w = w[:, :, None]
    return w * (Y - (w * Y).sum(axis=1, keepdims=True) / w.sum(axis=1, keepdims=True))


def representations(
    B: NDArray[np.float64], products: Products, n_components: NDArray[np.intp]
) -> NDArray[np.float64]:
    """Return the labeled rows as each fit represents them, padded with zero columns.

    Rows of B sum to zero, so its last column carries nothing new and is left out of the product.
    """
    c = B.shape[2]
    inner, images = products(B[:, :, :-1])
    back = np.hstack([np.eye(c - 1), -np.ones((c - 1, 1))])
    return along_eigenvectors(back.T @ inner @ back, images @ back, n_components)


def along_eigenvectors(
    inner: NDArray[np.float64], images: NDArray[np.float64], n_components: NDArray[np.intp]
) -> NDArray[np.float64]:
    """Return I_L a λ^(-1/2) for the leading eigenpairs of each G; other columns are zero."""
    c = inner.shape[2]
    values, a = np.linalg.eigh(inner)
    values, a = values[:, ::-1], a[:, :, ::-1]
    wanted = np.arange(c) < n_components[:, None]
    wanted &= values > 1e-13 * c * values[:, :1]
    scale = np.where(wanted, 1 / np.sqrt(np.where(wanted, values, 1)), 0)
    return np.asarray(images @ (a * scale[:, None, :]))


@dataclass(frozen=True)
class VoteTable:
    """The nearest labeled rows of every row, one more than vote, and what they say."""

    columns: NDArray[np.intp]
    distances: NDArray[np.float64]
    codes: NDArray[np.intp]
    n_classes: int
    n_voting: int


def vote_table(
    X: Any, nearest: Callable[[Any, int], Neighbors], row_bytes: int, codes: NDArray[np.intp],
    n_classes: int, n_neighbors: int,
) -> VoteTable:  # fmt: skip
    """Find for every row the neighbors that can vote once any one label is hidden."""
    voting = min(n_neighbors, len(codes) - 1)
    found = [nearest(X[part], voting + 1) for part in row_slices(X.shape[0], block_rows(row_bytes))]
    columns, distances = (np.concatenate(parts) for parts in zip(*found, strict=True))
    return VoteTable(columns, distances, codes, n_classes, voting)


Weigh = Callable[[NDArray[Any], NDArray[Any] | None], NDArray[Any]]
"""From distances (rows × neighbors), and a bandwidth for each row or None, to weights."""


def votes_without(
    table: VoteTable, hidden: NDArray[np.intp], weigh: Weigh, gammas: NDArray[Any] | None
) -> NDArray[np.float64]:
    """Return the label vectors of all rows (eq. ``label_vec``) without each hidden voter.

    Rows that do not lean on the hidden voter keep their neighbors, but not their weights if the
    bandwidth changes: ``gammas`` holds that of each hidden voter.
    """
    Y = _votes_of_all(table, weigh, gammas, len(hidden))
    fit, row = _leaning(table, hidden)
    own = table.columns[row] == hidden[fit][:, None]
    kept = np.ones_like(own)
    kept[np.arange(len(row)), own.argmax(axis=1)] = False
    shape = (len(row), table.n_voting)
    distances = table.distances[row][kept].reshape(shape)
    weights = weigh(distances, None if gammas is None else gammas[fit])
    codes = table.codes[table.columns[row][kept].reshape(shape)]
    weights = assign.or_uniform(weights, np.ones_like(weights))
    Y[fit, row] = assign.tally(codes, weights, table.n_classes)
    return Y


def _leaning(
    table: VoteTable, hidden: NDArray[np.intp]
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return all pairs (position in hidden, row) where the row leans on the hidden voter."""
    position = np.full(len(table.codes), -1)
    position[hidden] = np.arange(len(hidden))
    fits = position[table.columns[:, : table.n_voting]]
    row, _ = np.nonzero(fits >= 0)
    return fits[fits >= 0], row


def _votes_of_all(
    table: VoteTable, weigh: Weigh, gammas: NDArray[Any] | None, n_hidden: int
) -> NDArray[np.float64]:
    """Return the votes of the first neighbors, for each bandwidth."""
    n, k = len(table.columns), table.n_voting
    says = assign.one_hot(table.codes[table.columns[:, :k]], table.n_classes, np.float64)
    # A last column of ones, so that the sum of the weights comes out of the same products.
    says = np.concatenate([says, np.ones((n, k, 1))], axis=2)
    stacked = np.empty((n_hidden, n, table.n_classes))
    for rows in row_slices(n, max(1, CACHE_BYTES // (8 * n_hidden * (k + table.n_classes)))):
        votes = _weighted_sums(table.distances[rows, :k], says[rows], weigh, gammas, n_hidden)
        stacked[:, rows] = (votes[:, :, :-1] / votes[:, :, -1:]).transpose(1, 0, 2)
    return stacked


def _weighted_sums(
    distances: NDArray[Any], says: NDArray[np.float64], weigh: Weigh, gammas: NDArray[Any] | None,
    n_hidden: int,
) -> NDArray[np.float64]:  # fmt: skip
    """Return sums over neighbors, (n_rows, n_hidden or 1, n_classes + 1): a product per row."""
    n, k = distances.shape
    if gammas is None:
        weights = weigh(distances, None)
        return np.asarray(assign.or_uniform(weights, np.ones_like(weights))[:, None, :] @ says)
    if np.isfinite(gammas).all():
        # RBF weights, nearest first: that one has weight one, so no row is without a vote.
        excess = (distances[:, 1:] - distances[:, :1]).ravel()
        exponents = -gammas[:, None] * excess
        weights = np.exp(exponents, out=exponents).reshape(n_hidden, n, k - 1)
        return np.asarray(says[:, :1] + weights.transpose(1, 0, 2) @ says[:, 1:])
    weights = weigh(np.repeat(distances, n_hidden, axis=0), np.tile(gammas, n))
    return np.asarray(weights.reshape(n, n_hidden, k) @ says)


def median_gammas_without(X: Any) -> NDArray[np.float64]:
    """Return γ of the median heuristic on all rows but one, for each row left out.

    The rule is that of :func:`ssrlpl._core.gram.median_gamma`: one over twice the lower median
    of the positive squared distances. One sort serves all: leaving out a row removes its entries
    from the sorted list, and the median moves by as many places as are removed below it.
    """
    squares = squared_distances(X)
    i, j = np.triu_indices(len(squares), 1)
    values = squares[i, j]
    keep = values > 0
    i, j, values = i[keep], j[keep], values[keep]
    order = np.argsort(values, kind="stable")
    values = values[order]
    rank = np.full(squares.shape, -1)
    rank[i[order], j[order]] = rank[j[order], i[order]] = np.arange(len(values))
    gammas = np.ones(len(squares))
    for row, ranks in enumerate(rank):
        removed = np.sort(ranks[ranks >= 0])
        left = len(values) - len(removed)
        if left:
            middle = (left - 1) // 2
            moved = np.searchsorted(removed - np.arange(len(removed)), middle, side="right")
            gammas[row] = 1 / (2 * values[middle + moved])
    return gammas
