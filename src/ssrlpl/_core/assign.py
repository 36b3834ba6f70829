r"""Label vectors from the nearest labeled neighbors (the paper's eq. ``label_vec``).

.. math::

    y_i^c = \frac{f_i^c}{\sum_{c'} f_i^{c'}}, \qquad
    f_i^c = \sum_{x_j \in L_{i,k},\; y_j = c} S(x_i, x_j)

where :math:`L_{i,k}` holds the k labeled rows nearest to :math:`x_i`. Only ratios of similarities
matter, so every similarity here is scaled by the largest one of its row *before* it can
underflow: no bandwidth is too small.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.preprocessing import normalize

from .blocks import block_rows, dense_product, row_slices, squared_norms


class EuclideanAnchors:
    """Squared distances from blocks of rows to the labeled rows, through one BLAS product."""

    def __init__(self, rows: Any):
        self._is_sparse = hasattr(rows, "tocsr")
        # A common shift changes no distance and keeps |x|² from drowning |x - a|².
        self._shift = None if self._is_sparse else rows.mean(axis=0)
        self._rows = rows if self._shift is None else rows - self._shift
        self._norms = squared_norms(self._rows)
        self.count = rows.shape[0]

    def __call__(self, X: Any) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
        """Return (distances less the row's offset, the offset |x|², the rounding error)."""
        dense_shift = self._shift is not None and not hasattr(X, "tocsr")
        if self._shift is not None and not dense_shift:
            X = X.toarray()
        block = X if self._shift is None else X - self._shift
        offset = squared_norms(block)
        distances = dense_product(block, self._rows.T)
        distances *= -2
        distances += self._norms
        resolution = np.finfo(distances.dtype).eps * (8 + np.sqrt(X.shape[1]))
        return distances, offset, resolution * (offset + self._norms.max())


class CosineAnchors(EuclideanAnchors):
    """Euclidean distances between rows of unit length: |x - a|² = 2 - 2 cos(x, a)."""

    def __init__(self, rows: Any):
        super().__init__(normalize(rows))

    def __call__(self, X: Any) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
        """Return distances of the normalized rows."""
        return super().__call__(normalize(X))


class KernelAnchors:
    """Distances read off a kernel matrix: |φ(x) - φ(a)|² = k(x,x) + k(a,a) - 2k(x,a).

    k(x, x) is the same for every anchor, so for new rows, where it is not known, it is left out:
    the order and the RBF weights do not depend on it.
    """

    def __init__(self, gram: NDArray[Any], columns: NDArray[np.intp]):
        self._columns = columns
        self._norms = gram[columns, columns]
        self.count = len(columns)

    def __call__(self, gram: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
        """Return distances up to a constant of each row."""
        distances = self._norms - 2 * gram[:, self._columns]
        scale = np.abs(distances).max(axis=1)
        return distances, np.zeros_like(scale), 8 * np.finfo(distances.dtype).eps * scale


class SimilarityAnchors:
    """Negative similarities computed by a function of the caller's."""

    def __init__(self, rows: Any, similarity: Callable[[Any, Any], Any]):
        self._rows = rows
        self._similarity = similarity
        self.count = rows.shape[0]

    def __call__(self, X: Any) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
        """Return negative similarities, so that smaller is nearer."""
        values = np.array(self._similarity(X, self._rows))
        expected = (X.shape[0], self.count)
        if values.shape != expected or not np.all(values >= 0):
            raise ValueError(
                "similarity must return a matrix of numbers >= 0, one row for each row of its"
                f" first argument and one column for each row of its second. Got shape"
                f" {values.shape} for {expected}, smallest value {values.min(initial=np.inf)}."
            )
        scale = np.abs(values).max(axis=1)
        return -values, np.zeros_like(scale), 8 * np.finfo(values.dtype).eps * scale


def smallest(
    distances: NDArray[Any], k: int, resolution: NDArray[Any]
) -> tuple[NDArray[np.intp], NDArray[Any]]:
    """Return the columns and values of the k smallest entries of each row, nearest first.

    Entries that differ by less than the rounding error of the row are ties, and the lower column
    wins. ``distances`` is used up.
    """
    n_rows, n_columns = distances.shape
    if k >= n_columns:
        order = np.argsort(distances, axis=1, kind="stable")
        return order, np.take_along_axis(distances, order, axis=1)
    rows = np.arange(n_rows)
    columns = np.empty((n_rows, k), dtype=np.intp)
    values = np.empty((n_rows, k), dtype=distances.dtype)
    # k sweeps of a vectorized minimum beat one partition by far for the k that people use,
    # and they break ties by row order for free.
    for j in range(k):
        limit = distances.min(axis=1) + resolution
        columns[:, j] = (distances <= limit[:, None]).argmax(axis=1)
        values[:, j] = distances[rows, columns[:, j]]
        distances[rows, columns[:, j]] = np.inf
    return columns, values


def rbf_weights(distances: NDArray[Any], gamma: float) -> NDArray[Any]:
    """Return exp(-γ d²) scaled so that the nearest neighbor has weight one."""
    with np.errstate(over="ignore"):
        return np.exp(-gamma * (distances - distances.min(axis=1, keepdims=True)))


def inverse_distance_weights(distances: NDArray[Any]) -> NDArray[Any]:
    """Return 1/d scaled so that the nearest has weight one; a match at distance 0 takes all."""
    nearest = distances.min(axis=1, keepdims=True)
    exact = np.where(distances > 0, 0.0, 1.0).astype(distances.dtype)
    ratio = np.divide(nearest, distances, out=exact, where=(distances > 0) & (nearest > 0))
    return np.sqrt(ratio)


def uniform_weights(distances: NDArray[Any]) -> NDArray[Any]:
    """Return one for every neighbor."""
    return np.ones_like(distances)


def cosine_weights(distances: NDArray[Any]) -> NDArray[Any]:
    """Return the cosine, negative ones counted as zero."""
    return np.maximum(1 - distances / 2, 0)


def given_weights(distances: NDArray[Any]) -> NDArray[Any]:
    """Undo the sign that made a similarity a distance."""
    return -distances


@dataclass(frozen=True)
class Voters:
    """The labeled rows as voters: where they are, what they say and how often they count."""

    anchors: Callable[[Any], tuple[NDArray[Any], NDArray[Any], NDArray[Any]]]
    weigh: Callable[[NDArray[Any]], NDArray[Any]]
    codes: NDArray[np.intp]
    mass: NDArray[Any]
    n_classes: int
    n_neighbors: int

    def candidates(self) -> int:
        """Return how many rows must be looked at to collect ``n_neighbors`` repetitions."""
        reach = np.cumsum(np.sort(self.mass))
        return int(min(np.searchsorted(reach, self.n_neighbors) + 1, len(self.mass)))


def vote(X: Any, voters: Voters, rows: NDArray[np.intp] | None = None) -> NDArray[Any]:
    """Return the label vectors (eq. ``label_vec``) of the given rows of X, or of all of them.

    Memory beyond the result is O(block): the rows are never gathered as a whole.
    """
    k = voters.candidates()
    n_rows = X.shape[0] if rows is None else len(rows)
    result = np.empty((n_rows, voters.n_classes), dtype=X.dtype)
    for part in row_slices(n_rows, block_rows(len(voters.codes) * X.dtype.itemsize)):
        distances, offset, resolution = voters.anchors(X[part if rows is None else rows[part]])
        columns, values = smallest(distances, k, resolution)
        values = _snap(values + offset[:, None], resolution)
        weights = voters.weigh(values) * _repetitions(voters.mass[columns], voters.n_neighbors)
        result[part] = _tally(voters.codes[columns], weights, voters.n_classes)
    return result


def _snap(distances: NDArray[Any], resolution: NDArray[Any]) -> NDArray[Any]:
    """Give distances that rounding alone keeps apart the same value."""
    nearest = distances.min(axis=1, keepdims=True)
    nearest = np.where(np.abs(nearest) <= resolution[:, None], 0, nearest)
    tied = distances - nearest <= resolution[:, None]
    return np.where(tied, nearest, distances).astype(distances.dtype)


def _repetitions(mass: NDArray[Any], n_neighbors: int) -> NDArray[Any]:
    """Return how many of the ``n_neighbors`` places each neighbor fills, nearest first.

    A row of weight 3 stands for three equal rows, so it fills up to three places.
    """
    before = np.cumsum(mass, axis=1) - mass
    return np.clip(n_neighbors - before, 0, mass)


def _tally(codes: NDArray[np.intp], weights: NDArray[Any], n_classes: int) -> NDArray[Any]:
    """Sum the weights by class and scale each row to one; a row of zeros becomes uniform votes."""
    weights = np.where(weights.sum(axis=1, keepdims=True) > 0, weights, 1)
    votes = np.zeros((len(codes), n_classes), dtype=weights.dtype)
    rows = np.arange(len(codes))
    for j in range(codes.shape[1]):
        votes[rows, codes[:, j]] += weights[:, j]
    return votes / votes.sum(axis=1, keepdims=True)


def one_hot(codes: NDArray[np.intp], n_classes: int, dtype: Any) -> NDArray[Any]:
    """Return the label vectors of labeled rows."""
    return np.eye(n_classes, dtype=dtype)[codes]


def winner_take_all(Y: NDArray[Any]) -> NDArray[Any]:
    """Set the largest entry of each row to one, the others to zero (the paper's section 4).

    The first class wins a tie.
    """
    return one_hot(Y.argmax(axis=1), Y.shape[1], Y.dtype)
