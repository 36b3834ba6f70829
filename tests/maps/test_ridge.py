"""LabeledRidge against the normal equations, refits, and the whitened map it is a limit of."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import clone
from sklearn.metrics.pairwise import rbf_kernel

from conftest import problem, without_each_label
from ssrlpl import KernelSSRLPL
from ssrlpl._core.bandwidth import median_gamma
from ssrlpl._core.least_squares import least_squares
from ssrlpl._core.readout import best_temperature, probabilities, read_labels
from ssrlpl.maps.ridge import LabeledRidge

KERNELS = ("rbf", "linear")


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("ridge", [1.0, 1e-3])
def test_scores_left_out_are_those_of_refits(kernel, ridge):
    X, y, _ = problem(60, 5, share=0.3)
    model = LabeledRidge(kernel, 0.1, ridge=ridge).fit(X, y)
    for found, (row, hidden) in zip(model.loo_scores_, without_each_label(y), strict=True):
        expected = clone(model).fit(X, hidden).label_scores(X[[row]])[0]
        assert_allclose(found, expected, atol=1e-9)


def test_scores_left_out_of_a_class_with_a_single_label():
    X, y, _ = problem(60, 5, share=0.3)
    y[np.flatnonzero(y == 1)[1:]] = -1
    model = LabeledRidge(gamma=0.1).fit(X, y)
    position = np.flatnonzero(y[y >= 0] == 1)[0]
    hidden = np.where(y == 1, -1, y)
    rest = clone(model).fit(X, hidden).label_scores(X[y == 1])[0]
    assert_allclose(model.loo_scores_[position], [rest[0], 0, rest[1]], atol=1e-9)


def loss(K, Y, alpha, intercept, ridge):
    residual = Y - K @ alpha - intercept
    return np.sum(residual**2) + ridge * np.sum(alpha * (K @ alpha))


def test_no_other_coefficients_have_a_lower_loss():
    rng = np.random.default_rng(0)
    K = rbf_kernel(rng.normal(size=(25, 3)))
    Y = np.eye(3)[rng.integers(0, 3, 25)]
    alpha, intercept, _ = least_squares(K, Y, 0.2)
    best = loss(K, Y, alpha, intercept, 0.2)
    for size in (1e-1, 1e-3):
        for _ in range(200):
            other = alpha + size * rng.normal(size=alpha.shape)
            assert loss(K, Y, other, intercept + size * rng.normal(size=3), 0.2) > best


def test_linear_kernel_is_ridge_regression():
    X, y, _ = problem(60, 5, share=0.5)
    model = LabeledRidge("linear", 1.0, ridge=0.7).fit(X, y)
    A, Y = X[y >= 0], np.eye(3)[y[y >= 0]]
    centered = A - A.mean(axis=0)
    W = np.linalg.solve(centered.T @ centered + 0.7 * np.eye(5), centered.T @ (Y - Y.mean(axis=0)))
    expected = Y.mean(axis=0) + (X - A.mean(axis=0)) @ W
    assert_allclose(model.label_scores(X), expected, atol=1e-9)


@pytest.mark.parametrize("kernel", KERNELS)
def test_is_the_whitened_map_of_the_labeled_rows(kernel):
    """With the same absolute ridge, read by least squares."""
    X, y, _ = problem(60, 5, share=0.5)
    A, given = X[y >= 0], y[y >= 0]
    K = rbf_kernel(A, gamma=0.1) if kernel == "rbf" else A @ A.T
    total = np.trace(K) - K.mean() * len(K)
    map_ = KernelSSRLPL(kernel=kernel, gamma=0.1, constraint="whitened", rho=0.3 / total)
    reading = read_labels(map_.fit_transform(A, given), np.eye(3)[given])
    ridge = 0.3 if kernel == "rbf" else 0.1 * 0.3  # the linear kernel is scaled by gamma
    model = LabeledRidge(kernel, 0.1, ridge=ridge).fit(X, y)
    assert_allclose(model.label_scores(X), reading(map_.transform(X)), atol=1e-8)


def test_unlabeled_rows_do_not_matter_but_for_the_bandwidth():
    X, y, _ = problem(60, 5, share=0.5)
    every = LabeledRidge(gamma=0.2).fit(X, y).predict_proba(X)
    assert_allclose(LabeledRidge(gamma=0.2).fit(X[y >= 0], y[y >= 0]).predict_proba(X), every)
    assert LabeledRidge().fit(X, y).gamma_ == median_gamma(X)


@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_transform_decision_and_prediction_agree(n_classes):
    X, y, _ = problem(80, 5, n_classes=n_classes, share=0.5)
    model = LabeledRidge().fit(X, y)
    scores, Z = model.label_scores(X), model.transform(X)
    assert Z.shape == (80, n_classes - 1)
    assert_allclose(scores.sum(axis=1), 1, atol=1e-9)
    assert_allclose(Z @ model.axes_.T + model.intercept_, scores, atol=1e-8)
    assert_array_equal(model.predict(X), scores.argmax(axis=1))
    assert_array_equal(model.predict_proba(X).argmax(axis=1), scores.argmax(axis=1))
    if n_classes == 2:
        assert_array_equal(model.decision_function(X) > 0, model.predict(X) == 1)
    else:
        assert_allclose(model.decision_function(X), scores)


def test_temperature_has_the_largest_likelihood():
    """Of labels of which a share of 1/(l + 2) belongs to the two other classes."""
    X, y, _ = problem(80, 3, share=0.6, seed=3)
    model = LabeledRidge(ridge=1.0).fit(X, y)
    codes = y[y >= 0]
    n = len(codes)

    def likelihood(temperature):
        logs = np.log(probabilities(model.loo_scores_, temperature))
        own = logs[np.arange(n), codes]
        others = (logs.sum(axis=1) - own) / 2
        return np.mean((n + 1) / (n + 2) * own + others / (n + 2))

    grid = np.exp(np.linspace(-7, 5, 400))
    assert likelihood(model.temperature_) >= max(map(likelihood, grid)) - 1e-6
    assert model.temperature_ == best_temperature(model.loo_scores_, codes)


def test_temperature_of_classes_with_a_single_label_is_that_of_the_others():
    """A row with the only label of its class is never right when left out."""
    X, y, _ = problem(80, 3, share=0.6, seed=3)
    y[np.flatnonzero(y == 1)[1:]] = -1
    codes = y[y >= 0]
    model = LabeledRidge(ridge=1.0).fit(X, y)
    assert model.temperature_ == best_temperature(model.loo_scores_[codes != 1], codes[codes != 1])
    X = np.repeat([[0.0], [10.0]], 20, axis=0) + np.linspace(0, 1, 40)[:, None]
    single = LabeledRidge().fit(X, np.where(np.arange(40) % 20 == 10, np.arange(40) // 20, -1))
    assert single.temperature_ == 1
    assert single.predict_proba(X).max(axis=1).min() > 0.6


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize(("dtype", "tolerance"), [(np.float64, 1e-6), (np.float32, 1e-2)])
def test_place_of_the_origin_does_not_matter(kernel, dtype, tolerance):
    X, y, _ = problem(60, 5, share=0.5)
    near = LabeledRidge(kernel, 0.1).fit(X, y).label_scores(X)
    far = (X + 1000).astype(dtype)
    assert_allclose(LabeledRidge(kernel, 0.1).fit(far, y).label_scores(far), near, atol=tolerance)


@pytest.mark.parametrize("kernel", KERNELS)
def test_sparse_rows_are_dense_rows(kernel):
    X, y, _ = problem(60, 5, share=0.5)
    dense = LabeledRidge(kernel).fit(X, y)
    thin = LabeledRidge(kernel).fit(sparse.csr_array(X), y)
    assert_allclose(thin.label_scores(sparse.csr_array(X)), dense.label_scores(X), atol=1e-8)


def test_words_as_labels():
    X, y, _ = problem(60, 5, share=0.5)
    words = np.array(["ash", "beech", "cedar", None], dtype=object)[y]
    model = LabeledRidge().fit(X, words)
    assert set(model.predict(X)) <= {"ash", "beech", "cedar"}
    assert model.score(X, words) > 0.8


def test_two_labels():
    model = LabeledRidge().fit([[0.0], [1.0], [5.0]], [0, -1, 1])
    assert_array_equal(model.predict([[0.0], [5.0]]), [0, 1])
    assert_allclose(model.loo_scores_, [[0, 1], [1, 0]], atol=1e-9)  # the other label is all
    assert np.isfinite(model.predict_proba([[2.5]])).all()


def test_equal_rows_with_different_labels():
    model = LabeledRidge().fit(np.ones((6, 2)), [0, 0, 1, -1, -1, -1])
    assert_allclose(model.label_scores([[1.0, 1.0]]), [[2 / 3, 1 / 3]])


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        ({"kernel": "cosine"}, "kernel must be one of 'rbf', 'linear'"),
        ({"gamma": -1}, 'gamma must be "median" or a number > 0'),
        ({"ridge": 0}, r"ridge must be a number in \(0, inf\)"),
        ({"ridge": np.inf}, r"ridge must be a number in \(0, inf\)"),
    ],
)
def test_bad_settings_are_named(setting, words):
    with pytest.raises(ValueError, match=words):
        LabeledRidge(**setting).fit([[0.0], [1.0]], [0, 1])


@pytest.mark.parametrize("n", [2, 10, 200])
@pytest.mark.parametrize("margin", [0.01, 1.0, 30.0])
def test_rows_that_are_all_right_leave_room_for_one_that_is_wrong(n, margin):
    """With equal margins the best τ is known: each label has a probability of (n+1)/(n+2)."""
    codes = np.arange(n) % 2
    scores = margin * np.eye(2)[codes]
    chances = probabilities(scores, best_temperature(scores, codes))
    assert_allclose(chances[np.arange(n), codes], (n + 1) / (n + 2), rtol=1e-4)
