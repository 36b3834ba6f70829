"""The transductive machine: its gradient, its constraint, and the machine without bumps."""

from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse

from conftest import problem
from ssrlpl._core.low_density import _annealed, default_cost, fit_low_density


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


def test_the_default_cost_is_the_same_of_sparse_rows():
    X, _, _ = binary()
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
