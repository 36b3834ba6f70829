r"""The Poisson equation on a graph, with labels as sources (Calder et al. 2020).

.. math:: L u = \bar d \sum_{j \in L} \delta_j (y_j - \bar y)^\top, \qquad d^\top u = 0

L = D - W is the graph Laplacian, d the degrees, ȳ the mean of the given label vectors. Two things
are ours. The mean degree :math:`\bar d` makes u independent of the unit of the weights. The
equation has a solution only if the sources sum to zero in each component of the graph, so ȳ is the
mean over the component; where all labels of a component are of one class u would be zero, and is
:math:`\bar y - \bar y_{\text{all}}` instead. In a connected graph neither changes anything.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse import csgraph

from .diffusion import TOLERANCE, conjugate_gradients
from .neighbor_graph import NeighborGraph


class PoissonEquation:
    """The equation on one graph with labels at given rows.

    u is linear in the sources, u = G s, and G is symmetric. So the value at labeled row i without
    its label needs column i of G only.
    """

    def __init__(self, graph: NeighborGraph, labeled: NDArray[np.intp]):
        n = graph.n_rows
        self._labeled, self._degree = labeled, graph.degree
        count, self._component = csgraph.connected_components(graph.weights, directed=False)
        ones, rows = np.ones(n), np.arange(n)
        self._members = sparse.csr_matrix((ones, (self._component, rows)), (count, n))
        self._volume = np.maximum(self._members @ self._degree, np.finfo(np.float64).tiny)
        self._at = self._component[labeled]
        reached = np.isin(self._component, self._at)
        self._free = np.flatnonzero(reached & (self._degree > 0))
        self._laplacian = graph.laplacian()[self._free][:, self._free]

    def solve(self, Y: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return u on all rows for the label vectors Y; zero in components without a label."""
        sums = self._members[:, self._labeled] @ Y
        means = sums / np.maximum(sums.sum(axis=1, keepdims=True), 1)
        u = self._respond(self._labeled, Y - means[self._at])
        pure = means.max(axis=1) == 1
        return np.where(pure[self._component, None], means[self._component] - Y.mean(axis=0), u)

    def left_out(
        self, Y: NDArray[np.float64], chosen: NDArray[np.intp] | slice = slice(None)
    ) -> NDArray[np.float64]:
        """Return u at labeled rows (positions in ``chosen``), each without its own label."""
        rows = self._labeled[chosen]
        places = np.arange(len(self._labeled))[chosen]
        G = self._respond(rows, np.eye(len(rows)))[self._labeled].T
        G[np.arange(len(rows)), places] = 0
        rest = (self._members[:, self._labeled] @ Y)[self._at[places]] - Y[places]
        count = rest.sum(axis=1, keepdims=True)
        means = rest / np.maximum(count, 1)
        u = G @ Y - G.sum(axis=1, keepdims=True) * means
        others = (Y.sum(axis=0) - Y[places]) / (len(Y) - 1)
        return np.where(
            means.max(axis=1, keepdims=True) == 1, means - others, np.where(count, u, 0)
        )

    def _respond(self, rows: NDArray[np.intp], S: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return G applied to sources S at some rows."""
        source = np.zeros((len(self._degree), S.shape[1]))
        source[rows] = self._degree.mean() * S
        excess = (self._members @ source) / self._volume[:, None]
        source -= self._degree[:, None] * excess[self._component]
        u = np.zeros_like(source)
        u[self._free] = conjugate_gradients(self._laplacian, source[self._free])
        mean = (self._members @ (self._degree[:, None] * u)) / self._volume[:, None]
        u[self._free] -= mean[self._component[self._free]]
        # Values within the error of the solver are ties between the classes.
        u[np.abs(u) < 100 * TOLERANCE * np.abs(u).max(axis=0)] = 0
        return u
