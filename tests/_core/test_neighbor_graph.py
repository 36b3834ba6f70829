"""The graph builder against dense brute force, a published figure, and scipy."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.metrics.pairwise import cosine_similarity

from ssrlpl._core.neighbor_graph import WEIGHTS, as_searched, find_neighbors, join, neighbor_graph


def rows(n=50, d=4, seed=0):
    return np.random.default_rng(seed).normal(size=(n, d)) + 0.5


def metric_of(kind):
    return "cosine" if kind == "cosine" else "euclidean"


def built(X, k, kind, sharpness=1.0, mutual=False):
    found = find_neighbors(X, metric_of(kind)).nearest(k)
    return neighbor_graph(*found, sharpness, kind=kind, mutual=mutual)


def dense_weights(X, k, kind, sharpness, mutual):
    """Every pair of rows, as the docstring of the module has it."""
    if kind == "cosine":
        X = X / np.linalg.norm(X, axis=1, keepdims=True)
    d = np.sqrt(((X[:, None] - X[None]) ** 2).sum(axis=2))
    near = np.argsort(d + np.diag(np.full(len(X), np.inf)), axis=1)[:, :k]
    is_neighbor = np.zeros(d.shape, dtype=bool)
    is_neighbor[np.arange(len(X))[:, None], near] = True
    s = np.where(is_neighbor, d, 0).max(axis=1)
    weights = {
        "self_tuning": np.exp(-sharpness * d**2 / np.outer(s, s)),
        "heat": np.exp(-sharpness * d**2 / d[is_neighbor].mean() ** 2),
        "binary": np.ones_like(d),
        "cosine": np.maximum(cosine_similarity(X), 0),
    }[kind]
    joined = is_neighbor & is_neighbor.T if mutual else is_neighbor | is_neighbor.T
    return np.where(joined, weights, 0)


@pytest.mark.parametrize("kind", WEIGHTS)
@pytest.mark.parametrize("mutual", [False, True])
@pytest.mark.parametrize("d", [4, 20])  # a tree, and matrix products
def test_weights_are_those_of_all_pairs(kind, mutual, d):
    X = rows(d=d)
    W = built(X, 6, kind, 0.7, mutual).weights
    assert sparse.issparse(W)
    assert_allclose(W.toarray(), dense_weights(X, 6, kind, 0.7, mutual), atol=1e-12)
    assert_array_equal(W.toarray(), W.T.toarray())


@pytest.mark.parametrize("normalized", [False, True])
def test_laplacian_by_its_definition(normalized):
    graph = built(rows(), 5, "heat")
    W, d = graph.weights.toarray(), graph.weights.toarray().sum(axis=1)
    expected = np.diag(d) - W
    if normalized:
        expected = expected / np.sqrt(np.outer(d, d))
    assert_allclose(graph.laplacian(normalized=normalized).toarray(), expected, atol=1e-14)


@pytest.mark.parametrize("normalized", [False, True])
def test_row_without_an_edge_has_a_laplacian_of_zeros(normalized):
    X = np.vstack([rows(20), [[100.0] * 4]])
    graph = built(X, 3, "binary", mutual=True)
    assert graph.degree[-1] == 0
    assert_array_equal(graph.laplacian(normalized=normalized).toarray()[-1], 0)


@pytest.mark.parametrize("kind", WEIGHTS)
def test_new_rows_are_joined_by_the_weights_of_the_graph(kind):
    X, new = rows(), rows(8, seed=1)
    search = find_neighbors(X, metric_of(kind))
    graph = neighbor_graph(*search.nearest(5), 0.7, kind=kind)
    found = join(graph, search, as_searched(new, metric_of(kind))).toarray()
    unit = (lambda A: A / np.linalg.norm(A, axis=1, keepdims=True)) if kind == "cosine" else np.copy
    d = np.sqrt(((unit(new)[:, None] - unit(X)[None]) ** 2).sum(axis=2))
    own = np.sort(d, axis=1)[:, 4:5]
    weights = {
        "self_tuning": np.exp(-0.7 * d**2 / (own * graph.scale)),
        "heat": np.exp(-0.7 * d**2 / graph.scale[0] ** 2),
        "binary": np.ones_like(d),
        "cosine": np.maximum(1 - d**2 / 2, 0),
    }[kind]
    weights = np.where(d <= own, weights, 0)
    assert_allclose(found, weights / weights.sum(axis=1, keepdims=True), atol=1e-12)


@pytest.mark.parametrize("kind", WEIGHTS)
def test_equal_rows_far_rows_and_opposite_rows_have_finite_positive_weights(kind):
    equal = built(np.ones((6, 2)), 2, kind)
    assert_allclose(equal.weights.data, 1)
    hostile = np.array([[1.0, 0], [-1, 0], [0, 1e8], [1e-8, 0], [0, 0], [-1, 1e-9]])
    weights = built(hostile, 2, kind, 1000.0).weights.data
    assert np.isfinite(weights).all()
    assert (weights > 0).all()
