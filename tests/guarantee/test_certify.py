"""What certificates of maps say, and how many labels more they ask for."""

import json

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from certificate_samples import draw_labels
from conftest import problem
from ssrlpl import SSRLPL, KernelSSRLPL, KNNLabeler, certify, labels_needed, wta_error
from ssrlpl.datasets import hide_labels


@pytest.mark.parametrize("method", ["calibration", "loo"])
def test_certificate_says_something_on_digits(digits, method):
    X, y, truth = digits
    certificate = certify(KernelSSRLPL(), X, y, method=method)
    best = KernelSSRLPL().fit(X, truth).objective_
    Z = certificate.estimator.transform(X)
    T = np.eye(10)[truth]
    retained = np.sum((Z.T @ (T - T.mean(0)) / (len(X) - 1)) ** 2) / best
    assert 0.3 < certificate.retained_lower <= retained
    assert abs(certificate.retained_estimate - retained) < 0.03
    assert certificate.theorem_is_vacuous
    assert certificate.retained_first_order < certificate.retained_lower
    assert certificate.epsilon_estimate < certificate.epsilon_upper
    assert certificate.verdict in ("helps", "undecided", "hurts")
    assert certificate.voids == ()


def test_certificate_prints_and_converts(digits):
    X, y, _ = digits
    certificate = certify(SSRLPL(), X, y)
    text = str(certificate)
    assert len(certificate.headline().splitlines()) == 3
    assert "This is the map of the 120 teaching labels." in text
    assert "Theorem 3" in text
    assert json.loads(json.dumps(certificate.to_dict()))["method"] == "calibration"
    assert "<table>" in certificate._repr_html_()


def test_certificate_plots_a_gauge(digits):
    plt = pytest.importorskip("matplotlib.pyplot")
    plt.switch_backend("Agg")
    X, y, _ = digits
    certificate = certify(SSRLPL(), X, y, method="loo")
    ax = certificate.plot()
    widths = [bar.get_width() for bar in ax.patches]
    assert_allclose(np.sum(widths), 1)
    assert_allclose(widths[0], certificate.retained_lower)
    plt.close(ax.figure)


def test_same_seed_same_certificate(digits):
    X, y, _ = digits
    first, second = (certify(SSRLPL(), X, y, random_state=3) for _ in range(2))
    assert first == second
    assert first != certify(SSRLPL(), X, y, random_state=4)


@pytest.mark.parametrize("steps", [(), (StandardScaler(),)], ids=["no step", "one step"])
def test_a_pipeline_is_certified_like_its_map_on_its_rows(digits, steps):
    X, y, _ = digits
    found = certify(make_pipeline(*steps, SSRLPL()), X, y)
    rows = make_pipeline(*steps, "passthrough").fit_transform(X)
    assert found == certify(SSRLPL(), rows, y)
    assert found.estimator.transform(X).shape == (len(X), 9)


def test_a_precomputed_kernel_is_certified_like_its_kernel(digits):
    X, y, _ = digits
    gamma = KernelSSRLPL().fit(X, y).gamma_
    labeler = KNNLabeler(similarity="precomputed")
    given = certify(
        KernelSSRLPL(kernel="precomputed", labeler=labeler), rbf_kernel(X, gamma=gamma), y
    )
    assert 0.3 < given.retained_lower < 1
    assert given.comparison.trials == 300


@pytest.mark.parametrize("estimator", [KernelSSRLPL(), SSRLPL(labeler=KNNLabeler(1))], ids=str)
def test_held_out_rows_that_are_all_right_are_the_best_case(estimator):
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 600)
    X = rng.normal(size=(600, 3)) + 20 * truth[:, None]
    certificate = certify(estimator, X, hide_labels(truth, keep=200, random_state=0))
    assert 0.9 < certificate.retained_lower < 1


def test_fewer_components_than_classes_use_the_first_order(digits):
    X, y, _ = digits
    certificate = certify(KernelSSRLPL(2), X, y)
    assert certificate.retained_lower == certificate.retained_first_order


@pytest.mark.parametrize("method", ["loo", "calibration"])
@pytest.mark.parametrize("labeler", [KNNLabeler(3), LogisticRegression(max_iter=500)], ids=str)
def test_wta_error_estimates_the_error_on_unlabeled_rows(digits, method, labeler):
    X, y, truth = digits
    rate = wta_error(labeler, X, y, method=method)
    fitted = SSRLPL(labeler=labeler).fit(X, y)
    error = np.mean(fitted.transduction_[y < 0] != truth[y < 0])
    assert rate.low < error + 0.06
    assert rate.high > error
    assert rate.estimate == rate.errors / rate.trials
    assert rate.trials == (300 if method == "loo" else 180)


def test_wta_error_reads_the_marker_of_the_labeler(digits):
    X, y, _ = digits
    marked = wta_error(KNNLabeler(3, unlabeled=-99), X, np.where(y < 0, -99, y))
    assert marked == wta_error(KNNLabeler(3), X, y)


def test_a_map_of_all_features_loses_nothing():
    X, y, _ = problem(n=120, d=2, n_classes=5, share=0.5)
    certificate = certify(SSRLPL(), X, y)
    assert certificate.residual_upper < 1e-6
    assert certificate.retained_lower == pytest.approx(1)


@pytest.mark.filterwarnings("ignore::ssrlpl.GuaranteeWarning")  # few labels
def test_the_best_guess_is_not_below_the_bound():
    """Of noise the objective may be zero; a map of the only column keeps all of it."""
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(40, 1)), np.where(rng.random(40) < 0.5, rng.integers(0, 2, 40), -1)
    certificate = certify(SSRLPL(), X, y)
    assert certificate.objective_root_estimate < 0
    assert certificate.retained_estimate >= certificate.retained_lower > 0.99


def test_labels_needed_follow_the_margins(digits):
    X, y, _ = digits
    certificate = certify(KernelSSRLPL(), X, y)
    easy, hard = labels_needed(certificate, 0.94), labels_needed(certificate, 0.97)
    assert labels_needed(certificate, certificate.retained_lower - 0.01).estimate == 0
    assert 0 < easy.estimate < hard.estimate < np.inf
    assert easy.low <= easy.estimate <= easy.high
    assert "labels more" in str(easy)
    assert "No number" in str(labels_needed(certificate, 1 - 1e-9))


def test_labels_needed_is_about_right():
    """Twice the labels that were asked for certify the target; a tenth of them does not."""
    X, truth = load_digits(return_X_y=True)
    X = X / 16
    certificate = certify(KernelSSRLPL(), X, hide_labels(truth, keep=200, random_state=0))
    more = labels_needed(certificate, 0.93).estimate
    enough, few = (
        certify(KernelSSRLPL(), X, hide_labels(truth, keep=200 + int(m), random_state=0))
        for m in (2 * more, 0.1 * more)
    )
    assert few.retained_lower < 0.93 < enough.retained_lower


def test_theorem_3_is_not_zero_because_no_error_was_seen():
    X, _, truth = problem(n=400, d=2)
    certificate = certify(SSRLPL(), 50 * truth[:, None] + X, draw_labels(
        truth, 100, np.random.default_rng(0)))  # fmt: skip
    assert certificate.wta_error.errors == 0
    assert certificate.theorem_bound > 0


@pytest.mark.parametrize("method", ["calibration", "loo"])
def test_components_that_no_label_touched_raise_nothing(method):
    """A rotation of all columns keeps all of any labels, noise too: that is said apart."""
    rng = np.random.default_rng(0)
    X, truth = rng.normal(size=(300, 3)) + 100, rng.integers(0, 2, 300)
    y = draw_labels(truth, 120, rng)
    noise = certify(SSRLPL(3), X, y, method=method)
    assert noise.retained_lower < 0.5
    assert noise.retained_by_all_lower == 1
    X += 2 * truth[:, None]
    one, two, rotation = (certify(SSRLPL(p), X, y, method=method) for p in (1, 2, 3))
    assert 0 < one.retained_lower < 1
    assert_allclose([two.retained_lower, rotation.retained_lower], one.retained_lower)
    assert one.retained_by_all_lower == one.retained_lower
    assert one.retained_lower < two.retained_by_all_lower < rotation.retained_by_all_lower == 1
    assert [c.n_untouched for c in (one, two, rotation)] == [0, 1, 2]
    assert "without 2 components that no label touched" in rotation.headline()
