"""Neighbors searched in cells, against distances one by one."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import cdist

from conftest import problem
from ssrlpl import GraphLabeler
from ssrlpl._core import cell_neighbors
from ssrlpl._core.cell_neighbors import nearest_in_cells, recall
from ssrlpl._utils import limits


def one_by_one(X, k):
    distances = cdist(X, X)
    np.fill_diagonal(distances, np.inf)
    return np.sort(distances, axis=1)[:, :k]


def blobs(n, d, dtype=np.float64):
    rng = np.random.default_rng(0)
    centers = 4 * rng.normal(size=(12, d))
    return (centers[rng.integers(12, size=n)] + rng.normal(size=(n, d))).astype(dtype)


@pytest.mark.parametrize(("d", "dtype"), [(20, np.float64), (20, np.float32), (200, np.float64)])
def test_most_of_the_nearest_rows_are_found_and_the_share_is_measured(d, dtype, monkeypatch):
    monkeypatch.setattr(cell_neighbors, "_NEAR_CELLS", 12)
    X = blobs(2000, d, dtype)
    distances, columns = nearest_in_cells(X, 7)
    truth = one_by_one(X.astype(np.float64), 7)
    share = np.mean(distances <= truth[:, -1:] * (1 + 1e-6))
    assert share > 0.6
    assert all(i not in row and len(set(row)) == 7 for i, row in enumerate(columns))
    exact = np.linalg.norm(X[:, None].astype(np.float64) - X[columns], axis=2)
    assert_allclose(distances, exact, rtol=1e-10)
    assert (np.diff(distances, axis=1) >= 0).all()
    monkeypatch.setattr(cell_neighbors, "_RECALL_ROWS", 2000)
    assert recall(X, distances) == pytest.approx(share, abs=1e-3)


def test_with_all_cells_the_search_is_exact(monkeypatch):
    monkeypatch.setattr(cell_neighbors, "_NEAR_CELLS", 10_000)
    X = blobs(900, 10)
    distances, _ = nearest_in_cells(X, 5)
    assert_allclose(distances, one_by_one(X, 5), rtol=1e-10)
    assert recall(X, distances) == 1.0


def test_the_recall_of_wrong_neighbors_is_low():
    X = blobs(900, 10)
    far = cdist(X, X)[:, -5:]
    assert recall(X, np.sort(far, axis=1)) < 0.1


def test_equal_rows_and_more_neighbors_than_near_cells_hold(monkeypatch):
    monkeypatch.setattr(cell_neighbors, "_NEAR_CELLS", 1)
    distances, columns = nearest_in_cells(np.ones((700, 20)), 60)
    assert_array_equal(distances, 0)
    assert all(i not in row and len(set(row)) == 60 for i, row in enumerate(columns))


def test_rows_far_from_the_origin_and_of_any_scale():
    X = blobs(800, 20)
    near, _ = nearest_in_cells(X, 5)
    far, _ = nearest_in_cells(1e150 * X, 5)
    assert_allclose(far, 1e150 * near, rtol=1e-6)
    shifted, _ = nearest_in_cells(X + 1e6, 5)
    assert np.mean(np.isclose(shifted, near, rtol=1e-6)) > 0.95


def test_the_number_of_threads_changes_nothing(monkeypatch):
    X = blobs(1500, 30, np.float32)
    alone = nearest_in_cells(X, 6)
    monkeypatch.setattr(cell_neighbors, "blas_threads", lambda: 3)
    assert all(np.array_equal(a, b) for a, b in zip(alone, nearest_in_cells(X, 6), strict=True))


def test_the_labeler_says_how_many_neighbors_it_found(monkeypatch):
    X, y, _ = problem(n=400)
    X = np.hstack([X, np.random.default_rng(0).normal(size=(len(X), 20))])
    exact = GraphLabeler().fit(X, y)
    assert exact.neighbor_recall_ == 1.0
    assert "EXACT_NEIGHBOR_ROWS" not in exact.limits_hit_
    monkeypatch.setattr(limits, "EXACT_NEIGHBOR_ROWS", 100)
    monkeypatch.setattr(cell_neighbors, "_NEAR_CELLS", 5)
    some = GraphLabeler().fit(X, y)
    assert 0.1 < some.neighbor_recall_ < 1.0
    assert "EXACT_NEIGHBOR_ROWS" in some.limits_hit_


def test_small_cells_are_searched_until_there_are_enough_rows(monkeypatch):
    monkeypatch.setattr(cell_neighbors, "_NEAR_CELLS", 1)
    X = blobs(300, 4)
    distances, columns = nearest_in_cells(X, 60)
    assert all(len({row, *found}) == 61 for row, found in enumerate(columns.tolist()))
    assert_allclose(distances, np.take_along_axis(cdist(X, X), columns, axis=1))
