"""Verdicts of certificates: on noise, on clear gains, and the experiments that judge them."""

from __future__ import annotations

import csv
import warnings
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from ssrlpl import SSRLPLCV, KernelSSRLPL, KNNLabeler, certify
from ssrlpl.datasets import hide_labels
from ssrlpl.experiments.certificate_truth import LABELERS, judge
from ssrlpl.experiments.drawn_problems import Drawn
from ssrlpl.experiments.harness.cell_store import Store
from ssrlpl.experiments.harness.runner import run
from ssrlpl.experiments.harness.study import Plan
from ssrlpl.experiments.problems import Problem
from ssrlpl.experiments.studies.verdict_counts import VERDICTS, coverage
from ssrlpl.guarantee import verdict
from ssrlpl.model_selection import search

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "results"
GUIDE = (ROOT / "docs" / "guarantee.md").read_text(encoding="utf-8")


def noise_problem(seed):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(300, 5)), rng.integers(0, 2, 300), rng.permutation(300)[:40]


def test_labels_that_are_noise_are_rarely_judged():
    found = [judge(KernelSSRLPL(), *noise_problem(seed)) for seed in range(20)]
    counts = Counter(row["verdict"] for row in found)
    assert counts["undecided"] >= 17
    assert coverage(found) >= 0.8


def two_spirals(rng, n=600):
    """Classes that wind around each other: only many rows show which arm a row belongs to."""
    angle, y = rng.uniform(0.5, 4, n), rng.integers(0, 2, n)
    turn = 2 * angle + np.pi * y
    X = angle[:, None] * np.column_stack([np.cos(turn), np.sin(turn)])
    return X + 0.05 * rng.normal(size=X.shape), y


@pytest.mark.parametrize(("labels", "truth"), [(100, "helps"), (150, "hurts")])
def test_a_clear_change_is_called_by_its_name(labels, truth):
    rng = np.random.default_rng(0)
    X, y = two_spirals(rng)
    found = judge(KernelSSRLPL(labeler=KNNLabeler(15)), X, y, rng.permutation(len(y))[:labels])
    assert found["truth"] == truth
    assert found["verdict"] == truth
    assert found["estimate"] == pytest.approx(found["gain"], abs=0.02)


def test_nobody_fits_a_search_unasked(monkeypatch):
    X, truth, rows = noise_problem(1)
    y = np.where(np.isin(np.arange(len(truth)), rows), truth, -1)
    monkeypatch.setattr(search.SSRLPLCV, "fit", lambda *_: pytest.fail("a search was fitted"))
    assert certify(KernelSSRLPL(), X, y).comparison == verdict(KernelSSRLPL(), X, y)


def test_a_precomputed_kernel_is_judged_by_its_labeled_rows():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 120)
    X = rng.normal(size=(120, 3)) + 2 * truth[:, None]
    y = hide_labels(truth, keep=40, random_state=0)
    estimator = KernelSSRLPL(kernel="precomputed", labeler=KNNLabeler(similarity="precomputed"))
    comparison = certify(estimator, X @ X.T, y).comparison
    assert comparison.level == 0.05
    assert comparison.trials == 40


def test_a_search_at_hand_serves_as_the_third_opinion():
    X, truth, rows = noise_problem(1)
    y = np.where(np.isin(np.arange(len(truth)), rows), truth, -1)
    at_hand = SSRLPLCV().fit(X, y)
    found = certify(KernelSSRLPL(), X, y, third_opinion=at_hand).comparison
    assert found == verdict(KernelSSRLPL(), X, y, third_opinion=at_hand)
    assert found != verdict(KernelSSRLPL(), X, y)
    fewer, swapped = y.copy(), np.where(y < 0, y, 1 - y)
    fewer[rows[:10]] = -1
    for X_seen, y_seen in ((X[:250], y[:250]), (X, truth), (X, fewer), (X, swapped)):
        with pytest.raises(ValueError, match="fitted to the rows and labels that are certified"):
            certify(KernelSSRLPL(), X, y, third_opinion=SSRLPLCV().fit(X_seen, y_seen))
    with pytest.raises(NotFittedError):
        certify(KernelSSRLPL(), X, y, third_opinion=SSRLPLCV())


def test_without_unlabeled_rows_there_is_nothing_to_expect():
    X, truth, _ = noise_problem(1)
    search = SSRLPLCV().fit(X, truth)
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        comparison = certify(KernelSSRLPL(), X, truth, third_opinion=search).comparison
    assert comparison.level == 0.05


def test_an_opinion_at_hand_is_used_for_large_tables_too():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 3100)
    X = rng.normal(size=(3100, 2)) + 2 * truth[:, None]
    y = hide_labels(truth, keep=30, random_state=0)
    alone = certify(KernelSSRLPL(), X, y).comparison
    helped = certify(KernelSSRLPL(), X, y, third_opinion=SSRLPLCV().fit(X, y)).comparison
    assert (alone.level, helped.level) == (0.05, 0.1)


def test_the_same_table_gets_the_same_verdict():
    X, truth, rows = noise_problem(3)
    assert judge(KernelSSRLPL(), X, truth, rows) == judge(KernelSSRLPL(), X, truth, rows)


def test_every_problem_gives_a_row_for_each_labeler(tmp_path):
    def load(dataset, protocol, seed):
        X, truth, rows = noise_problem(seed)
        truth = truth if dataset == "noise" else np.zeros_like(truth)
        return Problem(X, truth, rows[: protocol.labels], rows[protocol.labels :], rows[:0])

    problems = [(name, Drawn(count)) for name in ("noise", "one class") for count in (10, 40)]
    bench = replace(VERDICTS.bench, load=load)
    study = replace(VERDICTS, full=Plan(tuple(problems), tuple(LABELERS), 1), bench=bench)
    rows = run(study.cells(), Store(tmp_path), bench=bench, verbose=False)
    assert {r["reason"] for r in rows if r["dataset"] == "one class"} == {
        "All labeled rows are of one class."
    }
    found = study.report(rows).flat
    assert len(found) == 2 * len(LABELERS)
    assert {row["data"] for row in found} == {"noise"}


NOT_KEPT = pytest.mark.xfail(reason="6.5 % were wrong: docs/guarantee.md", strict=True)


def committed_verdicts(name, said_of):
    with (RESULTS / name).open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) > 300
    return [row for row in rows if row["verdict"] == said_of]


@pytest.mark.parametrize(
    ("name", "said_of", "opposite"),
    [
        ("verdicts.csv", "helps", "hurts"),
        pytest.param("verdicts.csv", "hurts", "helps", marks=NOT_KEPT),
        ("verdicts_development.csv", "helps", "hurts"),
        ("verdicts_development.csv", "hurts", "helps"),
    ],
)
def test_committed_verdicts_are_wrong_in_five_of_a_hundred_cases_at_most(name, said_of, opposite):
    said = committed_verdicts(name, said_of)
    assert len(said) > 30
    assert sum(row["truth"] == opposite for row in said) <= 0.05 * len(said)


@pytest.mark.parametrize("name", ["verdicts.csv", "verdicts_development.csv"])
def test_the_guide_says_how_often_committed_verdicts_are_wrong(name):
    for said_of, opposite in (("helps", "hurts"), ("hurts", "helps")):
        said = committed_verdicts(name, said_of)
        wrong = sum(row["truth"] == opposite for row in said)
        assert f"“{said_of}” was wrong in {wrong} of {len(said)}" in GUIDE
    assert not any("BCI" in row["data"] for row in committed_verdicts(name, "helps"))
