r"""Label vectors from the nearest labeled neighbors (the paper's eq. ``label_vec``).

.. math::

    y_i^c = \frac{f_i^c}{\sum_{c'} f_i^{c'}}, \qquad
    f_i^c = \sum_{x_j \in L_{i,k},\; y_j = c} S(x_i, x_j)

where :math:`L_{i,k}` is the set of the k labeled rows nearest to :math:`x_i`. Only ratios of
similarities matter, so similarities are divided by the largest one of their row *before* they can
underflow: every bandwidth gives finite votes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._utils.types import Array, Floats, Ints
from .anchors import Anchors
from .blocks import block_rows, row_slices


def rbf_weights(distances: Array, gamma: float | Array) -> Array:
    """Return exp(-γ d²) scaled so that the nearest neighbor has weight one."""
    excess = distances - distances.min(axis=1, keepdims=True)
    with np.errstate(over="ignore", invalid="ignore"):
        # A neighbor as near as the nearest has weight one even if γ is infinite (the median of
        # tiny distances whose squares underflow).
        return np.where(excess > 0, np.exp(-gamma * excess), 1.0)


def inverse_distance_weights(distances: Array) -> Array:
    """Return 1/d scaled so that the nearest has weight one; at distance 0 the others get zero."""
    nearest = distances.min(axis=1, keepdims=True)
    exact = np.where(distances > 0, 0.0, 1.0)
    ratio = np.divide(nearest, distances, out=exact, where=(distances > 0) & (nearest > 0))
    return np.sqrt(ratio)


def uniform_weights(distances: Array) -> Array:
    """Return one for every neighbor."""
    return np.ones_like(distances)


def cosine_weights(distances: Array) -> Array:
    """Return the cosine similarity, with negative values set to zero."""
    return given_weights(-np.maximum(1 - distances / 2, 0))


def given_weights(distances: Array) -> Array:
    """Return similarities from negative similarities, scaled so that the largest is one."""
    largest = -distances.min(axis=1, keepdims=True)
    return np.divide(-distances, largest, out=np.zeros_like(distances), where=largest > 0)


@dataclass(frozen=True)
class Voters:
    """The labeled rows as voters: positions (anchors), weight function, classes and masses."""

    anchors: Anchors
    weigh: Callable[[Array], Array]
    codes: Ints
    mass: Floats
    n_classes: int
    n_neighbors: int

    def candidates(self) -> int:
        """Return how many rows are enough to collect ``n_neighbors`` votes, repetitions counted."""
        reach = np.cumsum(np.sort(self.mass))
        return min(int(np.searchsorted(reach, self.n_neighbors)) + 1, len(self.mass))


def vote(
    X: Any, voters: Voters, rows: Ints | None = None, *, winner_takes_all: bool = False
) -> Array:
    """Return the label vectors (eq. ``label_vec``) of the given rows of X, or of all of them.

    Rows are processed in blocks, so that memory beyond the result is O(block).
    """
    k = voters.candidates()
    n_rows = X.shape[0] if rows is None else len(rows)
    result = np.empty((n_rows, voters.n_classes), dtype=X.dtype)
    for part in row_slices(n_rows, block_rows(voters.anchors.row_bytes)):
        block = X[part if rows is None else rows[part]]
        columns, distances = voters.anchors.nearest(block, k)
        # A row of weight 3 counts as three equal rows, so it has up to three of the k votes.
        mass = voters.mass[columns]
        places = np.clip(voters.n_neighbors - (np.cumsum(mass, axis=1) - mass), 0, mass)
        weights = or_uniform(voters.weigh(distances) * places, places)
        result[part] = tally(voters.codes[columns], weights, voters.n_classes)
    return winner_take_all(result) if winner_takes_all else result


def or_uniform(weights: Array, places: Array) -> Array:
    """Fall back to equal weights where all similarities of a row are zero."""
    return np.where(weights.sum(axis=1, keepdims=True) > 0, weights, places)


def tally(codes: Ints, weights: Array, n_classes: int) -> Array:
    """Return the sums of the weights by class, scaled so that each row sums to one."""
    votes = np.zeros((len(codes), n_classes), dtype=weights.dtype)
    rows = np.arange(len(codes))
    for j in range(codes.shape[1]):
        votes[rows, codes[:, j]] += weights[:, j]
    return votes / votes.sum(axis=1, keepdims=True)


def one_hot(codes: Ints, n_classes: int, dtype: Any) -> Array:
    """Return one-hot label vectors."""
    return np.eye(n_classes, dtype=dtype)[codes]


def winner_take_all(Y: Array) -> Array:
    """Return Y with the largest entry of each row set to one, the others to zero (section 4).

    In a tie the first class wins.
    """
    return one_hot(Y.argmax(axis=-1), Y.shape[-1], Y.dtype)
