"""Which rows to label next."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

from conftest import problem
from ssrlpl import (
    SSRLPL,
    SSRLPLCV,
    GraphLabeler,
    KernelSSRLPL,
    SSRLPLClassifier,
    TableTransformer,
    certify,
    label_next,
)
from ssrlpl._utils import limits
from ssrlpl.active import most_covering
from ssrlpl.baselines.registry import BASELINES
from ssrlpl.experiments import growing_labels as active_curve
from ssrlpl.guarantee import certify_labels


@pytest.mark.parametrize("estimator", [SSRLPL(), KernelSSRLPL()], ids=str)
def test_rows_are_unlabeled_distinct_and_reproducible(estimator, small):
    X, y, _ = small
    rows = label_next(estimator, X, y, n=8)
    assert len(set(rows)) == 8
    assert np.all(y[rows] == -1)
    assert np.array_equal(rows, label_next(estimator, X, y, n=8))
    assert np.array_equal(rows[:3], label_next(estimator, X, y, n=3))
    assert np.array_equal(rows, label_next(estimator, sparse.csr_matrix(X), y, n=8))


def test_a_cluster_without_any_label_comes_first():
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(size=(60, 2)), 20 + rng.normal(size=(40, 2))])
    y = np.full(100, -1)
    y[:6] = np.arange(6) % 2
    assert label_next(SSRLPL(), X, y, n=1)[0] >= 60


def test_greedy_equals_brute_force():
    rng = np.random.default_rng(0)
    distances, nearest, weights = rng.random((6, 9)), rng.random(9), rng.random(9)
    first, second = most_covering(distances, nearest, weights, 2)
    gains = [weights @ np.maximum(nearest - row, 0) for row in distances]
    assert first == int(np.argmax(gains))
    left = np.minimum(nearest, distances[first])
    gains = [weights @ np.maximum(left - row, 0) for row in distances]
    assert second == max((i for i in range(6) if i != first), key=lambda i: gains[i])


def test_asks_for_no_more_rows_than_there_are():
    X, y, _ = problem(n=30)
    assert len(label_next(SSRLPL(), X, y, n=1000)) == (y < 0).sum()
    with pytest.raises(ValueError, match="n must be an int"):
        label_next(SSRLPL(), X, y, n=0)


def test_a_map_names_as_many_rows_as_it_is_asked_for(monkeypatch):
    monkeypatch.setattr(limits, "NEXT_CANDIDATES", 10)
    X, y, _ = problem(n=60)
    assert len(set(label_next(SSRLPL(), X, y, n=15))) == 15


def test_raises_the_retained_objective_faster_than_random_choice():
    X, truth = load_digits(return_X_y=True)
    X, truth = X[:700] / 16, truth[:700]
    best = active_curve.estimator().fit(X, truth).objective_
    gain = [
        np.subtract(
            active_curve.curve(X, truth, best, seed, active=True),
            active_curve.curve(X, truth, best, seed, active=False),
        )
        for seed in range(3)
    ]
    assert np.mean(gain, axis=0)[1:].min() > 0


def test_a_classifier_names_the_rows_it_is_least_sure_of():
    rng = np.random.default_rng(0)
    X = np.linspace(-1, 1, 201)[rng.permutation(201)][:, None]
    y = np.where(np.abs(X[:, 0]) > 0.9, (X[:, 0] > 0).astype(int), -1)
    found = label_next(LogisticRegression(), X, y, n=5)
    assert np.abs(X[found, 0]).max() < 0.05
    assert np.array_equal(
        found, label_next(LogisticRegression().fit(X[y >= 0], y[y >= 0]), X, y, 5)
    )
    assert np.abs(X[label_next(GraphLabeler(5), X, y, n=5), 0]).max() < 0.1
    assert np.abs(X[label_next(LinearSVC(), X, y, n=5), 0]).max() < 0.1
    with pytest.raises(TypeError, match="predict_proba or decision_function.*Got PCA"):
        label_next(PCA(), X, y)


@pytest.mark.parametrize("method", BASELINES)
def test_every_baseline_can_be_asked_and_certified(method):
    X, y, _ = problem(n=80)
    names = np.where(y >= 0, np.array(["a", "b", "c"])[y], None)
    estimator = BASELINES[method].estimator()
    rows = label_next(estimator, X, names, n=4)
    assert len(set(rows)) == 4
    assert all(names[row] is None for row in rows)
    found = certify_labels(estimator, X, names)
    assert 0 < found.error_upper <= 1


@pytest.mark.parametrize("last", [SSRLPLCV(), SSRLPL(), SSRLPLClassifier(SSRLPL())], ids=repr)
def test_tables_in_pipelines(last):
    pd = pytest.importorskip("pandas")
    X, y, _ = problem(n=60)
    frame = pd.DataFrame(X).add_prefix("c").assign(word=np.where(X[:, 0] > 0, "up", "down"))
    model = make_pipeline(TableTransformer(), last)
    rows = label_next(model, frame, y, n=3)
    assert np.all(y[rows] == -1)
    if hasattr(model, "predict"):
        assert certify_labels(model, frame, y).n_audited > 0
        assert np.array_equal(rows, label_next(model.fit(frame, y), frame, y, n=3))
    with pytest.raises(TypeError, match="certify_labels"):
        certify(make_pipeline(TableTransformer(), SSRLPLCV()), frame, y)


def test_what_a_search_returns_can_be_asked():
    X, y, _ = problem(n=60)
    search = SSRLPLCV().fit(X, y)
    assert np.array_equal(
        label_next(search, X, y, n=3), label_next(search.best_estimator_, X, y, 3)
    )


@pytest.mark.parametrize("estimator", [SSRLPL(), KernelSSRLPL()], ids=str)
def test_rows_far_from_the_origin_are_chosen_like_those_near_it(estimator):
    X, y, _ = problem(n=60)
    X = np.round(64 * X) / 64  # so that moving the rows is exact
    rows = label_next(estimator, X, y, n=8)
    assert np.array_equal(rows, label_next(estimator, X + 1e9, y, n=8))


def test_no_row_is_chosen_twice_when_nothing_is_left_to_gain():
    nothing = np.zeros((3, 2))
    assert most_covering(nothing, np.zeros(2), np.ones(2), 3) == [0, 1, 2]
