"""Sparse systems that are solved by eliminating rows which are not joined to each other."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse

from ssrlpl._core import elimination
from ssrlpl._core.elimination import solve_with_corner


def graph_system(n=80, seed=0):
    W = sparse.random(n, n, density=0.05, random_state=seed, format="csr")
    W = (W + W.T).tocsr()
    degree = np.asarray(W.sum(axis=1)).ravel()
    return (sparse.diags(degree + 0.1) - W).tocsr()


@pytest.mark.parametrize("fewest", [1, 5, 1000])
def test_solution_and_corner_are_those_of_the_inverse(monkeypatch, fewest):
    monkeypatch.setattr(elimination, "_FEWEST", fewest)
    A, corner = graph_system(), np.array([3, 11, 12, 60])
    B = np.random.default_rng(1).standard_normal((80, 3))
    found, block = solve_with_corner(A, B, corner)
    inverse = np.linalg.inv(A.toarray())
    assert_allclose(found, inverse @ B, rtol=1e-9, atol=1e-12)
    assert_allclose(block, inverse[np.ix_(corner, corner)], rtol=1e-9)


@pytest.mark.parametrize("corner", [np.arange(80), np.arange(0)])
def test_a_corner_of_all_rows_and_one_of_none(monkeypatch, corner):
    monkeypatch.setattr(elimination, "_FEWEST", 1)
    A, B = graph_system(), np.ones((80, 1))
    found, block = solve_with_corner(A, B, corner)
    inverse = np.linalg.inv(A.toarray())
    assert_allclose(found, inverse @ B, rtol=1e-9)
    assert_allclose(block, inverse[np.ix_(corner, corner)], rtol=1e-9, atol=1e-12)


def test_chosen_rows_are_allowed_and_not_joined():
    A, allowed = graph_system(), np.arange(80) % 3 > 0
    chosen = elimination._apart(A, allowed)
    block = A[chosen][:, chosen].toarray()
    assert chosen.sum() > 10
    assert not (chosen & ~allowed).any()
    assert np.count_nonzero(block - np.diag(np.diag(block))) == 0


def test_rows_are_eliminated_before_the_dense_factorization(monkeypatch):
    monkeypatch.setattr(elimination, "_FEWEST", 1)
    sizes, factorize = [], np.linalg.cholesky
    monkeypatch.setattr(
        elimination.np.linalg, "cholesky", lambda A: sizes.append(len(A)) or factorize(A)
    )
    solve_with_corner(graph_system(), np.ones((80, 1)), np.array([3, 11]))
    assert sizes[0] < 10
