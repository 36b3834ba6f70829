"""Path distances against all paths by brute force, and their coordinates."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.distance import cdist

from conftest import problem
from ssrlpl._core.neighbor_graph import find_neighbors
from ssrlpl._core.path_embedding import embed_paths


def brute_force_squares(X, k, rho):
    """Floyd and Warshall on the graph of neighbors, as the docstring has it."""
    d = cdist(X, X)
    cost = np.full(d.shape, np.inf)
    for i, row in enumerate(np.argsort(d + np.diag(np.full(len(X), np.inf)), axis=1)[:, :k]):
        cost[i, row] = cost[row, i] = np.expm1(rho * d[i, row]) if rho else d[i, row]
    np.fill_diagonal(cost, 0)
    for middle in range(len(X)):
        cost = np.minimum(cost, cost[:, [middle]] + cost[[middle]])
    return (np.log1p(cost) / rho if rho else cost) ** 2


@pytest.mark.parametrize("rho", [0.0, 0.5, 4.0])
def test_paths_are_those_of_brute_force(rho):
    X, *_ = problem(40, 3)
    expected = brute_force_squares(X, 6, rho)
    found = embed_paths(find_neighbors(X, "euclidean"), 6, rho, np.arange(40), 0.1, direct=False)
    assert np.isfinite(expected).all()
    sums = found.sums
    assert_allclose((np.log1p(sums) / rho if rho else sums) ** 2, expected, atol=1e-9)


def test_all_pairs_and_rho_zero_give_back_the_rows():
    X, *_ = problem(30, 4)
    found = embed_paths(find_neighbors(X, "euclidean"), 29, 0.0, np.arange(30), 1e-9, direct=False)
    assert found.axes.shape[1] == 4
    assert_allclose(cdist(found.training(), found.training()), cdist(X, X), atol=1e-8)
    new = X[:5] + 0.01
    assert_allclose(cdist(found(new), found.training()), cdist(new, X), rtol=0.02, atol=0.05)


@pytest.mark.parametrize("landmarks", [np.arange(40), np.arange(0, 40, 2)])
def test_a_row_of_the_table_keeps_its_place(landmarks):
    X, *_ = problem(40, 3)
    found = embed_paths(find_neighbors(X, "euclidean"), 6, 1.0, landmarks, 0.1, direct=False)
    assert_allclose(found(X), found.training(), atol=1e-9)


def test_components_are_left_out_from_the_first_small_one():
    X, *_ = problem(40, 3)
    search = find_neighbors(X, "euclidean")
    whole = embed_paths(search, 6, 1.0, np.arange(40), 1e-12, direct=False).training()
    part = embed_paths(search, 6, 1.0, np.arange(40), 0.1, direct=False).training()
    assert_allclose(part, whole[:, : part.shape[1]])
    E = (whole**2).sum(axis=0)  # the eigenvalues
    kept = part.shape[1]
    small = (1 - np.cumsum(E) / E.sum() < 0.1) & (0.1 * E[0] > E)
    assert 1 < kept < len(E)
    assert small[kept]
    assert not small[:kept].any()


def test_parts_without_a_path_are_far_apart():
    X = np.r_[np.zeros((5, 1)), np.full((5, 1), 100.0)] + np.arange(10)[:, None] * 0.1
    found = embed_paths(find_neighbors(X, "euclidean"), 2, 0.0, np.arange(10), 0.01, direct=False)
    longest = found.sums[np.isfinite(found.sums)].max()
    assert found.unreached == 2 * longest**2
    Z = found.training()
    assert np.isfinite(Z).all()
    assert cdist(Z[:5], Z[5:]).min() > cdist(Z[:5], Z[:5]).max()
