"""Codes by optimality, and labels reconstructed with them against dense algebra."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import Lasso

from ssrlpl._core import reconstruction as core
from ssrlpl._utils import limits


def table(n=30, d=4, k=6, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) + 0.5
    others = [rng.permutation(np.delete(np.arange(n), i))[:k] for i in range(n)]
    return X, np.array(others)


@pytest.mark.parametrize("ridge", [0.0, 1e-3, 0.1])
@pytest.mark.parametrize("d", [2, 4, 40])
def test_linear_codes_are_on_the_simplex_and_optimal(ridge, d):
    X, columns = table(d=d)
    codes = core.simplex_codes(X, X, columns, ridge)
    assert (codes >= 0).all()
    assert_allclose(codes.sum(axis=1), 1)
    for x, near, w in zip(X, X[columns], codes, strict=True):
        gram = (near - x) @ (near - x).T
        slope = (gram + ridge * np.trace(gram) / len(w) * np.eye(len(w))) @ w
        # On the simplex: equal slopes where the weight is positive, larger ones elsewhere.
        assert_allclose(slope[w > 0], w @ slope, atol=1e-9 * np.trace(gram))
        assert (slope >= w @ slope - 1e-9 * np.trace(gram)).all()


def test_a_row_between_two_others_is_their_mean():
    X = np.array([[0.0, 0], [2, 0], [1, 0], [1, 50]])
    codes = core.simplex_codes(X[[2]], X, np.array([[0, 1, 3]]), 0.0)
    assert_allclose(codes, [[0.5, 0.5, 0]], atol=1e-12)


@pytest.mark.parametrize("penalty", [0.01, 0.3])
@pytest.mark.parametrize("d", [3, 40])  # more candidates than columns, and fewer
def test_sparse_codes_satisfy_the_conditions_of_the_lasso(penalty, d):
    X, columns = table(d=d, k=12)
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    codes = core.sparse_codes(X, X, columns, penalty)
    for x, near, w in zip(X, X[columns], codes, strict=True):
        products = near @ x
        if products.max() <= 0:
            assert_array_equal(w, 0)
            continue
        slope = near @ (near.T @ w - x) + penalty * products.max() + core.UNIQUE * w
        assert w.max() > 0
        assert (w >= 0).all()
        assert_allclose(slope[w > 0], 0, atol=1e-9)
        assert (slope > -1e-9).all()


def test_sparse_codes_are_those_of_scikit_learns_lasso():
    X, columns = table(d=40, k=12)
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    codes = core.sparse_codes(X, X, columns, 0.3)
    for x, near, w in zip(X[:5], X[columns], codes, strict=False):
        alpha = 0.3 * (near @ x).max() / len(x)  # squares are divided by the number of columns
        lasso = Lasso(alpha, fit_intercept=False, positive=True, tol=1e-14, max_iter=100_000)
        assert_allclose(w, lasso.fit(near.T, x).coef_, atol=1e-5)


def test_sparse_rows_and_small_blocks_change_nothing(monkeypatch):
    X, columns = table()
    X[np.abs(X) < 0.4] = 0
    linear, coded = core.simplex_codes(X, X, columns, 1e-3), core.sparse_codes(X, X, columns, 0.1)
    monkeypatch.setattr(core, "BLOCK_BYTES", 3000)
    thin = sparse.csr_array(X)
    assert_allclose(core.simplex_codes(thin, thin, columns, 1e-3), linear, atol=1e-12)
    assert_allclose(core.sparse_codes(thin, thin, columns, 0.1), coded, atol=1e-9)


def test_equal_rows_have_codes():
    X, columns = np.ones((5, 3)), np.array([[1, 2], [0, 2], [0, 1], [0, 1], [0, 1]])
    assert_allclose(core.simplex_codes(X, X, columns, 1e-3), 0.5)
    unit = X / np.sqrt(3)
    assert_allclose(core.sparse_codes(unit, unit, columns, 0.1).sum(axis=1), 0.9, atol=1e-6)


def walk(seed=0, n=40, k=4):
    _, columns = table(n, k=k, seed=seed)
    codes = np.random.default_rng(seed).random(columns.shape)
    return core.rows_to_one(core.one_way(codes, columns, n))


@pytest.mark.parametrize("dense_rows", [5, 1000])
def test_labels_are_combinations_of_labels(dense_rows, monkeypatch):
    monkeypatch.setattr(limits, "DENSE_GRAPH_ROWS", dense_rows)
    W, labeled = walk(), np.array([3, 8, 20])
    F = core.reconstructed_labels(W, labeled, np.eye(3))
    free = np.setdiff1d(np.arange(40), labeled)
    assert_allclose((W @ F)[free], F[free], atol=1e-9)
    assert_array_equal(F[labeled], np.eye(3))
    assert_allclose(F.sum(axis=1), 1, atol=1e-8)


def test_rows_whose_walks_never_meet_a_label_have_zeros():
    """Rows 2 and 3 lead to each other; row 1 leads to them half of the time."""
    W = sparse.csr_matrix([[0, 1, 0, 0], [0.5, 0, 0.5, 0], [0, 0, 0, 1], [0, 0, 1.0, 0]])
    F = core.reconstructed_labels(W, np.array([0]), np.ones((1, 1)))
    assert_allclose(F, [[1], [0.5], [0], [0]])


@pytest.mark.parametrize("balance", [False, True])
def test_left_out_labels_are_those_of_another_reconstruction(balance):
    W, labeled = walk(1), np.array([1, 5, 9, 20])
    Y = np.eye(2)[[0, 1, 0, 1]]
    found = core.left_out_distributions(W, labeled, Y, balance=balance)
    for i, row in enumerate(labeled):
        rest = np.arange(4) != i
        refit = core.reconstructed_distributions(W, labeled[rest], Y[rest], balance=balance)
        assert_allclose(found[i], refit[row], atol=1e-10)


def test_large_systems_are_solved_when_walks_are_long(monkeypatch):
    """A chain of 200 rows that ends at its label: the plain iteration would take 40,000 steps."""
    n = 200
    W = sparse.diags([np.full(n - 1, 0.5), np.full(n - 1, 0.5)], [1, -1], format="csr")
    B = np.zeros((n, 2))
    B[0, 0] = B[-1, 1] = 0.5
    expected = np.linalg.solve(np.eye(n) - W.toarray(), B)
    monkeypatch.setattr(limits, "DENSE_GRAPH_ROWS", 5)
    assert_allclose(core.walk_solution(W, B), expected, atol=1e-6)


def test_walks_that_are_too_long_for_the_solver_are_reported(monkeypatch):
    n = 2000
    W = sparse.diags([np.full(n - 1, 0.5), np.full(n - 1, 0.5)], [1, -1], format="csr")
    B = np.eye(n, 2) / 2
    B[:, 1] = 0
    monkeypatch.setattr(limits, "DENSE_GRAPH_ROWS", 5)
    monkeypatch.setattr(core, "_ROUNDS", 1)
    with pytest.warns(ConvergenceWarning, match=r"residual of 1e-10. Got .*: raise n_neighbors"):
        core.walk_solution(W, B)
