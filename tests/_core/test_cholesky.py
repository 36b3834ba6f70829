"""Linear systems with a symmetric positive definite matrix."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import linalg

from ssrlpl._core import cholesky
from ssrlpl._core.cholesky import positive_inverse, positive_solver


def positive_matrix(n=50):
    rows = np.random.default_rng(0).standard_normal((n, n + 5))
    return rows @ rows.T


@pytest.mark.parametrize("side", [7, 25, 50, 512])
def test_solution_is_that_of_the_inverse_for_any_size_of_tiles(monkeypatch, side):
    monkeypatch.setattr(cholesky, "_SIDE", side)
    A, R = positive_matrix(), np.random.default_rng(1).standard_normal((50, 3))
    expected = np.linalg.inv(A) @ R
    for layout in (np.ascontiguousarray, np.asfortranarray):
        assert_allclose(positive_solver(layout(A.copy()))(R), expected, rtol=1e-8)


def test_tiles_hold_the_factor_of_lapack(monkeypatch):
    monkeypatch.setattr(cholesky, "_SIDE", 8)
    A = positive_matrix()
    expected = linalg.cholesky(A, lower=True)
    cholesky._factorize(A)
    assert_allclose(np.tril(A), expected, rtol=1e-10, atol=1e-12)


def test_an_indefinite_matrix_is_refused_in_whichever_tile_it_shows(monkeypatch):
    monkeypatch.setattr(cholesky, "_SIDE", 8)
    A = positive_matrix()
    A[40, 40] = -1.0
    with pytest.raises(linalg.LinAlgError):
        positive_solver(A)


def test_the_inverse_is_whole_and_symmetric():
    A = positive_matrix()
    found = positive_inverse(A.copy())
    assert_allclose(found @ A, np.eye(50), atol=1e-9)
    assert_allclose(found, found.T, rtol=0, atol=0)
