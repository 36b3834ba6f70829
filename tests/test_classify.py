"""SSRLPLClassifier, and what it has in common with LabeledOnly."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import LeaveOneOut, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from conftest import peak_bytes, problem
from ssrlpl import (
    SSRLPL,
    SSRLPLCV,
    KernelSSRLPL,
    KNNLabeler,
    LabeledOnly,
    LabeledRidge,
    SSRLPLClassifier,
)
from ssrlpl._core.blocks import squares_between
from ssrlpl._core.readout import NearestReading, nearest_scores
from ssrlpl.experiments import demo


def test_score_counts_labeled_rows_only(small):
    X, y, truth = small
    for model in (LabeledOnly(LogisticRegression()), SSRLPLClassifier()):
        model.fit(X, y)
        given = y >= 0
        assert model.score(X, y) == np.mean(model.predict(X[given]) == truth[given])


def test_classifier_with_strings_and_frames():
    pd = pytest.importorskip("pandas")
    X, y, truth = problem(n=120)
    names = np.array(["ant", "bee", "cat"])
    labels = pd.Series([None if code < 0 else names[code] for code in y])
    frame = pd.DataFrame(X).rename(columns="f{}".format)
    model = SSRLPLClassifier().fit(frame, labels)
    probabilities = model.predict_proba(frame)
    assert_allclose(probabilities.sum(axis=1), 1)
    assert np.array_equal(model.classes_[probabilities.argmax(axis=1)], model.predict(frame))
    assert np.mean(model.predict(frame) == names[truth]) > 0.9
    assert list(model.feature_names_in_) == list(frame.columns)


@pytest.mark.parametrize("named", ["names at fit", "names later"])
@pytest.mark.parametrize("model", [SSRLPLClassifier(), SSRLPLCV()], ids=type)
def test_names_of_columns_on_one_side_only_warn_once(model, named):
    pd = pytest.importorskip("pandas")
    X, y, _ = problem(n=40)
    frame = pd.DataFrame(X).add_prefix("c")
    at_fit, later = (frame, X) if named == "names at fit" else (X, frame)
    model.fit(at_fit, y)
    for method in ("predict", "predict_proba", "transform"):
        with pytest.warns(UserWarning, match="feature names") as said:
            getattr(model, method)(later)
        assert [type(model).__name__ in str(warning.message) for warning in said] == [True]


@pytest.mark.parametrize("classifier", [None, "nearest"])
@pytest.mark.parametrize("map_", [SSRLPL(), KernelSSRLPL(), LabeledRidge()], ids=type)
def test_every_map_of_this_package_is_a_representation(small, map_, classifier):
    X, y, truth = small
    model = SSRLPLClassifier(map_, classifier).fit(X, y)
    assert_allclose(model.transform(X), map_.fit_transform(X, y), atol=1e-12)
    assert model.score(X, truth) > 0.9


def test_classifier_parts_can_be_replaced(small):
    X, y, truth = small
    representation = make_pipeline(StandardScaler(), SSRLPL())
    model = SSRLPLClassifier(representation, LinearSVC()).fit(X, y)
    assert model.representation_[-1].components_.shape == (2, 7)
    assert not hasattr(model, "predict_proba")
    assert model.score(X, truth) > 0.9


def test_minus_one_as_a_class(small):
    X, _, truth = small
    y = np.where(truth == 0, -1.0, 1.0)
    y[20:] = np.nan
    assert set(SSRLPLClassifier().fit(X, y).predict(X)) == {-1.0, 1.0}
    whole = np.where(truth == 0, -1, 1)
    with pytest.raises(ValueError, match="unlabeled=None"):
        SSRLPLClassifier().fit(X, whole)
    with pytest.raises(ValueError, match="unlabeled=None"):
        LabeledOnly(LogisticRegression()).fit(X, whole)
    assert set(SSRLPLClassifier(unlabeled=None).fit(X, whole).predict(X)) == {-1, 1}


def test_unlabeled_rows_help_on_digits():
    """The point of it all: with one label in twenty, all rows make a better map than a few."""
    methods = demo.digits_methods()
    gain = []
    for seed in range(3):
        X, y, _, X_test, y_test = demo.digits_split(seed)
        all_rows = methods["kernel map, all rows (SSRL-PL)"].fit(X, y).score(X_test, y_test)
        few_rows = methods["kernel map, labeled rows only"].fit(X, y).score(X_test, y_test)
        gain.append(all_rows - few_rows)
    assert np.mean(gain) > 0.01


@pytest.fixture
def plus_minus(small):
    """Classes {-1, +1}, NaN where the label is not known."""
    X, y, truth = small
    whole = np.where(truth == 0, -1.0, 1.0)
    return X, np.where(y >= 0, whole, np.nan), whole


def test_minus_one_stays_a_class_in_score(plus_minus):
    X, y, whole = plus_minus
    always_one = DummyClassifier(strategy="constant", constant=1)
    expected = np.mean(whole == 1)
    assert SSRLPLClassifier(classifier=always_one).fit(X, y).score(X, whole) == expected
    assert LabeledOnly(always_one).fit(X, y).score(X, whole) == expected
    knn = KNNLabeler(1).fit(X, y)
    assert knn.score(X, whole) == np.mean(knn.predict(X) == whole)


@pytest.mark.parametrize("marker", [-99, None])
def test_a_marker_set_on_both_parts_is_no_class(small, marker):
    X, y, _ = small
    target = y.astype(float)
    target[y < 0] = np.nan if marker is None else marker
    parts = (
        KernelSSRLPL(unlabeled=marker),
        make_pipeline(StandardScaler(), SSRLPL(unlabeled=marker)),
    )
    for representation in parts:
        model = SSRLPLClassifier(representation, unlabeled=marker).fit(X, target)
        assert set(model.predict(X)) <= {0, 1, 2}


def test_scoring_rows_of_one_class_works(small):
    X, y, truth = small
    ones = truth == 1
    for model in (LabeledOnly(LogisticRegression()), SSRLPLClassifier(), KNNLabeler()):
        assert 0 <= model.fit(X, y).score(X[ones], truth[ones]) <= 1
    scores = cross_val_score(
        LabeledOnly(LogisticRegression()), X[:12], truth[:12], cv=LeaveOneOut()
    )
    assert np.isfinite(scores).all()


def test_classifier_offers_the_decision_function(small):
    X, y, _ = small
    model = SSRLPLClassifier(SSRLPL(), LinearSVC()).fit(X, y)
    assert np.array_equal(model.decision_function(X).argmax(axis=1), model.predict(X))


@pytest.mark.parametrize("fitted", [None, "nearest"])
@pytest.mark.parametrize("later", [None, "nearest"])
def test_settings_that_change_after_the_fit_change_no_answer(fitted, later, small):
    X, y, _ = small
    model = SSRLPLClassifier(SSRLPL(), fitted, temperature=0.5).fit(X, y)
    said = model.predict(X), model.predict_proba(X), hasattr(model, "decision_function")
    model.set_params(classifier=later, temperature=0)
    assert_array_equal(model.predict(X), said[0])
    assert_array_equal(model.predict_proba(X), said[1])
    assert hasattr(model, "decision_function") == said[2] == (fitted is None)


def test_the_nearest_rows_are_looked_for_in_blocks():
    rng = np.random.default_rng(0)
    known, Z, codes = rng.normal(size=(500, 2)), rng.normal(size=(20_000, 2)), np.arange(500) % 3
    nearest = NearestReading(known, codes, 3)
    assert (
        peak_bytes(lambda: nearest(Z)) < 50e6
    )  # at once it would be 17 bytes for each of 10,000,000 pairs
    some = np.r_[:50, -50:0]
    expected = nearest_scores(squares_between(known, Z[some]).T, codes, 3)
    assert_allclose(nearest(Z)[some], expected, atol=1e-12)


def test_the_nearest_row_is_found_far_from_the_origin():
    X, y, _ = problem(n=60)
    X = np.round(64 * X) / 64
    here, there = (SSRLPLClassifier(SSRLPL(), "nearest").fit(rows, y) for rows in (X, X + 1e8))
    assert_allclose(there.predict_proba(X + 1e8), here.predict_proba(X), atol=1e-5)


@pytest.mark.parametrize("wrong", ["kernel", KernelSSRLPL, LogisticRegression()], ids=str)
def test_a_representation_must_be_a_transformer(small, wrong):
    X, y, _ = small
    with pytest.raises(TypeError, match="pass an object such as KernelSSRLPL"):
        SSRLPLClassifier(wrong).fit(X, y)


def test_weights_of_a_score_must_be_those_of_its_rows(small):
    X, y, _ = small
    model = SSRLPLClassifier().fit(X, y)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        model.score(X, y, sample_weight=np.ones(len(X) + 1))
