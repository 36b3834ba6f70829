"""Pursuit against scikit-learn's, K-SVD by what a sweep promises."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.linear_model import orthogonal_mp_gram

from ssrlpl._core import ksvd as ksvd_module
from ssrlpl._core.blocks import unit_rows
from ssrlpl._core.ksvd import _best_pair, codes_over, ksvd, ksvd_sweep, pursue, ridge_map


def rows_and_atoms(n=60, d=12, k=20, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, d)), unit_rows(rng.normal(size=(k, d)))


@pytest.mark.parametrize("n_nonzero", [1, 4, 12])
def test_pursuit_equals_scikit_learn(n_nonzero):
    X, D = rows_and_atoms()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it complains when nothing is left to explain
        theirs = orthogonal_mp_gram(D @ D.T, D @ X.T, n_nonzero_coefs=n_nonzero).T
    ours = codes_over(X, D, n_nonzero)
    assert_allclose(ours, theirs, atol=1e-9)
    assert np.count_nonzero(ours, axis=1).max() <= n_nonzero


def test_pursuit_leaves_nothing_along_its_atoms_whatever_the_block(monkeypatch):
    X, D = rows_and_atoms(n=200)
    codes = codes_over(X, D, 5)
    along = (X - codes @ D) @ D.T
    assert_allclose(along[codes != 0], 0, atol=1e-12)
    monkeypatch.setattr(ksvd_module, "block_rows", lambda _: 7)
    assert_allclose(codes_over(X, D, 5), codes, atol=1e-14)


def test_pursuit_stops_where_nothing_is_left():
    D = np.array([[1.0, 0, 0], [1.0, 0, 0], [0, 1.0, 0], [0, 0, 0]])
    X = np.array([[2.0, 0, 0], [0, 0, 0], [1.0, 3.0, 0]])
    expected = [[2, 0, 0, 0], [0, 0, 0, 0], [1, 0, 3, 0]]
    assert_array_equal(pursue(D @ D.T, X @ D.T, 4), expected)


def test_no_other_pair_is_better():
    E = np.random.default_rng(1).normal(size=(9, 5))
    for rows in (E, E[:3]):
        d, z = _best_pair(rows, rows[0])
        values = np.linalg.svd(rows, compute_uv=False)
        assert_allclose(np.sum((rows - np.outer(z, d)) ** 2), np.sum(values[1:] ** 2))
        assert d @ rows[0] >= 0


def test_objective_never_rises_and_codes_of_both_signs_are_updated():
    X, D = rows_and_atoms(n=80)
    D, Z, objective = ksvd(X, D, 3, 12)
    assert np.all(np.diff(objective) <= 1e-10)
    assert objective[-1] < 0.9 * objective[0]
    assert (Z < 0).any()
    assert (Z > 0).any()
    assert_allclose(np.linalg.norm(D, axis=1), 1)
    assert np.count_nonzero(Z, axis=1).max() <= 3
    # Refitting the atoms to rows with positive codes only is a worse answer.
    k = int(np.argmax(np.count_nonzero(Z, axis=0)))
    users = np.flatnonzero(Z[:, k])
    E = (X - Z @ D)[users] + Z[users, k, None] * D[k]
    some = _best_pair(E[Z[users, k] > 0], D[k])[0]
    both = _best_pair(E, D[k])[0]
    assert np.sum((E @ both) ** 2) > np.sum((E @ some) ** 2)


def test_a_row_scaled_by_a_root_counts_as_often():
    X, D = rows_and_atoms(n=30, k=6)
    often = np.tile([1, 2, 3], 10)
    repeated = ksvd(np.repeat(X, often, axis=0), D, 2, 4)
    scaled = ksvd(np.sqrt(often)[:, None] * X, D, 2, 4)
    assert_allclose(scaled[0], repeated[0], atol=1e-7)
    assert_allclose(scaled[2], repeated[2])


def test_an_unused_atom_becomes_the_worst_row():
    X = np.array([[1.0, 0, 0], [1.0, 0.1, 0], [0.9, 0, 0.5]])
    D, Z = ksvd_sweep(X, np.array([[1.0, 0, 0], [0, -1.0, 0.0]]), 1, None)
    assert not Z[:, 1].any()
    rest = X - Z @ D
    assert_allclose(D[1], unit_rows(rest[2:])[0])


def test_ridge_map_is_the_minimum():
    X, H = rows_and_atoms(n=30, k=30)[0], np.eye(3)[np.arange(30) % 3]
    W = ridge_map(X, H, 0.5)
    assert_allclose(X.T @ (X @ W - H) + 0.5 * W, 0, atol=1e-12)
