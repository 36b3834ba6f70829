"""The published protocol of the study `dictionaries`, and what is said of dictionary methods."""

from __future__ import annotations

import os

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from ssrlpl.experiments.dictionary_standing import plausibility, semi_against_supervised
from ssrlpl.experiments.first_digits import RowsOfEachClass, drawn_rows, load_first_digits
from ssrlpl.experiments.harness.averages import Summary
from ssrlpl.experiments.harness.cell_store import Cell
from ssrlpl.experiments.harness.measuring import compute
from ssrlpl.experiments.method_registry import METHODS, WORKBENCH
from ssrlpl.experiments.paper_comparison import compare_with_paper
from ssrlpl.experiments.problems import Given
from ssrlpl.experiments.published import FIRST_DIGITS_TABLE, PAPER_TABLE_3
from ssrlpl.experiments.studies import STUDIES
from ssrlpl.experiments.studies.real_sets import ACCURACY_ON_TEST

DICTIONARIES = ("dksvd", "fddl", "lcksvd", "ossdl", "s2d2")


def test_rows_are_those_of_the_published_program():
    y = np.random.default_rng(0).integers(3, size=200)
    for seed in (0, 3):
        index = []
        for c in range(3):  # as described there: from the second row on, then shuffled in place
            index += [j for j in range(1, 200) if y[j] == c][:20]
        index = np.array(index)
        random = np.random.RandomState(seed)  # draws as numpy.random.seed(seed) would make it
        for c in range(3):
            random.shuffle(index[20 * c : 20 * c + 20])
        wanted = index.reshape(3, 20)
        labeled, unlabeled, test = drawn_rows(y, RowsOfEachClass(2, 8, 10), seed)
        assert_array_equal(labeled, wanted[:, :2].ravel())
        assert_array_equal(unlabeled, wanted[:, 2:10].ravel())
        assert_array_equal(test, wanted[:, 10:].ravel())


@pytest.mark.skipif("SSRLPL_DATA" not in os.environ, reason="SSRLPL_DATA is not set")
def test_problem_has_the_published_sizes_and_rows_of_length_one():
    problem = load_first_digits("", RowsOfEachClass(20, 80, 100), 1)
    assert [len(p) for p in (problem.labeled, problem.unlabeled, problem.test)] == [200, 800, 1000]
    assert_array_equal(np.bincount(problem.truth[problem.labeled]), 20)
    assert np.linalg.norm(problem.X, axis=1) == pytest.approx(1)


@pytest.mark.parametrize("name", DICTIONARIES)
def test_methods_have_a_class_a_seed_and_the_name_of_the_papers_column(name):
    row = compute(Cell("test", "two moons", Given(8), name, 3), WORKBENCH)
    assert (row["status"], row["reason"]) == ("ok", "")
    assert METHODS[name].title in PAPER_TABLE_3["USPS", "10% labels"]
    assert METHODS[name].is_rival


def summary(method, mean, dataset="USPS", sd=1.0):
    return Summary(dataset, "10% labels", method, (mean - sd / 2**0.5, mean + sd / 2**0.5), 1.0)


def test_the_paper_stands_right_beside_each_rival():
    rows = [
        {"dataset": "USPS", "protocol": "10% labels", "method": m, "status": "ok",
         "error_test": 0.2}
        for m in ("1nn", "ossdl", "dksvd")
    ]  # fmt: skip
    report = compare_with_paper(rows, ACCURACY_ON_TEST, PAPER_TABLE_3)
    assert [line["paper"] for line in report.flat] == [80.15, 79.13, 60.12]  # SSRL-PL's, then own
    (section,) = (s for s in report.sections if s.title.startswith("Rivals"))
    names = section.table.columns[2:]
    assert names == (
        "1-NN",
        "OSSDL",
        "OSSDL *",
        "DKSVD",
        "DKSVD *",
        "FDDL *",
        "LCKSVD2 *",
        "S2D2 *",
    )
    assert section.table.rows[0][3:6] == ("80.0 ± 0.0", "79.1 ± 1.3", "80.0 ± 0.0")


@pytest.mark.parametrize(("semi", "words"), [(85, "do not lose to"), (79, "lose to")])
def test_the_page_says_who_loses(semi, words):
    means = dict.fromkeys(DICTIONARIES, 80.0) | {"s2d2": 2 * semi - 80}
    said = semi_against_supervised([summary(m, v) for m, v in means.items()])
    assert f"({semi:.1f}) {words} the supervised three (80.0)" in said
    assert semi_against_supervised([summary("s2d2", 90.0)]) == ""


def test_a_figure_is_plausible_if_most_of_them_are_close():
    close = [summary("ossdl", 79.0), summary("ossdl", 79.0, "UMIST")]
    far = [summary("dksvd", 85.0), summary("dksvd", 40.0, "UMIST"), summary("dksvd", 99, "Reuters")]
    said = plausibility([*close, *far], PAPER_TABLE_3)
    ossdl, dksvd = said.splitlines()[1], said.splitlines()[0]
    assert "OSSDL.** The paper's figures are plausible" in ossdl
    assert "DKSVD.** The paper's figures are not what we find" in dksvd
    assert "lower than ours on USPS (-24.9); higher than ours on UMIST (+35.6)" in dksvd
    assert "Reuters" not in said


def test_the_study_shows_ours_and_all_published_lines():
    study = STUDIES["dictionaries"]
    rows = [
        {**cell.identity(), "status": "ok", "error_test": 0.1 + cell.seed / 100}
        for cell in study.cells()
    ]
    section, styled = study.report(rows).sections
    names = [str(line[0]).removesuffix(", in its style").strip("*") for line in section.table.rows]
    assert set(FIRST_DIGITS_TABLE) <= set(names)
    assert len(names) == len(set(names))
    assert (
        "SSRLPLCV has 88.0 ± 1.6; the best published figure is 90.0 ± 0.8 (SSDL-GA)" in section.text
    )
    assert styled.text.startswith("OSSDL 88.0 here, 73.2 there; S2D2 88.0 here, 77.6 there:")
    assert "below 1-NN on the pixels of these rows (88.0)" in styled.text
