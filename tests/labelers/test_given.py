"""Label vectors that the caller brings along."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from conftest import problem
from ssrlpl import (
    SSRLPL,
    GivenLabels,
    GuaranteeWarning,
    KernelSSRLPL,
    KNNLabeler,
    certify,
    encode_labels,
    loo_predict,
)


@pytest.fixture
def vectors(small):
    X, y, _ = small
    return KNNLabeler(3).fit(X, y).label_distributions_


def test_a_map_of_given_vectors_is_the_map_of_their_labeler(small, vectors):
    X, y, _ = small
    for map_ in (SSRLPL, KernelSSRLPL):
        theirs = map_(labeler=KNNLabeler(3)).fit(X, y).transform(X)
        ours = map_(labeler=GivenLabels(7 * vectors)).fit(X, y)
        assert_allclose(ours.transform(X), theirs, atol=1e-10)


def test_labeled_rows_keep_their_label_and_rows_sum_to_one(small):
    X, y, _ = small
    found = GivenLabels(np.ones((60, 3))).fit(X, y)
    assert_array_equal(found.label_distributions_[y >= 0].argmax(axis=1), y[y >= 0])
    assert_allclose(found.label_distributions_[y < 0], 1 / 3)
    assert_allclose(found.predict_proba(X + 1e-9), found.label_distributions_)
    thin = GivenLabels(np.ones((60, 3))).fit(sparse.csr_matrix(X), y)
    assert_allclose(thin.predict_proba(X), found.label_distributions_)


def test_hidden_labels_leave_the_given_vectors(small, vectors):
    X, y, _ = small
    wrong = np.roll(vectors, 1, axis=1)
    expected = wrong[y >= 0].argmax(axis=1)
    assert_array_equal(loo_predict(GivenLabels(wrong), X, y), expected)


@pytest.mark.parametrize("model", [GivenLabels, SSRLPL, KernelSSRLPL])
def test_a_class_that_loses_its_only_label_has_no_vectors(small, vectors, model):
    """The others have their shares; a row of which nothing is known but that class, equal ones."""
    X, y, truth = small
    y = np.where((y == 1) & (np.arange(60) > 1), -1, y)
    hidden = np.where(y == 1, -1, y)
    for given in (vectors, np.eye(3)[truth]):
        rest = given[:, [0, 2]]
        rest = np.where(rest.any(axis=1, keepdims=True), rest, 1)
        whole, part = GivenLabels(given), GivenLabels(rest)
        if model is not GivenLabels:
            whole, part = model(labeler=whole), model(labeler=part)
        rows = [0, 1, 2, 5]
        found = loo_predict(whole, X, y)[np.flatnonzero(y >= 0) == 1]
        fitted = part.fit(X, hidden)
        if model is GivenLabels:
            assert_array_equal(found, fitted.predict(X[[1]]))
            continue
        ((_, Y, Z),) = whole.fit_without(X, encode_labels(y), [np.array([1])], rows)
        assert_allclose(Y[0][:, [0, 2]], fitted.label_distributions_, atol=1e-12)
        assert_allclose(np.abs(Z[0][:, :1]), np.abs(fitted.transform(X[rows])), atol=1e-9)


def test_certificates_of_maps_with_given_labels(digits):
    X, y, truth = digits
    y = np.where((y == 7) & (np.cumsum(y == 7) > 1), -1, y)
    with pytest.warns(GuaranteeWarning):  # no audited row, or a biased sample
        found = certify(SSRLPL(labeler=GivenLabels(np.eye(10)[truth])), X, y)
    assert found.wta_error.estimate < 0.02


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        (np.ones((59, 3)), r"a row of probabilities .* Got shape \(59, 3\)"),
        (np.ones((60, 2)), "a column for each class"),
        (np.ones((60, 4)), "a column for each class"),
        (np.ones(60), "a column for each class"),
        (-np.ones((60, 3)), "finite numbers >= 0"),
        (np.zeros((60, 3)), "no row of zeros"),
        (np.full((60, 3), np.nan), "finite numbers >= 0"),
        (np.full((60, 3), np.inf), "finite numbers >= 0"),
    ],
)
def test_vectors_that_do_not_fit_are_refused(bad, words):
    X, y, _ = problem()
    for check in (lambda: GivenLabels(bad).fit(X, y), lambda: loo_predict(GivenLabels(bad), X, y)):
        with pytest.raises(ValueError, match=f"label_vectors must hold .*{words}"):
            check()


def test_weights_of_rows_change_the_map_and_not_the_given_vectors(small, vectors):
    X, y, _ = small
    weight = np.linspace(0.5, 2, len(X))
    plain, weighted = (
        KernelSSRLPL(labeler=GivenLabels(vectors)).fit(X, y, sample_weight=w)
        for w in (None, weight)
    )
    assert np.array_equal(plain.label_distributions_, weighted.label_distributions_)
    assert not np.allclose(plain.transform(X), weighted.transform(X))
