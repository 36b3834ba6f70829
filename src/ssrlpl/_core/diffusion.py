r"""Label propagation on a sparse neighborhood graph of all rows.

W is the matrix of edge weights and D the diagonal matrix of its row sums. Two methods, both linear
in the given labels, :math:`F = P Y_L` with one column of P for each labeled row:

* *spreading* (Zhou et al. 2004, local and global consistency):
  :math:`P = (I - \alpha S)^{-1}_{\cdot L}` with :math:`S = D^{-1/2} W D^{-1/2}`;
* *harmonic* (Zhu, Ghahramani and Lafferty 2003): :math:`P_U = (D - W)_{UU}^{-1} W_{UL}`, and
  labeled rows keep their own label.

Hiding label i changes one row of Y_L, so all leave-one-out label matrices are computed from the
same P.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.csgraph import connected_components
from sklearn.neighbors import NearestNeighbors

from .._utils import limits
from .blocks import unit_rows
from .cholesky import positive_solver
from .self_neighbors import distances_to, nearest_of_all

_TOLERANCE = 1e-10
"""Relative residual norm at which conjugate gradients stop."""
_MAX_STEPS = 5000

_SLIGHTLY_MORE = 1 + 1e-11
"""Factor on the degrees that keeps the harmonic system regular when edges to a component are
nearly zero."""


@dataclass(frozen=True)
class NeighborGraph:
    """A weighted graph and the parameters needed to connect new rows to it."""

    weights: sparse.csr_matrix
    scale: NDArray[np.float64]
    n_neighbors: int
    sharpness: float

    @property
    def n_rows(self) -> int:
        """Number of rows of the table."""
        return int(self.weights.shape[0])


@dataclass(frozen=True)
class NeighborSearch:
    """Rows and an index for nearest-neighbor queries among them."""

    rows: Any
    index: NearestNeighbors
    by_products: bool

    def nearest(
        self, n_neighbors: int, X: Any = None
    ) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
        """Return the distances to the nearest rows, and their row numbers.

        scikit-learn computes distances from squared norms, which far from the origin is
        inaccurate (a distance of zero may become positive). So the distances to the rows found
        are computed again.
        """
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
    distances: NDArray[np.float64], columns: NDArray[np.intp], sharpness: float = 1.0
) -> NeighborGraph:
    r"""Return the nearest-neighbor graph with the self-tuning weights of Zelnik-Manor and Perona.

    .. math:: w_{ij} = \exp(-\beta |x_i - x_j|^2 / (s_i s_j))

    where :math:`s_i` is the distance from row i to the farthest of its neighbors and β the
    sharpness. Two rows are connected if either one is a neighbor of the other. ``distances`` and
    ``columns`` come from :meth:`NeighborSearch.nearest`.
    """
    scale = local_scale(distances)
    weights = similarity(distances, scale[:, None], scale[columns], sharpness)
    n, n_neighbors = distances.shape
    start = np.arange(0, n * n_neighbors + 1, n_neighbors)
    one_way = sparse.csr_matrix((weights.ravel(), columns.ravel(), start), shape=(n, n))
    return NeighborGraph(one_way.maximum(one_way.T).tocsr(), scale, n_neighbors, sharpness)


def local_scale(distances: NDArray[Any]) -> NDArray[np.float64]:
    """Return the distance to the farthest neighbor; zeros become the smallest positive one."""
    scale = distances.max(axis=1)
    positive = scale[scale > 0]
    return np.maximum(scale, positive.min() if len(positive) else 1.0)


def similarity(
    distances: NDArray[Any], own: Any, other: Any, sharpness: float
) -> NDArray[np.float64]:
    """Return exp(-βd²/(ss')), bounded below so that no edge between neighbors disappears."""
    exponent = -sharpness * distances**2 / (own * other)
    # exp(-700) is about 1e-304, just above the smallest normal number.
    return np.exp(np.maximum(exponent, -700))


def join(graph: NeighborGraph, search: NeighborSearch, X: Any) -> sparse.csr_matrix:
    """Return the weights of new rows to the rows of the graph; each row sums to one.

    A row that equals a row of the graph is connected to that row only.
    """
    distances, columns = search.nearest(graph.n_neighbors, X)
    own = local_scale(distances)
    weights = similarity(distances, own[:, None], graph.scale[columns], graph.sharpness)
    same = distances <= 1e-6 * graph.scale[columns]  # zero up to rounding
    weights = np.where(same.any(axis=1, keepdims=True), same, weights)
    weights /= weights.sum(axis=1, keepdims=True)
    start = np.arange(0, weights.size + 1, graph.n_neighbors)
    shape = (len(columns), graph.n_rows)
    return sparse.csr_matrix((weights.ravel(), columns.ravel(), start), shape=shape)


def reached(graph: NeighborGraph, labeled: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Return which rows are connected to a labeled row by a path in the graph."""
    count, component = connected_components(graph.weights, directed=False)
    seen = np.zeros(count, dtype=bool)
    seen[component[labeled]] = True
    return np.asarray(seen[component])


def spread(
    graph: NeighborGraph, labeled: NDArray[np.intp], Y: NDArray[np.float64], alpha: float
) -> NDArray[np.float64]:
    """Return (I - αS)⁻¹ applied to Y on the labeled rows and zero elsewhere."""
    given = np.zeros((graph.n_rows, Y.shape[1]))
    given[labeled] = Y
    root = np.sqrt(np.asarray(graph.weights.sum(axis=1)).ravel())
    scaled = sparse.diags(1 / root) @ graph.weights @ sparse.diags(1 / root)
    return solve(sparse.identity(graph.n_rows, format="csr") - alpha * scaled, given)


def harmonic(
    graph: NeighborGraph,
    labeled: NDArray[np.intp],
    Y: NDArray[np.float64],
    _alpha: float | None = None,
) -> NDArray[np.float64]:
    """Return the harmonic function: Y on labeled rows, elsewhere the weighted mean of neighbors.

    It is zero on rows that are not connected to a labeled row. ``_alpha`` is ignored.
    """
    n = graph.n_rows
    free = np.setdiff1d(np.flatnonzero(reached(graph, labeled)), labeled)
    degree = np.asarray(graph.weights.sum(axis=1)).ravel()
    F = np.zeros((n, Y.shape[1]))
    F[labeled] = Y
    if len(free):
        among = graph.weights[free]
        laplacian = sparse.diags(degree[free] * _SLIGHTLY_MORE) - among[:, free]
        F[free] = solve(laplacian.tocsr(), among[:, labeled] @ Y)
    return F


WAYS: dict[str, Callable[..., NDArray[np.float64]]] = {"spreading": spread, "harmonic": harmonic}
"""Label propagation methods by name; both return P·Y without forming P."""


def solve(A: sparse.csr_matrix, B: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the solution F of the positive definite sparse system A F = B, all columns at once."""
    if A.shape[0] <= limits.DENSE_GRAPH_ROWS:
        return positive_solver(A.toarray())(B)
    return conjugate_gradients(A, B)


def conjugate_gradients(A: sparse.csr_matrix, B: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the solution of A F = B by conjugate gradients with a Jacobi preconditioner.

    Each column has its own step sizes, but all columns share the products with A, which take
    most of the time.
    """
    inverse = 1 / A.diagonal()[:, None]
    F = np.zeros_like(B)
    residual = B.copy()
    direction = inverse * residual
    energy = np.einsum("ij,ij->j", residual, direction)
    goal = _TOLERANCE**2 * energy  # squared, because energy is a squared norm
    for _ in range(_MAX_STEPS):
        if np.all(energy <= goal):
            break
        image = A @ direction
        curvature = np.einsum("ij,ij->j", direction, image)
        # A column that has converged exactly has curvature zero and makes no further step.
        step = np.divide(energy, curvature, out=np.zeros_like(energy), where=curvature > 0)
        F += step * direction
        residual -= step * image
        scaled = inverse * residual
        previous, energy = energy, np.einsum("ij,ij->j", residual, scaled)
        ratio = np.divide(energy, previous, out=np.zeros_like(energy), where=previous > 0)
        direction = scaled + ratio * direction
    return F


def class_mass(F: NDArray[np.float64], counts: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return a factor for each column that makes class masses proportional to the label counts.

    This is the class mass normalization of Zhu et al. One is added to each count, as in Zhu's
    program, because the share of a class with one label is very uncertain.
    """
    mass = np.ones(F.shape[-2]) @ F  # a product, because sums over a middle axis are slow
    wanted = np.where(counts > 0, counts + 1, 0)
    return np.divide(wanted, mass, out=np.zeros_like(mass), where=mass > 0)


def label_distributions(
    F: NDArray[np.float64], counts: NDArray[np.float64], *, balance: bool
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return rows scaled to probability vectors, and which rows received a label.

    Parameters
    ----------
    F : ndarray of shape (..., n_rows, n_classes)
        Propagated labels; overwritten by the result.
    counts : ndarray of shape (..., n_classes)
        Number of labels of each class; rows that no label reached get the class shares.
    balance : bool
        Apply :func:`class_mass` first.
    """
    np.maximum(F, 0, out=F)
    # Values within the error of the solver count as zero.
    has_mass = F @ np.ones(F.shape[-1]) > 100 * _TOLERANCE * F.max(axis=(-2, -1))[..., None]
    if balance:
        F *= class_mass(F, counts)[..., None, :]
    total = np.where(has_mass, F @ np.ones(F.shape[-1]), 1)
    F /= total[..., None]
    if not has_mass.all():
        shares = (counts / counts.sum(axis=-1, keepdims=True))[..., None, :]
        F[...] = np.where(has_mass[..., None], F, shares)
    return F, has_mass


def hidden_value(
    graph: NeighborGraph, labeled: NDArray[np.intp], P: NDArray[np.float64], Y: NDArray[np.float64]
) -> NDArray[np.float64]:
    r"""Return the value of the harmonic function at each labeled row when its label is hidden.

    With the Schur complement :math:`S = (D-W)_{LL} - W_{LU} P_U` of the labeled rows, the value
    is :math:`-\sum_{j \ne i} S_{ij} y_j / S_{ii}`; it is zero if the row is not connected to
    another labeled row.
    """
    degree = np.asarray(graph.weights.sum(axis=1)).ravel()[labeled]
    S = np.diag(degree * _SLIGHTLY_MORE) - graph.weights[labeled] @ P
    diagonal = np.diag(S).copy()
    np.fill_diagonal(S, 0)
    in_reach = diagonal > 1e-12 * degree
    return np.where(in_reach[:, None], -(S @ Y) / np.where(in_reach, diagonal, 1)[:, None], 0)
