r"""The Poisson equation on a graph, with labels as sources (Calder et al. 2020).

.. math:: L u = \bar d \sum_{j \in L} \delta_j (y_j - \bar y)^\top, \qquad d^\top u = 0

L = D - W is the graph Laplacian, d the degrees, ȳ the mean of the given label vectors. Two things
are ours. The mean degree :math:`\bar d` makes u independent of the unit of the weights. The
equation has a solution only if the sources sum to zero in each component of the graph, so ȳ is the
mean over the component; where all labels of a component are of one class u would be zero, and is
:math:`\bar y - \bar y_{\text{all}}` instead. In a connected graph only the scale differs.

With a damping ε > 0 the matrix is L + εD, which is regular, and ȳ is the mean over all labels: a
walk that ends with a probability of about ε at each step, where the authors stop theirs after some
number of steps.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse
from scipy.sparse import csgraph

from .._utils.types import Floats, Ints
from .blocks import row_slices
from .diffusion import TOLERANCE, conjugate_gradients
from .neighbor_graph import NeighborGraph

_COLUMNS = 256
"""Columns of G that are computed at a time, to save memory."""


class PoissonEquation:
    """The equation on one graph with labels at given rows.

    u is linear in the sources, u = G s, and G is symmetric. So the value at labeled row i without
    its label needs column i of G only.
    """

    def __init__(self, graph: NeighborGraph, labeled: Ints, damping: float = 0.0):
        n = graph.n_rows
        self._labeled, self._degree, self._is_singular = labeled, graph.degree, damping == 0
        count, self._component = 1, np.zeros(n, dtype=np.intp)
        if self._is_singular:
            count, self._component = csgraph.connected_components(graph.weights, directed=False)
        ones, rows = np.ones(n), np.arange(n)
        self._members = sparse.csr_matrix((ones, (self._component, rows)), (count, n))
        volume = self._members @ self._degree
        self._volume = np.where(volume > 0, volume, 1)  # a row without an edge has none
        self._at = self._component[labeled]
        reached = np.isin(self._component, self._at)
        self._free = np.flatnonzero(reached & (self._degree > 0))
        matrix = graph.laplacian() + sparse.diags(damping * self._degree)
        self._matrix = matrix.tocsr()[self._free][:, self._free]

    def solve(self, Y: Floats) -> Floats:
        """Return u on all rows for the label vectors Y; zero in components without a label."""
        sums = self._members[:, self._labeled] @ Y
        means = sums / np.maximum(sums.sum(axis=1, keepdims=True), 1)
        u = self._respond(self._labeled, Y - means[self._at])
        pure = means.max(axis=1) == 1
        return np.where(pure[self._component, None], means[self._component] - Y.mean(axis=0), u)

    def left_out(self, Y: Floats, chosen: Ints) -> Floats:
        """Return u at labeled rows (positions in ``chosen``), each without its own label."""
        G = np.empty((len(chosen), len(self._labeled)))
        for part in row_slices(len(chosen), _COLUMNS):
            unit = np.eye(len(chosen[part]))
            G[part] = self._respond(self._labeled[chosen[part]], unit)[self._labeled].T
        G[np.arange(len(chosen)), chosen] = 0
        rest = (self._members[:, self._labeled] @ Y)[self._at[chosen]] - Y[chosen]
        means = rest / np.maximum(rest.sum(axis=1, keepdims=True), 1)
        u = G @ Y - G.sum(axis=1, keepdims=True) * means
        of_all = (Y.sum(axis=0) - Y[chosen]) / (len(Y) - 1)
        return np.where(means.max(axis=1, keepdims=True) == 1, means - of_all, u)

    def _respond(self, rows: Ints, S: Floats) -> Floats:
        """Return G applied to sources S at some rows."""
        source = np.zeros((len(self._degree), S.shape[1]))
        source[rows] = self._degree.mean() * S
        if self._is_singular:
            excess = (self._members @ source) / self._volume[:, None]
            source -= self._degree[:, None] * excess[self._component]
        u = np.zeros_like(source)
        u[self._free] = conjugate_gradients(self._matrix, source[self._free])
        if self._is_singular:
            mean = (self._members @ (self._degree[:, None] * u)) / self._volume[:, None]
            u[self._free] -= mean[self._component[self._free]]
        # Values within the error of the solver are ties between the classes.
        u[np.abs(u) < 100 * TOLERANCE * np.abs(u).max(axis=0)] = 0
        return u
