"""Labelers of other people, and classifiers as labelers."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.semi_supervised import LabelSpreading, SelfTrainingClassifier
from sklearn.svm import LinearSVC

from label_reference import table
from ssrlpl import SSRLPL, KNNLabeler, encode_labels
from ssrlpl.datasets import make_two_moons
from ssrlpl.labelers import _base
from ssrlpl.labelers._base import label_rows, predict_label_vectors


class DuckLabeler:
    """The least a labeler can be: fit, and label_distributions_ after it."""

    def __init__(self, distributions, classes=None):
        self.distributions = distributions
        self.classes = classes

    def fit(self, X, y):
        self.seen_ = X, y
        self.label_distributions_ = self.distributions
        if self.classes is not None:
            self.classes_ = self.classes
        return self


def _fit(labeler, X, y, weight=None, unlabeled="auto"):
    return label_rows(labeler, X, encode_labels(y, unlabeled=unlabeled), weight)


def test_a_classifier_sees_the_labeled_rows_only():
    X, y = table()
    fitted, Y = _fit(LogisticRegression(), X, y)
    expected = LogisticRegression().fit(X[:20], y[:20]).predict_proba(X)
    assert_allclose(Y[20:], expected[20:])
    assert_array_equal(Y[:20], np.eye(3)[y[:20]])
    assert_allclose(predict_label_vectors(fitted, X, encode_labels(y)), expected)


@pytest.mark.parametrize("labeler", [LogisticRegression(), KNNLabeler(), LabelSpreading(gamma=0.5)])
def test_labels_may_be_strings_and_the_labeler_is_left_alone(labeler):
    X, y = table()
    names = np.array(["c", "a", "b", ""])[y]
    fitted, Y = _fit(labeler, X, names)
    assert_allclose(Y[:, [2, 0, 1]], _fit(labeler, X, y)[1], atol=1e-4)
    assert_array_equal(Y[:20], np.eye(3)[[[2, 0, 1][c] for c in y[:20]]])
    assert_allclose(Y.sum(axis=1), 1)
    assert fitted is not labeler
    assert not hasattr(labeler, "classes_")


@pytest.mark.parametrize("labeler", [LogisticRegression(), KNNLabeler(), LabelSpreading(gamma=0.5)])
@pytest.mark.parametrize("as_rows", [np.float32, sparse.csr_matrix], ids=["float32", "csr"])
def test_label_vectors_have_the_type_of_the_rows(labeler, as_rows):
    X, y = table()
    if sparse.issparse(as_rows(X)) and isinstance(labeler, LabelSpreading):
        labeler = LabelSpreading(kernel="knn", n_neighbors=5)
    fitted, Y = _fit(labeler, as_rows(X), y)
    assert Y.dtype == as_rows(X).dtype
    assert_allclose(Y.sum(axis=1), 1, rtol=1e-5)
    new = predict_label_vectors(fitted, as_rows(X), encode_labels(y))
    assert new.dtype == as_rows(X).dtype


def test_a_classifier_asked_block_by_block(monkeypatch):
    X, y = table()
    whole = _fit(GaussianNB(), X, y)[1]
    monkeypatch.setattr(_base, "MAX_BLOCK_ROWS", 7)
    assert_allclose(_fit(GaussianNB(), X, y)[1], whole)


@pytest.mark.parametrize("labeler", [LogisticRegression(), KNNLabeler(), LabelSpreading(gamma=0.5)])
def test_all_rows_labeled_is_legal_for_every_labeler(labeler):
    X, _ = table()
    y = np.arange(60) % 3
    assert_array_equal(_fit(labeler, X, y)[1], np.eye(3)[y])


def test_label_spreading_sees_all_rows():
    X, y = table()
    expected = LabelSpreading(gamma=0.5).fit(X, y).label_distributions_
    fitted, Y = _fit(LabelSpreading(gamma=0.5), X, y)
    assert_allclose(Y[20:], expected[20:], atol=1e-12)
    assert_array_equal(Y[:20], np.eye(3)[y[:20]])  # LabelSpreading alone would soften them
    assert fitted.label_distributions_.shape == (60, 3)


@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning", "ignore::UserWarning:sklearn")
def test_rows_that_no_label_reaches_get_the_class_shares_and_one_warning():
    X, y = table(labeled=8)
    X[50:] += 1e3
    with pytest.warns(UserWarning, match="gave no probability to 10 rows.*class shares") as caught:
        _, Y = _fit(LabelSpreading(gamma=1.0), X, y)
    assert sum("no probability" in str(w.message) for w in caught) == 1
    assert_allclose(Y[50:], [[3 / 8, 3 / 8, 2 / 8]] * 10)
    assert_allclose(Y.sum(axis=1), 1)


class Silent(ClassifierMixin, BaseEstimator):
    """A classifier that has no opinion."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict_proba(self, X):
        return np.full((X.shape[0], len(self.classes_)), np.nan)


def test_a_silent_classifier_asked_in_blocks_warns_once(monkeypatch):
    monkeypatch.setattr(_base, "MAX_BLOCK_ROWS", 7)
    X, y = table()
    with pytest.warns(UserWarning, match="no probability to 40 rows") as caught:
        _, Y = _fit(Silent(), X, y)
    assert len(caught) == 1
    assert_allclose(Y[20:], [[7 / 20, 7 / 20, 6 / 20]] * 40)


def test_rows_that_arrive_later_without_any_label_get_equal_shares():
    X, _ = table()
    fitted = Silent().fit(X, [0, 1, 2] * 20)
    later = encode_labels(np.full(60, -1), min_classes=0)
    later = type(later)(np.arange(3), later.codes)
    with pytest.warns(UserWarning, match="no probability"):
        assert_allclose(predict_label_vectors(fitted, X, later), 1 / 3)


@pytest.mark.parametrize("dtype", [float, np.float32, int, bool])
@pytest.mark.parametrize("wrap", [np.asarray, sparse.csr_matrix, pd.DataFrame, np.ndarray.tolist])
def test_the_least_a_labeler_can_be(dtype, wrap):
    X, y = table(9, labeled=6)
    given_by_it = np.eye(3)[[2, 2, 2, 2, 2, 2, 1, 0, 1]].astype(dtype)
    labeler = DuckLabeler(wrap(given_by_it))
    fitted, Y = _fit(labeler, X, y)
    assert_array_equal(Y, np.eye(3)[[0, 1, 2, 0, 1, 2, 1, 0, 1]])
    assert_array_equal(fitted.seen_[1], y)
    assert not hasattr(labeler, "seen_")
    with pytest.raises(TypeError, match="no predict_proba.*use fit instead of partial_fit"):
        predict_label_vectors(fitted, X, encode_labels(y))


@pytest.mark.parametrize("values", [[1, 3, 0], [-1, 0.25, 0.75], [np.nan, 2, 6], [0, 1e308, 1e308]])
def test_answers_off_the_simplex_are_put_on_it(values):
    X, y = table(9, labeled=6)
    _, Y = _fit(DuckLabeler(np.tile(np.array(values, float), (9, 1))), X, y)
    positive = np.nan_to_num(np.clip(np.array(values) / np.nanmax(values), 0, None))
    assert_allclose(Y[6:], [positive / positive.sum()] * 3)


def test_columns_follow_the_classes_of_the_labeler():
    X, y = table(9, labeled=6)
    labeler = DuckLabeler(np.tile([0.6, 0.4], (9, 1)), classes=np.array([2.0, 0.0]))
    assert_allclose(_fit(labeler, X, y)[1][6:], [[0.4, 0, 0.6]] * 3)


@pytest.mark.parametrize(
    ("shape", "classes"),
    [
        ((9, 2), None),
        ((8, 3), None),
        ((9,), None),
        ((9, 4), [-1, 0, 1, 2]),
        ((9, 3), ["a", "b", "c"]),
        ((9, 3), [0, 1]),
    ],
)
def test_an_answer_that_does_not_fit_is_an_error(shape, classes):
    X, y = table(9, labeled=6)
    with pytest.raises(ValueError, match=r"must give 9 rows.*classes 0\.\.2. Got shape.*read -1"):
        _fit(DuckLabeler(np.ones(shape), classes), X, y)


@pytest.mark.parametrize("unlabeled", [None, "?", -99, "auto", [0, 1]])
def test_a_knn_labeler_reads_codes_whatever_marker_it_was_told(unlabeled):
    X, y = table()
    expected = KNNLabeler().fit(X, y).label_distributions_
    labeler = KNNLabeler(unlabeled=unlabeled)
    fitted, Y = _fit(labeler, X, np.array(["b", "c", "d", "?"])[y], unlabeled="?")
    assert_array_equal(Y, expected)
    assert labeler.unlabeled is unlabeled
    assert_array_equal(fitted.predict_proba(X), KNNLabeler().fit(X, y).predict_proba(X))


def test_a_pipeline_serves_as_classifier():
    X, y = table()
    pipeline = make_pipeline(StandardScaler(), LogisticRegression())
    _, Y = _fit(pipeline, X, y)
    assert_allclose(Y[20:], pipeline.fit(X[:20], y[:20]).predict_proba(X[20:]))


@pytest.mark.parametrize("labeler", [LinearSVC(), StandardScaler(), "knn", None, 3], ids=str)
def test_what_is_no_labeler_is_a_type_error_that_names_the_cure(labeler):
    with pytest.raises(TypeError, match=r"labeler must offer.*CalibratedClassifierCV"):
        _fit(labeler, *table())


def test_a_class_in_place_of_an_instance_is_a_type_error():
    with pytest.raises(TypeError, match="instance"):
        _fit(KNNLabeler, *table())


@pytest.mark.parametrize("labeler", [KNNLabeler(), GaussianNB(), LogisticRegression()])
def test_weights_reach_the_labeler(labeler):
    X, y = table()
    weight = np.random.default_rng(0).integers(1, 4, len(X)).astype(float)
    fitted = _fit(labeler, X, y, weight)[0]
    rows = X.repeat(weight.astype(int), axis=0)
    repeated = _fit(labeler, rows, y.repeat(weight.astype(int)))[0]
    assert_allclose(fitted.predict_proba(X), repeated.predict_proba(X), atol=1e-3)
    assert np.abs(fitted.predict_proba(X) - _fit(labeler, X, y)[0].predict_proba(X)).max() > 1e-3


@pytest.mark.parametrize("labeler", [LabelSpreading(), DuckLabeler(np.ones((60, 3))), Silent()])
def test_weights_that_a_labeler_cannot_take_are_refused(labeler):
    name = type(labeler).__name__
    with pytest.raises(ValueError, match=rf"{name}\.fit does not take it: leave it out"):
        _fit(labeler, *table(), weight=np.full(60, 2.0))


@pytest.mark.parametrize(
    "labeler",
    [
        LabelSpreading(kernel="knn", n_neighbors=7, tol=1e-6, max_iter=2000),
        make_pipeline(StandardScaler(), LabelSpreading(gamma=30)),
        SelfTrainingClassifier(LogisticRegression()),
    ],
    ids=str,
)
def test_semi_supervised_labelers_see_all_rows(labeler):
    X, y, _ = make_two_moons(labels_per_class=3, noise=0.05, random_state=0)
    found = SSRLPL(labeler=labeler).fit(X, y).transduction_
    by_itself = labeler.fit(X, y).predict(X)
    assert np.mean(found == by_itself) > 0.95
