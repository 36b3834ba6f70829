"""Certificates: valid on worlds with known truth, loud where they are void, readable."""

import json
import os
import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import binom
from sklearn.datasets import load_digits
from sklearn.feature_selection import SelectKBest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from conftest import problem
from ssrlpl import (
    SSRLPL,
    SSRLPLCV,
    GraphLabeler,
    GuaranteeWarning,
    KernelSSRLPL,
    KNNLabeler,
    certify,
    labels_needed,
    wta_error,
)
from ssrlpl.datasets import hide_labels
from ssrlpl.experiments import certificate_truth as validity
from ssrlpl.experiments.certificate_truth import (
    calibrated,
    calibration_breaks,
    ever_breaks,
    loo_breaks,
)
from ssrlpl.experiments.drawn_problems import some_rows, world
from ssrlpl.experiments.studies.validity import REAL
from ssrlpl.experiments.worlds import WORLDS
from ssrlpl.guarantee.bounds import retained_from_second_order
from ssrlpl.guarantee.findings import cross_fitted, rigorous
from ssrlpl.guarantee.held_out import (
    control_labels,
    cross_fitted_errors,
    draw_split,
    held_out_errors,
)
from ssrlpl.guarantee.label_errors import LabelErrors
from ssrlpl.guarantee.sampling import sampling_p_value
from ssrlpl.labels import encode_labels

DELTA = 0.05
CERTIFIED = {
    "linear": SSRLPL(),
    "kernel": KernelSSRLPL(),
    "graph": KernelSSRLPL(labeler=GraphLabeler(10)),
    "more components": KernelSSRLPL(20),
}


def draw_labels(truth, n_labeled, rng):
    y = np.full(len(truth), -1)
    rows = rng.permutation(len(truth))[:n_labeled]
    y[rows] = truth[rows]
    return y


def true_retained(geometry, best, truth):
    return geometry.objective(np.eye(truth.max() + 1)[truth]) / best


def count_broken(estimator, name, draws, n_labeled=60):
    return sum(
        calibration_breaks(estimator, *world(name, seed), n_labeled, seed) for seed in range(draws)
    )


@pytest.mark.filterwarnings("ignore:n_neighbors")
@pytest.mark.parametrize("map_", CERTIFIED)
@pytest.mark.parametrize("world", WORLDS)
def test_certificates_are_broken_no_more_often_than_they_may(map_, world):
    draws = 200 if os.environ.get("SSRLPL_LONG") else 12
    assert count_broken(CERTIFIED[map_], world, draws) <= binom.ppf(0.999, draws, DELTA)


@pytest.mark.skipif(not os.environ.get("SSRLPL_LONG"), reason="takes minutes: make test-long")
@pytest.mark.filterwarnings("ignore:n_neighbors")
@pytest.mark.parametrize("name", REAL)
def test_certificates_hold_on_real_data(name):
    X, truth = some_rows(name, 1000)
    draws = 200
    failures = sum(calibration_breaks(KernelSSRLPL(), X, truth, 100, s) for s in range(draws))
    assert failures <= binom.ppf(0.999, draws, DELTA)


def test_a_claim_above_the_truth_is_counted(monkeypatch):
    X, truth = world("gaussians near", 0)
    assert not calibration_breaks(KernelSSRLPL(), X, truth, 60, 0)
    assert not loo_breaks(KernelSSRLPL(), X, truth, 60, 0)
    honest = validity.cross_fitted
    monkeypatch.setattr(validity, "retained_at_least", lambda *a: 0.9999)
    monkeypatch.setattr(
        validity, "cross_fitted", lambda *a: honest(*a)._replace(retained_lower=0.9999)
    )
    assert calibration_breaks(KernelSSRLPL(), X, truth, 60, 0)
    assert ever_breaks(KernelSSRLPL(), X, truth, 20, 0, 0.8)
    assert loo_breaks(KernelSSRLPL(), X, truth, 60, 0)


def test_a_wrong_bound_would_be_caught():
    """The same test breaks a bound that forgets the radius: it is able to fail."""
    failures = 0
    for seed in range(40):
        X, truth = WORLDS["gaussians near"](np.random.default_rng(seed))
        rng = np.random.default_rng(seed)
        target = encode_labels(draw_labels(truth, 60, rng))
        _, calibration = draw_split(target, np.random.RandomState(seed))
        _, sample = held_out_errors(KernelSSRLPL(), X, target, calibration)
        found = rigorous(sample, DELTA)
        claimed = retained_from_second_order(found.root, found.residual)
        best = KernelSSRLPL().fit(X, truth).objective_
        failures += claimed > true_retained(sample.geometry, best, truth)
    assert failures > binom.ppf(0.999, 40, DELTA)


@pytest.fixture(scope="module")
def digits():
    X, truth = load_digits(return_X_y=True)
    X = X[:900] / 16
    return X, hide_labels(truth[:900], keep=300, random_state=0), truth[:900]


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


def test_the_cross_fitted_certificate_is_sharper(digits):
    X, y, _ = digits
    target = encode_labels(y)
    _, calibration = draw_split(target, np.random.RandomState(0))
    held_out = rigorous(held_out_errors(KernelSSRLPL(), X, target, calibration)[1], DELTA)
    crossed = cross_fitted(cross_fitted_errors(KernelSSRLPL(), X, target), DELTA)
    assert crossed.residual_upper < held_out.residual_upper
    assert crossed.root_lower > 0


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


def test_labels_that_are_no_random_sample_void_it(digits):
    X, _, truth = digits
    biased = np.where(X[:, 20] > np.median(X[:, 20]), truth, -1)
    assert sampling_p_value(X, biased >= 0) < 1e-6
    with pytest.warns(GuaranteeWarning, match="random sample"):
        certificate = certify(SSRLPL(), X, biased)
    assert "VOID" in str(certificate)


def test_random_labels_do_not_look_biased():
    """p-values of the sampling test are not too small when labels are drawn at random."""
    X, truth = load_digits(return_X_y=True)
    rng = np.random.default_rng(0)
    values = [
        sampling_p_value(X[:400] / 16, draw_labels(truth[:400], 100, rng) >= 0) for _ in range(40)
    ]
    assert np.sum(np.array(values) < 0.05) <= binom.ppf(0.999, 40, 0.05)


@pytest.mark.filterwarnings("ignore:n_neighbors")
def test_few_labels_are_said_to_be_few():
    X, _, truth = problem(n=80)
    few = np.where(np.arange(80) < 10, truth, -1)
    with pytest.warns(GuaranteeWarning, match="hardly anything"):
        certify(SSRLPL(), X, few)


def test_a_class_that_calibration_never_sees_is_named():
    X, _, truth = problem(n=120)
    y = np.where(np.arange(120) < 40, truth, -1)
    y[y == 2] = -1
    y[2] = 2  # one label of the third class, in one of the two parts only
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for seed in range(6):
            certify(SSRLPL(), X, y, random_state=seed)
    assert any("No calibration row has class 2" in str(w.message) for w in caught)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"confidence": 1.0}, "confidence must be"),
        ({"method": "bootstrap"}, "method must be"),
    ],
)
def test_bad_arguments_are_named(small, arguments, message):
    X, y, _ = small
    with pytest.raises(ValueError, match=message):
        certify(SSRLPL(), X, y, **arguments)


@pytest.mark.parametrize(
    ("estimator", "error", "message"),
    [
        (LogisticRegression(), TypeError, "pass the map itself"),
        (SSRLPLCV(), TypeError, "certify a plain map"),
        (SSRLPL(constraint="whitened"), ValueError, "set constraint='orthonormal'"),
        (KernelSSRLPL(unlabeled_weight=0.5), ValueError, "set unlabeled_weight=1"),
        (make_pipeline(SelectKBest(k=2), SSRLPL()), ValueError, "must not use labels"),
        (make_pipeline(StandardScaler(), SSRLPLCV()), TypeError, "certify a plain map"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_the_theorem_does_not_cover_is_refused(small, estimator, error, message):
    X, y, _ = small
    with pytest.raises(error, match=message):
        certify(estimator, X, y)


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


def test_labels_seen_again_in_the_representation_keep_the_theorem():
    """relabel_rounds looks at held-out rows but not at their labels."""
    estimator = KernelSSRLPL(relabel_rounds=1)
    assert count_broken(estimator, "gaussians near", 12) <= binom.ppf(0.999, 12, DELTA)
    X, truth = WORLDS["gaussians near"](np.random.default_rng(0))
    target = encode_labels(draw_labels(truth, 60, np.random.default_rng(0)))
    _, calibration = draw_split(target, np.random.RandomState(0))
    _, sample = held_out_errors(estimator, X, target, calibration)
    # The map spans the moments of the label vectors it is judged by.
    outside = sample.geometry.residual_inner(np.arange(len(X)))
    assert np.trace(sample.used.T @ outside @ sample.used) / (len(X) - 1) ** 2 < 1e-9


@pytest.mark.parametrize("estimator", [KernelSSRLPL(), SSRLPL(labeler=KNNLabeler(1))], ids=str)
def test_held_out_rows_that_are_all_right_are_the_best_case(estimator):
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 600)
    X = rng.normal(size=(600, 3)) + 20 * truth[:, None]
    certificate = certify(estimator, X, hide_labels(truth, keep=200, random_state=0))
    assert 0.9 < certificate.retained_lower < 1


def test_three_labels_are_too_few_for_loo():
    X = np.random.default_rng(0).normal(size=(30, 2))
    y = np.full(30, -1)
    y[:3] = [0, 0, 1]
    with pytest.raises(ValueError, match="label more rows"):
        certify(KernelSSRLPL(), X, y, method="loo")


def test_norms_of_rows_far_from_zero_keep_their_digits():
    X = np.random.default_rng(0).normal(size=(200, 4)) + 1000
    y = np.where(np.arange(200) < 60, np.arange(200) % 2, -1)
    exact, single = (
        held_out_errors(SSRLPL(), rows, encode_labels(y), np.arange(20))[1].geometry
        for rows in (X, X.astype(np.float32))
    )
    assert_allclose(single.squared, exact.squared, rtol=1e-3)


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


def test_leave_one_out_equals_refitting():
    X, y, _ = problem(n=60)
    rows = np.flatnonzero(y >= 0)
    gamma = KNNLabeler(3).fit(X, y).gamma_
    rate = wta_error(KNNLabeler(3, gamma=gamma), X, y, method="loo")
    wrong = 0
    for row in rows:
        hidden = y.copy()
        hidden[row] = -1
        wrong += KNNLabeler(3, gamma=gamma).fit(X, hidden).transduction_[row] != y[row]
    assert rate.errors == wrong


def test_a_map_of_all_features_loses_nothing():
    X, y, _ = problem(n=120, d=2, n_classes=5, share=0.5)
    certificate = certify(SSRLPL(), X, y)
    assert certificate.residual_upper < 1e-6
    assert certificate.retained_lower == pytest.approx(1)


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


def test_large_tables_have_ten_folds_too():
    """With two folds, maps of half of the labels stood in for the map of all of them."""
    X, _, truth = problem(n=4500, d=3)
    y = draw_labels(truth, 60, np.random.default_rng(0))
    samples = cross_fitted_errors(SSRLPL(), X, encode_labels(y))
    assert [len(sample.rows) for sample in samples] == [6] * 10


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


def test_a_class_without_a_calibration_row_makes_it_weak_not_void():
    X, _, truth = problem(n=120)
    y = np.where(truth == 2, -1, truth)
    y[2] = 2
    mask = (np.arange(120) >= 40) & (y >= 0)
    with pytest.warns(GuaranteeWarning, match="the bound holds"):
        certificate = certify(SSRLPL(), X, y, audit=mask)
    assert certificate.voids == ()
    assert "class 2" in certificate.weak[0]
    assert "Weak" in certificate.headline()


@pytest.mark.parametrize("method", ["calibration", "loo"])
@pytest.mark.parametrize("estimator", [SSRLPL(), KernelSSRLPL()], ids=str)
def test_rows_that_are_all_the_same_are_refused(estimator, method):
    y = np.where(np.arange(100) < 60, np.arange(100) % 2, -1)
    with pytest.raises(ValueError, match="Rows must differ"):
        certify(estimator, np.full((100, 3), 2.0), y, method=method)


@pytest.mark.parametrize("method", ["calibration", "loo"])
def test_an_indefinite_kernel_is_refused(method):
    G = np.random.default_rng(0).normal(size=(100, 100))
    y = np.where(np.arange(100) < 60, np.arange(100) % 2, -1)
    with pytest.raises(ValueError, match="positive semidefinite"):
        certify(KernelSSRLPL(kernel="precomputed"), G + G.T, y, method=method)


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


@pytest.mark.filterwarnings("ignore:n_neighbors")
def test_rows_in_the_order_drawn_allow_a_look_after_every_label():
    """A cluster with contradictory labels: seen by few rows, and looked at again and again."""
    draws, level = 500 if os.environ.get("SSRLPL_LONG") else 12, 0.8
    ever = sum(
        ever_breaks(SSRLPL(), *world("adversarial cluster", seed), 30, seed, level)
        for seed in range(draws)
    )
    assert ever <= binom.ppf(0.999, draws, 1 - level)


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
