"""FISTA by optimality, against scikit-learn, and row by row."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.linear_model import Lasso

from ssrlpl._core.blocks import unit_rows
from ssrlpl._core.fista import lasso_codes, minimize_l1


def rows_and_atoms(n=25, d=10, k=15, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, d)), unit_rows(rng.normal(size=(k, d)))


def test_codes_are_optimal_and_those_of_scikit_learn():
    X, D = rows_and_atoms()
    G, P, penalty = D @ D.T, X @ D.T, 0.3
    start, largest = np.zeros_like(P), np.linalg.eigvalsh(G)[-1]
    Z = minimize_l1(lambda Z: Z @ G, P, penalty, largest, start, max_iter=5000, tol=1e-10)
    pull = P - Z @ G
    assert_allclose(pull[Z != 0], penalty * np.sign(Z[Z != 0]), atol=1e-6)
    assert np.abs(pull).max() <= penalty + 1e-6
    theirs = Lasso(penalty / X.shape[1], fit_intercept=False, tol=1e-12, max_iter=10_000)
    assert_allclose(Z, theirs.fit(D.T, X.T).coef_, atol=1e-5)


@pytest.mark.parametrize("separate", [False, True])
def test_objective_never_rises(separate):
    X, D = rows_and_atoms(k=40, seed=1)
    G, P = D @ D.T, X @ D.T

    def objective(Z):
        return np.sum((X - Z @ D) ** 2) / 2 + 0.01 * np.abs(Z).sum()

    def after(steps):
        start, largest = np.zeros_like(P), np.linalg.eigvalsh(G)[-1]
        return minimize_l1(
            lambda Z: Z @ G, P, 0.01, largest, start, max_iter=steps, tol=0, separate=separate
        )

    values = [objective(after(steps)) for steps in range(0, 60, 3)]
    assert np.all(np.diff(values) <= 1e-12)
    assert values[-1] < 0.6 * values[0]


def test_a_row_has_the_same_code_alone_and_among_others():
    X, D = rows_and_atoms()
    together = lasso_codes(D @ D.T, X @ D.T, 0.1, max_iter=200)
    for i in (0, 7):
        alone = lasso_codes(D @ D.T, X[[i]] @ D.T, 0.1, max_iter=200)
        assert_allclose(alone[0], together[i], atol=1e-12)


def test_zero_atoms_and_zero_rows_have_zero_codes():
    assert not lasso_codes(np.zeros((3, 3)), np.zeros((2, 3)), 0.1, max_iter=5).any()
