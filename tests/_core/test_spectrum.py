"""Block Lanczos against the dense solver, and the choice between them."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.exceptions import ConvergenceWarning

from ssrlpl._core import spectrum

DIM, COUNT = 300, 6
STEPS = np.arange(1.0, DIM)
# Each with the number of leading vectors that the spectrum determines.
SPECTRA = {
    "decaying": (1 / STEPS, 6),
    "steep": (np.exp(-STEPS), 6),
    "noise": (2 - np.sqrt(STEPS / DIM), 6),
    "low rank": (np.where(STEPS <= 3, 1 / STEPS, 0), 3),
    "rank of count": (np.where(STEPS <= 6, 7 - STEPS, 0), 6),
    "repeated": (np.ceil((DIM + 1 - STEPS) / 3), 6),
    "repeated at the cut": (np.where(STEPS <= 2, 5.0, np.where(STEPS <= 30, 1.0, 1e-3)), 2),
    "all equal": (np.ones(DIM - 1), 0),
    "zero": (np.zeros(DIM - 1), 0),
}


class Problem:
    """A positive matrix of known spectrum on the complement of one direction."""

    def __init__(self, values):
        rng = np.random.default_rng(4)
        Q = np.linalg.qr(rng.standard_normal((DIM, DIM)))[0]
        self.out, inside = Q[:, :1], Q[:, 1:]
        # Large in the direction that must not be chosen.
        self.matrix = (inside * values) @ inside.T + 50 * self.out @ self.out.T
        self.columns = []

    def apply(self, V):
        self.columns.append(V.shape[1])
        return self.matrix @ V

    def project(self, V):
        return V - self.out @ (self.out.T @ V)

    def solve(self, count=COUNT, tol=1e-8):
        return spectrum.top_eigenvectors(self.apply, DIM, count, project=self.project, tol=tol)


def lanczos(monkeypatch):
    monkeypatch.setattr(spectrum, "_dense_is_cheaper", lambda *_: False)


@pytest.mark.parametrize("name", SPECTRA)
def test_lanczos_equals_dense(name, monkeypatch):
    values, determined = SPECTRA[name]
    problem = Problem(values)
    dense_vectors, dense_values = problem.solve()
    assert len(problem.columns) == 1  # 300 dimensions are solved densely
    lanczos(monkeypatch)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        vectors, found = problem.solve()
    assert len(problem.columns) > 1
    assert_allclose(found, np.sort(values)[::-1][:COUNT], atol=1e-10 * max(values[0], 1))
    assert_allclose(found, dense_values, atol=1e-10 * max(values[0], 1))
    assert_allclose(vectors.T @ vectors, np.eye(COUNT), atol=1e-9)
    assert_allclose(problem.out.T @ vectors, 0, atol=1e-9)
    residual = problem.matrix @ vectors - vectors * found
    assert np.abs(residual).max() <= 1e-7 * max(values[0], 1)
    V, W = vectors[:, :determined], dense_vectors[:, :determined]
    assert_allclose(V @ V.T, W @ W.T, atol=1e-5)


def test_vectors_that_are_unique_agree_with_their_signs(monkeypatch):
    problem = Problem(SPECTRA["decaying"][0])
    expected, _ = problem.solve()
    lanczos(monkeypatch)
    assert_allclose(problem.solve()[0], expected, atol=1e-6)
    assert np.array_equal(problem.solve()[0], problem.solve()[0])


def test_running_out_of_blocks_warns_with_the_cure(monkeypatch):
    lanczos(monkeypatch)
    monkeypatch.setattr(spectrum, "_MAX_BLOCKS", 2)
    problem = Problem(SPECTRA["noise"][0])
    with pytest.warns(ConvergenceWarning, match="Got .* after 2 blocks .*: lower n_components"):
        vectors, _ = problem.solve()
    assert_allclose(vectors.T @ vectors, np.eye(COUNT), atol=1e-9)


def test_converging_in_the_last_block_does_not_warn(monkeypatch):
    lanczos(monkeypatch)
    problem = Problem(SPECTRA["steep"][0])
    problem.solve()
    monkeypatch.setattr(spectrum, "_MAX_BLOCKS", len(problem.columns))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        problem.solve()


@pytest.mark.parametrize(
    ("dim", "count", "dense"),
    [
        (512, 1, True),
        (1000, 5, False),
        (1000, 80, True),  # many vectors: 12 blocks of Lanczos would fill the space
        (2000, 100, False),
        (2000, 200, True),
        (50_000, 500, False),
        (9000, 1000, False),  # a matrix of this size is avoided while it can be
        (3000, 1000, True),
    ],
)
def test_the_cheaper_solver_is_taken(dim, count, dense):
    assert spectrum._dense_is_cheaper(dim, count) == dense
    assert spectrum.eigen_bytes(dim, count) > 0


def test_no_more_columns_are_applied_than_there_are_dimensions(monkeypatch):
    lanczos(monkeypatch)
    problem = Problem(SPECTRA["noise"][0])
    problem.solve(count=60)
    assert sum(problem.columns) <= DIM
