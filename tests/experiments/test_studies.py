"""What single studies compute: the theorem's terms, the variants, the references."""

from __future__ import annotations

import numpy as np
import pytest

from ssrlpl import KernelSSRLPL
from ssrlpl.experiments import ours, theorem, tried
from ssrlpl.experiments.harness.cell_store import Cell
from ssrlpl.experiments.harness.measuring import compute
from ssrlpl.experiments.method_registry import METHODS, WORKBENCH
from ssrlpl.experiments.problems import Given, Hints, load_problem
from ssrlpl.experiments.studies import STUDIES

MOONS = ("two moons", Given(8))


@pytest.mark.parametrize("seed", range(5))
def test_deviation_stays_below_the_bounds_and_they_are_in_order(seed):
    cell = Cell("bound", *MOONS, "theorem", seed)
    found = compute(cell, STUDIES["bound"].bench)["measures"]
    assert 0 <= found["deviation"] <= found["first_order"] <= found["theorem_3"]
    left = (found["root_best"] - found["deviation"]) / found["root_best"]
    assert found["retained"] == pytest.approx(left**2)


def test_error_in_the_theorem_is_that_of_the_unlabeled_rows():
    problem = load_problem(*MOONS, seed=0)
    fitted = theorem.winner_take_all_map(Hints(n_labeled=8))
    fitted.fit(problem.X[problem.train], problem.target())
    guessed = fitted.estimator_.representation_.transduction_[8:]
    expected = np.mean(guessed != problem.truth[problem.unlabeled])
    assert theorem.deviation_and_bounds(fitted, problem)["error"] == pytest.approx(expected)


def test_objective_from_the_representation_is_the_one_the_map_reports():
    problem = load_problem(*MOONS, seed=0)
    map_ = KernelSSRLPL().fit(problem.X, problem.truth)
    found = theorem.objective_of(map_.transform(problem.X), problem.truth)
    assert found == pytest.approx(map_.objective_)


@pytest.mark.parametrize("name", list(tried.VARIANTS))
def test_every_variant_gives_a_number(name):
    row = compute(Cell("variants", *MOONS, name, 0), STUDIES["variants"].bench)
    assert (row["status"], row["reason"]) == ("ok", "")
    assert row["error_unlabeled"] < 0.5


def test_randomly_filled_directions_hold_the_map_and_are_orthonormal():
    rng = np.random.default_rng(0)
    truth = np.arange(60) % 3
    X = np.eye(3, 8)[truth] + 0.1 * rng.normal(size=(60, 8))
    y = np.where(np.arange(60) < 9, truth, -1)
    V = tried.RandomlyFilled(p=5, k=1, seed=0).fit(X, y).directions_
    assert V.shape == (8, 5)
    assert pytest.approx(np.eye(5), abs=1e-10) == V.T @ V
    plain = tried.SSRLPL(labeler=tried.KNNLabeler(1)).fit(X, y).components_.T
    assert V @ (V.T @ plain) == pytest.approx(plain)


def test_full_map_knows_all_labels_but_lets_the_labeled_rows_vote():
    problem = load_problem(*MOONS, seed=0)
    X, truth = problem.X[problem.train], problem.truth[problem.train]
    model = ours.full_map(Hints(n_labeled=8)).fit(X, truth)
    assert len(model.classifier_._fit_X) == 8
    assert model.map_.objective_ == pytest.approx(
        KernelSSRLPL(gamma=model.map_.gamma_).fit(X, truth).objective_
    )


@pytest.mark.parametrize("name", ["linear", "kernel", "wta", "labeled_only", "1nn", "cv"])
def test_methods_of_the_registry_run_and_say_what_they_chose(name):
    row = compute(Cell("test", *MOONS, name, 3), WORKBENCH)
    assert (row["status"], row["reason"]) == ("ok", "")
    assert row["error_unlabeled"] < 0.5
    assert bool(row["params"]) == (name != "1nn")


def test_only_the_references_see_all_labels():
    seeing = {name for name, method in METHODS.items() if getattr(method, "sees_all_labels", False)}
    assert seeing == {"full_map", "fully_labeled"}
    row = compute(Cell("test", *MOONS, "fully_labeled", 0), WORKBENCH)
    assert row["error_unlabeled"] is None
