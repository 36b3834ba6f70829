"""The harness: nothing finished is lost, nothing failed stops it, no versions are mixed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import harness_world as world
from ssrlpl._utils import files
from ssrlpl.experiments import ours
from ssrlpl.experiments.harness import fingerprint
from ssrlpl.experiments.harness.cell_store import Store, WrittenCells
from ssrlpl.experiments.harness.measuring import Measurement, commit, compute
from ssrlpl.experiments.harness.rendering import flat_row, write_csv
from ssrlpl.experiments.harness.runner import MixedVersionsError, run
from ssrlpl.experiments.method_registry import WORKBENCH
from ssrlpl.experiments.problems import Given, Halves, load_problem
from ssrlpl.experiments.tuning import ChosenByLOO, choose_by_loo, is_quick, predict_left_out

TIMES = ("fit_seconds", "predict_seconds")


def run_quietly(cells, store, **options):
    return run(cells, store, bench=options.pop("bench", world.BENCH), verbose=False, **options)


def without_times(rows):
    return [{k: v for k, v in row.items() if k not in TIMES} for row in rows]


class OtherCode(world.FixedCode):
    """The same methods after somebody changed their code."""

    def fingerprint(self, cell):
        return "0123456789ab"


OTHER = OtherCode(world.METHODS, world.load)


def test_a_row_holds_what_a_reader_needs(tmp_path):
    (row,) = run_quietly(world.cells(count=1), Store(tmp_path))
    problem = world.load("made up", world.PROTOCOL, 0)
    nearest = world.nearest(None).fit(problem.X[problem.train], problem.target())
    for part in ("unlabeled", "test"):
        rows = getattr(problem, part)
        expected = np.mean(nearest.predict(problem.X[rows]) != problem.truth[rows])
        assert row[f"error_{part}"] == pytest.approx(expected)
    assert row["status"] == "ok"
    assert row["seed"] == 0
    assert set(row["versions"]) == {"python", "ssrlpl", "numpy", "scipy", "scikit-learn"}
    assert row["fit_seconds"] > 0


def test_each_method_has_the_fingerprint_of_its_own_code():
    kernel, linear, peer = (
        WORKBENCH.fingerprint(replace(world.cells(count=1)[0], method=name))
        for name in ("kernel", "linear", "1nn")
    )
    assert kernel == linear != peer


def test_parallel_equals_serial(tmp_path):
    serial = run_quietly(world.cells(), Store(tmp_path / "a"))
    parallel = run_quietly(world.cells(), Store(tmp_path / "b"), jobs=2)
    assert without_times(serial) == without_times(parallel)


def test_studies_share_the_cells_they_have_in_common(tmp_path):
    store = Store(tmp_path)
    first = run_quietly(world.cells(count=1), store)
    other = run_quietly([replace(world.cells(count=1)[0], study="other")], store)
    assert other == [{**first[0], "study": "other"}]


def test_what_is_finished_is_not_computed_again(tmp_path):
    store = Store(tmp_path)
    first = run_quietly(world.cells(count=2), store)
    both = run_quietly(world.cells(count=4), store)
    assert both[:2] == first  # to the last digit of the seconds
    assert [row["seed"] for row in both] == [0, 1, 2, 3]


def test_a_method_that_raises_leaves_a_reason_and_the_run_goes_on(tmp_path):
    rows = run_quietly([*world.cells("broken", 1), *world.cells("nearest", 1)], Store(tmp_path))
    assert [row["status"] for row in rows] == ["failed", "ok"]
    assert rows[0]["reason"] == "ZeroDivisionError: no pivot"


def test_missing_data_and_packages_have_their_own_status_and_are_tried_again(tmp_path):
    store = Store(tmp_path)
    wanted = [*world.cells(count=1, dataset="absent"), *world.cells("missing", 1)]
    rows = run_quietly(wanted, store)
    assert [row["status"] for row in rows] == ["no data", "not installed"]
    assert "absent.npz" in rows[0]["reason"]
    repaired = world.FixedCode(
        {**world.METHODS, "missing": world.METHODS["nearest"]},
        lambda _, protocol, seed: world.load("made up", protocol, seed),
    )
    assert [row["status"] for row in run_quietly(wanted, store, bench=repaired)] == ["ok", "ok"]


def test_fresh_tries_failed_cells_again(tmp_path):
    store = Store(tmp_path)
    wanted = world.cells("broken", 1)
    run_quietly(wanted, store)
    mended = replace(world.METHODS["nearest"], name="broken")
    bench = world.FixedCode({"broken": mended}, world.load)
    assert run_quietly(wanted, store, bench=bench)[0]["status"] == "failed"
    assert run_quietly(wanted, store, bench=bench, fresh=True)[0]["status"] == "ok"


def measured(value):
    bench = world.FixedCode({"m": Measurement("m", "m", lambda *_: value)}, world.load)
    return compute(world.cells("m", 1)[0], bench)


def test_a_measurement_gives_its_numbers_or_the_reason_why_there_are_none():
    row = measured({"share": 0.5, "verdict": "helps"})
    assert (row["status"], row["measures"]) == ("ok", {"share": 0.5, "verdict": "helps"})
    row = measured("A class has no labeled row.")
    assert (row["status"], row["reason"]) == ("skipped", "A class has no labeled row.")
    assert "measures" not in row


def test_rows_of_other_code_are_refused_by_name_of_the_cure(tmp_path):
    store = Store(tmp_path)
    run_quietly(world.cells(count=2), store)
    with pytest.raises(MixedVersionsError, match="2 finished cells .* --fresh .* --allow-mixed"):
        run_quietly(world.cells(count=3), store, bench=OTHER)


def test_rows_of_other_code_can_be_kept_or_computed_anew(tmp_path):
    store = Store(tmp_path)
    old = run_quietly(world.cells(count=2), store)
    mixed = run_quietly(world.cells(count=3), store, bench=OTHER, allow_mixed=True)
    made_by = f"commit {commit()}" if commit() else True  # no commit if the code was changed
    assert mixed[:2] == [{**row, "of_other_code": made_by} for row in old]
    assert "of_other_code" not in mixed[2]
    assert mixed[2]["fingerprint"] == "0123456789ab"
    anew = run_quietly(world.cells(count=3), store, bench=OTHER, fresh=True)
    assert {row["fingerprint"] for row in anew} == {"0123456789ab"}
    assert run_quietly(world.cells(count=2), store) == old  # and the old ones are still there


def test_a_fresh_clone_goes_on_from_the_table_of_cells(tmp_path):
    cells = world.cells(count=4)
    before = run_quietly(cells[:3], Store(tmp_path / "old"), bench=OTHER)
    before[0]["of_other_code"] = "commit 1234567"
    before[1]["commit"], before[2]["commit"] = "89abcde", ""
    before[2]["measures"] = {"share of it": 0.25, "holds": True, "word": "yes"}
    before[2] |= {"choice_seconds": 2.5, "seconds_alone": 0.5}  # of published methods
    table = tmp_path / "cells.csv"
    write_csv([flat_row(row) for row in before], table)
    options = {"written": WrittenCells(table), "allow_mixed": True}
    *kept, new = run_quietly(cells, Store(tmp_path / "new"), **options)
    assert [row["of_other_code"] for row in kept] == ["commit 1234567", "commit 89abcde", True]
    assert "of_other_code" not in new
    assert kept[2]["measures"] == before[2]["measures"]
    assert (kept[2]["choice_seconds"], kept[2]["seconds_alone"]) == (2.5, 0.5)
    for row, old in zip(kept, before, strict=True):
        assert row["error_test"] == pytest.approx(old["error_test"], abs=1e-4)
        assert flat_row(row)["versions"] == flat_row(old)["versions"]
        assert flat_row(row)["params"] == flat_row(old)["params"]
    write_csv([flat_row(row) for row in kept], table)  # and a clone of that clone
    second = options | {"written": WrittenCells(table)}
    again = run_quietly(cells[:3], Store(tmp_path / "again"), **second)
    assert [row["of_other_code"] for row in again] == [row["of_other_code"] for row in kept]
    same = run_quietly(cells[:3], Store(tmp_path / "none"), bench=OTHER, **options)
    assert not any("of_other_code" in row for row in same)  # the code that wrote them


def test_a_row_is_written_whole_or_not_at_all(tmp_path, monkeypatch):
    store, cell = Store(tmp_path), world.cells(count=1)[0]
    row = compute(cell, world.BENCH)

    def power_cut(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(files.os, "replace", power_cut)
    with pytest.raises(KeyboardInterrupt):
        store.write(cell, row)
    assert store.read(cell) == []
    assert not any(path.is_file() for path in tmp_path.rglob("*"))
    monkeypatch.undo()
    store.write(cell, row)
    assert store.read(cell) == [json.loads(json.dumps(row))]


CELLS = 14
RUN_SLOWLY = """
import harness_world as world
from ssrlpl.experiments.harness.cell_store import Store
from ssrlpl.experiments.harness.runner import run
run(world.cells("slow", {count}), Store({store!r}), bench=world.BENCH, jobs={jobs})
"""


@pytest.mark.parametrize("jobs", [1, 2])
def test_killed_in_the_middle_and_resumed(tmp_path, jobs, monkeypatch):
    log = tmp_path / "log"
    monkeypatch.setenv("HARNESS_LOG", str(log))
    code = RUN_SLOWLY.format(count=CELLS, store=str(tmp_path / "store"), jobs=jobs)
    path = os.pathsep.join([str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
    process = subprocess.Popen([sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": path})
    try:
        finished = wait_for_rows(tmp_path / "store", 3)
    finally:
        process.kill()
        process.wait()
    assert process.returncode == -signal.SIGKILL
    kept = {file: file.read_text() for file in finished}
    time.sleep(1)  # workers of the dead run end the cell they were at
    fits_before = len(log.read_text().splitlines())
    left = CELLS - len(rows_in(tmp_path / "store"))
    rows = run_quietly(world.cells("slow", CELLS), Store(tmp_path / "store"))
    assert [row["status"] for row in rows] == ["ok"] * CELLS
    assert {file: file.read_text() for file in finished} == kept
    assert 0 < left < CELLS
    assert len(log.read_text().splitlines()) - fits_before == left


def rows_in(folder):
    return sorted(folder.rglob("*.json"))


def wait_for_rows(folder, count):
    for _ in range(6000):  # generous: a busy machine must not make it fail
        if len(rows_in(folder)) >= count:
            return rows_in(folder)
        time.sleep(0.05)
    raise AssertionError(f"fewer than {count} cells were finished in five minutes")


def test_fingerprint_follows_imports_and_ignores_words(tmp_path, monkeypatch):
    (tmp_path / "a.py").write_text('"""Says a."""\nfrom . import b\n\ndef f():\n "doc"\n b.x\n')
    (tmp_path / "b.py").write_text("x = 1\n")
    (tmp_path / "c.py").write_text("y = 1\n")
    monkeypatch.setattr(fingerprint, "_ROOT", tmp_path)

    def current():
        fingerprint._tree.cache_clear()
        fingerprint.code_fingerprint.cache_clear()
        return fingerprint.code_fingerprint("ssrlpl.a")

    before = current()
    (tmp_path / "a.py").write_text('"""More."""\nfrom . import b # why\n\ndef f():\n "d"\n b.x\n')
    (tmp_path / "c.py").write_text("y = 2\n")
    (tmp_path / "b.py").write_text('x = 1\n"""Of x."""\nSIZE = 9\n\ndef for_others(): pass\n')
    assert current() == before
    (tmp_path / "b.py").write_text("x = 2\n")
    assert current() != before
    monkeypatch.undo()
    current()


def test_fingerprint_of_the_kernel_map_covers_the_core_and_not_the_plots():
    found = fingerprint.dependencies("ssrlpl.maps.kernel")
    assert {"ssrlpl._core.kernels", "ssrlpl._core.spectrum", "ssrlpl.labelers.knn"} <= found
    assert "ssrlpl.plotting" not in found


def test_left_out_rows_do_not_see_their_own_label():
    X = np.array([[0.0], [0.1], [5.0], [5.1], [2.0]])
    y = np.array([0, 1, 1, 0, -1])  # each row's twin has the other label
    assert predict_left_out(world.nearest(None), X, y).tolist() == [1, 0, 0, 1]


def test_quick_leave_one_out_is_refitting_for_each_label():
    problem = load_problem("two moons", Given(8), 1)
    X, y = problem.X[problem.train], problem.target()
    plain = ours.build_kernel({"k": 3}, X)
    assert is_quick(plain, y)
    assert not is_quick(ours.build_kernel({"k": 3, "p": 5}, X), y)
    refitted = []
    for row in range(8):
        hidden = np.where(np.arange(len(y)) == row, -1, y)
        refitted.append(plain.fit(X, hidden).predict(X[row : row + 1])[0])
    assert predict_left_out(plain, X, y, exact=True).tolist() == refitted


def test_the_only_row_of_a_class_can_be_left_out():
    X, y = np.array([[0.0], [1.0], [5.0]]), np.array([0, 0, 1])
    assert predict_left_out(world.nearest(None), X, y).tolist() == [0, 0, 0]


def test_parameters_are_chosen_without_labels_of_other_rows():
    problem = world.load("made up", world.PROTOCOL, 0)
    seen = []

    def build(params, X):
        seen.append(len(X))
        return world.nearest(None)

    params, error = choose_by_loo(
        build, [{"a": 1}, {"a": 2}], problem.X[problem.train], problem.target()
    )
    assert params == {"a": 1}  # the first of equals
    assert seen == [30, 30]
    assert 0 <= error <= 1
    fitted = ChosenByLOO(build, [[{"a": 3}], [{"b": 1}]]).fit(
        problem.X[problem.train], problem.target()
    )
    assert fitted.chosen_params_ == {"a": 3, "b": 1}


def test_two_moons_problem_depends_on_the_seed_alone():
    first, again, other = (load_problem("two moons", Given(8), seed) for seed in (0, 0, 1))
    assert np.array_equal(first.X, again.X)
    assert not np.array_equal(first.X, other.X)
    assert np.all(first.target()[:8] == first.truth[first.labeled])
    assert np.all(first.target()[8:] == -1)


@pytest.mark.skipif("SSRLPL_DATA" not in os.environ, reason="SSRLPL_DATA names no folder")
def test_halves_are_disjoint_and_show_each_class():
    problem = load_problem("COIL-20", Halves(0.05), 3)
    everyone = np.concatenate([problem.labeled, problem.unlabeled, problem.test])
    assert np.array_equal(np.sort(everyone), np.arange(1440))
    assert (len(problem.labeled), len(problem.train)) == (36, 720)
    assert set(problem.truth[problem.labeled]) == set(range(20))
