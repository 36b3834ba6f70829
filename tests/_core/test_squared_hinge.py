"""The exact line search and the squared hinge machine, by optimality and by brute force."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import minimize_scalar

from ssrlpl._core.squared_hinge import exact_step, squared_error_machine, squared_hinge_machine


def kernel_and_labels(seed, n=40):
    rng = np.random.default_rng(seed)
    F = rng.normal(size=(n, 6))
    y = np.where(F[:, 0] + 0.8 * rng.normal(size=n) > 0.3, 1.0, -1.0)
    return 20 * F @ F.T, y


@pytest.mark.parametrize("seed", range(5))
def test_the_step_minimizes_along_the_line(seed):
    rng = np.random.default_rng(seed)
    a, c = -rng.random(3) * 9, rng.random(3) + 0.01
    m, s = rng.normal(size=(2, 30, 3))
    m[:4], s[4:8] = 0, 0  # at the hinge, and rows that do not move
    found = exact_step(a, c, m, s)
    for j, t in enumerate(found):

        def value(t, j=j):
            hinge = np.maximum(0, m[:, j] + t * s[:, j])
            return a[j] * t + c[j] * t**2 / 2 + hinge @ hinge / 2

        best = minimize_scalar(value, bounds=(0, 2000), method="bounded", options={"xatol": 1e-10})
        assert value(t) <= value(best.x) + 1e-12
        assert_allclose(t, best.x, atol=1e-5)


def test_a_line_that_rises_is_not_followed():
    step = exact_step(np.array([2.0]), np.array([1.0]), np.zeros((0, 1)), np.zeros((0, 1)))
    assert step == 0


@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_the_machine_is_optimal(seed, intercept):
    """The gradient of the objective is G(c - r), with r the residuals of the active rows."""
    G, y = kernel_and_labels(seed)
    c, b, steps = squared_hinge_machine(G, y, intercept=intercept)
    f = G @ c + b
    assert_allclose(c, np.where(y * f < 1, y - f, 0), atol=1e-9)
    assert 1 < steps < 30
    assert 5 < np.count_nonzero(c) < len(y)
    if intercept:
        assert abs(b) > 1e-3
        assert_allclose(c.sum(), 0, atol=1e-9)
    else:
        assert b == 0


@pytest.mark.parametrize("intercept", [False, True])
def test_the_squared_error_machine_solves_its_system(intercept):
    G, y = kernel_and_labels(9)
    Y = np.column_stack([y, y[::-1]])
    c, b = squared_error_machine(G, Y, intercept=intercept)
    assert_allclose(c, Y - G @ c - b, atol=1e-9)
    assert_allclose(c.sum(axis=0) if intercept else b, 0, atol=1e-9)
