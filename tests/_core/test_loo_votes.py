"""The bandwidth without each labeled row, from one sort of the distances."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from ssrlpl._core.bandwidth import median_gamma
from ssrlpl._core.loo_votes import median_gammas_without


@pytest.mark.parametrize("n", [3, 4, 9, 30])
def test_same_as_the_rule_on_the_other_rows(n):
    X = np.random.default_rng(n).normal(size=(n, 2))
    X[0] = 40  # without this row the median moves far
    X[1] = X[2]  # a distance of zero does not count
    wanted = [median_gamma(np.delete(X, row, axis=0)) for row in range(n)]
    assert_allclose(median_gammas_without(X), wanted)
