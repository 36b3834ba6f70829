"""Rows for a person to look at, in the summary, on the page and as files."""

import csv

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_wine

from ssrlpl.job import FitOptions, ReadOptions, Silent, fit_table, report_arrays, summarize
from ssrlpl.job.output import write_results
from table_samples import job_on

ASKED = FitOptions(ReadOptions("table.csv", id="bottle"), "grape")


@pytest.fixture(scope="module")
def planted(tmp_path_factory):
    """Return a job on wine with 80 labels of which 6 are wrong, its summary, and these rows."""
    rng = np.random.default_rng(1)
    X, truth = load_wine(return_X_y=True, as_frame=True)
    names, kinds = [f"=B{i}" for i in range(len(X))], np.array(["a", "b", "c"], dtype=object)
    shown = rng.permutation(len(X))[:80]
    label = np.full(len(X), None, dtype=object)
    label[shown] = kinds[truth[shown]]
    wrong = shown[:6]
    label[wrong] = kinds[(truth[wrong] + rng.integers(1, 3, size=6)) % 3]
    folder = tmp_path_factory.mktemp("planted")
    X.insert(0, "always", "same")  # does not tell rows apart
    X.assign(bottle=names, grape=label).to_csv(folder / "table.csv", index=False)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        fitted = fit_table(ASKED, Silent())
        return fitted, summarize(fitted, ASKED, Silent()), [names[row] for row in wrong]


def test_planted_errors_stand_first_with_their_cells(planted):
    fitted, summary, wrong = planted
    found = summary["suspects"]
    assert found["n_checked"] == 80
    assert found["n_found"] == len(found["rows"]) <= 12
    assert {one["row"] for one in found["rows"][:7]} >= set(wrong)
    first = found["rows"][0]
    row = fitted.ids.tolist().index(first["row"])
    assert "always" not in first["cells"]
    assert first["cells"]["alcohol"] == f"{load_wine().data[row, 0]:.4g}"
    assert first["given"] == fitted.target.labels[row] != first["likely"]


def test_a_label_that_is_the_only_one_of_its_class_is_not_counted_as_checked(tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.normal(size=40), "grape": ["a", "b"] * 20})
    frame["x"] += 9.0 * (frame["grape"] == "a")
    frame.loc[0, "grape"] = "c"
    frame.loc[24:, "grape"] = None
    frame.to_csv(tmp_path / "t.csv", index=False)
    asked = FitOptions(ReadOptions(str(tmp_path / "t.csv")), "grape", certify=False)
    summary = summarize(fit_table(asked, Silent()), asked, Silent())
    assert summary["data"]["n_labeled"] == 24
    assert summary["suspects"]["n_checked"] == 23


def test_a_ring_is_drawn_where_a_label_is_suspected(planted):
    fitted, summary, _ = planted
    arrays, names = report_arrays(fitted), summary["data"]["classes"]
    ringed = np.flatnonzero((arrays["left_out"] != arrays["given"]) & (arrays["left_out"] >= 0))
    assert {arrays["row"][i]: names[arrays["left_out"][i]] for i in ringed} == {
        one["row"]: one["likely"] for one in summary["suspects"]["rows"]
    }
    assert (arrays["left_out"] >= 0).sum() == 80


def test_lists_are_files_that_no_spreadsheet_runs(planted, tmp_path):
    fitted, summary, _ = planted
    write_results(tmp_path, fitted, summary)
    for name, rows in (("suspects", summary["suspects"]["rows"]),
                       ("label_next", summary["next_rows"])):  # fmt: skip
        read = list(csv.DictReader((tmp_path / f"{name}.csv").open(encoding="utf-8")))
        assert [one["row"] for one in read] == [f"'{row['row']}" for row in rows]
        assert [one["alcohol"] for one in read] == [row["cells"]["alcohol"] for row in rows]
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert 'download="suspects.csv"' in page
    assert "%0A%27%3DB" in page  # the apostrophe is in the page's own files, too


def test_rows_to_label_next_have_no_label_yet(planted):
    fitted, summary, _ = planted
    rows = [fitted.ids.tolist().index(one["row"]) for one in summary["next_rows"]]
    assert len(set(rows)) == 10
    assert not fitted.target.is_labeled[rows].any()


def test_preview_holds_the_first_rows(planted):
    _, summary, _ = planted
    seen = summary["data"]["preview"]
    assert seen["row"] == ["=B0", "=B1", "=B2", "=B3", "=B4"]
    assert seen["n_columns"] == 16
    assert len(seen["columns"]) == len(seen["rows"][0]) == 12
    assert seen["rows"][0][:2] == ["same", "14.23"]


def test_noise_suspects_nobody(tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(150, 5)), columns=list("abcde"))
    frame["label"] = rng.choice(["yes", "no"], 150)
    frame.loc[60:, "label"] = None
    fitted, summary = job_on(frame, tmp_path)
    found = summary["suspects"]
    assert found["rows"] == []
    assert "no better than by guessing" in found["reason"]
    assert found["n_found"] > 15  # the picture has a ring around every one
    (tmp_path / "out").mkdir()
    write_results(tmp_path / "out", fitted, summary)
    assert not (tmp_path / "out" / "suspects.csv").exists()


def test_without_a_search_there_is_no_list_and_a_reason(tmp_path):
    X, truth = load_wine(return_X_y=True, as_frame=True)
    frame = X.assign(label=truth.where(np.arange(len(X)) % 3 == 0))
    fitted, summary = job_on(frame, tmp_path, method="linear", certify=False)
    assert "--method auto" in summary["suspects"]["reason"]
    assert summary["suspects"]["rows"] == []
    assert (report_arrays(fitted)["left_out"] == -1).all()
