"""The mixture of all candidates against its formula, and as an estimator."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_digits, load_iris

import ssrlpl
from conftest import mixed
from ssrlpl import SSRLPLCV, GivenLabels
from ssrlpl.datasets import hide_labels
from ssrlpl.model_selection.candidates import Bench, family
from ssrlpl.model_selection.consensus import MOST_MEMBERS, POWER, Consensus, mixture_weights
from ssrlpl.model_selection.rule import Scoreboard


def scoreboard(n_candidates=12, n_rows=9, n_classes=3, seed=0):
    rng = np.random.default_rng(seed)
    X, _, _ = mixed(1, n=40)
    codes = rng.integers(0, n_classes, n_rows)
    scores = [rng.normal(size=(n_rows, n_classes)) for _ in range(n_candidates)]
    for found in scores[: n_candidates // 2]:  # some are better than others
        found[np.arange(n_rows), codes] += 1
    return Scoreboard(family(X)[-n_candidates:], scores, codes)


def test_weights_are_the_formula_and_few_are_kept():
    losses = np.random.default_rng(0).random(20)
    expected = np.exp(-(50**POWER) * losses)
    expected[np.argsort(losses)[MOST_MEMBERS:]] = 0
    assert_allclose(mixture_weights(losses, 50), expected / expected.sum(), rtol=1e-12)


def test_nested_answers_are_those_of_a_board_without_the_row():
    board = scoreboard()
    found, n = Consensus(board), len(board.codes)
    for i in range(n):
        rest = np.arange(n) != i
        # The temperatures stay those of all rows: one number for each candidate.
        chances = board.chances
        losses = -np.log(chances[:, rest, board.codes[rest]]).mean(axis=1)
        answer = mixture_weights(losses, n - 1) @ chances[:, i]
        assert found.nested_wrong[i] == (answer.argmax() != board.codes[i])


def test_weights_sum_to_one_and_prefer_the_better_half():
    board = scoreboard(n_rows=40)
    found = Consensus(board)
    assert found.weights.sum() == pytest.approx(1)
    assert np.count_nonzero(found.weights) <= MOST_MEMBERS
    assert found.weights[:6].sum() > 0.9
    assert_allclose(found.loo_probabilities.sum(axis=1), 1)


@pytest.fixture(scope="module")
def fitted():
    X, truth = load_digits(return_X_y=True)
    X, truth = X[:500] * np.r_[np.ones(63), 40], truth[:500]  # with a step that standardizes
    y = hide_labels(truth, keep=60, random_state=0)
    return SSRLPLCV(choose="all").fit(X, y), X, y, truth


def test_labels_probabilities_and_representation_agree(fitted):
    model, X, y, truth = fitted
    unlabeled = y < 0
    assert_array_equal(model.predict(X)[unlabeled], model.transduction_[unlabeled])
    assert_allclose(
        model.predict_proba(X)[unlabeled], model.label_distributions_[unlabeled], atol=1e-9
    )
    assert_array_equal(model.transduction_[~unlabeled], y[~unlabeled])
    assert model.transform(X).shape == (500, 9)
    assert model.score(X, truth) > 0.85
    assert model.cv_results_["weight"].sum() == pytest.approx(1)
    assert model.summary().startswith("mixture of ")


def test_the_mixture_as_a_plain_estimator_predicts_the_same(fitted, tmp_path):
    model, X, y, _ = fitted
    plain = model.best_estimator().fit(X, y)
    assert_array_equal(plain.predict(X), model.predict(X))
    assert_allclose(plain.predict_proba(X), model.predict_proba(X), atol=1e-9)
    pytest.importorskip("skops")
    ssrlpl.save(model, tmp_path / "model")
    assert_array_equal(ssrlpl.load(tmp_path / "model").predict_proba(X), model.predict_proba(X))


def test_the_map_is_fitted_to_the_mixture_of_its_members(fitted):
    model, X, y, _ = fitted
    labeler = model.map_.labeler
    assert isinstance(labeler, GivenLabels)
    mixture = labeler.label_vectors[y < 0]
    assert_allclose(mixture.sum(axis=1), 1)
    assert_allclose(model.map_.label_distributions_[y < 0], mixture, atol=1e-9)
    assert np.mean(mixture.argmax(axis=1) == model.predict(X)[y < 0]) > 0.95


def test_what_to_choose_is_checked(fitted):
    _, X, y, _ = fitted
    with pytest.raises(ValueError, match="choose must be one of 'one', 'all'"):
        SSRLPLCV(choose="some").fit(X, y)


def test_a_search_on_a_sample_fits_all_rows(monkeypatch):
    X, y, truth = mixed(5, n=80, share=0.4)
    monkeypatch.setattr("ssrlpl._utils.limits.SEARCH_ROWS", 40)
    model = SSRLPLCV(choose="all").fit(X, y)
    assert len(model.label_distributions_) == 80
    assert (model.predict(X) == truth).mean() > 0.5


def test_nothing_is_computed_twice(monkeypatch):
    """Benches of the search serve the members and the map of the mixture."""
    X, y, _ = mixed(5, n=80, share=0.4)
    made = []
    original = Bench.__init__
    monkeypatch.setattr(Bench, "__init__", lambda *a: (made.append(a[1]), original(*a))[1])
    SSRLPLCV(choose="all").fit(X, y)
    assert len(made) == len(set(made)) == len({c.space for c in family(X)})


def test_with_one_label_a_class_the_preferred_candidates_count_the_same():
    """Leave-one-out tells nothing there: a class without its only label is never right."""
    X, truth = load_iris(return_X_y=True)
    y = np.full(150, -1)
    y[[0, 60, 120]] = truth[[0, 60, 120]]
    model = SSRLPLCV(choose="all").fit(X, y)
    weights, tiers = model.cv_results_["weight"], model.cv_results_["tier"]
    assert_allclose(weights[weights > 0], 1 / MOST_MEMBERS)
    assert set(tiers[weights > 0]) == {0}
    assert model.score(X, truth) > 0.7
