"""Traps that a reader of the code fell into once."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import LeaveOneOut, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.semi_supervised import LabelSpreading, SelfTrainingClassifier
from sklearn.svm import LinearSVC

from conftest import problem
from ssrlpl import SSRLPL, KernelSSRLPL, KNNLabeler, LabeledOnly, SSRLPLClassifier
from ssrlpl._core.bandwidth import median_gamma
from ssrlpl._core.moments import cross_moment
from ssrlpl.datasets import make_two_moons


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


def test_minus_one_stays_a_class_in_later_chunks(plus_minus):
    X, y, whole = plus_minus
    stream = SSRLPL().partial_fit(X[:30], y[:30]).partial_fit(X[30:], whole[30:])
    assert np.array_equal(stream.transduction_, whole[30:])


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


def test_wide_sparse_rows_stay_sparse():
    rng = np.random.default_rng(0)
    X = sparse.random(300, 200_000, density=1e-4, format="csr", random_state=0)
    Y = rng.random((300, 3))
    dense = X.T @ (Y - Y.mean(axis=0))
    assert_allclose(cross_moment(X, Y).cross, dense, atol=1e-12)
    assert median_gamma(X) == pytest.approx(median_gamma(X[:, X.getnnz(axis=0) > 0].toarray()))


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


def test_scoring_rows_of_one_class_works(small):
    X, y, truth = small
    ones = truth == 1
    for model in (LabeledOnly(LogisticRegression()), SSRLPLClassifier(), KNNLabeler()):
        assert 0 <= model.fit(X, y).score(X[ones], truth[ones]) <= 1
    scores = cross_val_score(
        LabeledOnly(LogisticRegression()), X[:12], truth[:12], cv=LeaveOneOut()
    )
    assert np.isfinite(scores).all()


@pytest.mark.parametrize(
    "arguments",
    [
        {"kernel": "polynomial", "degree": 2.5, "coef0": 0},
        {"kernel": lambda A, B: np.full((len(A), len(B)), np.nan)},
    ],
)
@pytest.mark.filterwarnings("ignore:invalid value")
def test_a_kernel_that_is_not_finite_is_an_error(small, arguments):
    X, y, _ = small
    with pytest.raises(ValueError, match="finite numbers"):
        KernelSSRLPL(**arguments).fit(X, y)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"degree": "3"}, "degree must be"),
        ({"coef0": None}, "coef0 must be"),
        ({"kernel_params": {"gamma": 1}}, "callable kernel"),
        ({"kernel": "precomputed", "labeler": KNNLabeler(3)}, 'similarity="precomputed"'),
    ],
)
def test_arguments_that_would_be_ignored_are_errors(small, arguments, message):
    X, y, _ = small
    with pytest.raises(ValueError, match=message):
        KernelSSRLPL(**arguments).fit(X @ X.T, y)


def test_classes_of_partial_fit_in_the_idiom_of_scikit_learn(small):
    X, y, _ = small
    first = np.where(y == 2, -1, y)
    stream = SSRLPL().partial_fit(X, first, classes=np.unique(y)).partial_fit(X, y)
    assert stream.classes_.tolist() == [0, 1, 2]
    assert stream.n_components_ == 2


def test_a_chunk_may_weigh_little(small):
    X, y, _ = small
    stream = SSRLPL().partial_fit(X, y)
    stream.partial_fit(X[:1], sample_weight=[0.5])
    assert stream.n_samples_seen_ == 60.5


def test_a_refit_with_a_precomputed_kernel_forgets_the_rows(small):
    X, y, _ = small
    fitted = KernelSSRLPL().fit(X, y)
    fitted.set_params(kernel="precomputed").fit(X @ X.T, y)
    assert not hasattr(fitted, "X_fit_")


def test_classifier_offers_the_decision_function(small):
    X, y, _ = small
    model = SSRLPLClassifier(SSRLPL(), LinearSVC()).fit(X, y)
    assert np.array_equal(model.decision_function(X).argmax(axis=1), model.predict(X))


def test_weighted_median_of_many_rows_is_close_to_that_of_repeated_ones():
    X, _, _ = problem(n=400)
    weight = np.random.default_rng(0).integers(1, 4, 400).astype(float)
    repeated = median_gamma(np.repeat(X, weight.astype(int), axis=0))
    assert median_gamma(X, weight=weight) == pytest.approx(repeated, rel=0.1)
