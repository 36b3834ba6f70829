"""Label propagation: what becomes a probability vector, and what is too little to be one."""

import numpy as np
from numpy.testing import assert_allclose

from ssrlpl._core.diffusion import hidden_distributions, label_distributions, mass_factors


def test_what_the_solver_leaves_of_nothing_is_nothing():
    """A value within the error of the solver is no label: the row gets the class shares."""
    F = np.array([[0.2, 0.6], [1e-14, 3e-13]])
    Y, has_mass = label_distributions(F.copy(), np.array([1.0, 3.0]), balance=False)
    assert has_mass.tolist() == [True, False]
    assert_allclose(Y, [[0.25, 0.75], [0.25, 0.75]])


def test_a_fit_of_one_row_is_measured_by_the_largest_value_of_the_fit():
    F = np.array([[0.2, 0.6], [1e-14, 3e-13]])
    counts = np.array([[1.0, 1.0], [3.0, 1.0]])
    assert_allclose(hidden_distributions(F, counts, 1.0), [[0.25, 0.75], [0.75, 0.25]])


def test_class_masses_follow_the_labels_plus_one():
    factors = mass_factors(np.array([4.0, 2.0, 0.0, 5.0]), np.array([1.0, 3.0, 2.0, 0.0]))
    assert_allclose(factors, [0.5, 2.0, 0.0, 0.0])
