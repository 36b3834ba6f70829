"""Label vectors that the caller brings along."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from conftest import problem
from ssrlpl import SSRLPL, GivenLabels, KernelSSRLPL, KNNLabeler, loo_predict


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


@pytest.mark.parametrize(
    "bad", [np.ones((59, 3)), np.ones((60, 2)), -np.ones((60, 3)), np.zeros((60, 3))]
)
def test_vectors_that_do_not_fit_are_refused(bad):
    X, y, _ = problem()
    with pytest.raises(ValueError, match="label_vectors must hold a row"):
        GivenLabels(bad).fit(X, y)


def test_weights_of_rows_change_the_map_and_not_the_given_vectors(small, vectors):
    X, y, _ = small
    weight = np.linspace(0.5, 2, len(X))
    plain, weighted = (
        KernelSSRLPL(labeler=GivenLabels(vectors)).fit(X, y, sample_weight=w)
        for w in (None, weight)
    )
    assert np.array_equal(plain.label_distributions_, weighted.label_distributions_)
    assert not np.allclose(plain.transform(X), weighted.transform(X))
