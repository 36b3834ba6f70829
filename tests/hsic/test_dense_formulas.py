"""HSIC and its p-values against dense formulas, with small blocks, with and without factors."""

from __future__ import annotations

import importlib
from functools import partial
from itertools import product

import numpy as np
import pytest
from scipy import sparse
from scipy.spatial.distance import cdist
from scipy.stats import gamma

from hsic_reference import (
    GAMMA,
    GAMMA_Y,
    NAMES,
    dense_biased,
    dense_kernel,
    dense_unbiased,
    dependent_sample,
    params,
)
from ssrlpl._core.kernels import Kernel
from ssrlpl.hsic import centered_grams, dependence
from ssrlpl.hsic.estimates import hsic, hsic_test

# By name: the package may export the function hsic under the module's own name.
module = importlib.import_module("ssrlpl.hsic.estimates")


DENSE = {"biased": dense_biased, "unbiased": dense_unbiased}


def dense_gamma_p_value(K, L):
    """Gretton et al. (2008) as in section 3 of their paper, for k(x, x) of any size."""
    m = len(K)
    H = np.eye(m) - np.ones((m, m)) / m
    Kc, Lc = H @ K @ H, H @ L @ H
    mu_x, mu_y = ((G.sum() - np.trace(G)) / (m * (m - 1)) for G in (K, L))
    mean = (np.trace(K) / m - mu_x) * (np.trace(L) / m - mu_y) / m
    B = (Kc * Lc) ** 2
    off = (B.sum() - np.trace(B)) / (m * (m - 1))
    variance = 2 * (m - 4) * (m - 5) / (m * (m - 1) * (m - 2) * (m - 3)) * off
    statistic = np.sum(Kc * Lc) / m**2
    return gamma.sf(statistic, mean**2 / variance, scale=variance / mean)


@pytest.fixture
def data():
    return dependent_sample()


@pytest.fixture(params=["factors", "streamed"])
def route(request, monkeypatch):
    """With small blocks; and once with, once without the low-rank factors."""
    monkeypatch.setattr(centered_grams, "gram_block_rows", lambda _: 16)
    if request.param == "streamed":
        monkeypatch.setattr(centered_grams, "_most_columns", lambda _: 0)


def both_kernels(data, kernel, kernel_y):
    X, Y, labels = data
    target = labels if kernel_y == "delta" else Y
    return target, dense_kernel(kernel, X, GAMMA), dense_kernel(kernel_y, target, GAMMA_Y)


@pytest.mark.parametrize("estimator", ["biased", "unbiased"])
@pytest.mark.parametrize(("kernel", "kernel_y"), list(product(NAMES, (*NAMES, "delta"))))
@pytest.mark.usefixtures("route")
def test_equals_the_dense_formula(data, kernel, kernel_y, estimator):
    target, K, L = both_kernels(data, kernel, kernel_y)
    expected = DENSE[estimator](K, L)
    found = hsic(data[0], target, estimator=estimator, **params(kernel, kernel_y))
    assert found == pytest.approx(expected, rel=1e-10)
    assert abs(expected) > 1e-6  # so that the comparison says something


@pytest.mark.parametrize("estimator", ["biased", "unbiased"])
@pytest.mark.usefixtures("route")
def test_precomputed_callable_and_sparse_kernels_agree(data, estimator):
    X, Y, labels = data
    expected = hsic(X, labels, gamma=GAMMA, estimator=estimator)
    K, L = dense_kernel("rbf", X, GAMMA), dense_kernel("delta", labels, 0)
    call = partial(hsic, estimator=estimator)

    def rbf(A, B, width):
        return np.exp(-width * cdist(A, B, "sqeuclidean"))

    assert call(K, labels, kernel="precomputed") == pytest.approx(expected, rel=1e-12)
    assert call(K, L, kernel="precomputed", kernel_y="precomputed") == pytest.approx(expected)
    assert call(X, labels, kernel=rbf, kernel_params={"width": GAMMA}) == pytest.approx(expected)
    assert call(sparse.csr_array(X), labels, gamma=GAMMA) == pytest.approx(expected)
    assert call(X, sparse.csr_array(Y)) == pytest.approx(call(X, Y), rel=1e-10)


@pytest.mark.parametrize("kernel_y", ["delta", "rbf", "laplacian", "precomputed"])
@pytest.mark.parametrize("estimator", ["biased", "unbiased"])
@pytest.mark.usefixtures("route")
def test_permutation_p_value_equals_the_dense_one(data, kernel_y, estimator):
    X, Y, labels = data
    weak = (X, np.roll(Y, 11, axis=0), np.roll(labels, 11))
    name = "rbf" if kernel_y == "precomputed" else kernel_y
    target, K, L = both_kernels(weak, "laplacian", name)
    result = hsic_test(
        X, L if kernel_y == "precomputed" else target, estimator=estimator,
        n_permutations=60, random_state=5, **params("laplacian", kernel_y),
    )  # fmt: skip
    rng = np.random.RandomState(5)
    orders = [rng.permutation(len(X)) for _ in range(60)]
    null = np.array([DENSE[estimator](K, L[np.ix_(order, order)]) for order in orders])
    observed = DENSE[estimator](K, L)
    assert result.statistic == pytest.approx(observed, rel=1e-9)
    assert result.p_value == (1 + np.sum(null >= observed)) / 61
    assert 1 / 61 < result.p_value < 1


@pytest.mark.parametrize(("x_factor", "y_factor"), list(product([True, False], repeat=2)))
def test_every_null_value_equals_the_dense_one(data, monkeypatch, x_factor, y_factor):
    monkeypatch.setattr(centered_grams, "gram_block_rows", lambda _: 10)
    monkeypatch.setattr(dependence, "BLOCK_BYTES", 8 * 37 * 2 * 3)  # a few orders at a time
    X, Y, _ = data
    K, L = X @ X.T, Y @ Y.T
    grams = [
        centered_grams.table_gram(A, Kernel("linear")) if factor else centered_grams.matrix_gram(G)
        for A, G, factor in ((X, K, x_factor), (Y, L, y_factor))
    ]
    orders = np.array([np.random.default_rng(s).permutation(37) for s in range(11)], np.int32)
    swap = x_factor and not y_factor
    first, second = grams[::-1] if swap else grams
    G1, G2 = (L, K) if swap else (K, L)
    traces = dependence.permuted_traces(first, second, orders)
    biased = [dense_biased(G1, G2[np.ix_(o, o)]) for o in orders]
    unbiased = [dense_unbiased(G1, G2[np.ix_(o, o)]) for o in orders]
    np.testing.assert_allclose(dependence.biased_estimate(traces, 37), biased, rtol=1e-9)
    found = dependence.unbiased_estimate(traces, first, second, orders)
    np.testing.assert_allclose(found, unbiased, rtol=1e-8, atol=1e-12)


def test_batches_of_permutations_do_not_change_the_answer(data, monkeypatch):
    X, _, labels = data
    weak = np.roll(labels, 7)
    whole = hsic_test(X, weak, n_permutations=50)
    monkeypatch.setattr(module, "_ORDER_BYTES", 4 * 37 * 7)
    assert hsic_test(X, weak, n_permutations=50) == whole


@pytest.mark.parametrize(("kernel", "kernel_y"), [("rbf", "delta"), ("linear", "polynomial")])
@pytest.mark.usefixtures("route")
def test_gamma_p_value_equals_the_dense_formula(data, kernel, kernel_y):
    X, Y, labels = data
    target, K, L = both_kernels((X, Y[::-1], labels[::-1]), kernel, kernel_y)
    result = hsic_test(X, target, method="gamma", **params(kernel, kernel_y))
    assert result.p_value == pytest.approx(dense_gamma_p_value(K, L), rel=1e-8)
    assert result.statistic == pytest.approx(dense_biased(K, L), rel=1e-10)
    assert 0.001 < result.p_value < 0.999


def test_a_row_of_zeros_has_no_direction():
    X = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 2.0], [1.0, 1.0], [3.0, -1.0]])
    y = np.array([0, 1, 0, 1, 1])
    unit = X / np.maximum(np.linalg.norm(X, axis=1, keepdims=True), 1e-300)
    expected = dense_unbiased(unit @ unit.T, dense_kernel("delta", y, 0))
    for table in (X, sparse.csr_array(X)):
        found = hsic(table, y, kernel="cosine", estimator="unbiased")
        assert found == pytest.approx(expected, rel=1e-10)
