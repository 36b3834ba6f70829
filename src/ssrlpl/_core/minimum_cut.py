r"""Minimum cuts that separate labeled rows of one class from those of all others.

For a set of rows S, cut(S) is the sum of the weights of all edges that leave S. The minimum over
all S that contain the labeled rows of one class and none of the others is found by a maximum flow
(Ford and Fulkerson), and among all minimizers the smallest S is taken: the rows that the source
reaches in the residual graph. Smallest sets of different classes do not overlap.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse
from scipy.sparse import csgraph

from .._utils.types import Ints, Mask

_LARGEST = np.iinfo(np.int32).max // 2
"""Largest capacity and largest flow, in the integers of scipy's solver with room for reverse
edges."""


class CutNetwork:
    """A graph whose weights are rounded to integers once, for several cuts."""

    def __init__(self, weights: sparse.csr_matrix, labeled: Ints):
        # A flow leaves by edges of labeled rows, so it cannot exceed their weights.
        most = max(float(weights[labeled].sum()), float(weights.max()), np.finfo(float).tiny)
        self.unit = most / _LARGEST
        self._n = weights.shape[0]
        edges = weights.tocoo()
        self._from, self._to = edges.row, edges.col
        self._capacity = np.rint(edges.data / self.unit).astype(np.int64)

    def isolate(self, inside: Ints, outside: Ints) -> tuple[Mask, float]:
        """Return the smallest minimizer S with ``inside`` in it and ``outside`` not, and cut(S)."""
        node = np.arange(self._n) + 2  # 0 is the source, 1 the sink: labeled rows are merged
        node[inside], node[outside] = 0, 1
        ends = node[self._from], node[self._to]
        shape = (self._n + 2, self._n + 2)
        network = sparse.csr_matrix((self._capacity, ends), shape)  # sums parallel edges
        network.setdiag(0)
        network.eliminate_zeros()
        network = network.astype(np.int32)
        flow = csgraph.maximum_flow(network, 0, 1)
        residual = (network - flow.flow).maximum(0).tocsr()
        residual.eliminate_zeros()
        found = csgraph.breadth_first_order(residual, 0, return_predecessors=False)
        reached = np.zeros(self._n + 2, dtype=bool)
        reached[found] = True
        return reached[node], float(flow.flow_value) * self.unit


def cut_weight(weights: sparse.csr_matrix, codes: Ints) -> float:
    """Return the sum of the weights of the edges between rows of different codes."""
    edges = weights.tocoo()
    return float(edges.data[codes[edges.row] != codes[edges.col]].sum()) / 2
