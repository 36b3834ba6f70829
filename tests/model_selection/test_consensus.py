"""The mixture of all candidates against its formula, and as an estimator."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_digits, load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import LeaveOneOut, cross_val_score

import ssrlpl
from conftest import mixed
from ssrlpl import SSRLPLCV, GivenLabels
from ssrlpl.datasets import hide_labels
from ssrlpl.model_selection.candidates import Bench, family
from ssrlpl.model_selection.consensus import (
    MOST_MEMBERS,
    POWER,
    Consensus,
    mixture_weights,
    with_class_shares,
)
from ssrlpl.model_selection.scoreboard import Scoreboard

pytestmark = pytest.mark.usefixtures("small_forests")


def scoreboard(n_candidates=12, n_rows=9, n_classes=3, seed=0):
    rng = np.random.default_rng(seed)
    X, _, _ = mixed(1, n=40)
    codes = rng.integers(0, n_classes, n_rows)
    scores = [rng.normal(size=(n_rows, n_classes)) for _ in range(n_candidates)]
    for found in scores[: n_candidates // 2]:  # some are better than others
        found[np.arange(n_rows), codes] += 1
    return Scoreboard(family(X)[-n_candidates:], scores, codes, np.ones(n_rows))


def test_weights_are_the_formula_and_few_are_kept():
    losses = np.random.default_rng(0).random(20)
    expected = np.exp(-(50**POWER) * losses)
    expected[np.argsort(losses)[MOST_MEMBERS:]] = 0
    assert_allclose(mixture_weights(losses, 50), expected / expected.sum(), rtol=1e-12)
    equal = mixture_weights(np.array([[0.1] * 20, [0.2] + [0.1] * 19]), 1)
    assert np.flatnonzero(equal[0]).tolist() == list(range(MOST_MEMBERS))  # the first ones
    assert np.flatnonzero(equal[1]).tolist() == list(range(1, MOST_MEMBERS + 1))


def mixed_by_border(board, rows):
    """Weights by the losses at some rows: of all, and within each border and among the borders."""
    losses = np.sum((board.chances - np.eye(3)[board.codes]) ** 2, axis=2)
    borders = np.array([candidate.border for candidate in board.candidates])
    weights = np.zeros((3, len(borders)))
    of_mixtures = []
    for part, border in zip(weights, ("straight", "steps", "curved"), strict=True):
        own = borders == border
        part[own] = mixture_weights(losses[own][:, rows].mean(axis=1), len(rows))
        errors = np.einsum("m,mic->ic", part, board.chances) - np.eye(3)[board.codes]
        of_mixtures.append(np.mean(np.sum(errors[rows] ** 2, axis=1)))
    in_steps = mixture_weights(np.array(of_mixtures), len(rows), [1, 1, 2]) @ weights
    return (mixture_weights(losses[:, rows].mean(axis=1), len(rows)) + in_steps) / 2


def test_weights_are_the_mean_of_one_step_and_two():
    board = scoreboard(n_candidates=40, n_rows=30)
    found = Consensus(board)
    expected = mixed_by_border(board, np.arange(30))
    assert_allclose(found.loo_probabilities, np.einsum("m,mic->ic", expected, board.chances))
    kept = np.where(expected < 0.003, 0, expected)  # hardly any weight is none
    assert_allclose(found.weights, kept / kept.sum(), atol=1e-12)


def test_nested_answers_are_those_of_a_board_without_the_row():
    board = scoreboard(n_candidates=40, n_rows=24)
    found, n = Consensus(board), len(board.codes)
    nested = [
        mixed_by_border(board, np.setdiff1d(np.arange(n), i)) @ board.chances[:, i]
        for i in range(n)  # the temperatures stay those of all rows
    ]
    assert_array_equal(found.nested_wrong, np.argmax(nested, axis=1) != board.codes)
    alone = mixed_nested(board)
    assert_allclose(found.loss_gain, alone - board.brier(np.array(nested)), atol=1e-12)


def mixed_nested(board):
    """The Brier scores of nested answers by the candidates of the labeled rows alone."""
    places = board.labeled_only
    part = Scoreboard(
        [board.candidates[p] for p in places],
        [board.scores[p] for p in places],
        board.codes,
        board.weight,
    )
    n = len(board.codes)
    rows = [np.setdiff1d(np.arange(n), i) for i in range(n)]
    nested = [mixed_by_border(part, rest) @ part.chances[:, i] for i, rest in enumerate(rows)]
    return part.brier(np.array(nested))


def test_weights_sum_to_one_and_prefer_the_better_half():
    board = scoreboard(n_rows=40)
    found = Consensus(board)
    assert found.weights.sum() == pytest.approx(1)
    borders = np.array([candidate.border for candidate in board.candidates])
    kept = [np.count_nonzero(found.weights[borders == border]) for border in np.unique(borders)]
    assert max(kept) <= 2 * MOST_MEMBERS
    assert found.weights[:6].sum() > 0.75
    assert_allclose(found.loo_probabilities.sum(axis=1), 1)


@pytest.fixture(scope="module")
def fitted():
    X, truth = load_digits(return_X_y=True)
    X, truth = X[:500] * np.r_[np.ones(63), 40], truth[:500]  # with a step that standardizes
    y = hide_labels(truth, keep=60, random_state=0)
    return SSRLPLCV().fit(X, y), X, y, truth


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
    assert model.nested_error_ == pytest.approx(
        next(row["loo_error"] for row in model.score_board_ if row["name"] == "SSRLPLCV")
    )


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
    with pytest.raises(ValueError, match="choose must be one of 'all', 'one'"):
        SSRLPLCV(choose="some").fit(X, y)


def test_nothing_is_computed_twice(monkeypatch):
    """Benches of the search serve the members and the map of the mixture."""
    X, y, _ = mixed(5, n=80, share=0.4)
    made = []
    original = Bench.__init__
    monkeypatch.setattr(
        Bench, "__init__", lambda *a, **k: (made.append(a[1]), original(*a, **k))[1]
    )
    SSRLPLCV().fit(X, y)
    assert len(made) == len(set(made)) == len({c.space for c in family(X, 3)})


def test_with_one_label_a_class_the_preferred_candidates_count_the_same():
    """Leave-one-out tells nothing there: a class without its only label is never right."""
    X, truth = load_iris(return_X_y=True)
    y = np.full(150, -1)
    y[[0, 60, 120]] = truth[[0, 60, 120]]
    model = SSRLPLCV().fit(X, y)
    weights, tiers = model.cv_results_["weight"], model.cv_results_["tier"]
    assert_allclose(weights[weights > 0], 1 / np.count_nonzero(weights))
    assert set(tiers[weights > 0]) == {0}
    assert model.score(X, truth) > 0.7
    # Nothing is claimed.
    assert model.nested_error_ is model.loo_error_ is model.labeled_only_error_ is None
    assert model.comparison_ is model.verdict_ is None
    errors = {row["name"]: row["loo_error"] for row in model.score_board_}
    assert errors.pop("largest class") == pytest.approx(2 / 3)
    assert set(errors.values()) == {None}
    assert "logistic regression" in errors
    assert "cannot be estimated" in model.summary()


def test_the_only_label_of_a_class_judges_nobody():
    without = scoreboard(n_rows=20, n_classes=3)
    codes, last = np.append(without.codes, 3), [[0.0, 0.0, 0.0, -9.0]]
    scores = [np.vstack([np.pad(found, ((0, 0), (0, 1))), last]) for found in without.scores]
    cut = [found[:-1] for found in scores]
    without = Scoreboard(without.candidates, cut, codes[:-1], np.ones(20))
    board = Scoreboard(without.candidates, scores, codes, np.ones(21))
    assert board.n_judged == 20
    assert_allclose(board.mean(board.wrong), without.mean(without.wrong))
    assert_allclose(board.temperatures, without.temperatures)
    assert_allclose(Consensus(board).weights, Consensus(without).weights)


def test_if_many_classes_have_one_label_only_graph_labels_are_mixed():
    X, truth = load_digits(return_X_y=True)
    X, truth = X[:400], truth[:400]
    y = np.full(400, -1)
    for digit in range(10):
        rows = np.flatnonzero(truth == digit)[: 1 if digit < 4 else 3]
        y[rows] = digit
    model = SSRLPLCV().fit(X, y)
    used = model.cv_results_["weight"] > 0
    assert set(model.cv_results_["tier"][used]) == {0}
    assert model.n_single_ == 4
    assert "without 4 classes that have one label" in model.summary()
    judged = np.flatnonzero(y[y >= 0] >= 4)
    wrong = model.loo_probabilities_.argmax(axis=1) != y[y >= 0]
    assert model.loo_error_ == pytest.approx(wrong[judged].mean())


def test_score_board_is_what_scikit_learn_would_say():
    """Logistic regression left out row by row, its C chosen by the other rows."""
    X, truth = load_iris(return_X_y=True)
    y = hide_labels(truth, keep=30, random_state=1)
    board = SSRLPLCV().fit(X, y).score_board_
    names = [row["name"] for row in board]
    assert {"SSRLPLCV", "labeled rows only", "logistic regression", "random forest",
            "plain SSRL-PL", "largest class"} == set(names)  # fmt: skip
    errors = {row["name"]: row["loo_error"] for row in board}
    assert list(errors.values()) == sorted(errors.values())
    labels = y[y >= 0]
    assert errors["largest class"] == pytest.approx(1 - np.bincount(labels).max() / 30)
    rows = X[y >= 0]
    scale = X.var(axis=0).sum()
    wrong = [
        1 - cross_val_score(LogisticRegression(C=C / scale), rows, labels, cv=LeaveOneOut()).mean()
        for C in (1, 10, 100, 1000)
    ]
    assert min(wrong) - 1 / 30 <= errors["logistic regression"] <= max(wrong) + 1 / 30


def test_known_class_shares_are_those_of_the_labels():
    rng = np.random.default_rng(0)
    Y, fixed = rng.dirichlet(np.ones(3), 200), np.arange(200) < 20
    Y[fixed] = np.eye(3)[np.arange(20) % 3]
    shares = np.array([0.6, 0.3, 0.1])
    found = with_class_shares(Y, shares, fixed)
    assert_allclose(found.mean(axis=0), shares, atol=1e-4)
    assert_allclose(found.sum(axis=1), 1)
    assert_array_equal(found[fixed], Y[fixed])
    # Only factors for classes and rows were applied: odds ratios between rows stay.
    odds = np.log(Y[~fixed][:, :2]), np.log(found[~fixed][:, :2])
    before, after = (np.diff(one, axis=1).ravel() for one in odds)
    assert_allclose(np.ptp(after - before), 0, atol=1e-4)


def test_a_class_prior_moves_the_labels():
    X, truth = load_iris(return_X_y=True)
    keep = np.r_[0:50, 50:60, 100:150]  # ten of the second class
    X, truth = X[keep], truth[keep]
    y = hide_labels(truth, keep_per_class=4, random_state=0)
    shares = np.bincount(truth) / len(truth)
    unknown, known = SSRLPLCV().fit(X, y), SSRLPLCV(class_prior=shares).fit(X, y)
    by_name = SSRLPLCV(class_prior=dict(enumerate(shares))).fit(X, y)
    assert_array_equal(by_name.label_distributions_, known.label_distributions_)
    ours, theirs = (np.abs(m.label_distributions_.mean(axis=0) - shares).max()
                    for m in (known, unknown))  # fmt: skip
    assert ours < min(theirs, 0.02)


@pytest.mark.parametrize("prior", [[0.5, 0.5], [0.7, 0.2, 0.2], [1.0, 0.0, 0.0], {0: 1.0}])
def test_impossible_class_shares_are_refused(prior):
    X, truth = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match="class_prior must"):
        SSRLPLCV(class_prior=prior).fit(X, hide_labels(truth, keep=20, random_state=0))


def test_weights_of_rows_and_of_classes_are_one_thing():
    X, truth = load_iris(return_X_y=True)
    y = hide_labels(truth, keep=30, random_state=0)
    weight = np.where(truth == 1, 3.0, 1.0)
    model = SSRLPLCV().fit(X, y, sample_weight=weight)
    by_class = SSRLPLCV(class_weight={0: 1, 1: 3, 2: 1}).fit(X, y)
    assert_array_equal(model.label_distributions_, by_class.label_distributions_)
    equal = SSRLPLCV().fit(X, y, sample_weight=np.full(150, 7.0))
    assert_allclose(
        equal.label_distributions_, SSRLPLCV().fit(X, y).label_distributions_, atol=1e-6
    )
    balanced = SSRLPLCV(class_weight="balanced").fit(X, y)
    largest = next(r["loo_error"] for r in balanced.score_board_ if r["name"] == "largest class")
    assert largest == pytest.approx(2 / 3)
    with pytest.raises(ValueError, match="must be positive for labeled rows"):
        SSRLPLCV().fit(X, y, sample_weight=np.where(y == 1, 0.0, 1.0))


def test_the_map_is_made_in_components_where_only_these_show_the_classes(tmp_path):
    # Four clusters at the corners of a square, opposite corners of one class, and 80 noise columns.
    rng = np.random.default_rng(0)
    corner = rng.integers(0, 4, 400)
    square = 6 * np.column_stack([corner % 2, corner // 2])
    X = np.hstack([square + rng.normal(size=(400, 2)), 1.2 * rng.normal(size=(400, 80))])
    truth = (corner == 0) | (corner == 3)
    model = SSRLPLCV().fit(X, hide_labels(truth.astype(int), keep=60, random_state=0))
    assert "pca" in dict(model.best_estimator_.steps)
    assert np.mean(model.predict(X) == truth) > 0.97
    assert model.transform(X).shape == (400, 1)
    ssrlpl.save(model, tmp_path / "model.ssrlpl")
    loaded = ssrlpl.load(tmp_path / "model.ssrlpl")
    assert_array_equal(loaded.predict_proba(X), model.predict_proba(X))
    iris = load_iris()
    of_iris = SSRLPLCV().fit(iris.data, hide_labels(iris.target, keep=30, random_state=0))
    assert not hasattr(of_iris.best_estimator_, "steps")  # all columns
