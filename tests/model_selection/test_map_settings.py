"""Bandwidth and ridge of the map that SSRLPLCV fits to label vectors."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from ssrlpl import GivenLabels, KernelSSRLPL, SSRLPLClassifier
from ssrlpl._core.bandwidth import median_gamma
from ssrlpl._core.kernels import Kernel
from ssrlpl._utils import limits
from ssrlpl.model_selection.candidates.map_settings import (
    BANDWIDTHS,
    RHOS,
    held_out_error,
    map_settings,
)


def rows_and_labels(n=120, seed=0, sharp=3.0, noise=0.0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 3))
    p = 1 / (1 + np.exp(-sharp * np.sin(2 * X[:, 0])))
    p = np.clip(p + noise * rng.standard_normal(n), 0, 1)
    return X, np.column_stack([p, 1 - p])


def test_held_out_error_is_that_of_the_fitted_map():
    X, Y = rows_and_labels()
    gamma, rho, half = 0.7, 1e-3, 60
    y = np.r_[0, 1, np.full(half - 2, -1)]
    Y[:2] = np.eye(2)
    K = Kernel("rbf", gamma, 3, 1.0, X.mean(axis=0), {}).square(X)
    error = held_out_error(K, Y, rho, slice(0, half), slice(half, None))
    map_ = KernelSSRLPL(gamma=gamma, labeler=GivenLabels(Y[:half]), constraint="whitened", rho=rho)
    model = SSRLPLClassifier(map_, "least_squares").fit(X[:half], y)
    predicted = model._read(model.transform(X[half:]))
    assert_allclose(error, np.sum((predicted - Y[half:]) ** 2), rtol=1e-8)


def test_no_setting_predicts_held_out_rows_much_better():
    X, Y = rows_and_labels(noise=0.1)
    gamma = median_gamma(X, seed=0)
    rows = np.random.RandomState(0).permutation(len(X))
    parts = rows[:60], rows[60:]

    def error(bandwidth, rho):
        total = 0.0
        for known, held in (parts, parts[::-1]):
            both = np.r_[known, held]
            K = np.exp(-gamma * bandwidth * ((X[both, None] - X[both]) ** 2).sum(axis=2))
            total += held_out_error(K, Y[both], rho, slice(0, 60), slice(60, None))
        return total

    errors = {(b, r): error(b, r) for b in BANDWIDTHS for r in RHOS}
    least = min(errors.values())
    *chosen, lowest = map_settings(X, Y, gamma, 0)
    chosen = tuple(chosen)
    assert lowest == pytest.approx(least)
    assert errors[chosen] <= 1.05 * least
    smoother = [s for s in errors if s[1] > chosen[1] or (s[1] == chosen[1] and s[0] < chosen[0])]
    assert all(errors[s] > 1.05 * least for s in smoother)


def test_noise_asks_for_more_smoothing_than_a_wavy_line():
    X, wavy = rows_and_labels(400, sharp=20)
    gamma = median_gamma(X, seed=0)
    noise = np.random.default_rng(1).dirichlet((1, 1), 400)
    of_noise, of_waves = map_settings(X, noise, gamma, 0), map_settings(X, wavy, gamma, 0)
    assert of_noise[:2] == (BANDWIDTHS[0], RHOS[-1])
    assert of_waves[1] < of_noise[1] or of_waves[0] > of_noise[0]


def test_a_large_table_is_sampled_and_a_tiny_one_keeps_the_default(monkeypatch):
    X, Y = rows_and_labels(300)
    monkeypatch.setattr(limits, "MAP_CHOICE_ROWS", 60)
    some = np.random.RandomState(3).permutation(300)[:60]
    seen = []
    monkeypatch.setattr(Kernel, "square", lambda self, A: seen.append(A) or np.eye(len(A)))
    map_settings(X, Y, 1.0, 3)
    assert_allclose(seen[0], X[some])
    assert map_settings(X[:10], Y[:10], 1.0, 0) == (4.0, 1e-4, np.inf)


@pytest.mark.parametrize("X", [np.zeros((50, 2)), np.full((50, 2), 1e150)])
def test_rows_that_do_not_differ_get_the_smoothest_setting(X):
    # Every setting predicts the mean label vector, so that all errors are equal.
    labels = np.random.default_rng(0).dirichlet((1, 1), 50)
    assert map_settings(X, labels, 1.0, 0)[:2] == (BANDWIDTHS[0], RHOS[-1])
