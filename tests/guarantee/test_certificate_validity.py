"""Certificates of maps tried to be broken, on worlds with known truth."""

import os

import numpy as np
import pytest
from scipy.stats import binom

from certificate_samples import DELTA, draw_labels, true_retained
from ssrlpl import SSRLPL, GraphLabeler, KernelSSRLPL
from ssrlpl.experiments import certificate_truth as validity
from ssrlpl.experiments.certificate_truth import calibration_breaks, ever_breaks, loo_breaks
from ssrlpl.experiments.drawn_problems import some_rows, world
from ssrlpl.experiments.studies.validity import REAL
from ssrlpl.experiments.worlds import WORLDS
from ssrlpl.guarantee.bounds import retained_from_second_order
from ssrlpl.guarantee.findings import rigorous
from ssrlpl.guarantee.held_out import draw_split, held_out_errors
from ssrlpl.labels import encode_labels

CERTIFIED = {
    "linear": SSRLPL(),
    "kernel": KernelSSRLPL(),
    "graph": KernelSSRLPL(labeler=GraphLabeler(10)),
    "more components": KernelSSRLPL(20),
}


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


@pytest.mark.filterwarnings("ignore:n_neighbors")
def test_rows_in_the_order_drawn_allow_a_look_after_every_label():
    """A cluster with contradictory labels: seen by few rows, and looked at again and again."""
    draws, level = 500 if os.environ.get("SSRLPL_LONG") else 12, 0.8
    ever = sum(
        ever_breaks(SSRLPL(), *world("adversarial cluster", seed), 30, seed, level)
        for seed in range(draws)
    )
    assert ever <= binom.ppf(0.999, draws, 1 - level)
