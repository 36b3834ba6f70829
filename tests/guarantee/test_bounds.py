"""The bounds: closed forms, the second-order identity, concentration tried to be broken."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy import linalg
from scipy.stats import binom
from sklearn.metrics.pairwise import rbf_kernel

from conftest import centering, problem
from ssrlpl import SSRLPL, KernelSSRLPL, KNNLabeler
from ssrlpl.guarantee import ErrorRate, bounds, concentration
from ssrlpl.guarantee.label_errors import LabelErrors, residual_vectors, whole_vectors
from ssrlpl.labels import encode_labels

MAPS = [SSRLPL(), KernelSSRLPL(), KernelSSRLPL(labeler=KNNLabeler(3, winner_take_all=True))]


def everything(estimator, X, y, truth):
    """A map, its label errors on all rows, and A(Y), A(Y_p) in explicit coordinates."""
    fitted, Y, Z = estimator.refit(X, encode_labels(y))
    geometry = estimator.products(X, None).geometry(Z)
    T = np.eye(Y.shape[1])[truth]
    unlabeled = np.flatnonzero(y < 0)
    sample = LabelErrors(geometry, unlabeled, (T - Y)[unlabeled], Y, unlabeled)
    H, n = centering(len(X)), len(X)
    if isinstance(estimator, SSRLPL):
        features, V = X, fitted.components_.T
    else:
        K = rbf_kernel(X, gamma=fitted.gamma_)
        values, vectors = linalg.eigh(K)
        features = vectors * np.sqrt(np.maximum(values, 0))
        V = features.T @ fitted.dual_coef_
    A = features.T @ H @ T / (n - 1)
    A_p = features.T @ H @ Y / (n - 1)
    return sample, V, A, A_p, features


def norm_of_mean(vectors):
    return np.sqrt(max(vectors.gram.mean(), 0))


@pytest.mark.parametrize("estimator", MAPS, ids=str)
@given(st.integers(0, 1000))
@settings(max_examples=10, deadline=None)
def test_second_order_identity(estimator, seed):
    """f* - f† = ‖(I-P†)ε‖², to 1e-8."""
    X, y, truth = problem(seed=seed)
    sample, V, A, A_p, _ = everything(estimator, X, y, truth)
    gap = np.sum(A**2) - np.sum((V.T @ A) ** 2)
    residual = (A - A_p) - V @ (V.T @ (A - A_p))
    assert_allclose(np.sum(residual**2), gap, atol=1e-8)
    vectors = residual_vectors(sample)
    ours = sample.scale * norm_of_mean(vectors)
    assert_allclose(bounds.second_order_gap(ours), gap, atol=1e-8)
    whole = sample.scale * norm_of_mean(whole_vectors(sample))
    assert_allclose(whole, np.linalg.norm(A - A_p), atol=1e-8)
    assert_allclose(sample.geometry.objective(sample.used), np.sum((V.T @ A_p) ** 2), atol=1e-9)


@pytest.mark.parametrize("estimator", MAPS, ids=str)
@given(st.integers(0, 1000))
@settings(max_examples=10, deadline=None)
def test_first_order_chain(estimator, seed):
    """√f* - √f† ≤ 2‖ε‖ ≤ both of its bounds."""
    X, y, truth = problem(seed=seed)
    sample, V, A, A_p, features = everything(estimator, X, y, truth)
    epsilon = np.linalg.norm(A - A_p)
    loss = np.linalg.norm(A) - np.linalg.norm(V.T @ A)
    assert loss <= bounds.first_order_bound(epsilon) + 1e-12
    E = np.eye(sample.used.shape[1])[truth] - sample.used
    row_errors = np.linalg.norm(E, axis=1)
    centered = centering(len(X)) @ features
    by_rows = bounds.epsilon_by_row_norms(np.linalg.norm(centered, axis=1), row_errors)
    by_value = bounds.epsilon_by_singular_value(linalg.svdvals(centered)[0], row_errors)
    assert epsilon <= by_rows + 1e-12
    assert epsilon <= by_value + 1e-12


@given(st.integers(0, 1000))
@settings(max_examples=15, deadline=None)
def test_theorem_3_and_its_steps_hold_for_winner_take_all(seed):
    X, y, truth = problem(seed=seed, d=3)
    X = X / np.linalg.norm(X, axis=1).max()
    estimator = SSRLPL(labeler=KNNLabeler(1))
    sample, V, A, _, _ = everything(estimator, X, y, truth)
    n, u = len(X), int((y < 0).sum())
    rate = np.mean(sample.used.argmax(axis=1)[y < 0] != truth[y < 0])
    loss = np.linalg.norm(A) - np.linalg.norm(V.T @ A)
    assert loss <= bounds.theorem_bound(n, u, rate) + 1e-12
    E = np.eye(3)[truth] - sample.used
    assert np.linalg.norm(E.mean(axis=0)) <= bounds.label_mean_bound(n, u, rate) + 1e-12
    assert np.linalg.norm(X.T @ E / n) <= bounds.cross_mean_bound(n, u, rate) + 1e-12


def test_theorem_3_closed_form():
    assert bounds.theorem_bound(101, 50, 0.1) == pytest.approx(2 * (2 + 2**0.5) * 50 / 100 * 0.1)
    assert bounds.theorem_bound(101, 50, 0.1, largest_norm=3) == pytest.approx(
        3 * bounds.theorem_bound(101, 50, 0.1)
    )
    n, u, rate = 80, 60, 0.2
    steps = bounds.label_mean_bound(n, u, rate) + bounds.cross_mean_bound(n, u, rate)
    assert bounds.theorem_bound(n, u, rate) == pytest.approx(2 * n / (n - 1) * steps)


def test_nearest_neighbor_bound_is_cover_and_harts():
    assert bounds.nearest_neighbor_bound(0.1, 2) == pytest.approx(2 * 0.1 * 0.9)
    assert bounds.nearest_neighbor_bound(0.5, 2) == pytest.approx(0.5)
    assert bounds.nearest_neighbor_bound(0.0, 5, penalty=0.03) == pytest.approx(0.03)


def test_lemma_1_form(small):
    X, y, _ = small
    fitted = SSRLPL().fit(X, y)
    value = bounds.lemma_objective(fitted.components_.T, X, fitted.label_distributions_)
    assert_allclose(value, fitted.objective_, rtol=1e-10)


def test_generalization_term_covers_a_simulation():
    """The objective of samples of 50 rows stays within the term of that of 20,000 rows."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20_000, 3))
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    Y = np.eye(2)[(X[:, 0] > 0).astype(int)]
    V = np.eye(3)[:, :1]
    root = np.sqrt(bounds.lemma_objective(V, X, Y))
    errors = []
    for _ in range(200):
        rows = rng.integers(0, len(X), 50)
        errors.append(abs(np.sqrt(bounds.lemma_objective(V, X[rows], Y[rows])) - root))
    assert max(errors) < bounds.generalization_term(50, 0.05)
    ratio = bounds.generalization_term(100, 0.1) / bounds.generalization_term(400, 0.1)
    assert ratio == pytest.approx(2, rel=0.02)  # O(1/√n)


def test_retained_forms():
    assert bounds.retained_from_second_order(3.0, 4.0) == pytest.approx(9 / 25)
    assert bounds.retained_from_second_order(-1.0, 0.1) == 0
    assert bounds.retained_from_first_order(3.0, 1.0) == pytest.approx(0.25)
    assert bounds.retained_from_first_order(1.0, 2.0) == 0


@pytest.mark.parametrize(("errors", "trials"), [(0, 20), (3, 50), (50, 50), (17, 40)])
def test_clopper_pearson_is_exact(errors, trials):
    rate = ErrorRate.of(errors, trials, 0.9)
    low, high = rate.low, rate.high
    if errors:
        assert binom.sf(errors - 1, trials, low) == pytest.approx(0.05)
    if errors < trials:
        assert binom.cdf(errors, trials, high) == pytest.approx(0.05)
    assert low <= errors / trials <= high


def populations():
    """Populations that concentration inequalities find hard, scaled to [0, 1]."""
    rng = np.random.default_rng(0)
    yield "rare ones", (np.arange(400) < 12).astype(float)
    yield "half and half", (np.arange(400) % 2).astype(float)
    yield "heavy tail", np.minimum(rng.pareto(1.2, 400), 50) / 50
    yield "constant", np.full(400, 0.3)


@pytest.mark.parametrize(("name", "population"), list(populations()), ids=lambda p: str(p)[:12])
def test_bounds_on_a_mean_fail_no_more_often_than_they_may(name, population):
    delta, draws, m = 0.1, 150, 40
    rng, below, above = np.random.default_rng(1), 0, 0
    for _ in range(draws):
        values = rng.permutation(population)[:m]
        low = concentration.mean_lower(values, 0.0, len(population), delta)
        high = -concentration.mean_lower(-values, -1.0, len(population), delta)
        assert 0 <= low <= values.mean() + 1e-9
        assert values.mean() - 1e-9 <= high <= 1
        below += low > population.mean() + 1e-9
        above += high < population.mean() - 1e-9
    limit = binom.ppf(0.999, draws, delta)
    assert below <= limit
    assert above <= limit


def test_bound_on_a_mean_is_close_to_clopper_pearson_without_errors():
    upper = -concentration.mean_lower(np.zeros(100), -1.0, 10**9, 0.05)
    exact = 1 - 0.05 ** (1 / 100)
    assert exact * 0.99 < upper < 2.2 * exact


def test_whole_population_leaves_no_doubt():
    values = np.random.default_rng(0).random(50)
    low = concentration.mean_lower(values, 0.0, 50, 0.01)
    assert low == pytest.approx(values.mean(), rel=0.1)


def test_weights_estimate_the_population_mean_without_bias():
    rng = np.random.default_rng(0)
    population = rng.normal(size=30)
    weights = concentration.sampled_mean_weights(12, 30)[:-1]
    means = [weights @ rng.permutation(population)[:12] for _ in range(20_000)]
    # E Σ a_t X_t = (Σ a_t) X̄, and Σ a_t = 1 exactly.
    assert weights.sum() == pytest.approx(1)
    assert np.mean(means) == pytest.approx(population.mean(), abs=0.01)
