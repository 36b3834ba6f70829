"""The transductive machine: its gradient, its constraint, and the machine without bumps."""

from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse

from conftest import problem
from ssrlpl._core.low_density import _annealed, default_cost, fit_low_density
from ssrlpl._core.squared_hinge import squared_hinge_machine


def binary(n=80):
    X, _, truth = problem(n, 5, 2, seed=3)
    labeled = np.r_[np.flatnonzero(truth == 0)[:5], np.flatnonzero(truth == 1)[:9]]
    return X, np.sort(labeled), np.where(truth == 1, 1.0, -1.0)


def objective(X, labeled, y, w, b, C, C_unlabeled):
    f = X @ w + b
    others = np.setdiff1d(np.arange(len(X)), labeled)
    hinge = np.maximum(0, 1 - y[labeled] * f[labeled])
    return w @ w / 2 + C * hinge @ hinge + C_unlabeled * np.exp(-3 * f[others] ** 2).sum()


@pytest.mark.parametrize("balance", [True, False])
def test_no_small_move_within_the_constraint_is_better(balance):
    X, labeled, y = binary()
    W, b, value = fit_low_density(X, labeled, y[labeled, None], 0.3, 0.2 / 0.3, balance=balance)
    w = W[:, 0]
    assert_allclose(value[0], objective(X, labeled, y, w, b[0], 0.3, 0.2))
    middle = np.delete(X, labeled, axis=0).mean(axis=0)
    rng = np.random.default_rng(0)
    for _ in range(20):
        move = 1e-3 * rng.normal(size=len(w))
        shift = -middle @ move if balance else 1e-3 * rng.normal()
        assert objective(X, labeled, y, w + move, b[0] + shift, 0.3, 0.2) > value[0]


def test_balance_holds_with_unequal_numbers_of_labels():
    X, labeled, y = binary()
    X = X + 7  # columns that do not sum to zero
    W, b, _ = fit_low_density(X, labeled, y[labeled, None], 0.3, 0.2, balance=True)
    values = np.delete(X, labeled, axis=0) @ W + b
    assert_allclose(values.mean(), y[labeled].mean(), atol=1e-9)
    assert y[labeled].mean() != 0


def test_without_bumps_it_is_a_support_vector_machine():
    X, labeled, y = binary()
    C = 0.3
    W, b, _ = fit_low_density(X, labeled, y[labeled, None], C, 0.0, balance=False)
    rows = X[labeled]
    c, expected_b, _ = squared_hinge_machine(2 * C * rows @ rows.T, y[labeled], intercept=True)
    assert_allclose(W[:, 0], 2 * C * rows.T @ c, atol=1e-5)
    assert_allclose(b, expected_b, atol=1e-5)


def test_sparse_rows_give_the_same():
    X, labeled, y = binary()
    dense = fit_low_density(X, labeled, y[labeled, None], 0.3, 0.2, balance=True)
    thin = fit_low_density(sparse.csr_matrix(X), labeled, y[labeled, None], 0.3, 0.2, balance=True)
    assert_allclose(thin[0], dense[0], atol=1e-4)
    assert_allclose(default_cost(sparse.csr_matrix(X)), 1 / X.var(axis=0, ddof=1).sum())
    assert_allclose(default_cost(X), 1 / X.var(axis=0, ddof=1).sum())
    assert default_cost(np.ones((4, 2))) == 1


@pytest.mark.parametrize(("of_zero", "of_machine", "best"), [(5.0, 3.0, 1.0), (3.0, 5.0, 0.0)])
def test_of_several_ends_the_lowest_is_the_answer(of_zero, of_machine, best):
    """Whichever start was lower before: only the last step counts."""

    def solve(start, share):
        x = np.ones(1) if share == 0 else start  # the machine of the labeled rows is at one
        at_end = of_machine if x[0] else of_zero
        return SimpleNamespace(x=x, fun=at_end if share == 1 else 2.0 - x[0])

    assert _annealed(solve, np.zeros(1)).x[0] == best
