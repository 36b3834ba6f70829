r"""Votes of the nearest labeled rows, with each given label hidden in turn.

Hiding the label of voter i changes only the label vectors of the rows that have i among their k
neighbors, unless the bandwidth depends on the voters (then all label vectors change).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._utils.types import Array, Floats, Ints
from .anchors import Neighbors
from .bandwidth import squared_distances
from .blocks import CACHE_BYTES, block_rows, row_slices
from .votes import one_hot, or_uniform, rbf_weights, tally


@dataclass(frozen=True)
class VoteTable:
    """The ``n_voting + 1`` nearest labeled rows of every row, and the classes of labeled rows."""

    columns: Ints
    distances: Floats
    codes: Ints
    n_classes: int
    n_voting: int


def vote_table(
    X: Any, nearest: Callable[[Any, int], Neighbors], row_bytes: int, codes: Ints,
    n_classes: int, n_neighbors: int
) -> VoteTable:  # fmt: skip
    """Return, for every row, the neighbors that may vote when any one label is hidden."""
    voting = min(n_neighbors, len(codes) - 1)
    found = [nearest(X[part], voting + 1) for part in row_slices(X.shape[0], block_rows(row_bytes))]
    columns, distances = (np.concatenate(parts) for parts in zip(*found, strict=True))
    return VoteTable(columns, distances, codes, n_classes, voting)


Weigh = Callable[[Array], Array]
"""Function of distances (rows × neighbors) that returns weights, for a fixed bandwidth."""


def votes_without(table: VoteTable, hidden: Ints, weigh: Weigh, gammas: Array | None) -> Floats:
    """Return the label vectors of all rows (eq. ``label_vec``) without each hidden voter.

    Rows for which the hidden voter does not vote keep their neighbors, but their weights change
    with the bandwidth: ``gammas`` holds γ without each hidden voter.
    """
    Y = _votes_of_all(table, weigh, gammas, len(hidden))
    fit, row = _leaning(table, hidden)
    own = table.columns[row] == hidden[fit][:, None]
    kept = np.ones_like(own)
    kept[np.arange(len(row)), own.argmax(axis=1)] = False
    shape = (len(row), table.n_voting)
    distances = table.distances[row][kept].reshape(shape)
    weights = weigh(distances) if gammas is None else rbf_weights(distances, gammas[fit][:, None])
    codes = table.codes[table.columns[row][kept].reshape(shape)]
    weights = or_uniform(weights, np.ones_like(weights))
    Y[fit, row] = tally(codes, weights, table.n_classes)
    return Y


def _leaning(table: VoteTable, hidden: Ints) -> tuple[Ints, Ints]:
    """Return all pairs (position in hidden, row) where the hidden voter votes for the row."""
    position = np.full(len(table.codes), -1)
    position[hidden] = np.arange(len(hidden))
    fits = position[table.columns[:, : table.n_voting]]
    row, _ = np.nonzero(fits >= 0)
    return fits[fits >= 0], row


def _votes_of_all(table: VoteTable, weigh: Weigh, gammas: Array | None, n_hidden: int) -> Floats:
    """Return the votes of the ``n_voting`` nearest neighbors, for each bandwidth."""
    n, k = len(table.columns), table.n_voting
    says = one_hot(table.codes[table.columns[:, :k]], table.n_classes, np.float64)
    # A last column of ones, so that the same products also give the sum of the weights.
    says = np.concatenate([says, np.ones((n, k, 1))], axis=2)
    stacked = np.empty((n_hidden, n, table.n_classes))
    for rows in row_slices(n, max(1, CACHE_BYTES // (8 * n_hidden * (k + table.n_classes)))):
        votes = _weighted_sums(table.distances[rows, :k], says[rows], weigh, gammas, n_hidden)
        stacked[:, rows] = (votes[:, :, :-1] / votes[:, :, -1:]).transpose(1, 0, 2)
    return stacked


def _weighted_sums(
    distances: Array, says: Floats, weigh: Weigh, gammas: Array | None, n_hidden: int
) -> Floats:
    """Return weighted sums over neighbors, of shape (n_rows, n_hidden or 1, n_classes + 1)."""
    n, k = distances.shape
    if gammas is None:
        weights = weigh(distances)
        return np.asarray(or_uniform(weights, np.ones_like(weights))[:, None, :] @ says)
    if np.isfinite(gammas).all():
        # RBF weights are scaled so that the nearest neighbor has weight one: no sum is zero.
        excess = (distances[:, 1:] - distances[:, :1]).ravel()
        exponents = -gammas[:, None] * excess
        weights = np.exp(exponents, out=exponents).reshape(n_hidden, n, k - 1)
        return np.asarray(says[:, :1] + weights.transpose(1, 0, 2) @ says[:, 1:])
    weights = rbf_weights(np.repeat(distances, n_hidden, axis=0), np.tile(gammas, n)[:, None])
    return np.asarray(weights.reshape(n, n_hidden, k) @ says)


def median_gammas_without(X: Any) -> Floats:
    """Return γ of the median heuristic on all rows but one, for each row left out.

    The rule is that of :func:`ssrlpl._core.bandwidth.median_gamma`: one over twice the lower median
    of the positive squared distances. One sort is enough: leaving out a row removes its entries
    from the sorted list, and the median moves by the number of entries removed below it.
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
            # Entry ``middle`` of the remaining list is at middle + (entries removed before it).
            middle = (left - 1) // 2
            moved = np.searchsorted(removed - np.arange(len(removed)), middle, side="right")
            gammas[row] = 1 / (2 * values[middle + moved])
    return gammas
