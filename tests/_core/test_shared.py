"""The cache of several fits to the same rows."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import numpy as np
from numpy.testing import assert_array_equal

from ssrlpl._core.neighbor_graph import NeighborSearch
from ssrlpl._core.shared import SharedRows


def test_threads_that_ask_for_the_same_neighbors_search_once(monkeypatch):
    found, searches, together = NeighborSearch.nearest, [], Barrier(4)

    def counted(search, n_neighbors, X=None):
        searches.append(n_neighbors)
        return found(search, n_neighbors, X)

    monkeypatch.setattr(NeighborSearch, "nearest", counted)
    shared = SharedRows(np.random.default_rng(0).normal(size=(400, 30)))

    def ask(_):
        together.wait()
        return shared.neighbors("euclidean", 5)

    with ThreadPoolExecutor(4) as pool:
        (_, first), *others = pool.map(ask, range(4))
    assert searches == [5]
    for _, columns in others:
        assert_array_equal(columns, first)
