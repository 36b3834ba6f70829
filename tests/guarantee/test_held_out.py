"""Errors of held-out labels: in one pass, cross-fitted, and measured from a control variate."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from certificate_samples import DELTA, draw_labels, true_retained
from conftest import problem
from ssrlpl import SSRLPL, GraphLabeler, KernelSSRLPL, certify
from ssrlpl.experiments.certificate_truth import calibrated
from ssrlpl.guarantee.bounds import retained_from_second_order
from ssrlpl.guarantee.findings import cross_fitted, rigorous
from ssrlpl.guarantee.held_out import (
    control_labels,
    cross_fitted_errors,
    draw_split,
    held_out_errors,
)
from ssrlpl.guarantee.label_errors import LabelErrors
from ssrlpl.labels import encode_labels


def test_the_cross_fitted_certificate_is_sharper(digits):
    X, y, _ = digits
    target = encode_labels(y)
    _, calibration = draw_split(target, np.random.RandomState(0))
    held_out = rigorous(held_out_errors(KernelSSRLPL(), X, target, calibration)[1], DELTA)
    crossed = cross_fitted(cross_fitted_errors(KernelSSRLPL(), X, target), DELTA)
    assert crossed.residual_upper < held_out.residual_upper
    assert crossed.root_lower > 0


@pytest.mark.parametrize("labeler", [None, GraphLabeler(10)], ids=["nearest", "graph"])
def test_folds_in_one_pass_equal_fits_one_by_one(digits, labeler):
    X, y, _ = digits
    estimator, target = KernelSSRLPL(labeler=labeler), encode_labels(y)
    for found in cross_fitted_errors(estimator, X, target):
        _, alone = held_out_errors(estimator, X, target, found.rows)
        assert_allclose(found.used, alone.used, atol=1e-12)
        assert_allclose(found.geometry.row_means, alone.geometry.row_means)
        inner, expected = (s.geometry.residual_inner(found.rows) for s in (found, alone))
        assert_allclose(inner, expected, atol=1e-9)


def test_norms_of_rows_far_from_zero_keep_their_digits():
    X = np.random.default_rng(0).normal(size=(200, 4)) + 1000
    y = np.where(np.arange(200) < 60, np.arange(200) % 2, -1)
    exact, single = (
        held_out_errors(SSRLPL(), rows, encode_labels(y), np.arange(20))[1].geometry
        for rows in (X, X.astype(np.float32))
    )
    assert_allclose(single.squared, exact.squared, rtol=1e-3)


def test_large_tables_have_ten_folds_too():
    """With two folds, maps of half of the labels stood in for the map of all of them."""
    X, _, truth = problem(n=4500, d=3)
    y = draw_labels(truth, 60, np.random.default_rng(0))
    samples = cross_fitted_errors(SSRLPL(), X, encode_labels(y))
    assert [len(sample.rows) for sample in samples] == [6] * 10


@pytest.mark.parametrize("estimator", [SSRLPL(), KernelSSRLPL()], ids=str)
def test_a_control_variate_changes_what_is_known_not_what_is_true(digits, estimator):
    """Measured from its own label vectors nothing changes; from the truth nothing is unknown."""
    X, y, truth = digits
    target, products = encode_labels(y), estimator.products(X, None)
    _, calibration = draw_split(target, np.random.RandomState(0))
    _, sample = held_out_errors(estimator, X, target, calibration, products)
    plain = rigorous(sample, DELTA)
    own = rigorous(sample, DELTA, sample.measured_from(sample.used, products))
    assert_allclose(own, plain, rtol=1e-6, atol=1e-9)
    T = np.eye(10)[truth]
    told = sample.measured_from(T, products)
    assert not told.errors.any()
    found = rigorous(sample, DELTA, told)
    exact = true_retained(sample.geometry, type(estimator)().fit(X, truth).objective_, truth)
    assert retained_from_second_order(found.root, found.residual) == pytest.approx(exact, rel=1e-6)
    assert plain.retained_lower < found.retained_lower <= exact


def test_graph_labels_as_control_variate_certify_more(digits):
    X, _, truth = digits
    gains = []
    for seed in range(3):
        draw = calibrated(KernelSSRLPL(), X, truth, 120, seed)
        plain = rigorous(draw.sample, DELTA).retained_lower
        sharper = rigorous(draw.sample, DELTA, draw.control).retained_lower
        assert sharper <= draw.retained
        gains.append(sharper - plain)
    assert min(gains) > 0.05
    # Without rows there is no graph, and the map's own label vectors serve.
    y = encode_labels(draw_labels(truth, 120, np.random.default_rng(0)))
    assert control_labels(None, KernelSSRLPL(kernel="precomputed"), X, y) is None


def test_what_is_tuned_does_not_depend_on_when_one_looks(digits, monkeypatch):
    X, y, _ = digits
    rows = np.random.default_rng(0).permutation(np.flatnonzero(y >= 0))
    y = y.copy()
    y[rows[200:]] = -1
    sizes = []
    honest = LabelErrors.rehearsal
    monkeypatch.setattr(
        LabelErrors, "rehearsal", lambda self: sizes.append(len(honest(self).rows)) or honest(self)
    )
    for m in (50, 80):
        part = y.copy()
        part[rows[100 + m : 200]] = -1
        certify(SSRLPL(), X, part, audit=rows[100 : 100 + m])
    assert set(sizes) == {150}
