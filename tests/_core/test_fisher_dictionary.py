"""The objective of FDDL: its gradient against differences, its steps by optimality."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from ssrlpl._core.blocks import unit_rows
from ssrlpl._core.fisher_dictionary import FisherDictionary


def problem(lambda_1=0.02, lambda_2=0.3):
    rng = np.random.default_rng(0)
    codes = np.repeat([0, 1, 2], (5, 7, 4))
    atom_classes = np.repeat([0, 1, 2], (3, 2, 4))
    X, D = rng.normal(size=(16, 6)), unit_rows(rng.normal(size=(9, 6)))
    return FisherDictionary(X, codes, atom_classes, lambda_1, lambda_2), D, rng


def test_fisher_term_by_its_definition_and_its_gradient_by_differences():
    p, _, rng = problem()
    Z, step = rng.normal(size=(16, 9)), rng.normal(size=(16, 9))

    def half_bracket(Z):
        total = np.sum(Z**2)
        for c in range(3):
            own, mean = Z[p.codes == c], Z[p.codes == c].mean(axis=0)
            total += np.sum((own - mean) ** 2) - len(own) * np.sum((mean - Z.mean(axis=0)) ** 2)
        return total / 2

    h = 1e-5
    numeric = (half_bracket(Z + h * step) - half_bracket(Z - h * step)) / (2 * h)
    assert_allclose(np.vdot(p.fisher_gradient(Z), step), numeric, rtol=1e-7)
    no_atoms = np.zeros((9, 6))
    rest = p.objective(no_atoms, Z) - p.lambda_1 * np.abs(Z).sum()
    assert_allclose(rest, np.sum(p.X**2) + p.lambda_2 * half_bracket(Z))  # both fits leave all


def test_codes_are_optimal():
    p, D, _ = problem()
    Z = np.zeros((16, 9))
    for _ in range(40):
        Z = p.better_codes(D, Z, 500)
    h, pull = 1e-6, np.empty_like(Z)
    smooth = FisherDictionary(p.X, p.codes, p.atom_classes, 0.0, p.lambda_2)
    for place in np.ndindex(Z.shape):
        E = np.zeros_like(Z)
        E[place] = h
        pull[place] = (smooth.objective(D, Z - E) - smooth.objective(D, Z + E)) / (2 * h)
    assert_allclose(pull[Z != 0], p.lambda_1 * np.sign(Z[Z != 0]), atol=2e-3)
    assert np.abs(pull).max() <= p.lambda_1 + 2e-3


def test_atoms_are_optimal_in_the_ball():
    p, D, rng = problem()
    Z = p.better_codes(D, np.zeros((16, 9)), 100)
    best = p.better_atoms(D, Z, 300)
    assert np.linalg.norm(best, axis=1).max() <= 1 + 1e-12
    value = p.objective(best, Z)
    assert value < p.objective(D, Z)
    for _ in range(50):
        other = best + 0.05 * rng.normal(size=D.shape)
        other /= np.maximum(1, np.linalg.norm(other, axis=1, keepdims=True))
        assert p.objective(other, Z) >= value - 1e-10


@pytest.mark.parametrize("rounds", [1, 3])
def test_both_steps_lower_the_objective(rounds):
    p, D, _ = problem()
    Z = np.zeros((16, 9))
    values = [p.objective(D, Z)]
    for _ in range(8):
        Z = p.better_codes(D, Z, 20)
        values.append(p.objective(D, Z))
        D = p.better_atoms(D, Z, rounds)
        values.append(p.objective(D, Z))
    assert np.all(np.diff(values) <= 1e-12)
