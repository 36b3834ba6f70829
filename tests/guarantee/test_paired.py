"""Gains estimated from held-out rows and a third opinion, where the truth is known."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import expit
from scipy.stats import binom

from ssrlpl.guarantee.paired import Comparison, Opinion, compare, compare_with_opinion


def drawn_comparison(rng, opinion_off=0.0, n=2000, labeled=100):
    """Draw two classifiers of two classes, an opinion that is off by some logits, and the truth."""
    with_, without = rng.integers(0, 2, n), rng.integers(0, 2, n)
    logit = rng.normal(0.5, 1.5, n)  # of the first being right where they differ
    truth = np.where(rng.random(n) < expit(logit), with_, 1 - with_)
    believed = expit(logit + opinion_off)
    first = np.where(with_ == 0, believed, 1 - believed)
    q = np.column_stack([first, 1 - first])
    right = with_ == truth, without == truth
    seen, hidden = np.arange(n) < labeled, np.arange(n) >= labeled
    opinions = (Opinion.of(q[part], with_[part], without[part]) for part in (seen, hidden))
    gain = np.mean(right[0][hidden]) - np.mean(right[1][hidden])
    found = compare_with_opinion(right[0][seen], right[1][seen], *opinions)
    return found, compare(right[0][seen], right[1][seen]), gain


def test_an_opinion_narrows_the_estimate_of_the_gain():
    rng = np.random.default_rng(0)
    draws = [drawn_comparison(rng) for _ in range(200)]
    errors = np.array([(found.gain - gain, plain.gain - gain) for found, plain, gain in draws])
    assert np.sqrt(np.mean(errors**2, axis=0)) @ [2, -1] < 0  # less than half as far off
    covered = [abs(found.gain - gain) < 1.96 * found.standard_error for found, _, gain in draws]
    assert np.sum(covered) >= binom.ppf(0.001, 200, 0.95)


def test_held_out_rows_correct_an_opinion_that_is_off():
    rng = np.random.default_rng(0)
    draws = [drawn_comparison(rng, opinion_off=-1.5, labeled=1000) for _ in range(40)]
    off = np.mean([found.gain - gain for found, _, gain in draws])
    assert abs(off) < 0.5 * np.mean([gain for *_, gain in draws])
    verdicts = [found.verdict for found, *_ in draws]
    assert "hurts" not in verdicts  # as the opinion alone would say
    assert verdicts.count("helps") > 30


def test_an_opinion_is_its_own_mean_and_variance():
    q = np.array([[0.5, 0.3, 0.2], [0.9, 0.1, 0.0], [0.2, 0.2, 0.6]])
    found = Opinion.of(q, np.array([0, 0, 2]), np.array([1, 0, 0]))
    assert_allclose(found.expected, [0.2, 0, 0.4], atol=1e-12)
    by_hand = [
        0.5 * (1 - 0.2) ** 2 + 0.3 * (-1 - 0.2) ** 2 + 0.2 * 0.2**2,
        0,
        0.6 * (1 - 0.4) ** 2 + 0.2 * (-1 - 0.4) ** 2 + 0.2 * 0.4**2,
    ]
    assert_allclose(found.variance, by_hand, atol=1e-12)


def test_maps_that_never_differ_are_undecided():
    right = np.array([True, False] * 10)
    nothing = Opinion(np.zeros(20), np.zeros(20), 0.0)
    found = compare_with_opinion(right, right, nothing, nothing)
    assert (found.gain, found.p_value, found.verdict) == (0.0, 1.0, "undecided")
    # Maps of the folds may differ where those of all labels do not.
    found = compare_with_opinion(np.ones(20, dtype=bool), right, nothing, nothing)
    assert (found.gain, found.p_value, found.verdict) == (0.0, 1.0, "undecided")


@pytest.mark.parametrize(("gain", "said"), [(0.01, True), (0.3, False)])
def test_a_verdict_that_mistakes_alone_would_not_give_says_what_decides(gain, said):
    found = Comparison(0.3 - gain, 0.3, 0, 1, 50, p_value=0.007, gain=gain, standard_error=0.04)
    assert found.verdict == "helps"
    assert ("the probabilities decide, p = 0.007" in found.in_words("error")) == said
    assert "probabilities" not in replace(found, p_value=0.6).in_words("error")
