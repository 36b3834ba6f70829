"""The league: its protocol, its rivals, and what its rows become."""

from __future__ import annotations

import os
import re
from pathlib import Path
from statistics import fmean

import numpy as np
import pytest
from scipy import sparse
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from ssrlpl import SSRLPLCV
from ssrlpl.datasets.layout import dense_contents, sparse_contents, write_npz
from ssrlpl.experiments import collection, league_rivals
from ssrlpl.experiments.candidate_oracle import cross_fitted, measure_oracle
from ssrlpl.experiments.collection import TABLES, LabelsOfEachClass, load_collected
from ssrlpl.experiments.harness.averages import ACCURACY_ON_TEST
from ssrlpl.experiments.harness.cell_store import Cell
from ssrlpl.experiments.harness.measuring import compute
from ssrlpl.experiments.league_methods import BENCH, LEAGUE, ORACLE, RIVALS
from ssrlpl.experiments.league_standings import CHOICE, FAMILY, UNKNOWN, standings
from ssrlpl.experiments.problems import Problem
from ssrlpl.experiments.studies.league import STUDY, report

FIVE = LabelsOfEachClass(5)
needs_data = pytest.mark.skipif("SSRLPL_DATA" not in os.environ, reason="SSRLPL_DATA is not set")


@pytest.fixture
def put(tmp_path, monkeypatch):
    """Return a function that puts a table into a collection of its own."""
    (tmp_path / "dev").mkdir()
    monkeypatch.setenv("SSRLPL_DATA", str(tmp_path))

    def put_table(name, X, y):
        contents = sparse_contents(X, y) if sparse.issparse(X) else dense_contents(X, y)
        write_npz(tmp_path / "dev" / f"{name}.npz", contents)
        forget()

    forget()
    yield put_table
    forget()


def forget():
    collection._read.cache_clear()
    collection._permuted.cache_clear()


def blobs(counts, n_columns=4, seed=0):
    rng = np.random.default_rng(seed)
    y = np.repeat(np.arange(len(counts)), counts)
    centers = 4 * rng.normal(size=(len(counts), n_columns))
    return centers[y] + rng.normal(size=(len(y), n_columns)), y + 7


def test_labeled_rows_are_the_first_of_each_class_in_the_order_of_the_seed(put):
    X, y = blobs([40, 30, 31])
    put("wine", X * [1, 10, 100, 1000], y)
    problem = load_collected("dev wine", FIVE, seed=1)
    order = np.random.default_rng(1).permutation(101)
    assert problem.truth.tolist() == (y[order] - 7).tolist()
    assert problem.train.size == 50
    assert sorted([*problem.train, *problem.test]) == list(range(101))
    for code in range(3):
        first = np.flatnonzero(problem.truth[:50] == code)[:5]
        assert set(first) == set(problem.labeled[problem.truth[problem.labeled] == code])
    train = problem.X[problem.train]
    assert train.mean(axis=0) == pytest.approx(0, abs=1e-6)
    assert np.mean(np.sum(train**2, axis=1)) == pytest.approx(1)
    assert train.std(axis=0) == pytest.approx(0.5)  # standardized: four columns share the norm


def test_at_most_three_thousand_rows_train_and_as_many_test(put):
    put("ring", *blobs([3600, 3400], n_columns=2))
    problem = load_collected("dev ring", FIVE, seed=0)
    assert (len(problem.train), len(problem.test)) == (3000, 3000)
    put("twonorm", *blobs([1000, 1001], n_columns=2))
    problem = load_collected("dev twonorm", FIVE, seed=0)
    assert (len(problem.train), len(problem.test)) == (1000, 1001)


def test_columns_without_units_keep_their_proportions_and_test_rows_teach_nothing(put):
    X, y = blobs([60, 60])
    put("g50c", X * [1, 1, 1, 50], y)
    before = load_collected("dev g50c", FIVE, seed=0)
    assert before.X[:60, 3].std() > 10 * before.X[:60, 0].std()
    held_out = np.random.default_rng(0).permutation(120)[60:]
    X[held_out] *= 3
    put("g50c", X * [1, 1, 1, 50], y)
    after = load_collected("dev g50c", FIVE, seed=0)
    assert (after.X[:60] == before.X[:60]).all()


def test_sparse_tables_become_their_leading_directions(put):
    rng = np.random.default_rng(0)
    X = sparse.csr_matrix(rng.random((600, 300)) * (rng.random((600, 300)) < 0.1))
    put("tdt2", X, np.arange(600) % 2)
    problem = load_collected("dev tdt2", FIVE, seed=0)
    assert problem.X.shape == (600, 200)


@pytest.mark.parametrize(
    ("name", "counts", "why"),
    [("wine", [9, 9], "5 labels a class would be more than half of the training rows"),
     ("orl", [60, 6], "Some class has too few training rows for 5 labels a class")],
)  # fmt: skip
def test_cells_that_the_protocol_leaves_out_say_why(put, name, counts, why):
    put(name, *blobs(counts))
    row = compute(Cell("league", f"dev {name}", FIVE, "1nn", 0), BENCH)
    assert row["status"] == "skipped"
    assert why in row["reason"]


def test_rare_classes_of_one_table_are_labeled_as_far_as_they_go(put):
    put("tdt2", *blobs([60, 6]))
    problem = load_collected("dev tdt2", FIVE, seed=0)
    there_are = np.bincount(problem.truth[problem.train])
    assert there_are[1] < 5
    assert np.bincount(problem.truth[problem.labeled]).tolist() == [5, there_are[1]]


def test_a_missing_table_is_no_data_and_an_unknown_one_is_refused(put):
    row = compute(Cell("league", "dev wine", FIVE, "1nn", 0), BENCH)
    assert row["status"] == "no data"
    assert "dev/wine.npz" in row["reason"]
    with pytest.raises(ValueError, match="dataset must be dev and one of australian"):
        load_collected("dev beer", FIVE, seed=0)


@needs_data
@pytest.mark.parametrize("name", ["wine", "yale", "tdt2", "vowel"])
def test_shapes_are_those_of_the_collections_own_readme(name):
    text = (Path(os.environ["SSRLPL_DATA"]) / "dev" / "README.md").read_text()
    line = re.search(rf"\| {name} \| (\d+)×(\d+).*? \| (\d+) \| (\d+)-(\d+) \|", text)
    n_rows, n_columns, n_classes, fewest, most = map(int, line.groups())
    X, y = collection._read(name)
    assert X.shape == (n_rows, n_columns)
    counts = np.bincount(y)
    assert (len(counts), counts.min(), counts.max()) == (n_classes, fewest, most)
    assert set(re.findall(r"^\| (\w+) \| \d+×", text, flags=re.MULTILINE)) == set(TABLES)


@needs_data
@pytest.mark.parametrize(("method", "accuracy"), [("logistic", 80.0), ("logistic_self", 91.9)])
def test_rivals_have_the_accuracy_that_the_collections_readme_prints(method, accuracy):
    rows = [compute(Cell("league", "dev g50c", FIVE, method, seed), BENCH) for seed in range(3)]
    assert fmean(map(ACCURACY_ON_TEST.of, rows)) == pytest.approx(accuracy, abs=0.15)


def small_problem(labels_a_class=3):
    X, y = blobs([40, 40, 40], n_columns=12)
    order = np.random.default_rng(1).permutation(120)
    X, truth = X[order], y[order] - 7
    labeled = np.concatenate([np.flatnonzero(truth[:60] == c)[:labels_a_class] for c in range(3)])
    unlabeled = np.setdiff1d(np.arange(60), labeled)
    return Problem(X, truth, labeled, unlabeled, np.arange(60, 120))


@pytest.mark.parametrize("labels_a_class", [1, 2, 3])
@pytest.mark.parametrize("name", [r.name for r in RIVALS if r.name not in ("umap@index", "forest")])
def test_every_rival_learns_easy_classes_from_few_labels(name, labels_a_class):
    if labels_a_class == 1 and name in ("lda", "boosting"):
        pytest.skip("one row of each class has no scatter, and no leaf of two rows")
    row = LEAGUE[name].run(small_problem(labels_a_class), Cell("league", "dev wine", FIVE, name, 0))
    assert row["error_test"] < 0.15


def test_lda_in_the_span_of_the_labeled_rows_is_lda():
    problem = small_problem(5)
    found = league_rivals.shrunk_lda().fit(problem.X[problem.train], problem.target())
    labels = problem.truth[problem.labeled]
    direct = LinearDiscriminantAnalysis(solver="lsqr", **found.chosen_params_)
    direct.fit(problem.X[problem.labeled], labels)
    assert (found.predict(problem.X) == direct.predict(problem.X)).all()


def row(table, method, accuracy, seed=0, labels=5, **entries):
    return {
        "study": "league", "dataset": f"dev {table}", "protocol": f"{labels} labels a class",
        "method": method, "seed": seed, "status": "ok", "reason": "",
        "error_test": 1 - accuracy / 100, "fit_seconds": 1.0, "predict_seconds": 0.5,
    } | entries  # fmt: skip


def oracle(table, accuracy, seed=0):
    return row(table, ORACLE, 0.0, seed) | {"measures": {"oracle": accuracy}}


def made_up():
    figures = {
        "wine": {"cv_all": 90, "cv": 90, "1nn": 80, "lda": 90, "forest": 70},
        "heart": {"cv_all": 70, "cv": 60, "1nn": 75, "lda": 60, "forest": 65},
        "sonar": {"cv_all": 60, "cv": 50, "1nn": 75, "lda": 60, "forest": 65},
    }
    rows = [row(t, m, v) for t, found in figures.items() for m, v in found.items()]
    return [*rows, oracle("heart", 73.5), oracle("sonar", 72.5)]


def test_ties_share_ranks_and_each_of_ours_meets_the_rivals_alone():
    league = standings(made_up(), str(FIVE))
    assert league.rank("cv_all") == pytest.approx((1.5 + 2 + 3.5) / 3)
    assert league.rank("cv") == pytest.approx((1.5 + 3.5 + 4) / 3)
    assert league.rank("lda") == pytest.approx((1.5 + 4 + 3.5) / 3)
    assert {m: league.wins(m) for m in league.methods} == {
        "cv_all": 1, "cv": 1, "1nn": 2, "lda": 1, "forest": 0,
    }  # fmt: skip
    assert league.mean("cv_all") == pytest.approx(220 / 3)
    assert league.seconds["lda"] == 1.5


def test_only_cells_where_all_compared_methods_have_a_number_count():
    rows = [
        row("wine", "cv_all", 90, 0), row("wine", "1nn", 80, 0),
        row("wine", "cv_all", 10, 1), row("wine", "1nn", 0, 1, status="failed"),
        row("heart", "cv_all", 50, 0),
        row("wine", "lda", 99, 0, labels=2),
    ]  # fmt: skip
    league = standings(rows, str(FIVE))
    assert league.n_cells == 1
    assert league.accuracies == {
        "dev wine": {"cv_all": pytest.approx(90), "1nn": pytest.approx(80)}
    }
    assert standings(rows, "20 labels a class") is None


def test_each_rival_is_met_table_by_table():
    accuracies = {"a": (90, 80), "b": (70, 75), "c": (60, 60)}
    rows = [
        row(table, method, accuracy)
        for table, both in accuracies.items()
        for method, accuracy in zip(("cv_all", "logistic"), both, strict=True)
    ]
    section = next(s for s in report(rows).sections if s.title.endswith("against each rival"))
    # Leads are 10, -5 and 0 points: their mean is 5/3, their standard error 4.41.
    assert section.table.rows == (("logistic regression", "+1.7 ± 4.4", "+0.0", 1, 1, 1),)


def test_a_loss_is_due_to_the_choice_if_the_oracle_does_not_have_it():
    league = standings(made_up(), str(FIVE))
    assert league.lead("dev heart", "cv_all") == pytest.approx(-5)
    causes = {table: league.cause(f"dev {table}") for table in ("wine", "heart", "sonar")}
    assert causes == {"wine": UNKNOWN, "heart": CHOICE, "sonar": FAMILY}
    found = {(line["dataset"], line["method"]): line["cause"] for line in report(made_up()).flat}
    assert found["dev heart", "cv_all"] == CHOICE
    assert found["dev sonar", "cv"] == FAMILY
    assert found["dev wine", "cv_all"] is found["dev heart", "1nn"] is None
    losses = report(made_up()).sections[-1].table.to_dict()
    assert [(line["data"], line["cause"]) for line in losses] == [
        ("heart", CHOICE), ("heart", CHOICE), ("sonar", FAMILY), ("sonar", FAMILY),
    ]  # fmt: skip


def test_pictures_show_leads_and_ranks(tmp_path):
    files = STUDY.draw(made_up(), tmp_path / "league")
    assert {file.name for file in files} == {
        "league.png", "league.svg", "league_ranks.png", "league_ranks.svg",
    }  # fmt: skip
    assert STUDY.draw([], tmp_path / "none") == []


def test_the_oracle_of_useless_candidates_is_chance_while_hindsight_is_not():
    rng = np.random.default_rng(0)
    halves = 50 + 5 * rng.normal(size=(200, 2, 40))
    found = [cross_fitted(each) for each in halves]
    assert np.mean(found) == pytest.approx(50, abs=4 * 5 / np.sqrt(400))
    assert np.mean(halves.mean(axis=1).max(axis=1)) > 55


def test_the_oracle_measures_the_candidates_of_the_search_itself():
    problem = small_problem()
    X, y = problem.X[problem.train], problem.target()
    search = SSRLPLCV(choose="one").fit(X, y)
    place = int(np.argmax(search.cv_results_["role"] == "winner"))
    found = measure_oracle(problem, None)
    halves = np.array([pair.split("/") for pair in found["halves"].split()], dtype=float)
    assert len(halves) == found["candidates"] == len(search.candidates(X))
    right = search.predict(problem.X[problem.test]) == problem.truth[problem.test]
    assert halves[place] == pytest.approx(
        [100 * right[::2].mean(), 100 * right[1::2].mean()], abs=0.06
    )
