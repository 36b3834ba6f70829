"""The nearest rows of every row, by blocks of products, against distances one by one."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import cdist

from ssrlpl._core import self_neighbors
from ssrlpl._core.self_neighbors import _again, nearest_of_all


def one_by_one(X, k):
    distances = cdist(X, X)
    np.fill_diagonal(distances, np.inf)
    columns = np.argsort(distances, axis=1, kind="stable")[:, :k]
    return np.take_along_axis(distances, columns, axis=1), columns


@pytest.mark.parametrize("block", [7, 64, 5000])
@pytest.mark.parametrize(("n", "d", "k"), [(2, 1, 1), (30, 3, 29), (200, 20, 5), (900, 40, 12)])
def test_same_as_one_by_one(n, d, k, block, monkeypatch):
    monkeypatch.setattr(self_neighbors, "gram_block_rows", lambda _: block)
    X = np.random.default_rng(n).normal(size=(n, d))
    distances, columns = nearest_of_all(X, k)
    wanted_distances, wanted_columns = one_by_one(X, k)
    assert_array_equal(columns, wanted_columns)
    assert_allclose(distances, wanted_distances, rtol=1e-12)


def test_rows_sorted_so_that_every_block_brings_nearer_ones(monkeypatch):
    monkeypatch.setattr(self_neighbors, "gram_block_rows", lambda _: 50)
    X = np.sort(np.random.default_rng(0).normal(size=600))[:, None] * np.ones(4)
    assert_array_equal(nearest_of_all(X, 6)[1], one_by_one(X, 6)[1])


def test_copies_are_neighbors_at_distance_zero_in_row_order():
    X = np.repeat(np.random.default_rng(0).normal(size=(20, 30)), 3, axis=0)
    distances, columns = nearest_of_all(X, 2)
    assert_array_equal(distances, 0)
    first = np.arange(60) // 3 * 3
    wanted = [[r for r in range(f, f + 3) if r != i] for i, f in enumerate(first)]
    assert_array_equal(columns, wanted)


def test_equal_rows_give_any_others():
    distances, columns = nearest_of_all(np.ones((40, 20)), 3)
    assert_array_equal(distances, 0)
    assert all(i not in row and len(set(row)) == 3 for i, row in enumerate(columns))


def same_reach(X, k, scale=1.0):
    """The k-th distance is the true one, up to what rows are known to."""
    distances, columns = nearest_of_all(X, k)
    truth = one_by_one(X.astype(np.float64) * scale, k)[0]
    assert_allclose(distances[:, -1] * scale, truth[:, -1], rtol=1e-3)
    assert all(i not in row and len(set(row)) == k for i, row in enumerate(columns))


def test_tight_groups_far_apart_in_float32():
    rng = np.random.default_rng(2)
    X = rng.normal(scale=0.1, size=(700, 20)) + 1000 * rng.choice([-1, 1], size=(700, 1))
    same_reach(X.astype(np.float32), 10)


def test_some_rows_near_the_origin_and_some_far_away_in_float32():
    X = np.zeros((300, 20))
    X[:200, 0] = 1e6 + np.arange(200)
    X[200:, 0] = np.arange(100) * 0.001
    same_reach(X.astype(np.float32), 3)


@pytest.mark.parametrize("scale", [1e-23, 1e18])
def test_squares_that_would_overflow_or_vanish(scale):
    X = np.random.default_rng(3).normal(size=(600, 18)) * scale
    same_reach(X.astype(np.float32), 6, 1 / scale)


@pytest.mark.parametrize("block", [100, 5000])
def test_an_outlier_and_many_copies(block, monkeypatch):
    monkeypatch.setattr(self_neighbors, "gram_block_rows", lambda _: block)
    X = np.random.default_rng(4).normal(size=(400, 17))
    X[0] *= 1e5
    X[200:] = 0
    same_reach(X, 5)
    same_reach(X.astype(np.float32), 5)


def test_float32_far_from_the_origin():
    X = np.random.default_rng(1).normal(size=(500, 30))
    shifted = (X + 1000).astype(np.float32)
    assert_array_equal(nearest_of_all(shifted, 8)[1], one_by_one(shifted.astype(float), 8)[1])


def test_a_row_that_its_copies_displace_is_not_its_own_neighbor():
    """Six equal rows: the three nearest of the last one are the first three, without itself."""
    X = np.vstack([np.zeros((6, 2)), [[5.0, 5.0]]])
    distances, columns = _again(X, np.array([5, 6]), 2)
    assert_array_equal(columns, [[0, 1], [0, 1]])
    assert_allclose(distances, [[0, 0], [50**0.5, 50**0.5]])
