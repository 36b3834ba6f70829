r"""Weighted graphs of nearest neighbors: the search, the edges, and edges of new rows.

Row i is joined to its k nearest rows. With d the distance of two rows, the weight of an edge is

* *self_tuning*: :math:`\exp(-\beta d^2 / (s_i s_j))`, :math:`s_i` the distance from row i to the
  farthest of its neighbors (Zelnik-Manor and Perona 2004);
* *heat*: :math:`\exp(-\beta d^2 / t^2)`, t the mean distance of a row to its neighbors;
* *binary*: 1;
* *cosine*: the cosine of the two rows, :math:`1 - d^2/2` for rows of length one.

An edge is in the graph if either row is a neighbor of the other (union), or only if each is a
neighbor of the other (mutual). Every graph of the package is built here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse import csgraph
from sklearn.neighbors import NearestNeighbors

from .._utils import limits
from .._utils.types import Array, Floats, Ints, Mask
from .blocks import unit_rows
from .cell_neighbors import nearest_in_cells
from .equal_rows import equal_rows
from .self_neighbors import distances_to, nearest_of_all

METRICS = ("euclidean", "cosine")
WEIGHTS = ("self_tuning", "heat", "binary", "cosine")

_LOWEST_EXPONENT = -700
"""exp(-700) is about 1e-304, just above the smallest normal number."""

_FARTHEST = 1e150
"""Distance beyond which a new row is as far from all its neighbors; its square is finite."""


@dataclass(frozen=True)
class NeighborGraph:
    """A weighted graph and the parameters needed to connect new rows to it."""

    weights: sparse.csr_matrix
    scale: Floats
    n_neighbors: int
    sharpness: float
    kind: str = "self_tuning"

    @property
    def n_rows(self) -> int:
        """Number of rows of the table."""
        return int(self.weights.shape[0])

    @property
    def degree(self) -> Floats:
        """Row sums of the weights."""
        return np.asarray(self.weights.sum(axis=1)).ravel()

    def laplacian(self, *, normalized: bool = False) -> sparse.csr_matrix:
        """Return D - W, or I - D^(-1/2) W D^(-1/2); a row without an edge is zero in both."""
        return csgraph.laplacian(self.weights, normed=normalized).tocsr()


@dataclass(frozen=True)
class NeighborSearch:
    """Rows and an index for nearest-neighbor queries among them."""

    rows: Any
    index: NearestNeighbors
    by_products: bool

    @property
    def is_exact(self) -> bool:
        """Whether the nearest rows of the table's own rows are found without exception."""
        is_sparse = hasattr(self.rows, "tocsr")
        return is_sparse or len(self.rows) <= limits.EXACT_NEIGHBOR_ROWS

    @property
    def limits_hit_(self) -> tuple[str, ...]:
        """Size limits that the table exceeds."""
        return limits.hit(
            TREE_COLUMNS=self.rows.shape[1],
            EXACT_NEIGHBOR_ROWS=0 if hasattr(self.rows, "tocsr") else self.rows.shape[0],
        )

    def nearest(self, n_neighbors: int, X: Any = None) -> tuple[Floats, Ints]:
        """Return the distances to the nearest rows, and their row numbers.

        scikit-learn computes distances from squared norms, which far from the origin is
        inaccurate (a distance of zero may become positive). So the distances to the rows found
        are computed again.
        """
        if X is None and not self.is_exact:
            return nearest_in_cells(self.rows, n_neighbors)
        if X is None and self.by_products:
            return nearest_of_all(self.rows, n_neighbors)
        columns = self.index.kneighbors(X, n_neighbors=n_neighbors, return_distance=False)
        return distances_to(self.rows if X is None else X, self.rows, columns), columns


def find_neighbors(X: Any, metric: str) -> NeighborSearch:
    """Return an index for nearest-neighbor queries among the rows of a table."""
    rows = as_searched(X, metric)
    # In many dimensions trees are slower than matrix products in blocks.
    brute = hasattr(rows, "tocsr") or rows.shape[1] > limits.TREE_COLUMNS
    index = NearestNeighbors(algorithm="brute" if brute else "auto").fit(rows)
    return NeighborSearch(rows, index, brute and not hasattr(rows, "tocsr"))


def as_searched(X: Any, metric: str) -> Any:
    """Return rows in the form that is indexed: cosine neighbors are Euclidean ones of unit rows."""
    return unit_rows(X) if metric == "cosine" else X


def neighbor_graph(
    distances: Floats,
    columns: Ints,
    sharpness: float = 1.0,
    *,
    kind: str = "self_tuning",
    mutual: bool = False,
) -> NeighborGraph:
    """Return the graph of nearest neighbors, see the docstring of this module.

    ``distances`` and ``columns`` come from :meth:`NeighborSearch.nearest`; for cosine weights they
    are those of unit rows (``metric="cosine"``). ``sharpness`` is β.
    """
    n, n_neighbors = distances.shape
    is_heat = kind == "heat"  # the mean distance is zero if all rows are equal
    scale = np.full(n, float(distances.mean()) or 1.0) if is_heat else local_scale(distances)
    weights = edge_weights(kind, distances, scale[:, None], scale[columns], sharpness)
    start = np.arange(0, n * n_neighbors + 1, n_neighbors)
    one_way = sparse.csr_matrix((weights.ravel(), columns.ravel(), start), shape=(n, n))
    both = one_way.minimum(one_way.T) if mutual else one_way.maximum(one_way.T)
    return NeighborGraph(both.tocsr(), scale, n_neighbors, sharpness, kind)


def edge_weights(kind: str, distances: Array, own: Any, other: Any, sharpness: float) -> Floats:
    """Return the weights of edges; ``own`` and ``other`` are the scales of their two rows."""
    if kind == "binary":
        return np.ones(distances.shape)
    if kind == "cosine":
        # A cosine below zero is no similarity, but no edge between neighbors disappears.
        return np.maximum(1 - distances**2 / 2, np.exp(_LOWEST_EXPONENT))
    return similarity(distances, own, other, sharpness)


def local_scale(distances: Array) -> Floats:
    """Return the distance to the farthest neighbor; zeros become the smallest positive one."""
    scale = distances.max(axis=1)
    positive = scale[scale > 0]
    return np.maximum(scale, positive.min() if len(positive) else 1.0)


def similarity(distances: Array, own: Any, other: Any, sharpness: float) -> Floats:
    """Return exp(-βd²/(ss')), bounded below so that no edge between neighbors disappears."""
    exponent = -sharpness * distances**2 / (own * other)
    return np.exp(np.maximum(exponent, _LOWEST_EXPONENT))


def join(graph: NeighborGraph, search: NeighborSearch, X: Any) -> sparse.csr_matrix:
    """Return the weights of new rows to the rows of the graph; each row sums to one.

    A row that equals rows of the graph is connected to these only.
    """
    columns = equal_rows(search.rows, X, graph.n_neighbors)
    weights = (columns >= 0).astype(np.float64)
    new = np.flatnonzero(columns.max(axis=1) < 0)
    if len(new):
        others = X if len(new) == len(columns) else X[new]
        columns[new], weights[new] = _nearest_weights(graph, search, others)
    weights /= weights.sum(axis=1, keepdims=True)
    start = np.arange(0, weights.size + 1, graph.n_neighbors)
    shape = (len(columns), graph.n_rows)
    places = np.maximum(columns, 0).ravel()  # of no row: its weight is zero
    return sparse.csr_matrix((weights.ravel(), places, start), shape=shape)


def _nearest_weights(graph: NeighborGraph, search: NeighborSearch, X: Any) -> tuple[Ints, Floats]:
    """Return the rows of the graph that are nearest to new rows, and the weights of these edges."""
    distances, columns = search.nearest(graph.n_neighbors, X)
    distances = np.minimum(distances, _FARTHEST)
    own = graph.scale[:1] if graph.kind == "heat" else local_scale(distances)
    other = graph.scale[columns]
    weights = edge_weights(graph.kind, distances, own[:, None], other, graph.sharpness)
    same = distances <= 1e-6 * other  # zero up to rounding
    return columns, np.where(same.any(axis=1, keepdims=True), same, weights)


def reached(graph: NeighborGraph, labeled: Ints) -> Mask:
    """Return which rows are connected to a labeled row by a path in the graph."""
    count, component = csgraph.connected_components(graph.weights, directed=False)
    seen = np.zeros(count, dtype=bool)
    seen[component[labeled]] = True
    return np.asarray(seen[component])
