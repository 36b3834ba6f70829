"""PoissonLearning by its equation, against graphlearning, and left-out labels."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_digits

from baseline_problems import overlapping
from conftest import without_each_label
from ssrlpl import encode_labels
from ssrlpl._core.readout import best_temperature
from ssrlpl._utils import limits
from ssrlpl.baselines import PoissonLearning
from ssrlpl.model_selection import loo_predict


@pytest.mark.parametrize("damping", [0, 0.01])
def test_scores_solve_the_equation(damping):
    X, y, _ = overlapping()
    fitted = PoissonLearning(6, damping=damping).fit(X, y)
    W, u = fitted._graph.weights.toarray(), fitted.scores_
    d = W.sum(axis=1)
    source, given = np.zeros((len(X), 3)), np.eye(3)[y[y >= 0]]
    source[y >= 0] = d.mean() * (given - given.mean(axis=0))
    assert_allclose(np.diag(d * (1 + damping)) @ u - W @ u, source, atol=1e-8)
    assert_allclose(d @ u, 0, atol=1e-9)


def test_equals_graphlearning():
    gl = pytest.importorskip("graphlearning")
    X, truth = load_digits(return_X_y=True)
    y = np.where(np.arange(len(X)) < 60, truth, -1)
    fitted = PoissonLearning().fit(X, y)
    graph, labeled = fitted._graph, np.flatnonzero(y >= 0)
    theirs = gl.ssl.poisson(graph.weights, tol=1e-12)
    u = theirs.fit(labeled, y[labeled]) * graph.degree.mean()
    u -= graph.degree @ u / graph.degree.sum()  # theirs is one of the solutions
    assert_allclose(fitted.scores_, u, atol=1e-6 * np.abs(u).max())
    assert_array_equal(fitted.scores_.argmax(axis=1), theirs.predict())


@pytest.mark.parametrize("n_classes", [2, 3])
def test_class_shares_are_those_asked_for(n_classes):
    X, y = blobs(n_classes)
    shares = np.array([0.7, 0.2, 0.1][:n_classes]) / [0.9, 1][n_classes - 2]
    plain = PoissonLearning().fit(X, y)
    fitted = PoissonLearning(class_prior=shares).fit(X, y)
    found = np.bincount(fitted.scores_.argmax(axis=1), minlength=n_classes) / len(X)
    assert_allclose(found, shares, atol=0.01)
    offsets = fitted.scores_ - plain.scores_
    assert_allclose(offsets, np.tile(offsets[:1], (len(X), 1)), atol=1e-12)


def test_class_shares_of_the_labels():
    X, y = blobs(3)
    counts = np.bincount(y[y >= 0]) + 1
    by_name = PoissonLearning(class_prior="labels").fit(X, y)
    by_number = PoissonLearning(class_prior=counts / counts.sum()).fit(X, y)
    assert_allclose(by_name.scores_, by_number.scores_)


@pytest.mark.parametrize("kind", [dict, pd.Series])
def test_class_shares_by_class(kind):
    X, codes = blobs(3)
    y = np.array(["ash", "beech", "cedar", None], dtype=object)[codes]
    by_class = PoissonLearning(class_prior=kind({"cedar": 0.7, "ash": 0.2, "beech": 0.1}))
    by_order = PoissonLearning(class_prior=[0.2, 0.1, 0.7]).fit(X, y)
    assert_array_equal(by_class.fit(X, y).scores_, by_order.scores_)
    assert_array_equal(loo_predict(by_class, X, y), loo_predict(by_order, X, y))


def blobs(n_classes, n=600):
    rng = np.random.default_rng(0)
    truth = np.arange(n) % n_classes
    X = rng.normal(size=(n, 3)) + rng.normal(size=(n_classes, 3))[truth]
    return X, np.where(np.arange(n) < 30, truth, -1)


@pytest.mark.parametrize("damping", [0, 0.01])
def test_left_out_scores_are_those_of_refits(damping):
    X, y, _ = overlapping(2)
    X[60:] += 1000  # two components
    model = PoissonLearning(6, weights="binary", damping=damping)
    scores = model.loo_scores(X, encode_labels(y))
    for found, (row, hidden) in zip(scores, without_each_label(y), strict=True):
        assert_allclose(found, model.fit(X, hidden).scores_[row], atol=1e-7)
    assert_array_equal(loo_predict(model, X, y), scores.argmax(axis=1))


def test_left_out_scores_in_many_small_components():
    X, _, truth = overlapping(6)
    y = np.where(np.arange(90) < 60, truth, -1)
    model = PoissonLearning(2, weights="binary", mutual=True)
    scores = model.loo_scores(X, encode_labels(y))
    for found, (row, hidden) in zip(scores, without_each_label(y), strict=True):
        assert_allclose(found, model.fit(X, hidden).scores_[row], atol=1e-7)


def test_left_out_scores_with_class_shares_have_the_offsets_of_all_labels():
    X, y, _ = overlapping(2)
    target = encode_labels(y)
    plain, shared = PoissonLearning(6), PoissonLearning(6, class_prior=[0.5, 0.2, 0.3])
    offsets = shared.fit(X, y).scores_[0] - plain.fit(X, y).scores_[0]
    assert_allclose(shared.loo_scores(X, target), plain.loo_scores(X, target) + offsets)


def test_leaving_out_the_only_label_of_a_class():
    X, y, _ = overlapping(3)
    y[np.flatnonzero(y == 2)[1:]] = -1
    model = PoissonLearning(5, class_prior=[0.5, 0.2, 0.3])
    only = np.flatnonzero(y == 2)
    ((_, Y),) = model.labels_without(X, encode_labels(y), only[:, None])
    assert_array_equal(Y[0, :, 2], 0)
    assert_allclose(Y.sum(axis=2), 1)
    assert loo_predict(model, X, y)[np.flatnonzero(y >= 0) == only] != 2


def test_components_with_labels_of_one_class_get_it_and_others_no_preference():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 2)) + np.repeat([0, 100, 200], 30)[:, None]
    y = np.full(90, -1)
    y[[0, 1, 2, 30]] = [0, 1, 1, 0]
    fitted = PoissonLearning(4).fit(X, y)
    assert_array_equal(fitted.transduction_[30:60], 0)
    assert set(fitted.transduction_[:30]) == {0, 1}
    assert_array_equal(fitted.scores_[60:], 0)
    assert_allclose(fitted.label_distributions_[60:], 0.5)


def test_mutual_graph_with_rows_on_their_own():
    X, y, _ = overlapping(4)
    X[3], X[0] = 50, -50  # an unlabeled and a labeled row far from all others
    y[3] = -1
    fitted = PoissonLearning(3, mutual=True).fit(X, y)
    assert_array_equal(fitted.scores_[3], 0)
    assert fitted.scores_[0].argmax() == y[0]
    assert np.isfinite(fitted.predict_proba(X)).all()
    assert np.isfinite(fitted.loo_scores(X, encode_labels(y))).all()


def test_probabilities_are_a_softmax_of_the_scores():
    X, y, _ = overlapping(5)
    fitted = PoissonLearning(5, temperature=0.5).fit(X, y)
    expected = np.exp(fitted.scores_ / 0.5)
    expected /= expected.sum(axis=1, keepdims=True)
    assert_allclose(fitted.predict_proba(X), expected)
    assert_array_equal(fitted.predict(X), fitted.decision_function(X).argmax(axis=1))


def test_labels_beyond_the_limit_are_not_left_out_for_the_temperature(monkeypatch):
    X, y, _ = overlapping(6)
    assert PoissonLearning(5).fit(X, y).limits_hit_ == ()
    monkeypatch.setattr(limits, "CALIBRATION_LABELS", 5)
    sampled = PoissonLearning(5).fit(X, y)
    assert sampled.limits_hit_ == ("CALIBRATION_LABELS",)
    assert sampled.temperature_ > 0


def test_temperature_of_classes_with_a_single_label_is_that_of_the_others(monkeypatch):
    X, y, _ = overlapping(3)
    y[np.flatnonzero(y == 2)[1:]] = -1
    fitted, codes = PoissonLearning(5).fit(X, y), y[y >= 0]
    scores = fitted.loo_scores(X, encode_labels(y))
    assert fitted.temperature_ == best_temperature(scores[codes < 2], codes[codes < 2])
    once = np.isin(np.arange(90), [np.flatnonzero(y == c)[0] for c in range(3)])
    assert PoissonLearning(5).fit(X, np.where(once, y, -1)).temperature_ == 1
    # A class with one label among the chosen ones, but another one beside them, counts.
    monkeypatch.setattr(limits, "CALIBRATION_LABELS", 2)
    step = -(-len(codes) // 2)
    chosen = np.arange(0, len(codes), step)[codes[::step] < 2]
    assert len(set(codes[chosen])) == len(chosen)
    sampled = PoissonLearning(5).fit(X, y).temperature_
    assert sampled == best_temperature(scores[chosen], codes[chosen])
