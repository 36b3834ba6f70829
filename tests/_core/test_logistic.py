"""Logistic regression of few rows against scikit-learn, and left out against refits."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse
from scipy.special import softmax
from sklearn.linear_model import LogisticRegression

from ssrlpl._core import logistic as logistic_module
from ssrlpl._core.folds import class_folds
from ssrlpl._core.logistic import logistic, logistic_without
from ssrlpl._utils import limits


def labeled_rows(n_classes, n=30, d=6, seed=0):
    rng = np.random.default_rng(seed)
    codes = np.arange(n) % n_classes
    X = rng.normal(size=(n, d)) + 2 * rng.normal(size=(n_classes, d))[codes] / np.sqrt(d)
    return X - 3, codes


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("d", [3, 40])
def test_fit_is_that_of_scikit_learn(n_classes, d):
    X, codes = labeled_rows(n_classes, d=d)
    found = logistic(X, codes, n_classes, 0.5)
    expected = LogisticRegression(C=0.5, tol=1e-8, max_iter=5000).fit(X, codes)
    ours = softmax(X @ found.coef + found.intercept, axis=1)
    assert_allclose(ours, expected.predict_proba(X), atol=2e-3)  # its default tolerance
    thin = logistic(sparse.csr_matrix(X), codes, n_classes, 0.5)
    assert_allclose(softmax(X @ thin.coef + thin.intercept, axis=1), ours, atol=2e-3)


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("d", [4, 60])
@pytest.mark.parametrize("weighted", [False, True])
def test_rows_left_out_are_nearly_those_of_refits(n_classes, d, weighted):
    X, codes = labeled_rows(n_classes, n=40, d=d)
    weight = np.random.default_rng(1).uniform(0.5, 2, 40) if weighted else None
    found = logistic(X, codes, n_classes, 0.3, weight)
    without = logistic_without(X, codes, n_classes, 0.3, weight)
    for i in range(40):
        rest = np.arange(40) != i
        again = LogisticRegression(C=0.3, tol=1e-6, max_iter=2000)
        again.fit(X[rest], codes[rest], None if weight is None else weight[rest])
        expected = again.predict_proba(X[[i]])[0]
        # The Newton step removes most of what the label itself contributes.
        assert_allclose(softmax(without[i]), expected, atol=0.05)
    seen = softmax(X @ found.coef + found.intercept, axis=1)
    assert np.mean(seen[np.arange(40), codes]) > np.mean(
        softmax(without, axis=1)[np.arange(40), codes]
    )


def test_many_coefficients_are_left_out_in_folds(monkeypatch):
    X, codes = labeled_rows(3, n=60)
    by_step = softmax(logistic_without(X, codes, 3, 0.5), axis=1)
    monkeypatch.setattr(limits, "LOGISTIC_COEFFICIENTS", 10)
    by_fold = softmax(logistic_without(X, codes, 3, 0.5), axis=1)
    assert_allclose(by_fold, by_step, atol=0.12)  # a tenth of the rows is missing
    part = class_folds(codes, 10)[0]
    rest = np.setdiff1d(np.arange(60), part)
    again = LogisticRegression(C=0.5, tol=1e-8, max_iter=5000).fit(X[rest], codes[rest])
    assert_allclose(by_fold[part], again.predict_proba(X[part]), atol=2e-3)


def test_a_class_with_one_row_cannot_win_without_it():
    X, codes = labeled_rows(3, n=21)
    codes[:] = np.arange(21) % 2
    codes[4] = 2
    assert logistic_without(X, codes, 3, 1.0)[4].argmax() != 2


def test_rows_left_out_in_blocks_are_the_same(monkeypatch):
    X, codes = labeled_rows(3, n=200)
    whole = logistic_without(X, codes, 3, 0.5)
    monkeypatch.setattr(logistic_module, "_BLOCK_BYTES", 1)  # 64 rows
    assert_allclose(logistic_without(X, codes, 3, 0.5), whole, rtol=1e-12)
