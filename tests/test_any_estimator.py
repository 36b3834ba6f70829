"""LabeledOnly: any estimator on the labeled rows."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn import config_context
from sklearn.decomposition import PCA
from sklearn.exceptions import UnsetMetadataPassedError
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

from ssrlpl import KernelSSRLPL, LabeledOnly


def test_labeled_only_equals_fitting_on_the_labeled_rows(small):
    X, y, _ = small
    given = y >= 0
    wrapped = LabeledOnly(LogisticRegression()).fit(X, y)
    plain = LogisticRegression().fit(X[given], y[given])
    assert_allclose(wrapped.predict_proba(X), plain.predict_proba(X))
    assert wrapped.classes_.tolist() == [0, 1, 2]
    assert wrapped.n_labeled_ == given.sum()


def test_a_pipeline_never_learns_the_class_unlabeled(small):
    X, y, truth = small
    pipeline = make_pipeline(KernelSSRLPL(), LabeledOnly(LinearSVC())).fit(X, y)
    assert set(pipeline.predict(X)) <= {0, 1, 2}
    assert pipeline.score(X, truth) > 0.9


def test_labeled_only_cuts_sample_weight_to_the_labeled_rows(small):
    X, y, _ = small
    weight = np.random.default_rng(0).uniform(0.5, 2, 60)
    given = y >= 0
    wrapped = LabeledOnly(LogisticRegression()).fit(X, y, sample_weight=weight)
    plain = LogisticRegression().fit(X[given], y[given], sample_weight=weight[given])
    assert_allclose(wrapped.predict_proba(X), plain.predict_proba(X))


@config_context(enable_metadata_routing=True)
def test_weights_are_routed_to_the_estimator_that_requests_them(small):
    X, y, _ = small
    weight = np.random.default_rng(0).uniform(0.5, 2, 60)
    given = y >= 0
    asks = LogisticRegression().set_fit_request(sample_weight="shares")
    model = make_pipeline(PCA(), LabeledOnly(asks)).fit(X, y, shares=weight)
    plain = make_pipeline(PCA(), LogisticRegression())
    plain[0].fit(X)
    plain[1].fit(plain[0].transform(X[given]), y[given], sample_weight=weight[given])
    assert_allclose(model.predict_proba(X), plain.predict_proba(X))
    with pytest.raises(UnsetMetadataPassedError, match="sample_weight"):
        LabeledOnly(LogisticRegression()).fit(X, y, sample_weight=weight)


def test_labeled_only_offers_what_the_estimator_offers(small):
    X, y, _ = small
    assert not hasattr(LabeledOnly(LinearSVC()), "predict_proba")
    assert hasattr(LabeledOnly(LinearSVC()), "decision_function")
    reduced = LabeledOnly(PCA(2)).fit(X, y)
    assert reduced.transform(X).shape == (60, 2)
    assert not hasattr(reduced, "predict")


def test_labeled_only_takes_a_regressor_and_numbers(small):
    X, _, _ = small
    y = X @ np.arange(7) - 1
    y[0] = -1.0
    y[20:] = np.nan
    wrapped = LabeledOnly(LinearRegression()).fit(X, y)
    assert wrapped.n_labeled_ == 20
    assert_allclose(wrapped.predict(X), LinearRegression().fit(X[:20], y[:20]).predict(X))
    assert wrapped.score(X, y) == LinearRegression().fit(X[:20], y[:20]).score(X[:20], y[:20])
    with pytest.raises(ValueError, match="no known value"):
        wrapped.fit(X, np.full(60, np.nan))


def test_a_second_fit_forgets_the_first(small):
    pd = pytest.importorskip("pandas")
    X, y, _ = small
    model = LabeledOnly(LogisticRegression()).fit(pd.DataFrame(X).add_prefix("column "), y)
    assert hasattr(model, "feature_names_in_")
    assert not hasattr(model.fit(X, y), "feature_names_in_")
    model.set_params(estimator=LinearRegression()).fit(X, np.where(y < 0, np.nan, y))
    assert not hasattr(model, "classes_")
