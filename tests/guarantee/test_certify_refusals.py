"""Where a certificate is void or weak, and what is not certified at all."""

import warnings

import numpy as np
import pytest
from sklearn.feature_selection import SelectKBest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from conftest import problem
from ssrlpl import SSRLPL, SSRLPLCV, GuaranteeWarning, KernelSSRLPL, certify
from ssrlpl.guarantee.sampling import sampling_p_value


def labeled_and_others(is_labeled):
    return np.flatnonzero(is_labeled), np.flatnonzero(~is_labeled)


def test_labels_that_are_no_random_sample_void_it(digits):
    X, _, truth = digits
    biased = np.where(X[:, 20] > np.median(X[:, 20]), truth, -1)
    assert sampling_p_value(X, *labeled_and_others(biased >= 0)) < 1e-6
    with pytest.warns(GuaranteeWarning, match="random sample"):
        certificate = certify(SSRLPL(), X, biased)
    assert certificate.headline().startswith("VOID: The labeled rows")
    assert certificate.retained_lower == certificate.retained_by_all_lower == 0


def test_audited_rows_that_are_no_random_sample_void_it(digits):
    """A user says that they are one: all are from one side, and rows of the other side teach."""
    X, _, truth = digits
    one_side = X[:, 20] > np.median(X[:, 20])
    rng = np.random.default_rng(0)
    audit = one_side & (rng.random(len(X)) < 0.5)
    y = np.where(audit | (rng.random(len(X)) < 0.2), truth, -1)
    with pytest.warns(GuaranteeWarning, match="audited rows do not look like a random sample"):
        certificate = certify(SSRLPL(), X, y, audit=audit)
    assert certificate.retained_lower == 0


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


def test_a_class_without_a_calibration_row_makes_it_weak_not_void():
    X, _, truth = problem(n=120)
    y = np.where(truth == 2, -1, truth)
    y[2] = 2
    kept = (truth < 2) | (np.arange(120) == 2)  # no other row is of class 2
    X, y = X[kept], y[kept]
    mask = np.arange(len(y)) % 3 == 1
    y[np.arange(len(y)) % 3 == 0] = -1
    y[2] = 2
    with pytest.warns(GuaranteeWarning, match="the bound holds"):
        certificate = certify(SSRLPL(), X, y, audit=mask)
    assert certificate.voids == ()
    assert "class 2" in certificate.weak[0]
    assert "Weak" in certificate.headline()


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


def test_three_labels_are_too_few_for_loo():
    X = np.random.default_rng(0).normal(size=(30, 2))
    y = np.full(30, -1)
    y[:3] = [0, 0, 1]
    with pytest.raises(ValueError, match="label more rows"):
        certify(KernelSSRLPL(), X, y, method="loo")


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
