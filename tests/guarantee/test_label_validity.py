"""Statements about filled-in labels, tried to be broken: exactly where possible, else by draws."""

import os
from fractions import Fraction
from functools import cache
from itertools import pairwise
from math import comb

import numpy as np
import pytest
from scipy.stats import binom, hypergeom

from ssrlpl import KNNLabeler
from ssrlpl._utils import limits
from ssrlpl.experiments import audit_truth
from ssrlpl.experiments.audit_truth import (
    AUDIT_WORLDS,
    MAX_ERROR,
    STATEMENTS,
    statement_breaks,
    trail_breaks,
)
from ssrlpl.experiments.worlds import WORLDS
from ssrlpl.guarantee import AuditTrail, Share, certify_labels
from ssrlpl.guarantee.accepting import accepted, audits_to_accept, sets_of, sets_to_test
from ssrlpl.guarantee.audited import AuditedRows
from ssrlpl.guarantee.conformal import sets_of_classes
from ssrlpl.guarantee.proportions import most_wrong, most_wrong_at_any_time, share_upper

LONG = bool(os.environ.get("SSRLPL_LONG"))
LEVELS = (0.8, 0.9, 0.95)


def chance(wrong, checked, population, K):
    return hypergeom.pmf(wrong, population, K, checked)


@pytest.mark.parametrize("delta", [0.05, 0.1, 0.2])
@pytest.mark.parametrize(("population", "checked"), [(30, 10), (25, 24), (12, 1)])
def test_the_bound_for_one_look_is_exact(population, checked, delta):
    """It misses any number of wrong rows with probability at most δ; one row less would not do."""
    seen = np.arange(checked + 1)
    bounds = np.array([most_wrong(k, checked, population, delta) for k in seen])
    for K in range(population + 1):
        assert chance(seen[bounds < K], checked, population, K).sum() <= delta + 1e-12
    for k, bound in enumerate(bounds):
        assert chance(seen[: k + 1], checked, population, bound).sum() > delta


@pytest.mark.parametrize("delta", [0.05, 0.2])
def test_the_bound_for_new_rows_is_exact(delta):
    trials = 20
    bounds = np.array([share_upper(k, trials, delta) for k in range(trials + 1)])
    for p in np.linspace(0.001, 0.999, 200):
        assert binom.pmf(np.arange(trials + 1), trials, p)[bounds < p].sum() <= delta + 1e-12


@pytest.mark.parametrize("level", LEVELS)
def test_intervals_per_class_hold_for_all_rows_of_a_table(level):
    """Binomial intervals, hypergeometric draws: exact probabilities for every small group."""
    for size in range(2, 24):
        for checked in range(1, size):
            k = np.arange(checked + 1)
            found = [Share.of(int(right), checked, level) for right in k]
            low, high = np.array([(f.low, f.high) for f in found]).T
            for K in range(size + 1):
                outside = (low - 1e-12 > K / size) | (high + 1e-12 < K / size)
                assert chance(k, checked, size, K)[outside].sum() <= 1 - level


@pytest.mark.parametrize("wrong", [1, 2, 40])
@pytest.mark.parametrize("level", LEVELS)
def test_intervals_per_class_hold_for_a_class_without_many_errors(level, wrong):
    """One side may fail a little more often than half of what is allowed, both together may not."""
    size, K = 10_000, 10_000 - wrong
    sides = []
    for checked in range(20, 3000, 149 if wrong > 1 else 7):
        k = np.arange(max(checked - wrong, 0), checked + 1)  # no other number is possible
        found = [Share.of(int(right), checked, level) for right in k]
        below = np.array([f.high < K / size for f in found])
        above = np.array([f.low > K / size for f in found])
        sides.append(chance(k, checked, size, K)[below].sum())
        assert chance(k, checked, size, K)[below | above].sum() <= 1 - level
    assert max(sides) > (1 - level) / 2 or wrong > 1


def capital(wrong, checked, population, K):
    """The mixture of likelihood ratios in exact fractions."""

    def likelihood(k):
        return comb(k, wrong) * comb(population - k, checked - wrong)

    weights = [Fraction(1, k + 1) for k in range(K)]
    mixed = sum(w * likelihood(k) for k, w in enumerate(weights))
    own = likelihood(K)
    return mixed / (own * sum(weights)) if own else None


def test_the_bound_at_any_time_equals_exact_fractions():
    population, delta = 14, 0.1
    for checked in range(population + 1):
        for wrong in range(checked + 1):
            possible = range(wrong, population - (checked - wrong) + 1)
            kept = [
                K
                for K in possible
                if K == 0 or capital(wrong, checked, population, K) < 1 / Fraction(delta)
            ]
            found = most_wrong_at_any_time(wrong, checked, population, delta)
            assert found == max(kept, default=wrong)


@pytest.mark.parametrize("delta", [0.05, 0.1, 0.2])
@pytest.mark.parametrize("population", [20, 60])
def test_a_look_after_every_label_misses_no_more_often_than_promised(population, delta):
    """All paths of an audit of all rows, by their exact probabilities."""
    looks = 2 * population // 3

    @cache
    def bound(wrong, checked):
        return most_wrong_at_any_time(wrong, checked, population, delta)

    worst = 0.0
    for K in range(0, population + 1, 1 if population == 20 else 6):
        alive = np.zeros(looks + 2)  # probability of k wrong so far and a bound that held
        alive[0] = 1.0
        for checked in range(1, looks + 1):
            k = np.arange(looks + 2)
            next_wrong = np.clip((K - k) / (population - checked + 1), 0, 1)
            moved = alive * (1 - next_wrong)
            moved[1:] += (alive * next_wrong)[:-1]
            held = [w <= K and bound(int(w), checked) >= K for w in np.minimum(k, checked)]
            alive = np.where(held, moved, 0.0)
        worst = max(worst, 1 - alive.sum())
    assert 0 < worst <= delta + 1e-12


def check_all(name, draws, **sizes):
    for level in LEVELS:
        broken = [statement_breaks(name, level, seed, **sizes) for seed in range(draws)]
        for statement in STATEMENTS:
            count = sum(b[statement] for b in broken)
            assert count <= binom.ppf(0.9999, draws, 1 - level), (statement, level, count)


@pytest.mark.parametrize("name", AUDIT_WORLDS)
def test_statements_are_broken_no_more_often_than_they_may(name):
    check_all(name, 1000 if LONG else 30)


@pytest.mark.skipif(not LONG, reason="takes minutes: make test-long")
@pytest.mark.parametrize("name", AUDIT_WORLDS)
def test_statements_hold_for_many_rows(name):
    check_all(name, 500, n_rows=6000, n_audited=200)


@pytest.mark.skipif(not LONG, reason="takes minutes: make test-long")
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("name", AUDIT_WORLDS)
def test_a_trail_holds_at_every_look(name, level):
    count = sum(trail_breaks(name, level, seed) for seed in range(500))
    assert count <= binom.ppf(0.9999, 500, 1 - level)


@pytest.mark.parametrize("name", ["at the limit", "near duplicates"])
def test_the_counted_trail_is_the_trail_of_users(name, monkeypatch):
    """``trail_breaks`` computes its bounds once for all draws: they must be those of AuditTrail."""
    world, n = AUDIT_WORLDS[name](np.random.default_rng(0), 400), 60
    monkeypatch.setattr(audit_truth, "_world_of", lambda *_: world)
    wrong, found = world.predicted != world.truth, []
    for seed in range(20):
        order = np.random.default_rng([seed, 1]).permutation(400)
        trail, ever = AuditTrail(world.predicted, confidence=0.6), False
        for checked, row in enumerate(order[:n], start=1):
            trail.add(row, world.truth[row])
            ever |= wrong[order[checked:]].mean() > trail.error_upper + 1e-12
        assert ever == trail_breaks(name, 0.6, seed, n_rows=400, n_audited=n)
        found.append(ever)
    assert 0 < sum(found) < 20  # both kinds of draws were compared


def rows(sureness, is_wrong, is_audited):
    scores = np.column_stack([sureness, np.zeros(len(sureness))])
    predicted = np.zeros(len(sureness), dtype=np.intp)
    return AuditedRows(predicted, scores, is_audited, is_wrong[is_audited].astype(np.intp))


def drawn(n, m, seed=0):
    mask = np.zeros(n, dtype=bool)
    mask[np.random.default_rng(seed).permutation(n)[:m]] = True
    return mask


def test_the_tests_are_fixed_before_the_draw():
    """What is tested must not depend on which rows were audited: the proof rests on it."""
    sureness = np.random.default_rng(0).random(500)
    sequence = sets_to_test(sets_of(sureness), 150, 0.1, 0.05)
    assert all(a < b for a, b in pairwise(sequence.sizes))
    assert sequence.sizes[-1] == 500
    assert sequence.most[-1] == 35  # a tenth of the 350 rows that are not audited
    assert hypergeom.cdf(1, 500, sequence.most[0] + 1, 150) <= 0.05  # one error would pass


def test_more_audited_rows_do_not_accept_less():
    """With 100 rows the first set in which one error is allowed has nearly all rows."""
    sureness = np.linspace(1, 0.5, 2000)
    wrong = sureness < 0.55  # a tenth, the least sure ones
    share = [
        np.mean([accepted(rows(sureness, wrong, drawn(2000, m, s)), 0.05, 0.05) for s in range(30)])
        for m in (60, 80, 100, 120, 150, 200)
    ]
    assert all(more >= less - 0.02 for less, more in pairwise(share)), share
    assert share[2] > 0.9


def test_the_plan_for_accepting_is_what_accepting_needs():
    """With that many audited rows, as often wrong as before, half of the rows are accepted."""
    sureness = np.linspace(1, 0.5, 2000)
    wrong = (sureness < 0.6) & (np.arange(2000) % 3 == 0)
    few = rows(sureness, wrong, drawn(2000, 60))
    assert not accepted(few, 0.05, 0.05).any()
    more = audits_to_accept(few, 0.5, 0.05, 0.05)
    assert 60 < more < 130
    taken = [
        accepted(rows(sureness, wrong, drawn(2000, int(more), s)), 0.05, 0.05) for s in range(40)
    ]
    assert np.mean([t.mean() >= 0.5 for t in taken]) > 0.9
    noise = rows(sureness, np.arange(2000) % 3 == 0, drawn(2000, 60))
    assert audits_to_accept(noise, 0.5, 0.05, 0.05) == np.inf


def test_a_choice_among_thresholds_after_the_draw_would_be_caught():
    """The worlds are able to break a bad rule: the largest set that passes a test of its own."""

    def greedy(audited, max_error, delta):
        order = np.argsort(-audited.sureness, kind="stable")
        sizes = np.arange(10, len(order) + 1, 10)
        a, k = (np.cumsum(m[order])[sizes - 1] for m in (audited.is_audited, audited.is_wrong))
        most = np.floor(max_error * (sizes - a)).astype(int)
        passes = np.flatnonzero(hypergeom.cdf(k, sizes, most + 1, a) <= delta)
        return order[: sizes[passes[-1]]] if len(passes) else order[:0]

    draws, n, delta, broken = 150, 2000, 0.2, 0
    world = AUDIT_WORLDS["at the limit"](np.random.default_rng(0), n)
    wrong = world.predicted != world.truth
    sureness = world.scores[np.arange(n), world.predicted]
    for seed in range(draws):
        audited = rows(sureness, wrong, drawn(n, 300, seed))
        taken = np.setdiff1d(greedy(audited, MAX_ERROR, delta), np.flatnonzero(audited.is_audited))
        broken += len(taken) > 0 and wrong[taken].mean() > MAX_ERROR
    assert broken > binom.ppf(0.9999, draws, delta)


def test_rows_of_equal_sureness_are_taken_together():
    sureness = np.repeat([0.9, 0.6], [400, 200])
    wrong = np.repeat([False, True], [400, 200])
    audited = rows(sureness, wrong, drawn(600, 200))
    assert np.array_equal(accepted(audited, 0.05, 0.05), sureness == 0.9)
    same = rows(np.ones(600), np.arange(600) == 7, drawn(600, 200))
    assert accepted(same, 0.05, 0.05).all()


def test_too_few_audited_rows_accept_nothing():
    """59 rows without an error are needed for 5 % at 95 %; fewer in a small table."""
    right = np.zeros(100_000, dtype=bool)
    sureness = np.ones(100_000)
    assert not accepted(rows(sureness, right, drawn(100_000, 58)), 0.05, 0.05).any()
    assert accepted(rows(sureness, right, drawn(100_000, 59)), 0.05, 0.05).all()


def test_a_model_without_errors_is_accepted_whichever_rows_are_drawn():
    """A test given the number of audited rows in the first set would fail in every second draw."""
    sureness = np.linspace(1, 0.5, 2000)
    wrong = sureness < 0.52  # a few, the least sure ones
    for seed in range(40):
        audited = rows(sureness, wrong, drawn(2000, 70, seed))
        assert accepted(audited, 0.05, 0.05).mean() > 0.8


def test_sets_have_the_rank_that_the_proof_asks_for():
    """19 rows are the fewest for 95 %: the threshold is then the worst score among them."""
    beliefs = np.linspace(0.05, 0.95, 19)
    scores = np.column_stack([beliefs, 1 - beliefs])
    everyone = np.ones(19, dtype=bool)
    audited = AuditedRows(np.zeros(19, np.intp), scores, everyone, np.zeros(19, np.intp))
    asked = np.array([[0.05, 0.04], [0.049, 0.9]])
    assert sets_of_classes(audited, asked, 0.95, False).tolist() == [[True, False], [False, True]]
    assert sets_of_classes(audited, asked, 0.951, False).all()  # a rank that does not exist
    # Class 1 has no audited row, and is in every set.
    assert sets_of_classes(audited, asked, 0.9, True)[:, 1].all()


@pytest.mark.parametrize("belief", [0.3, -0.3])
def test_scores_that_differ_by_rounding_are_equal_in_sets(belief):
    """Sets of new rows, or of rows in single precision, do not depend on the last digit."""
    scores = np.full((19, 2), np.nextafter(belief, 1))
    everyone = np.ones(19, dtype=bool)
    audited = AuditedRows(np.zeros(19, np.intp), scores, everyone, np.zeros(19, np.intp))
    asked = np.array([[belief, float(np.float32(belief))], [belief - 0.01, -np.inf]])
    assert sets_of_classes(audited, asked, 0.95, False).tolist() == [[True] * 2, [False] * 2]


def count_broken(name, draws, *, chosen, level=0.8):
    """Bound, accept and sets of whole certificates, from the table to the statement.

    Teaching rows are drawn, or chosen by an adversary: all from one corner.
    """
    broken = np.zeros(3, dtype=int)
    for seed in range(draws):
        rng = np.random.default_rng(seed)
        X, truth = WORLDS[name](rng)
        order = np.argsort(-X[:, 0]) if chosen else rng.permutation(300)
        first = np.unique(truth[order], return_index=True)[1]  # one row of each class at least
        teaching = np.union1d(order[first], order[:40])
        audit = rng.permutation(np.setdiff1d(np.arange(300), teaching))[:80]
        y = np.full(300, -1)
        y[teaching], y[audit] = truth[teaching], truth[audit]
        found = certify_labels(
            KNNLabeler(3), X, y, audit=np.isin(np.arange(300), audit), confidence=level
        )
        wrong = found.labels != truth[found.rows]
        taken = found.accept(0.15)
        one = rng.integers(len(wrong))
        broken += [
            wrong.mean() > found.error_upper,
            taken.any() and wrong[taken].mean() > 0.15,
            not found.prediction_sets(level)[one, truth[found.rows[one]]],
        ]
    return broken


@pytest.mark.filterwarnings("ignore")  # rare classes are missing here and there
def test_whole_certificates_hold_with_a_real_model():
    broken = sum(count_broken(name, 2, chosen=c) for name in WORLDS for c in (False, True))
    assert (broken <= binom.ppf(0.9999, 4 * len(WORLDS), 0.2)).all(), broken


@pytest.mark.skipif(not LONG, reason="takes minutes: make test-long")
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("chosen", [False, True], ids=["drawn", "adversarial"])
@pytest.mark.parametrize("name", WORLDS)
def test_whole_certificates_hold_in_each_world(name, chosen):
    for level in LEVELS:
        broken = count_broken(name, 500, chosen=chosen, level=level)
        assert (broken <= binom.ppf(0.9999, 500, 1 - level)).all(), (level, broken)


@pytest.mark.parametrize("n", [2_000, 9_000, 200_000])
def test_rows_are_accepted_also_if_some_delivered_labels_are_others(n):
    """Half a percent of the surest rows, and a tenth of the others: the models differ there."""
    sureness = np.linspace(1, 0.5, n)
    wrong = (sureness < 0.6) & (np.arange(n) % 3 == 0)
    barred = np.random.default_rng(1).random(n) < np.where(sureness > 0.6, 0.005, 0.1)
    for seed in range(10):
        audited = rows(sureness, wrong, drawn(n, 400, seed))
        taken = accepted(audited, 0.05, 0.05, barred)
        assert taken.mean() > 0.75
        assert not (taken & barred).any()


def test_too_few_audited_rows_for_others_leave_no_room_for_them():
    n = 100_000
    sureness, right = np.linspace(1, 0.5, n), np.zeros(n, dtype=bool)
    nothing, some = right, np.arange(n) % 25 == 0
    few, more = (rows(sureness, right, drawn(n, m)) for m in (60, 62))
    assert accepted(few, 0.05, 0.05, nothing).all()
    assert not accepted(few, 0.05, 0.05, some).any()
    assert np.array_equal(accepted(more, 0.05, 0.05, some), ~some)


@pytest.mark.parametrize("barred_share", [None, 0.0, 0.03])
def test_the_few_rows_that_nearly_all_audited_leave_are_taken_only_if_they_are_right(barred_share):
    n, draws = 61_000, 20
    sureness = np.linspace(1, 0.5, n)
    for error in (0.0, 0.3):
        wrong = np.random.default_rng(3).random(n) < error
        for seed in range(draws):
            audited = rows(sureness, wrong, drawn(n, 60_000, seed))
            barred = None
            if barred_share is not None:
                barred = np.random.default_rng(seed).random(n) < barred_share
            taken = accepted(audited, 0.05, 0.05, barred) & ~audited.is_audited
            if error:
                assert wrong[taken].mean() <= 0.05 if taken.any() else True
            else:
                assert taken.sum() > 0.9 * 1000


def test_labels_that_others_replace_do_not_break_the_statement_in_a_large_table():
    """The worst case: right labels are barred, as many as there is room for, and no wrong one."""
    n, draws, delta = 30_000, 200, 0.2
    sureness = np.linspace(1, 0.5, n)
    wrong = np.random.default_rng(2).random(n) < 0.055
    right = np.flatnonzero(~wrong)
    broken = accepting = 0
    for seed in range(draws):
        audited = rows(sureness, wrong, drawn(n, 600, seed))
        barred = np.zeros(n, dtype=bool)
        barred[np.random.default_rng(seed).choice(right, 1400, replace=False)] = True
        taken = accepted(audited, 0.05, delta, barred) & ~audited.is_audited
        accepting += taken.any()
        broken += taken.any() and wrong[taken].mean() > 0.05
    assert accepting > 0
    assert broken <= binom.ppf(0.999, draws, delta)


def test_of_very_many_sets_some_are_tested(monkeypatch):
    rng = np.random.default_rng(3)
    n = 5000
    sureness = rng.random(n)
    wrong = rng.random(n) > 0.94 + 0.06 * sureness
    draws = [rows(sureness, wrong, drawn(n, 300, seed)) for seed in range(40)]
    every = np.mean([accepted(audited, 0.05, 0.05).mean() for audited in draws])
    monkeypatch.setattr(limits, "ACCEPTED_SETS", 500)
    sizes = sets_of(sureness)[1]
    assert len(sizes) == 500
    assert sizes[-1] == n
    some = np.mean([accepted(audited, 0.05, 0.05).mean() for audited in draws])
    assert 0.3 < every < 0.98
    assert abs(some - every) < 0.05
