"""Discriminant analysis against scikit-learn's, and rows left out against refits."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from ssrlpl._core.shrunken_covariance import discriminant, discriminant_without

SHRINKAGES = (0.05, 0.3, 0.9)


def drawn(n_rows, n_columns, n_classes, seed=0):
    rng = np.random.default_rng(seed)
    codes = np.sort(rng.integers(0, n_classes, n_rows))
    codes[: 2 * n_classes] = np.repeat(np.arange(n_classes), 2)
    rows = rng.normal(size=(n_rows, n_columns)) + rng.normal(size=(n_classes, n_columns))[codes]
    return rows / np.sqrt(np.mean(np.sum(rows**2, axis=1))), codes


def compared(scores):
    """What all classes share does not count."""
    return scores - scores.mean(axis=1, keepdims=True)


@pytest.mark.parametrize("n_columns", [4, 40])
def test_scores_are_those_of_scikit_learn(n_columns):
    rows, codes = drawn(30, n_columns, 3)
    coef, intercept = discriminant(rows, codes, 3, 0.3)
    peer = LinearDiscriminantAnalysis(solver="lsqr", shrinkage=0.3).fit(rows, codes)
    new, _ = drawn(20, n_columns, 3, seed=1)
    ours, theirs = compared(new @ coef + intercept), compared(peer.decision_function(new))
    assert_allclose(ours, theirs, rtol=1e-4, atol=1e-4)  # the peer adds no ε
    again, same = discriminant(sparse.csr_array(rows), codes, 3, 0.3)
    assert_allclose(compared(new @ again + same), ours, atol=1e-8)


@pytest.mark.parametrize("keep_counts", [False, True])
@pytest.mark.parametrize("shape", [(30, 5, 3), (30, 60, 3), (12, 4, 5), (4, 9, 2)])
def test_left_out_scores_are_those_of_refits(shape, keep_counts):
    rows, codes = drawn(*shape)
    n, n_classes = len(codes), shape[2]
    found = discriminant_without(rows, codes, n_classes, SHRINKAGES, keep_counts=keep_counts)
    for shrinkage, scores in zip(SHRINKAGES, found, strict=True):
        for i in range(n):
            rest = np.arange(n) != i
            coef, intercept = discriminant(rows[rest], codes[rest], n_classes, shrinkage)
            expected = rows[[i]] @ coef + intercept
            if keep_counts:
                counts = np.bincount(codes), np.bincount(codes[rest])
                expected = expected + np.log(counts[0] / counts[1])
            assert_allclose(compared(scores[[i]]), compared(expected), rtol=1e-8, atol=1e-8)


def test_a_class_of_one_label_is_never_said_without_it():
    rows, codes = drawn(12, 4, 3)
    codes[codes == 2] = 1
    codes[-1] = 2
    (scores,) = discriminant_without(rows, codes, 3, [0.3], keep_counts=True)
    assert scores[-1].argmin() == 2
    assert np.isfinite(scores).all()
    equal = np.tile(rows[:1], (6, 1))  # nothing varies
    (scores,) = discriminant_without(equal, np.arange(6) % 2, 2, [0.3], keep_counts=False)
    assert np.isfinite(scores).all()
