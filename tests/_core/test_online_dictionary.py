"""Moments of batches add up, fade, and give the best atoms."""

import numpy as np
from numpy.testing import assert_allclose, assert_array_equal

from ssrlpl._core.blocks import unit_rows
from ssrlpl._core.ksvd import codes_over, ridge_left_out, ridge_map
from ssrlpl._core.online_dictionary import Moments


def sample(n=40, d=8, k=10):
    rng = np.random.default_rng(0)
    return rng.normal(size=(n, d)), unit_rows(rng.normal(size=(k, d))), rng.random(n)


def test_batches_add_up_and_old_ones_fade():
    X, D, w = sample()
    Z = codes_over(X, D, 3)
    moments = Moments(*D.shape)
    moments.add(X[:25], Z[:25], w[:25], keep=0.5)
    moments.add(X[25:], Z[25:], w[25:], keep=0.5)
    faded = w * np.where(np.arange(40) < 25, 0.5, 1)
    assert_allclose(moments.pairs, (faded[:, None] * Z).T @ Z)
    assert_allclose(moments.products, (faded[:, None] * Z).T @ X)


def test_every_atom_is_the_best_unit_one_beside_the_others():
    X, D, w = sample()
    Z = codes_over(X, D, 3)
    Z[:, 4] = 0
    moments = Moments(*D.shape)
    moments.add(X, Z, w, keep=0)
    found = D
    for _ in range(300):
        found = moments.better_atoms(found)
    assert_array_equal(found[4], D[4])  # no row uses it
    rest = X - Z @ found
    for k in range(len(D)):
        if k != 4:
            wanted = (w * Z[:, k]) @ (rest + Z[:, [k]] * found[k])
            assert_allclose(found[k], wanted / np.linalg.norm(wanted), atol=1e-6)


def test_left_out_values_are_those_of_refits():
    X, _, _ = sample()
    H = np.eye(3)[np.arange(40) % 3]
    found = ridge_left_out(X, H, 0.7)
    for i in (0, 13):
        rest = np.delete(np.arange(40), i)
        assert_allclose(found[i], X[i] @ ridge_map(X[rest], H[rest], 0.7))
