"""The deformed kernel and conjugate gradients, against dense algebra and by optimality."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from conftest import problem
from ssrlpl._core.graph_penalty import (
    PenalizedLoss,
    deformed_kernel,
    descend,
    factor_deformation,
    kernel_product,
)
from ssrlpl._core.kernels import Kernel
from ssrlpl._core.neighbor_graph import neighbor_graph
from ssrlpl._core.shared import SharedRows
from ssrlpl._utils import limits


def parts(n=60):
    X, y, _ = problem(n)
    laplacian = neighbor_graph(*SharedRows(X).neighbors("euclidean", 5), kind="heat").laplacian()
    K = Kernel("rbf", 0.05).square(X)
    labeled = np.flatnonzero(y >= 0)
    Y = np.where(y[labeled, None] == np.arange(3), 1.0, -1.0)
    return X, K, laplacian, labeled, Y


@pytest.mark.parametrize("gamma_I", [0.0, 0.3])
def test_the_deformed_kernel_is_that_of_the_penalized_norm(gamma_I):
    """In the norm γ_A|f|² + γ_I fᵀLf the kernel is (γ_A K⁻¹ + γ_I L)⁻¹."""
    _, K, laplacian, labeled, _ = parts()
    factor = factor_deformation(K, laplacian, gamma_I / 0.7) if gamma_I else None
    Z, G = deformed_kernel(K, factor, labeled, 0.7)
    expected = np.linalg.inv(0.7 * np.linalg.inv(K) + gamma_I * laplacian.toarray())
    assert_allclose(G, expected[np.ix_(labeled, labeled)], atol=1e-8)
    assert_allclose(K @ Z, expected[:, labeled], atol=1e-8)


@pytest.mark.parametrize("hinge", [True, False])
@pytest.mark.parametrize("intercept", [True, False])
def test_conjugate_gradients_end_where_the_gradient_vanishes(hinge, intercept):
    _, K, laplacian, labeled, Y = parts()
    loss = PenalizedLoss(lambda B: K @ B, laplacian, labeled, 0.1, 0.2, hinge, intercept)
    alpha, b, image, counts = descend(loss, Y, stability=0.0, max_iter=3000)
    f = K @ alpha + b
    assert_allclose(image + b, f, atol=1e-10)
    residual = np.zeros_like(f)
    counts_here = (Y * f[labeled] < 1) | (not hinge)
    residual[labeled] = np.where(counts_here, f[labeled] - Y, 0)
    assert_allclose(0.1 * alpha + 0.2 * (laplacian @ f) + residual, 0, atol=1e-6)
    assert counts.max() < 3000
    if intercept:
        assert_allclose(residual.sum(axis=0), 0, atol=1e-7)
    if hinge:
        assert (Y * f[labeled] > 1).any()
        assert_array_equal(residual[labeled][Y * f[labeled] > 1], 0)


def test_every_column_stops_on_its_own():
    _, K, laplacian, labeled, Y = parts()
    loss = PenalizedLoss(lambda B: K @ B, laplacian, labeled, 1e-6, 1e-3, True, False)
    alpha, _, _, counts = descend(loss, Y, stability=0.02, max_iter=100)
    alone = [descend(loss, y[:, None], stability=0.02, max_iter=100) for y in Y.T]
    assert len(set(counts.tolist())) > 1
    assert_array_equal(counts, [one[3][0] for one in alone])
    assert_allclose(alpha, np.hstack([one[0] for one in alone]), atol=1e-6)


def test_a_large_kernel_matrix_is_kept_in_single_precision_or_not_at_all(monkeypatch):
    X, K, *_ = parts()
    B = np.random.default_rng(0).normal(size=(len(X), 2))
    exact = kernel_product(Kernel("rbf", 0.05), X)(B)
    assert_allclose(exact, K @ B, atol=1e-12)
    monkeypatch.setattr(limits, "EXACT_KERNEL_ROWS", len(X) - 1)
    single = kernel_product(Kernel("rbf", 0.05), X)(B)
    assert_allclose(single, exact, atol=1e-4)
    assert not np.allclose(single, exact, atol=1e-9, rtol=0)
    monkeypatch.setattr(limits, "KERNEL_MEMORY_ROWS", len(X) - 1)
    assert_allclose(kernel_product(Kernel("rbf", 0.05), X)(B), exact, atol=1e-12)
