r"""Distances along paths of short steps, and coordinates that keep them.

For a path p in the graph of nearest neighbors, with edges of length d,

.. math::

    D(x, x') = \frac{1}{\rho} \log\Big(1 + \min_p \sum_{(i,j) \in p} (e^{\rho d_{ij}} - 1)\Big),

so that for large ρ only the longest step of the best path counts; ρ = 0 is the length of the
shortest path (Chapelle and Zien 2005, equation 2). With *direct* edges two rows may also be joined
by one step. In many dimensions that matters: neighbors are hardly nearer than other rows, and paths
that must lead through them meet at a few rows that are the neighbor of many. Multidimensional
scaling of D² gives coordinates. With few landmarks only their distances to all rows are computed
(de Silva and Tenenbaum 2004); with all rows as landmarks it is the classical scaling.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import linalg, sparse
from scipy.sparse.csgraph import dijkstra, floyd_warshall

from .._utils.types import Floats, Ints
from .blocks import block_rows, row_slices, squares_between
from .neighbor_graph import NeighborSearch

LARGEST_EXPONENT = 600.0
"""Largest ρd of an edge: a sum of such terms does not overflow."""

_SMALLEST_COST = 1e-300
"""Cost of an edge between equal rows: a sparse graph has no edges of cost zero."""


@dataclass(frozen=True)
class PathEmbedding:
    """Coordinates of training rows and of new rows.

    ``sums`` holds the costs of the best paths from each landmark to each training row.
    """

    search: NeighborSearch
    n_neighbors: int
    rho: float
    landmarks: Ints
    direct: bool
    sums: Floats
    unreached: float
    means: Floats
    axes: Floats

    def training(self) -> Floats:
        """Return the coordinates of the training rows."""
        return self._place(self.sums)

    def __call__(self, X: Any) -> Floats:
        """Return the coordinates of new rows; a row of the table gets its own ones.

        The best path to a new row ends with an edge from one of its neighbors.
        """
        distances, columns = self.search.nearest(self.n_neighbors, X)
        costs = _costs(distances, self.rho)
        n_landmarks, n_coordinates = self.axes.shape
        placed = np.empty((len(columns), n_coordinates))
        for rows in row_slices(len(columns), block_rows(8 * n_landmarks * self.n_neighbors)):
            sums = (self.sums[:, columns[rows]] + costs[rows]).min(axis=2)
            if self.direct:
                steps = np.sqrt(squares_between(self.search.rows[self.landmarks], X[rows]))
                np.minimum(sums, _costs(steps, self.rho), out=sums)
            placed[rows] = self._place(sums)
        return placed

    def _place(self, sums: Floats) -> Floats:
        squares = _squared(sums, self.rho, self.unreached)
        return np.asarray((self.means[:, None] - squares).T @ self.axes)


def embed_paths(
    search: NeighborSearch,
    n_neighbors: int,
    rho: float,
    landmarks: Ints,
    delta: float,
    *,
    direct: bool,
) -> PathEmbedding:
    """Return coordinates for path distances; the smallest components are left out.

    Components are ordered by their eigenvalues. As in the authors' program, the first component
    at which less than the share δ of all eigenvalues is left, and which is smaller than δ times
    the largest one, is left out with all that follow.
    """
    distances, columns = search.nearest(n_neighbors)
    n = len(columns)
    start = np.arange(0, n * n_neighbors + 1, n_neighbors)
    costs = _costs(distances, rho)
    graph = sparse.csr_matrix((costs.ravel(), columns.ravel(), start), shape=(n, n))
    if n_neighbors == n - 1 and len(landmarks) == n:
        sums = floyd_warshall(graph, directed=False)
    else:
        sums = dijkstra(graph, directed=False, indices=landmarks)
    if direct:
        for part in row_slices(len(landmarks), block_rows(8 * n)):
            steps = np.sqrt(squares_between(search.rows[landmarks[part]], search.rows))
            np.minimum(sums[part], _costs(steps, rho), out=sums[part])

    finite = sums[np.isfinite(sums)]
    # As in the authors' program; 1 if every reached row equals its landmark.
    unreached = 2 * float(_squared(finite, rho, 0.0).max(initial=0.0)) or 1.0
    among = _squared(sums[:, landmarks], rho, unreached)
    means = among.mean(axis=1)
    B = -0.5 * (among - means - means[:, None] + means.mean())
    values, vectors = linalg.eigh(B, overwrite_a=True, check_finite=False)
    values, vectors = values[::-1], vectors[:, ::-1]
    n_positive = int(np.count_nonzero(values > 1e-10 * max(values[0], 0.0)))
    kept = _n_kept(values[:n_positive], delta) if n_positive and values[0] > 0 else 0
    axes = vectors[:, :kept] / (2 * np.sqrt(values[:kept]))
    return PathEmbedding(search, n_neighbors, rho, landmarks, direct, sums, unreached, means, axes)


def _n_kept(values: Floats, delta: float) -> int:
    rest = 1 - np.cumsum(values) / values.sum()
    small = np.flatnonzero((rest < delta) & (values < delta * values[0]))
    return max(1, int(small[0])) if len(small) else len(values)


def _costs(distances: Floats, rho: float) -> Floats:
    if rho == 0:
        return np.maximum(distances, _SMALLEST_COST)
    return np.maximum(np.expm1(np.minimum(rho * distances, LARGEST_EXPONENT)), _SMALLEST_COST)


def _squared(sums: Floats, rho: float, unreached: float) -> Floats:
    """Return squared path distances; rows without a path get the value ``unreached``."""
    lengths = np.log1p(sums) / rho if rho > 0 else sums
    return np.where(np.isfinite(lengths), lengths**2, unreached)
