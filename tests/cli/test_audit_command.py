"""``ssrlpl audit``: rounds of checking, by a person who is played by the truth."""

import json
from pathlib import Path

import numpy as np
import pytest

from command_line import fit, refused, run
from table_samples import pd, table

SHEET = Path("cancer-to-check.csv")
AUDIT = ["audit", "cancer.csv", "--model", "cancer-ssrlpl/model.ssrlpl"]


@pytest.fixture
def truth(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    frame, truth = table("breast_cancer", keep=150)
    frame.to_csv("cancer.csv", index=False)
    fit("cancer.csv", "--no-certify")
    return truth


def fill_in(truth, rows=slice(None)):
    sheet = pd.read_csv(SHEET, dtype={"checked": object})
    chosen = sheet.index[rows]
    sheet.loc[chosen, "checked"] = truth[sheet.loc[chosen, "row"]]
    sheet.to_csv(SHEET, index=False)
    return sheet["row"].tolist()


def test_rounds_until_the_goal_is_certified(truth):
    first = run(*AUDIT, "--rows", 60, "--max-error", 0.1).stdout
    assert first.startswith("0 of 419 rows checked, 0 wrong: at most 100.0% of the others")
    assert "Go on: at most 10% wrong needs about" in first
    sheet = pd.read_csv(SHEET)
    assert sheet.columns[:2].tolist() == ["row", "checked"]
    assert "label" not in sheet.columns
    seen = []
    for _ in range(8):
        seen += fill_in(truth)
        said = json.loads(run(*AUDIT, "--rows", 60, "--max-error", 0.1, "--json").stdout)
        assert said["n_checked"] == len(seen) == len(set(seen))
        if said["is_enough"]:
            break
    assert said["error_upper"] <= 0.1
    assert said["to_check"] is None
    predicted = pd.read_csv("cancer-ssrlpl/labels.csv")["label"].to_numpy()
    assert said["n_wrong"] == (predicted[seen] != truth[seen]).sum()
    others = np.setdiff1d(np.flatnonzero(pd.read_csv("cancer.csv")["label"].isna()), seen)
    assert (predicted[others] != truth[others]).mean() <= 0.1
    assert "Enough: at most 10% wrong is certified." in run(*AUDIT, "--max-error", 0.1).stdout


def test_rows_that_are_left_out_come_again_and_later_ones_do_not_count(truth):
    run(*AUDIT, "--rows", 10)
    rows = fill_in(truth, slice(1, None))  # the first one was too hard
    said = json.loads(run(*AUDIT, "--rows", 10, "--json").stdout)
    assert (said["n_added"], said["n_checked"]) == (9, 0)
    assert pd.read_csv(SHEET)["row"][0] == rows[0]
    fill_in(truth, slice(0, 1))
    assert json.loads(run(*AUDIT, "--json").stdout)["n_checked"] == 10


def test_looking_without_filling_in_changes_nothing(truth):
    run(*AUDIT)
    before = SHEET.read_bytes()
    assert run(*AUDIT, "--rows", 3).stdout.startswith("0 of 419 rows checked")
    assert SHEET.read_bytes() == before


def test_a_label_that_is_no_class_counts_as_wrong_and_is_said(truth):
    run(*AUDIT, "--rows", 2)
    fill_in(np.full(len(truth), "bening"))
    result = run(*AUDIT)
    assert "'bening' is no class of the model, so it counts as wrong." in result.stderr
    assert result.stdout.startswith("2 of 419 rows checked, 2 wrong")


@pytest.mark.parametrize(("row", "words"), [("x", "must have row numbers"), ("9999", "Got 9999")])
def test_a_file_whose_row_numbers_were_changed_is_refused(truth, row, words):
    run(*AUDIT, "--rows", 2)
    fill_in(truth)
    sheet = pd.read_csv(SHEET, dtype=object)
    sheet.loc[1, "row"] = row
    sheet.to_csv(SHEET, index=False)
    before = Path("cancer-audit.json").read_bytes()
    assert words in refused(*AUDIT)
    assert Path("cancer-audit.json").read_bytes() == before


def test_another_model_needs_another_audit(truth):
    run(*AUDIT)
    frame = pd.read_csv("cancer.csv")
    frame["label"] = frame["label"].map({"benign": "malignant", "malignant": "benign"})
    frame.to_csv("cancer.csv", index=False)
    fit("cancer.csv", "--no-certify", "--force")
    assert "the audit of another model or table" in refused(*AUDIT)
    assert "is not an audit file" in refused(*AUDIT, "--trail", "cancer.csv")
    Path("nothing.csv").write_text("a,b\n1,2\n")
    sentence = refused(*AUDIT, "--trail", "new.json", "--out", "nothing.csv")
    assert "'checked', which the table does not have" in sentence
    assert not Path("new.json").exists()
