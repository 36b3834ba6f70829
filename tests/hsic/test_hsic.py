"""HSIC and its test against dense formulas, by simulation, and at the edges."""

from __future__ import annotations

import importlib
import tracemalloc
from functools import partial
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.spatial.distance import cdist
from scipy.stats import binom, gamma
from sklearn.datasets import load_iris

from ssrlpl import SSRLPL, KernelSSRLPL
from ssrlpl._core.kernels import Kernel
from ssrlpl.hsic import centered_grams, dependence
from ssrlpl.hsic.estimates import HSICTestResult, hsic, hsic_test

# By name: the package may export the function hsic under the module's own name.
module = importlib.import_module("ssrlpl.hsic.estimates")

GAMMA, GAMMA_Y, DEGREE, COEF0 = 0.3, 0.7, 2, 0.5


def dense_kernel(name, A, g):
    """The kernels by their definitions, entry by entry where it matters."""
    if name == "delta":
        return (A[:, None] == A).astype(float)
    unit = A / np.linalg.norm(A, axis=1, keepdims=True)
    return {
        "rbf": lambda: np.exp(-g * cdist(A, A, "sqeuclidean")),
        "laplacian": lambda: np.exp(-g * cdist(A, A, "cityblock")),
        "polynomial": lambda: (g * A @ A.T + COEF0) ** DEGREE,
        "linear": lambda: A @ A.T,
        "cosine": lambda: unit @ unit.T,
    }[name]()


def dense_biased(K, L):
    n = len(K)
    H = np.eye(n) - np.ones((n, n)) / n
    return np.trace(K @ H @ L @ H) / (n - 1) ** 2


def dense_unbiased(K, L):
    """Song et al. (2012), eq. 5."""
    n, one = len(K), np.ones(len(K))
    K, L = K - np.diag(np.diag(K)), L - np.diag(np.diag(L))
    cross = one @ K @ L @ one
    return (np.trace(K @ L) + K.sum() * L.sum() / ((n - 1) * (n - 2)) - 2 / (n - 2) * cross) / (
        n * (n - 3)
    )


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
    rng = np.random.default_rng(3)
    X = rng.standard_normal((37, 3)) + 1.0
    Y = X[:, :2] ** 2 + rng.standard_normal((37, 2))
    labels = np.array(["ant", "bee", "cow"])[np.digitize(X[:, 0], [0.5, 1.5])]
    return X, Y, labels


@pytest.fixture(params=["factors", "streamed"])
def route(request, monkeypatch):
    """With small blocks; and once with, once without the low-rank factors."""
    monkeypatch.setattr(centered_grams, "gram_block_rows", lambda _: 16)
    if request.param == "streamed":
        monkeypatch.setattr(centered_grams, "_most_columns", lambda _: 0)


NAMES = ("rbf", "laplacian", "polynomial", "linear", "cosine")


def params(kernel, kernel_y, gamma=GAMMA, gamma_y=GAMMA_Y):
    """The arguments of two kernels, γ only for those that have one."""
    found = {"kernel": kernel, "kernel_y": kernel_y, "degree": DEGREE, "coef0": COEF0}
    if kernel in NAMES[:3]:
        found["gamma"] = gamma
    if kernel_y in NAMES[:3]:
        found["gamma_y"] = gamma_y
    return found


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


# What the numbers mean ---------------------------------------------------------------------------


def test_ssrlpl_objective_is_the_hsic_of_its_representation():
    X, y = load_iris(return_X_y=True)
    y[np.arange(150) % 10 != 0] = -1
    ssrlpl = SSRLPL().fit(X, y)
    Z, Y = ssrlpl.transform(X), ssrlpl.label_distributions_
    assert hsic(Z, Y, kernel="linear", kernel_y="linear") == pytest.approx(ssrlpl.objective_)
    kernel_map = KernelSSRLPL().fit(X, y)
    Z, Y = kernel_map.transform(X), kernel_map.label_distributions_
    assert hsic(Z, Y, kernel="linear") == pytest.approx(kernel_map.objective_)
    # All C-1 directions are kept, so nothing of the dependence of X itself is lost.
    assert hsic(X, Y, gamma=kernel_map.gamma_) == pytest.approx(kernel_map.objective_)


def independent_draws(seed, n):
    rng = np.random.default_rng(seed)
    return rng.standard_normal((n, 2)), rng.integers(0, 3, n)


def test_unbiased_is_zero_on_average_and_biased_is_not():
    draws = [independent_draws(seed, 20) for seed in range(250)]
    for estimator, centered_at_zero in (("unbiased", True), ("biased", False)):
        values = [hsic(X, y, gamma=0.5, estimator=estimator) for X, y in draws]
        z = np.mean(values) / (np.std(values) / np.sqrt(len(values)))
        assert (abs(z) < 3.5) == centered_at_zero


@pytest.mark.parametrize(
    ("method", "estimator"),
    [("permutation", "biased"), ("permutation", "unbiased"), ("gamma", "biased")],
)
def test_p_values_are_uniform_under_independence(method, estimator):
    draws = [independent_draws(seed, 40) for seed in range(200)]
    p = np.array(
        [
            hsic_test(X, y, method=method, estimator=estimator, n_permutations=59, random_state=s)
            .p_value for s, (X, y) in enumerate(draws)
        ]
    )  # fmt: skip
    for level in (0.1, 0.3, 0.5, 0.9):
        low, high = binom.interval(0.9995, len(p), level)
        assert low <= np.sum(p <= level) <= high


def test_power_against_dependence_without_correlation():
    rng = np.random.default_rng(0)
    x = rng.uniform(-1, 1, 120)
    y = x**2 + 0.2 * rng.standard_normal(120)
    for method in ("permutation", "gamma"):
        assert hsic_test(x, y, kernel_y="rbf", method=method).p_value < 0.01
        blind = hsic_test(x, y, kernel="linear", kernel_y="linear", method=method)
        assert blind.p_value > 0.05  # a linear kernel sees correlation only


@settings(max_examples=30, deadline=None)
@given(st.integers(4, 30), st.integers(0, 10**6), st.sampled_from(["biased", "unbiased"]))
def test_the_order_of_the_rows_does_not_matter(n, seed, estimator):
    rng = np.random.default_rng(seed)
    X, y = rng.standard_normal((n, 3)), rng.choice(["a", "b", "c"], n)
    order = rng.permutation(n)
    expected = hsic(X, y, estimator=estimator)
    assert hsic(X[order], y[order], estimator=estimator) == pytest.approx(expected, abs=1e-14)


@settings(max_examples=30, deadline=None)
@given(st.integers(2, 30), st.integers(0, 10**6), st.sampled_from(NAMES))
def test_symmetric_and_biased_never_negative(n, seed, kernel):
    rng = np.random.default_rng(seed)
    X, Y = rng.standard_normal((n, 2)), rng.standard_normal((n, 3))
    value = hsic(X, Y, **params(kernel, "rbf", 0.4, 0.6))
    swapped = hsic(Y, X, **params("rbf", kernel, 0.6, 0.4))
    assert value == pytest.approx(swapped, rel=1e-9)
    assert value > -1e-15


@pytest.mark.parametrize("estimator", ["biased", "unbiased"])
def test_a_large_offset_costs_no_digits(data, estimator):
    X, Y, labels = data
    X, Y = np.round(X, 3), np.round(Y, 3)
    for kernel_y, target, moved in (
        ("linear", Y, Y - 2**20),
        ("delta", labels, labels),
    ):
        call = partial(hsic, kernel="linear", kernel_y=kernel_y, estimator=estimator)
        assert call(X + 2**20, moved) == pytest.approx(call(X, target), rel=1e-7)
    X, Y = X + 2**10, Y + 2**10  # precomputed kernels are already rounded at this size
    call = partial(hsic, kernel="precomputed", kernel_y="precomputed", estimator=estimator)
    plain = hsic(X, Y, kernel="linear", kernel_y="linear", estimator=estimator)
    assert call(X @ X.T, Y @ Y.T) == pytest.approx(plain, rel=1e-6)


# Determinism, types, size ------------------------------------------------------------------------


def test_same_seed_same_answer_and_another_seed_another(data):
    X, _, labels = data
    weak = np.roll(labels, 7)
    first = hsic_test(X, weak, random_state=1)
    assert first == hsic_test(X, weak, random_state=1)
    assert first.p_value != hsic_test(X, weak, random_state=2).p_value
    assert first.statistic == hsic(X, weak, random_state=1)
    assert hsic_test(X, weak, estimator="unbiased").statistic == hsic(X, weak, estimator="unbiased")


def test_median_draws_are_seeded():
    X = np.random.default_rng(0).standard_normal((700, 3))
    values = {hsic(X, X[:, 0] > 0, random_state=seed) for seed in (0, 0, 1)}
    assert len(values) == 2


def test_labels_of_any_type_give_the_same_number(data):
    X, _, labels = data
    codes = np.unique(labels, return_inverse=True)[1]
    expected = hsic(X, labels)
    for same in (list(labels), labels.astype(object), codes, codes - 1, codes.astype(float)):
        assert hsic(X, same) == pytest.approx(expected, rel=1e-14)
    assert hsic(X, codes[:, None], kernel_y="delta") == pytest.approx(expected, rel=1e-14)
    # |y - y'|² is 0 or 2 between one-hot rows, and their inner product is the delta kernel.
    assert hsic(X, np.eye(3)[codes]) == pytest.approx(expected, rel=1e-12)


def test_many_classes_take_no_one_hot_matrix():
    groups = np.arange(400) // 2
    X = np.random.default_rng(1).standard_normal((400, 2)) + groups[:, None] % 7
    assert isinstance(centered_grams.label_gram(groups), centered_grams.StreamedGram)
    L = dense_kernel("delta", groups, 0)
    assert hsic(X, groups, gamma=0.1) == pytest.approx(
        dense_biased(dense_kernel("rbf", X, 0.1), L), rel=1e-10
    )


def test_hundreds_of_classes_are_streamed_in_little_memory():
    codes = np.arange(4000) % 950  # below a quarter of the rows
    tracemalloc.start()
    gram = centered_grams.label_gram(codes)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert isinstance(gram, centered_grams.StreamedGram)
    assert peak < 1e6


def test_label_factors_keep_to_a_byte_limit(monkeypatch):
    monkeypatch.setattr(centered_grams, "_LABEL_BYTES", 8 * 400 * 60)
    for n_classes, kind in ((60, centered_grams.FactorGram), (61, centered_grams.StreamedGram)):
        assert isinstance(centered_grams.label_gram(np.arange(400) % n_classes), kind)
    monkeypatch.setattr(
        centered_grams, "_LABEL_BYTES", 0
    )  # few classes must never be quadratic in n
    assert isinstance(centered_grams.label_gram(np.arange(400) % 32), centered_grams.FactorGram)


def test_label_factor_is_the_only_array_of_its_size():
    codes = np.random.default_rng(0).integers(0, 200, 20_000)
    tracemalloc.start()
    gram = centered_grams.label_gram(codes)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert gram.factor.shape == (20_000, 199)
    assert peak < 1.2 * gram.factor.nbytes


@pytest.mark.parametrize("n_classes", [1, 2, 9, 30])
def test_label_factor_gives_the_centered_matrix(n_classes):
    codes = np.random.default_rng(2).permutation(np.r_[:n_classes, np.arange(60) ** 2 % n_classes])
    H = np.eye(len(codes)) - 1 / len(codes)
    gram = centered_grams.label_gram(codes)
    assert gram.factor.shape[1] == n_classes - 1
    np.testing.assert_allclose(
        gram.block(slice(None), slice(None)), H @ dense_kernel("delta", codes, 0) @ H, atol=1e-13
    )


def test_float32_is_close_to_float64(data):
    X, _, labels = data
    for kernel in NAMES:
        exact = hsic(X, labels, kernel=kernel)
        assert hsic(X.astype(np.float32), labels, kernel=kernel) == pytest.approx(exact, rel=1e-4)


@pytest.mark.parametrize("kernel_y", ["delta", "laplacian"])
def test_memory_stays_far_below_the_kernel_matrix(kernel_y):
    n = 6000
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((n, 20)), rng.integers(0, 5, n)
    tracemalloc.start()
    if kernel_y == "delta":
        hsic_test(X, y, n_permutations=20)
    else:
        hsic(X, y, kernel_y=kernel_y)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < n * n * 8 / 6


@pytest.mark.parametrize("value", [0.1, 1.1, 1e6 / 7])  # their means are not exact
def test_constant_variables_are_independent_of_everything(data, value):
    X, _, labels = data
    same = np.full((37, 2), value)
    for other in ({"kernel": "rbf"}, {"kernel": "linear"}, {"kernel": "laplacian"}):
        for method in ("permutation", "gamma"):
            result = hsic_test(same, labels, method=method, n_permutations=19, **other)
            assert result.p_value == 1
            assert result.statistic == pytest.approx(0, abs=1e-15)
    K = np.full((37, 37), value)
    assert hsic_test(K, labels, kernel="precomputed", n_permutations=19).p_value == 1
    assert hsic_test(X, ["a"] * 37, n_permutations=19).p_value == 1


def test_the_factor_of_a_constant_has_no_columns():
    for n, value in product(range(2, 300, 7), (0.1, 1.1, 1e6 / 7)):
        gram = centered_grams.table_gram(np.full((n, 2), value), Kernel("linear"))
        assert gram.factor.shape == (n, 0)


def test_permutations_that_change_nothing_count_as_ties():
    # Of 4 rows in two pairs, a third of all permutations keep the pairs together.
    X, y = [[0.0], [0.1], [5.0], [5.1]], ["a", "a", "b", "b"]
    p = hsic_test(X, y, kernel="laplacian", n_permutations=999).p_value
    assert p == pytest.approx(1 / 3, abs=0.05)


def test_result_prints_as_one_line():
    result = HSICTestResult(0.0123456, 0.001, "permutation", 999, "biased", 150)
    assert str(result) == "HSIC (biased) = 0.01235, p = 0.001 (999 permutations, n = 150)"
    assert "gamma approximation" in repr(HSICTestResult(0.1, 0.2, "gamma", 0, "biased", 150))


def test_progress_is_shown_for_long_tests_only(data, monkeypatch, capsys):
    X, _, labels = data
    hsic_test(X, labels, n_permutations=9, verbose=True)
    assert capsys.readouterr().err == ""
    monkeypatch.setattr("ssrlpl._utils.progress.PATIENCE_SECONDS", -1.0)
    hsic_test(X, labels, n_permutations=9, verbose=True, kernel="laplacian")
    assert "100%" in capsys.readouterr().err


# Wrong input -------------------------------------------------------------------------------------


def test_a_row_of_zeros_has_no_direction():
    X = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 2.0], [1.0, 1.0], [3.0, -1.0]])
    y = np.array([0, 1, 0, 1, 1])
    unit = X / np.maximum(np.linalg.norm(X, axis=1, keepdims=True), 1e-300)
    expected = dense_unbiased(unit @ unit.T, dense_kernel("delta", y, 0))
    for table in (X, sparse.csr_array(X)):
        found = hsic(table, y, kernel="cosine", estimator="unbiased")
        assert found == pytest.approx(expected, rel=1e-10)
