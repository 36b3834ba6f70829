"""What several fits to the same rows share is what each would compute alone."""

import numpy as np
from numpy.testing import assert_array_equal

from ssrlpl._core.shared import SharedRows


def test_one_search_for_neighbors_serves_fewer_of_them():
    X = np.random.default_rng(0).integers(0, 4, size=(80, 3)).astype(float)  # with many ties
    shared, alone = SharedRows(X), SharedRows(X)
    shared.neighbors("euclidean", 9)
    for found, wanted in zip(
        shared.neighbors("euclidean", 4), alone.neighbors("euclidean", 4), strict=True
    ):
        assert_array_equal(found, wanted)
    assert shared.neighbors("euclidean", 12)[1].shape == (80, 12)
