"""SSRLPLCV: leave-one-out scores against refits, the choice, and tables at the edge."""

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn import config_context
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score

import ssrlpl
from conftest import problem
from ssrlpl.labels import PartialLabels, encode_labels
from ssrlpl.model_selection import SSRLPLCV, StratifiedLabeledKFold, _search
from ssrlpl.model_selection._candidates import Candidate, Space, family
from ssrlpl.model_selection._choice import choose, nested_error, standard_error
from ssrlpl.model_selection._left_out_scores import enter, score_group
from ssrlpl.model_selection._members import Member


def mixed(seed=0, n=60, d=6, share=0.3, n_classes=3):
    """Classes that overlap, so that candidates disagree."""
    X, y, truth = problem(n, d, n_classes, share, seed)
    means = np.array([X[truth == c].mean(axis=0) for c in range(n_classes)])
    return X - 0.6 * means[truth], y, truth


def refitted_scores(candidate, gamma, X, target):
    """Hide each label in turn, fit the member anew, and ask it about the row."""
    found = np.zeros((target.n_labeled, len(target.classes)))
    for i, row in enumerate(np.flatnonzero(target.is_labeled)):
        codes = target.codes.copy()
        codes[row] = -1
        member = Member(candidate, gamma).fit(X, PartialLabels(target.classes, codes))
        # A class that lost its only label: score zero, or the farthest row of the plain method.
        classes = slice(None) if candidate.kind == "plain" else member.map_.classes_
        found[i, classes] = member.scores(X[[row]])[0]
    return found


SPACES = [Space(), Space(standardized=True), Space(n_principal=3), Space(True, 2)]
KINDS = {
    "graph": {"rho": 1e-4, "n_neighbors": 7, "alpha": 0.9, "sharpness": 4.0, "bandwidth": 4.0},
    "graph, little ridge": {"rho": 1e-5, "n_neighbors": 3, "alpha": 0.99, "sharpness": 1.0},
    "discriminant": {"kernel": "linear", "rho": 1e-2},
    "ridge": {"rho": 0.01, "bandwidth": 0.25},
    "ridge, linear": {"kernel": "linear", "rho": 0.1},
}


@pytest.mark.parametrize("space", SPACES, ids=str)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("single", [False, True], ids=["", "class with one label"])
def test_scores_are_those_of_refits(kind, space, single):
    X, y, _ = mixed()
    X = X * [1, 2, 30, 1, 1, 1] + 5
    if single:
        y[np.flatnonzero(y == 1)[1:]] = -1
    target = encode_labels(y)
    candidate = Candidate(0, kind.split(",")[0], space, **KINDS[kind])
    problem_ = enter(space, X, target, 0)
    ((_, gamma, ours),) = score_group(problem_, candidate.kind, [candidate])
    expected = refitted_scores(candidate, gamma, X, target)
    assert_allclose(ours, expected, atol=1e-8 * np.abs(expected).max())


def test_plain_method_without_a_class():
    """The class has no row to be near to and never wins."""
    X, y, _ = mixed(1)
    y[np.flatnonzero(y == 1)[1:]] = -1
    target, candidate = encode_labels(y), Candidate(0, "plain", Space(), n_neighbors=5)
    ((_, gamma, ours),) = score_group(enter(Space(), X, target, 0), "plain", [candidate])
    position = np.flatnonzero(y[y >= 0] == 1)[0]
    assert ours[position].argmin() == 1
    assert_allclose(ours, refitted_scores(candidate, gamma, X, target), atol=1e-8)


@pytest.mark.parametrize("space", SPACES[:3], ids=str)
@pytest.mark.parametrize("k", [1, 5, 40])
def test_scores_of_the_plain_method_are_those_of_refits(space, k):
    X, y, _ = mixed(1)
    target = encode_labels(y)
    candidate = Candidate(0, "plain", space, n_neighbors=k)
    ((_, gamma, ours),) = score_group(enter(space, X, target, 0), "plain", [candidate])
    expected = refitted_scores(candidate, gamma, X, target)
    assert_allclose(ours, expected, atol=1e-8)


def test_every_candidate_of_the_family_is_judged_by_refits():
    """The family as it is, on a table where scales differ and all kinds of candidates occur."""
    X, y, _ = mixed(1, n=40, d=6, share=0.15)
    X = X * [1, 1, 40, 1, 1, 1]
    target = encode_labels(y)
    problems = {}
    kinds = set()
    for candidate in family(X):
        space = candidate.space
        if space not in problems:
            problems[space] = enter(space, X, target, 0)
        ((_, gamma, ours),) = score_group(problems[space], candidate.kind, [candidate])
        expected = refitted_scores(candidate, gamma, X, target)
        assert_allclose(ours, expected, atol=1e-8 * np.abs(expected).max(), err_msg=str(candidate))
        kinds.add(candidate.kind)
    assert kinds == {"graph", "ridge", "plain", "discriminant"}


def test_candidates_in_a_group_are_those_alone():
    X, y, _ = mixed(2)
    target = encode_labels(y)
    problem_ = enter(Space(), X, target, 0)
    for kind in ("graph", "ridge", "plain", "discriminant"):
        group = [c for c in family(X) if c.kind == kind and c.space == Space()]
        together = {c: scores for c, _, scores in score_group(problem_, kind, group)}
        assert set(together) == set(group)
        for candidate in group:
            ((_, _, alone),) = score_group(problem_, kind, [candidate])
            assert_allclose(together[candidate], alone, atol=1e-12)


def test_sparse_scores_are_those_of_refits():
    X, y, truth = mixed(3, n=40, share=0.1)
    y[:6] = truth[:6]  # two labels of each class at least
    X = sparse.csr_array(np.where(np.abs(X) < 0.3, 0, X))
    target = encode_labels(y)
    for candidate in family(X):
        problem_ = enter(candidate.space, X, target, 0)
        ((_, gamma, ours),) = score_group(problem_, candidate.kind, [candidate])
        expected = refitted_scores(candidate, gamma, X, target)
        assert_allclose(ours, expected, atol=1e-7 * np.abs(expected).max(), err_msg=str(candidate))


# The choice.


def errors_of(*rates, n=100):
    """One row for each candidate, with its rate of errors at the first rows."""
    return np.array([np.arange(n) < round(rate * n) for rate in rates])


def test_preferred_tier_wins_within_a_standard_error():
    losses, tiers = np.zeros((2, 100)), np.array([0, 1])
    within = 0.1 + standard_error(0.1, 100)
    assert 0.12 < within < 0.14
    assert choose(errors_of(0.13, 0.10), losses, tiers) == 0
    assert choose(errors_of(0.14, 0.10), losses, tiers) == 1


def test_lowest_error_wins_in_its_tier_then_the_lowest_loss():
    losses = np.tile([[0.3], [0.2], [0.1], [0.0]], 100)
    tiers = np.array([0, 0, 0, 1])
    assert choose(errors_of(0.11, 0.10, 0.10, 0.10), losses, tiers) == 2
    assert choose(errors_of(0.11, 0.10, 0.12, 0.10), losses, tiers) == 1
    assert choose(errors_of(0.1, 0.1, 0.1, 0.1), 0 * losses, tiers) == 0  # the first of equals


def test_no_error_is_known_to_be_zero():
    assert standard_error(0.0, 10) > 0
    assert standard_error(1.0, 10) > 0
    assert_allclose(standard_error(0.5, 98), 0.5 / np.sqrt(98))


def test_nested_error_judges_a_row_by_the_choice_of_the_others():
    # Each candidate is right at two rows: without one of them the other candidates win.
    wrong = ~np.repeat(np.eye(4, dtype=bool), 2, axis=1)
    tiers = np.zeros(4, dtype=int)
    assert wrong.mean(axis=1).min() == 0.75
    assert nested_error(wrong, np.zeros(wrong.shape), tiers) == 1.0


def test_nested_error_of_a_single_candidate_is_its_error():
    wrong = errors_of(0.3)
    assert_allclose(nested_error(wrong, np.zeros((1, 100)), np.array([0])), 0.3)


def test_nested_choice_does_not_see_the_loss_at_the_row():
    """Without row 0 both candidates err once and the losses prefer B, which is wrong there.

    The loss at row 0 would prefer A. Without row 1, A wins by its errors and is wrong; without
    row 2, A wins by its losses and is right.
    """
    wrong = np.array([[False, True, False], [True, False, True]])
    losses = np.array([[0.1, 1.5, 0.1], [1.9, 0.1, 1.4]])
    assert losses[0].sum() < losses[1].sum()
    assert_allclose(nested_error(wrong, losses, np.array([0, 0])), 2 / 3)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_luck_is_seen_through(n_classes):
    """Labels drawn at random: the lowest error flatters, the nested one is near chance."""
    lowest, nested = [], []
    for seed in range(8):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(60, 4)), np.full(60, -1)
        y[:30] = rng.permutation(np.arange(30) % n_classes)
        model = SSRLPLCV().fit(X, y)
        lowest.append(model.cv_results_["loo_error"].min())
        nested.append(model.nested_error_)
    chance = 1 - 1 / n_classes
    assert np.mean(lowest) < chance - 0.05
    assert np.mean(nested) > chance - 0.06  # 240 rows: two standard errors of 0.03
    assert np.mean(nested) > np.mean(lowest)


# The estimator.


def prefer(kind, X, monkeypatch):
    """Make the first candidate of a kind the winner."""
    preferred = sorted(family(X), key=lambda c: c.kind != kind)
    monkeypatch.setattr(_search, "family", lambda _: preferred)
    monkeypatch.setattr(_search, "choose", lambda *_: 0)


@pytest.fixture(scope="module")
def table():
    return mixed(5, n=80, share=0.4)


@pytest.fixture(scope="module")
def model(table):
    X, y, _ = table
    return SSRLPLCV().fit(X, y)


def test_results_are_consistent(model, table):
    _, y, _ = table
    results = model.cv_results_
    assert len({len(column) for column in results.values()}) == 1
    place = np.flatnonzero(results["role"] == "winner")
    assert_allclose(results["loo_error"][place], model.loo_error_)
    alone = ~results["uses_unlabeled"]
    assert model.labeled_only_error_ == results["loo_error"][alone].min()
    n = (y >= 0).sum()
    assert_allclose(results["loo_error"] * n, np.round(results["loo_error"] * n), atol=1e-9)
    assert f"{100 * model.nested_error_:.1f} %" in model.summary()


def test_training_rows_as_predicted(model, table):
    X, y, truth = table
    unlabeled = y < 0
    assert_array_equal(model.predict(X)[unlabeled], model.transduction_[unlabeled])
    assert_array_equal(model.transduction_[~unlabeled], y[~unlabeled])
    p = model.predict_proba(X)
    assert_allclose(p[unlabeled], model.label_distributions_[unlabeled], atol=1e-9)
    assert_allclose(model.label_distributions_.sum(axis=1), 1)
    assert np.isfinite(p).all()
    assert (model.transduction_ == truth)[unlabeled].mean() > 0.5


def test_a_row_alone_is_the_row_in_company(table):
    X, y, _ = table
    for kind in ("graph", "plain", "ridge", "discriminant"):
        candidate = next(c for c in family(X) if c.kind == kind)
        member = Member(candidate, 0.1).fit(X, encode_labels(y))
        alone = np.vstack([member.scores(x[None]) for x in X[:5]])
        assert_allclose(member.scores(X)[:5], alone, atol=1e-9)


def test_same_seed_same_answer_whatever_the_threads(model, table):
    X, y, _ = table
    for n_jobs in (None, 2):
        again = SSRLPLCV(n_jobs=n_jobs).fit(X, y)
        assert again.best_params_ == model.best_params_
        assert_array_equal(again.cv_results_["loo_error"], model.cv_results_["loo_error"])
        assert_array_equal(again.label_distributions_, model.label_distributions_)


def test_hidden_labels_cannot_be_seen(model, table):
    """What stands at unlabeled rows is the marker; another marker gives the same answer."""
    X, y, _ = table
    other = np.where(y < 0, np.nan, y.astype(float))
    again = SSRLPLCV().fit(X, other)
    assert_array_equal(again.label_distributions_, model.label_distributions_)


def test_constructor_is_left_alone(table):
    X, y, _ = table
    model = SSRLPLCV(1, random_state=3)
    before = model.get_params()
    assert model.fit(X, y).transform(X).shape == (80, 1)
    assert model.get_params() == before == clone(model).get_params()


def test_fewer_components_change_the_picture_not_the_answer(model, table):
    X, y, _ = table
    one = SSRLPLCV(1).fit(X, y)
    assert_array_equal(one.transform(X), model.transform(X)[:, :1])
    assert_array_equal(one.predict(X), model.predict(X))
    with pytest.raises(ValueError, match=r"n_components must be an int in \[1, n_classes - 1\]"):
        SSRLPLCV(3).fit(X, y)


def test_frames_and_words(model, table):
    X, y, _ = table
    names = np.array(["ash", "beech", "cedar", None], dtype=object)
    frame = pd.DataFrame(X, columns=list("abcdef"), index=np.arange(100, 180))
    fitted = SSRLPLCV().set_output(transform="pandas").fit(frame, pd.Series(names[y]))
    Z = fitted.transform(frame)
    assert list(Z.columns) == ["ssrlplcv0", "ssrlplcv1"]
    assert_array_equal(Z.index, frame.index)
    assert_allclose(Z, model.transform(X), atol=1e-9)
    assert_array_equal(fitted.predict(frame), names[model.predict(X)])
    assert_array_equal(fitted.transduction_, names[model.transduction_])


def test_output_set_to_pandas_for_everything(table):
    X, y, _ = table
    X = X * [1, 1, 1, 1, 1, 50]  # standardized and reduced spaces
    plain = SSRLPLCV().fit(X, y)
    with config_context(transform_output="pandas"):
        fitted = SSRLPLCV().fit(pd.DataFrame(X), y)
        assert_array_equal(fitted.predict(pd.DataFrame(X)), plain.predict(X))
        assert_array_equal(fitted.cv_results_["loo_error"], plain.cv_results_["loo_error"])


def test_sparse_and_single_precision(model, table):
    X, y, _ = table
    thin = SSRLPLCV().fit(sparse.csr_array(X), y)
    assert_array_equal(thin.predict(sparse.csr_array(X)).shape, y.shape)
    single = SSRLPLCV().fit(X.astype(np.float32), y)
    assert abs(single.loo_error_ - model.loo_error_) < 0.1
    assert np.isfinite(single.predict_proba(X.astype(np.float32))).all()


def test_pickle(model, table):
    X, _, _ = table
    copy = pickle.loads(pickle.dumps(model))
    assert_array_equal(copy.predict_proba(X), model.predict_proba(X))
    assert copy.summary() == model.summary()


@pytest.mark.parametrize("kind", ["graph", "plain", "ridge", "discriminant"])
def test_every_kind_of_winner_is_saved_and_loaded(kind, table, tmp_path, monkeypatch):
    pytest.importorskip("skops")
    X, y, _ = table
    X = X * [1, 1, 1, 1, 1, 50]  # with a step that standardizes
    prefer(kind, X, monkeypatch)
    model = SSRLPLCV().fit(X, y)
    assert model._member.candidate.kind == kind
    ssrlpl.save(model, tmp_path / "model")
    loaded = ssrlpl.load(tmp_path / "model")
    assert_array_equal(loaded.predict_proba(X), model.predict_proba(X))
    assert_array_equal(loaded.transform(X), model.transform(X))


def test_in_cross_validation(table):
    X, y, _ = table
    folds = StratifiedLabeledKFold(3)
    scores = cross_val_score(SSRLPLCV(), X, y, cv=folds, error_score="raise")
    assert ((scores >= 0) & (scores <= 1)).all()
    assert scores.mean() > 0.4
    grid = GridSearchCV(SSRLPLCV(), {"n_components": [1, 2]}, cv=folds, error_score="raise")
    assert grid.fit(X, y).best_params_["n_components"] == 1  # equal scores: the first


# Tables at the edge.


def five_rows():
    return np.array([[0.0], [0.2], [1.0], [1.1], [0.5]]), np.array([0, 0, 1, 1, -1])


def edge_tables():
    rng = np.random.default_rng(0)
    X, y, truth = mixed(6, n=40, d=4, n_classes=2)
    few = np.full(40, -1)
    few[[0, 1]] = [0, 1]
    yield "one label of each class", X, few
    few = few.copy()
    few[2] = 0
    yield "three labels", X, few
    yield "all rows labeled", X, truth
    yield "a single column", X[:, :1], y
    yield "constant columns", np.c_[X, np.ones((40, 3)), np.zeros(40)], y
    yield "five rows", *five_rows()
    yield "two rows", np.array([[0.0, 1.0], [1.0, 0.0]]), np.array([0, 1])
    yield "each row four times", np.repeat(X, 4, axis=0), np.repeat(y, 4)
    yield "integers with ties", rng.integers(0, 2, (40, 3)).astype(float), y
    yield "wide", rng.normal(size=(20, 200)), np.r_[[0, 1, 0, 1], np.full(16, -1)]
    yield "huge numbers", X * 1e12, y
    yield "tiny numbers", X * 1e-12, y
    yield "far from the origin", X + 1e6, y
    yield "sparse zeros", sparse.csr_array((X > 1) * X), y
    yield "class with one label", X[:30], np.r_[[0, 0, 0, 0, 1], np.full(25, -1)]


@pytest.mark.parametrize(("X", "y"), [pytest.param(X, y, id=name) for name, X, y in edge_tables()])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_tables_at_the_edge_give_an_answer_and_no_warning(X, y, dtype):
    X = X.astype(dtype)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = SSRLPLCV().fit(X, y)
        p, Z = model.predict_proba(X), model.transform(X)
        model.predict(X[:1])
    assert np.isfinite(p).all()
    assert np.isfinite(Z).all()
    assert Z.shape == (X.shape[0], model.n_components_)
    assert_allclose(p.sum(axis=1), 1, atol=1e-6)
    assert_allclose(model.label_distributions_.sum(axis=1), 1, atol=1e-6)
    assert 0 <= model.loo_error_ <= 1
    assert 0 <= model.nested_error_ <= 1


@pytest.mark.parametrize(
    "y", [np.arange(20) % 2, np.r_[[0, 0, 1], np.full(17, -1)]], ids=["all labeled", "few"]
)
def test_equal_rows_get_equal_answers(y):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", "The rows have only 0 directions", UserWarning)
        model = SSRLPLCV().fit(np.ones((20, 3)), y)
    p = model.predict_proba(np.ones((4, 3)))
    assert_allclose(p, np.tile(p[0], (4, 1)))
    assert np.isfinite(model.transform(np.ones((1, 3)))).all()


@pytest.mark.parametrize("kind", ["graph", "plain", "ridge", "discriminant"])
def test_more_classes_than_columns(kind, monkeypatch):
    """A linear map has fewer directions than components, but as many columns."""
    rng = np.random.default_rng(0)
    y = np.arange(60) % 5
    X = y[:, None] + 0.1 * rng.normal(size=(60, 1))
    partly = np.where(np.arange(60) < 30, y, -1)
    prefer(kind, X, monkeypatch)
    model = SSRLPLCV().fit(X, partly)
    assert model._member.candidate.kind == kind
    assert model.transform(X).shape == (60, 4) == (60, len(model.get_feature_names_out()))
    right = (model.predict(X) == y).mean()
    assert right > (0.9 if kind in ("graph", "plain") else 0.3)  # a line parts the ends only


def test_two_columns_on_different_scales_are_standardized():
    X, y, truth = problem(80, 2, n_classes=2, share=0.3, seed=1)
    rng = np.random.default_rng(0)
    X = np.c_[truth + 0.1 * rng.normal(size=80), 1e5 * rng.normal(size=80)]
    assert any(c.space.standardized for c in family(X))
    assert (SSRLPLCV().fit(X, y).predict(X) == truth).mean() > 0.95


def test_columns_on_one_scale_are_left_alone():
    assert not any(c.space.standardized for c in family(mixed()[0]))


# Larger tables are sampled.


def test_choice_rows_keep_every_class(monkeypatch):
    monkeypatch.setattr(_search, "MOST_ROWS", 40)
    monkeypatch.setattr(_search, "MOST_LABELED", 12)
    codes = np.full(200, -1)
    codes[:50] = 0
    codes[[50, 51, 52]] = [1, 2, 3]
    target = PartialLabels(np.arange(4), codes)
    for seed in range(20):
        rows = _search.choice_rows(target, seed)
        assert len(np.unique(rows)) == 40
        assert_array_equal(rows, np.sort(rows))
        assert (codes[rows] >= 0).sum() == 12
        assert set(codes[rows]) == {-1, 0, 1, 2, 3}


def test_small_tables_are_taken_whole():
    codes = np.r_[[0, 1], np.full(50, -1)]
    rows = _search.choice_rows(PartialLabels(np.arange(2), codes), 0)
    assert_array_equal(rows, np.arange(52))


def test_choice_on_a_sample_fits_all_rows(monkeypatch, table):
    X, y, truth = table
    monkeypatch.setattr(_search, "MOST_ROWS", 40)
    monkeypatch.setattr(_search, "MOST_LABELED", 20)
    model = SSRLPLCV().fit(X, y)
    assert len(model.label_distributions_) == len(X)
    assert_array_equal(model.transduction_[y >= 0], y[y >= 0])
    assert_allclose(model.loo_error_ * 20, round(model.loo_error_ * 20), atol=1e-9)
    assert (model.predict(X) == truth).mean() > 0.5
