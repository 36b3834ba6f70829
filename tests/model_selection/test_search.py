"""SSRLPLCV as an estimator, and tables at the edge."""

import warnings

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse, stats
from sklearn import config_context
from sklearn.datasets import load_digits
from sklearn.model_selection import GridSearchCV, cross_val_score

import ssrlpl
from conftest import mixed, problem
from ssrlpl._core.readout import best_temperature, probabilities
from ssrlpl._utils import limits
from ssrlpl.datasets import hide_labels
from ssrlpl.experiments.searching import LabeledRowsSearch
from ssrlpl.experiments.searching import judge_search as judge
from ssrlpl.guarantee.paired import Comparison, compare, compare_left_out
from ssrlpl.labels import PartialLabels, encode_labels
from ssrlpl.model_selection import SSRLPLCV, StratifiedLabeledKFold, rule, search
from ssrlpl.model_selection.candidates import Bench, LogisticLabels, Space, family
from ssrlpl.model_selection.candidates.discriminant import AllRowsDiscriminant
from ssrlpl.model_selection.candidates.graph_labels import GraphLabels
from ssrlpl.model_selection.candidates.labeled_only import LabeledLeastSquares
from ssrlpl.model_selection.candidates.plain_map import PlainMap
from ssrlpl.model_selection.sampled_rows import choice_rows

pytestmark = pytest.mark.usefixtures("small_forests")

KINDS = (GraphLabels, PlainMap, LabeledLeastSquares, AllRowsDiscriminant)


def prefer(kind, X, monkeypatch):
    """Make the first candidate of a kind the winner."""
    preferred = sorted(family(X, 3), key=lambda c: type(c) is not kind)
    monkeypatch.setattr(search, "family", lambda *_: preferred)
    monkeypatch.setattr(rule, "choose", lambda *_: 0)


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
    assert results["weight"][results["role"] == "winner"] == results["weight"].max()
    errors = {row["name"]: row["loo_error"] for row in model.score_board_}
    assert model.nested_error_ == errors["SSRLPLCV"]
    assert model.labeled_only_error_ == errors["labeled rows only"]
    n = (y >= 0).sum()
    assert_allclose(results["loo_error"] * n, np.round(results["loo_error"] * n), atol=1e-9)
    assert f"{100 * model.nested_error_:.1f} %" in model.summary()


def test_a_row_alone_is_the_row_in_company(table):
    X, y, _ = table
    for kind in KINDS:
        candidate = next(c for c in family(X, 3) if type(c) is kind)
        bench = Bench(candidate.space, X, encode_labels(y), 0)
        fitted = candidate.build(bench, np.eye(2)[np.zeros(80, int)])
        scores = fitted.fit_scores(bench.X, bench.target)
        fitted = bench.behind_steps(fitted)
        alone = np.vstack([fitted.predict_proba(x[None]) for x in X[:5]])
        assert_allclose(fitted.predict_proba(X)[:5], alone, atol=1e-9)
        assert_array_equal(fitted.predict(X), fitted.classes_[scores.argmax(axis=1)])


def test_same_seed_same_answer_whatever_the_threads(model, table):
    X, y, _ = table
    for n_jobs in (None, 2):
        again = SSRLPLCV(n_jobs=n_jobs).fit(X, y)
        assert repr(again.best_params_) == repr(model.best_params_)
        assert_array_equal(again.cv_results_["loo_error"], model.cv_results_["loo_error"])
        assert_array_equal(again.label_distributions_, model.label_distributions_)


def test_hidden_labels_cannot_be_seen(model, table):
    """What stands at unlabeled rows is the marker; another marker gives the same answer."""
    X, y, _ = table
    other = np.where(y < 0, np.nan, y.astype(float))
    again = SSRLPLCV().fit(X, other)
    assert_array_equal(again.label_distributions_, model.label_distributions_)


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


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_winner_is_saved_and_loaded(kind, table, tmp_path, monkeypatch):
    pytest.importorskip("skops")
    X, y, _ = table
    X = X * [1, 1, 1, 1, 1, 50]  # with a step that standardizes
    prefer(kind, X, monkeypatch)
    model = SSRLPLCV(choose="one").fit(X, y)
    assert np.flatnonzero(model.cv_results_["role"] == "winner") == 0
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
    yield (
        "wide, labeled rows equal",
        np.r_[np.ones((4, 200)), X @ np.ones((4, 200))],
        np.r_[[0, 1, 0, 1], np.full(40, -1)],
    )
    yield "all rows equal", np.ones((20, 30)), np.r_[[0, 1, 0, 1], np.full(16, -1)]
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
    if np.unique(y[y >= 0], return_counts=True)[1].max() > 1:
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


@pytest.mark.parametrize("kind", KINDS)
def test_the_winner_as_a_plain_estimator_predicts_the_same(kind, table, monkeypatch):
    X, y, _ = table
    X = X * [1, 1, 1, 1, 1, 50]  # with a step that standardizes
    prefer(kind, X, monkeypatch)
    names = np.array(["ash", "beech", "cedar"], dtype=object)
    y = np.where(y >= 0, names[y], "?")
    model = SSRLPLCV(choose="one", unlabeled="?").fit(X, y)
    plain = model.best_estimator()
    assert repr(type(plain)(**model.best_params_)) == repr(plain)
    assert not hasattr(plain, "classes_")
    plain.set_params(**model.best_params_).fit(X, y)
    new = X + 0.1 * np.random.default_rng(0).normal(size=X.shape)
    assert_array_equal(plain.predict(new), model.predict(new))
    assert_allclose(plain.predict_proba(new), model.predict_proba(new), atol=1e-9)
    assert_allclose(plain.transform(new), model.transform(new), atol=1e-9)


@pytest.mark.parametrize("kind", KINDS)
def test_more_classes_than_columns(kind, monkeypatch):
    """A linear map has fewer directions than components, but as many columns."""
    rng = np.random.default_rng(0)
    y = np.arange(60) % 5
    X = y[:, None] + 0.1 * rng.normal(size=(60, 1))
    partly = np.where(np.arange(60) < 30, y, -1)
    prefer(kind, X, monkeypatch)
    model = SSRLPLCV(choose="one").fit(X, partly)
    assert model.transform(X).shape == (60, 4) == (60, len(model.get_feature_names_out()))
    right = (model.predict(X) == y).mean()
    assert right > (0.9 if kind in (GraphLabels, PlainMap) else 0.3)  # a line parts the ends only


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
    monkeypatch.setattr(limits, "SEARCH_ROWS", 40)
    monkeypatch.setattr(limits, "SEARCH_LABELED", 12)
    codes = np.full(200, -1)
    codes[:50] = 0
    codes[[50, 51, 52]] = [1, 2, 3]
    target = PartialLabels(np.arange(4), codes)
    for seed in range(20):
        rows = choice_rows(target, seed)
        assert len(np.unique(rows)) == 40
        assert_array_equal(rows, np.sort(rows))
        assert (codes[rows] >= 0).sum() == 12
        assert set(codes[rows]) == {-1, 0, 1, 2, 3}


def test_small_tables_are_taken_whole():
    codes = np.r_[[0, 1], np.full(50, -1)]
    rows = choice_rows(PartialLabels(np.arange(2), codes), 0)
    assert_array_equal(rows, np.arange(52))


def test_choice_on_a_sample_fits_all_rows(monkeypatch, table):
    X, y, truth = table
    monkeypatch.setattr(limits, "SEARCH_ROWS", 40)
    monkeypatch.setattr(limits, "SEARCH_LABELED", 20)
    model = SSRLPLCV().fit(X, y)
    assert len(model.label_distributions_) == len(X)
    assert_array_equal(model.transduction_[y >= 0], y[y >= 0])
    assert_allclose(model.loo_error_ * 20, round(model.loo_error_ * 20), atol=1e-9)
    assert (model.predict(X) == truth).mean() > 0.5


def test_verdict_compares_the_winner_with_labeled_rows_alone():
    X, y, _ = problem()
    model = SSRLPLCV().fit(X, y)
    found = model.comparison_
    assert found.with_unlabeled == model.nested_error_
    assert found.without_unlabeled == model.labeled_only_error_
    assert found.trials == np.count_nonzero(y >= 0)
    assert found.gain <= max(found.without_unlabeled - found.with_unlabeled, 0)
    assert model.verdict_ == found.verdict
    assert f"gain {100 * found.gain:+.1f}" in model.summary()


def test_unlabeled_rows_that_help_are_said_to_help():
    """Two arms of a spiral: neighbors of neighbors tell the class, few labels do not."""
    rng = np.random.default_rng(0)
    truth, along = np.arange(600) % 2, rng.uniform(size=600)
    angle, radius = 4 * np.pi * along + np.pi * truth, 1 + 4 * along
    X = np.c_[radius * np.cos(angle), radius * np.sin(angle)] + 0.12 * rng.normal(size=(600, 2))
    model = SSRLPLCV().fit(X, hide_labels(truth, keep=60, random_state=0))
    assert model.verdict_ == "helps"
    assert "the unlabeled rows help" in model.summary()


def test_unlabeled_rows_that_mislead_are_said_to_hurt():
    """Dense strips that both classes share; the class is the side of a line across all strips."""
    rng = np.random.default_rng(0)
    X = np.c_[rng.uniform(-1, 1, 900), 8 * rng.integers(12, size=900)]
    truth = (X[:, 0] > 0).astype(int)
    y = hide_labels(truth, keep=150, random_state=0)
    found = compare_left_out(*left_out(X, y))
    assert found.verdict == "hurts"
    assert found.gain < 0


@pytest.mark.parametrize("choose", ["all", "one"])
def test_unlabeled_rows_that_hurt_are_left_out(monkeypatch, choose):
    X, truth = load_digits(return_X_y=True)
    X, y = X[:400], hide_labels(truth[:400], keep=60, random_state=0)
    hurt = Comparison(0.2, 0.1, 6, 0, 60, p_value=0.01, gain=-0.1, standard_error=0.03)
    monkeypatch.setattr("ssrlpl.model_selection.search.compare_left_out", lambda *_: hurt)
    model = SSRLPLCV(choose=choose).fit(X, y)
    alone = LabeledRowsSearch(choose=choose).fit(X, y)
    assert model.verdict_ == "hurts"
    assert not model.uses_unlabeled_
    assert np.array_equal(model.label_distributions_, alone.label_distributions_)
    assert model.nested_error_ == alone.nested_error_ == model.labeled_only_error_
    assert "the unlabeled rows would hurt and are left out (gain -10.0" in model.summary()
    assert model.compared_in_words().endswith("So they are left out.")


def left_out(X, y):
    """Graph labels alone against logistic regression alone, left out."""
    target = encode_labels(y)
    bench = Bench(Space(), X, target, 0)
    kinds = (GraphLabels(0, Space(), 30, 0.99, 0.01), LogisticLabels(0, Space(), 100.0))
    chances = []
    for kind in kinds:
        ((_, scores),) = kind.loo_scores(bench, [kind])
        chances.append(probabilities(scores, best_temperature(scores, bench.codes)))
    right = [p.argmax(axis=1) == bench.codes for p in chances]
    losses = [np.sum((p - np.eye(2)[bench.codes]) ** 2, axis=1) for p in chances]
    return *right, losses[1] - losses[0], 2


def test_few_labels_give_no_verdict_and_gains_are_not_overstated():
    right, wrong = np.ones(60, bool), np.arange(60) < 10
    gain = np.where(wrong, 1.0, 0.1)
    decided = compare_left_out(right, ~wrong, gain, 2)
    assert decided.verdict == "helps"
    assert decided.gain == pytest.approx(10 / 60 - 1.2 / 30**2)
    assert compare_left_out(~wrong, right, -gain, 2).verdict == "hurts"
    assert compare_left_out(right, ~wrong, gain, 13).verdict == "undecided"  # 4.6 of each class
    assert compare_left_out(right[:49], ~wrong[:49], gain[:49], 2).verdict == "undecided"
    assert compare_left_out(right, ~wrong, -gain, 2).verdict == "undecided"  # losses disagree
    assert compare_left_out(right, right, 0 * gain, 2).verdict == "undecided"


def test_unlabeled_rows_of_noise_are_not_said_to_help():
    rng = np.random.default_rng(0)
    found = []
    for _ in range(20):
        y = np.full(120, -1)
        y[:40] = rng.integers(2, size=40)
        found.append(SSRLPLCV().fit(rng.normal(size=(120, 6)), y).verdict_)
    assert found.count("undecided") >= 17  # at 5 % four or more others have a chance of 1.6 %


def test_no_verdict_without_unlabeled_rows():
    X, _, truth = problem()
    model = SSRLPLCV().fit(X, truth)
    assert model.verdict_ is None
    assert model.comparison_ is None
    assert "unlabeled rows" not in model.summary()


def test_search_among_labeled_rows_sees_no_unlabeled_row():
    X, y, truth = mixed(5, n=80, share=0.4)
    assert not any(
        candidate.uses_unlabeled for candidate in LabeledRowsSearch().fit(X, y).candidates(X)
    )
    found, hidden = judge(X, truth, np.flatnonzero(y >= 0)), y < 0
    alone, everything = (
        np.mean(search.fit(X, y).map_.labeler.label_vectors[hidden].argmax(1) != truth[hidden])
        for search in (LabeledRowsSearch(), SSRLPLCV())
    )
    assert found["gain"] == pytest.approx(alone - everything)
    size = abs(alone - everything)
    assert (found["truth"] == "tie") == (size < 0.01)


def test_comparison_counts_and_tests_pairs():
    """Ten rows that only the first gets right, one that only the second does, of a hundred."""
    first, second = np.ones(100, dtype=bool), np.ones(100, dtype=bool)
    second[:10] = False
    first[10] = False
    found = compare(first, second)
    assert (found.only_without, found.only_with, found.trials) == (10, 1, 100)
    assert found.gain == pytest.approx(0.09)
    variance = (0.11 - 0.09**2 + 1 / 100) / 100  # one worst-case row is added
    assert found.standard_error == pytest.approx(np.sqrt(variance))
    assert found.p_value == pytest.approx(2 * stats.t.sf(0.09 / np.sqrt(variance), 99))
    assert found.verdict == "helps"
    assert compare(second, first).verdict == "hurts"
    assert compare(first, first).verdict == "undecided"
    words = found.in_words("the error")
    assert "helps: the error is 10.0% without and 1.0% with them (100 labeled rows" in words


@pytest.mark.parametrize("wild", [1e7, 1e9, 1e11])
def test_one_wild_cell_changes_no_label_of_the_other_rows(wild):
    """Such as 999999999 for "missing": distances between ordinary rows must keep their digits."""
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 120)
    X = rng.normal(size=(120, 3)) + 2 * truth[:, None]
    y = np.where(np.arange(120) < 30, truth, -1)
    tame, spoiled = X.copy(), X.copy()
    tame[3, 0], spoiled[3, 0] = 1e6, wild  # from there on linear fits see one point in the column
    expected = SSRLPLCV().fit(tame, y).label_distributions_
    np.testing.assert_allclose(SSRLPLCV().fit(spoiled, y).label_distributions_, expected, atol=1e-3)
