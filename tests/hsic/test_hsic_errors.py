"""Bad input to hsic and hsic_test: one sentence with the cure."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from ssrlpl.hsic.estimates import hsic, hsic_test

TABLE = np.arange(12.0).reshape(6, 2)
LABELS = ["a", "b"] * 3


@pytest.mark.parametrize(
    ("X", "Y", "options", "cure"),
    [
        (TABLE, LABELS[:5], {}, "6 rows in X and 5 in Y: pass one entry of Y"),
        (TABLE[:1], LABELS[:1], {}, "at least 2 rows. Got 1: .* pass more"),
        (TABLE[:0], LABELS[:0], {}, "at least 2 rows. Got 0"),
        (TABLE[:3], LABELS[:3], {"estimator": "unbiased"}, 'Got 3: pass estimator="biased"'),
        (TABLE, LABELS, {"estimator": "best"}, "estimator must be .*'best': pass one of"),
        (TABLE, LABELS, {"kernel": "gauss"}, "kernel must be one of 'rbf'.*'gauss'"),
        (TABLE, LABELS, {"kernel": "delta"}, "kernel must be one of 'rbf'.*'delta'"),
        (TABLE, LABELS, {"kernel_y": "gauss"}, "kernel_y must be one of .*'delta'.*'gauss'"),
        (TABLE, LABELS, {"gamma": -1}, "gamma must be .* Got -1: .* pass gamma=1/"),
        (TABLE, LABELS, {"gamma_y": 0}, "gamma_y must be .* Got 0: .* pass gamma_y=1/"),
        (TABLE, TABLE, {"gamma_y": 0.5}, 'gamma_y=0.5 with kernel_y=.linear.: pass kernel_y="rbf"'),
        (TABLE, LABELS, {"gamma_y": 0.5}, "kernel_y='delta': .*, or leave gamma_y out"),
        (TABLE, LABELS, {"kernel": "cosine", "gamma": 2}, "gamma=2 with kernel='cosine': pass"),
        (np.eye(6), LABELS, {"kernel": "precomputed", "gamma": 2}, "kernel='precomputed': pass"),
        (TABLE, TABLE[:, 0] / 7, {}, 'numbers with fractions: .* kernel_y="rbf"'),
        (TABLE, [0, 1, 0, 1, 0, np.inf], {}, "Y must hold finite numbers. Got 1 infinite: drop"),
        (TABLE, [0.5, 1, 2, 3, 4, None], {}, 'numbers with fractions: .* kernel_y="rbf"'),
        (TABLE, [*LABELS[:5], None], {}, "Got 1 empty .*: drop these rows"),
        (TABLE, [0, 1, np.nan, 1, 0, 1], {}, "Got 1 empty .*: drop these rows"),
        (TABLE, LABELS, {"kernel_y": "rbf"}, "Y must be a table of numbers.*: encode text"),
        (TABLE, np.where(TABLE == 3, np.nan, TABLE), {}, "Y must hold finite .* Got 1 .*: drop"),
        (np.where(TABLE > 9, np.inf, TABLE), LABELS, {}, "X must hold finite .* Got 2 .*: drop"),
        (np.ma.masked_equal(TABLE, 3), LABELS, {}, "X must hold finite .* Got 1 .*: drop"),
        (TABLE, LABELS, {"kernel": "precomputed"}, r"X must be a square.* \(6, 2\): pass"),
        (TABLE @ TABLE.T + np.eye(6, k=1), LABELS, {"kernel": "precomputed"}, "not symmetric"),
        (sparse.csr_array(np.eye(6)), LABELS, {"kernel": "precomputed"}, r"X\.toarray"),
        (None, LABELS, {}, "X must hold one entry for each row. Got None: pass an array"),
        (TABLE, LABELS, {"kernel": lambda A, B: np.full((len(A), len(B)), np.nan)}, "finite"),
        (TABLE, LABELS, {"kernel": lambda A, _: A}, "kernel must return a matrix"),
    ],
)  # fmt: skip
def test_errors_name_the_cure(X, Y, options, cure):
    with pytest.raises(ValueError, match=cure):
        hsic(X, Y, **options)
    with pytest.raises(ValueError, match=cure):
        hsic_test(X, Y, **options)


@pytest.mark.parametrize(
    ("options", "cure"),
    [
        ({"method": "bootstrap"}, "method must be .*'bootstrap': pass one of"),
        ({"method": "gamma", "estimator": "unbiased"}, 'pass method="permutation"'),
        ({"n_permutations": 0}, "n_permutations must be an int >= 1. Got 0"),
    ],
)
def test_errors_of_the_test_name_the_cure(options, cure):
    with pytest.raises(ValueError, match=cure):
        hsic_test(TABLE, LABELS, **options)


def test_gamma_needs_six_rows():
    with pytest.raises(ValueError, match=r'at least 6 rows .* Got 5: pass method="permutation"'):
        hsic_test(TABLE[:5], LABELS[:5], method="gamma")
    assert 0 < hsic_test(TABLE, LABELS, method="gamma").p_value < 1
