"""What HSIC and its test mean, by simulation, and at the edges."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom
from sklearn.datasets import load_iris

from conftest import peak_bytes
from hsic_reference import NAMES, dependent_sample, params
from ssrlpl import SSRLPL, KernelSSRLPL
from ssrlpl.hsic.estimates import HSICTestResult, hsic, hsic_test


@pytest.fixture
def data():
    return dependent_sample()


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
    if kernel_y == "delta":
        peak = peak_bytes(lambda: hsic_test(X, y, n_permutations=20))
    else:
        peak = peak_bytes(lambda: hsic(X, y, kernel_y=kernel_y))
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
