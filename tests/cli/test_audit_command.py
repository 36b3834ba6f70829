"""``ssrlpl audit``: rounds of checking, by a person who is played by the truth."""

import json
from functools import partial
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
    first = run(*AUDIT, "--rows", 60, "--max-error", 0.15).stdout
    assert first.startswith("Nothing is checked yet: if you check about 22 of 419 rows and all are")
    assert "at most 15% of the others are wrong (95% confidence). Fill in 'checked' in" in first
    assert "100" not in first
    sheet = pd.read_csv(SHEET)
    assert sheet.columns[:2].tolist() == ["row", "checked"]
    assert "label" not in sheet.columns
    seen = []
    for _ in range(8):
        seen += fill_in(truth)
        said = json.loads(run(*AUDIT, "--rows", 60, "--max-error", 0.15, "--json").stdout)
        assert said["n_checked"] == len(seen) == len(set(seen))
        if said["is_enough"]:
            break
    assert said["error_upper"] <= 0.15
    assert said["to_check"] is None
    predicted = pd.read_csv("cancer-ssrlpl/labels.csv")["label"].to_numpy()
    assert said["n_wrong"] == (predicted[seen] != truth[seen]).sum()
    others = np.setdiff1d(np.flatnonzero(pd.read_csv("cancer.csv")["label"].isna()), seen)
    assert len(others)  # it did not take all rows
    assert (predicted[others] != truth[others]).mean() <= 0.15
    assert "Enough: at most 15% wrong is certified." in run(*AUDIT, "--max-error", 0.15).stdout

    # A stricter goal goes on where the sheet has no row left to fill in.
    assert "fill in 'checked'" in run(*AUDIT, "--rows", 7, "--max-error", 0.1).stdout
    more = pd.read_csv(SHEET)
    assert more["checked"].isna().all()
    assert len(set(more["row"]) - set(seen)) == len(more) == 7


def test_what_was_checked_in_all_rounds_is_in_a_file_that_can_be_merged(truth):
    seen = []
    for _ in range(3):
        run(*AUDIT, "--rows", 15)
        seen += fill_in(truth)
    run(*AUDIT, "--rows", 15)
    checked = pd.read_csv("cancer-audit-checked.csv")
    assert checked["row"].tolist() == seen
    assert (checked["checked"] == truth[seen]).all()
    predicted = pd.read_csv("cancer-ssrlpl/labels.csv")["label"].to_numpy()
    assert (checked["filled_in"] == predicted[seen]).all()
    merged = fit("cancer.csv", "--no-certify", "--merge", "cancer-audit-checked.csv", "--force")
    assert "gave 45 rows a label that had none" in merged.stderr


def test_a_goal_that_cannot_be_reached_is_said_with_what_helps(truth):
    run(*AUDIT, "--rows", 10)
    fill_in(np.full(len(truth), "bening"))  # every answer is wrong
    said = run(*AUDIT, "--rows", 10).stdout
    assert "With as many errors as so far, at most 5% wrong needs nearly all rows" in said
    assert "--merge cancer-audit-checked.csv" in said


def test_rows_that_are_left_out_come_again_and_later_ones_do_not_count(truth):
    run(*AUDIT, "--rows", 10)
    rows = fill_in(truth, slice(1, None))  # the first one was too hard
    said = json.loads(run(*AUDIT, "--rows", 10, "--json").stdout)
    assert (said["n_added"], said["n_checked"]) == (9, 0)
    assert pd.read_csv(SHEET)["row"][0] == rows[0]
    fill_in(truth, slice(0, 1))
    assert json.loads(run(*AUDIT, "--json").stdout)["n_checked"] == 10


@pytest.mark.parametrize("ending", ["csv", "xlsx"])
def test_a_table_with_decimal_commas_gets_a_list_that_its_spreadsheet_opens(
    ending, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    rows = np.arange(40)
    frame = pd.DataFrame({"größe": rows % 2 * 3 + np.cos(rows).round(2), "label": rows % 2 + 1})
    frame["label"] = frame["label"].astype("Int64").where(rows < 16)
    frame.to_csv("t.csv", index=False, sep=";", decimal=",", encoding="cp1252")
    fit("t.csv", "--no-certify")
    audit = ["audit", "t.csv", "--model", "t-ssrlpl/model.ssrlpl", "--rows", 3]
    sheet = Path(f"list.{ending}")
    run(*audit, "--out", sheet)
    read = pd.read_excel if ending == "xlsx" else partial(pd.read_csv, sep=";", decimal=",")
    asked = read(sheet)
    assert asked.columns.tolist() == ["row", "checked", "größe"]
    assert asked["größe"].tolist() == frame["größe"][asked["row"]].tolist()

    asked["checked"] = asked["checked"].astype(object)
    asked.loc[:1, "checked"] = [2, 1]  # numbers beside an empty cell
    if ending == "xlsx":
        asked.to_excel(sheet, index=False)
    else:
        asked.to_csv(sheet, index=False, sep=";", decimal=",", encoding="cp1252")
    merged = fit("t.csv", "--no-certify", "--merge", sheet, "--out", "again").stderr
    assert f"{sheet} gave 2 rows a label that had none" in merged
    said = json.loads(run(*audit, "--out", sheet, "--json").stdout)
    assert (said["n_added"], said["n_checked"]) == (2, 2)
    kept = pd.read_csv("t-audit-checked.csv", sep=";")
    assert kept["row"].tolist() == asked["row"][:2].tolist()
    assert "gave 2 rows" in fit("t.csv", "--merge", "t-audit-checked.csv", "--force").stderr


def test_a_workbook_gets_a_workbook_to_fill_in(truth):
    frame = pd.read_csv("cancer.csv")
    frame.to_excel("cancer.xlsx", index=False)
    said = run("audit", "cancer.xlsx", *AUDIT[2:]).stdout
    assert said.endswith("Fill in 'checked' in cancer-to-check.xlsx.\n")
    assert len(pd.read_excel("cancer-to-check.xlsx")) == 20
    assert "--out must end in .csv, .xlsx or .parquet. Got 'list.doc'" in refused(
        *AUDIT, "--out", "list.doc"
    )


def test_looking_without_filling_in_changes_nothing(truth):
    run(*AUDIT)
    before = SHEET.read_bytes()
    assert run(*AUDIT, "--rows", 3).stdout.startswith("Nothing is checked yet")
    assert SHEET.read_bytes() == before


def test_a_label_that_is_no_class_counts_as_wrong_and_is_said(truth):
    run(*AUDIT, "--rows", 2)
    fill_in(np.full(len(truth), "bening"))
    result = run(*AUDIT)
    assert "'bening' is no class of the labels, so it counts as wrong." in result.stderr
    too_few = "2 of 419 rows checked, 2 wrong: too few to say anything about the others (95%"
    assert result.stdout.startswith(too_few)


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
    assert "is the audit of other labels" in refused(*AUDIT)
    assert "is not an audit file" in refused(*AUDIT, "--trail", "cancer.csv")
    Path("nothing.csv").write_text("a,b\n1,2\n")
    sentence = refused(*AUDIT, "--trail", "new.json", "--out", "nothing.csv")
    assert "'checked', which the table does not have" in sentence
    assert not Path("new.json").exists()


def everything_checked(truth, table, *more):
    """Audit until no row is left, and return what was said and the rows that were asked for."""
    command = ["audit", f"{table}.csv", *more, "--rows", 10_000, "--max-error", 0.0001, "--json"]
    run(*command)
    sheet = pd.read_csv(f"{table}-to-check.csv", dtype={"checked": object})
    sheet["checked"] = np.asarray(truth, dtype=object)[sheet["row"]]
    sheet.to_csv(f"{table}-to-check.csv", index=False)
    return json.loads(run(*command).stdout), np.sort(sheet["row"])


def test_the_labels_that_are_checked_are_those_that_were_delivered(tmp_path, monkeypatch):
    """One model is delivered: its labels are written, and their errors are what an audit counts."""
    monkeypatch.chdir(tmp_path)
    frame, truth = table("digits", keep=500)
    frame.to_csv("digits.csv", index=False)
    fit("digits.csv", method="kernel")
    labels = pd.read_csv("digits-ssrlpl/labels.csv", dtype={"label": str})
    says = run("predict", "digits-ssrlpl/model.ssrlpl", "digits.csv", "--out", "now.csv")
    assert says.exit_code == 0
    now = pd.read_csv("now.csv", dtype={"label": str})["label"]
    assert (labels["label"] == now)[~labels["given"]].all()
    wrong = (labels["label"] != truth) & ~labels["given"]
    assert wrong.any()
    said, rows = everything_checked(truth, "digits", "--model", "digits-ssrlpl/model.ssrlpl")
    assert said["n_wrong"] == wrong.sum()
    assert np.array_equal(rows, np.flatnonzero(~labels["given"]))
    first = json.loads(Path("digits-ssrlpl/summary.json").read_text())["label_certificate"]
    assert first["n_filled_in"] == len(rows) == said["n_rows"]
    assert wrong[rows].mean() <= first["error_upper"]


def test_rows_whose_labels_were_merged_are_not_audited(truth):
    frame = pd.read_csv("cancer.csv")
    blank = np.random.default_rng(0).permutation(np.flatnonzero(frame["label"].isna()))[:200]
    merged = pd.DataFrame({"row": blank, "label": truth[blank]})
    merged.to_csv("ann.csv", index=False)
    fit("cancer.csv", "--merge", "ann.csv", "--force")
    labels = pd.read_csv("cancer-ssrlpl/labels.csv")
    summary = json.loads(Path("cancer-ssrlpl/summary.json").read_text())
    said, rows = everything_checked(truth, "cancer", "--model", "cancer-ssrlpl/model.ssrlpl")
    assert not set(rows) & set(blank)
    assert said["n_rows"] == len(rows) == summary["label_certificate"]["n_filled_in"] == 219
    assert said["n_wrong"] == (labels["label"] != truth)[rows].sum()


def test_a_file_of_labels_may_be_sorted_corrected_and_of_named_rows(truth):
    frame = pd.read_csv("cancer.csv")
    frame.insert(0, "patient", [f"={row:03}" for row in range(len(frame))])  # guarded in the file
    frame.to_csv("named.csv", index=False)
    fit("named.csv", "--id", "patient", "--no-certify")
    path = Path("named-ssrlpl/labels.csv")
    labels = pd.read_csv(path)
    filled_in = ~labels["given"]
    labels.loc[filled_in, "label"] = truth[filled_in]  # a person corrected what was wrong
    labels.sample(frac=1, random_state=0).to_csv(path, index=False)
    said, _ = everything_checked(truth, "named", "--model", "named-ssrlpl/model.ssrlpl")
    assert (said["n_rows"], said["n_wrong"]) == (419, 0)


def test_predicted_labels_of_new_rows(truth):
    new = pd.read_csv("cancer.csv").drop(columns="label").iloc[::2]
    new.to_csv("new.csv", index=False)
    model = "cancer-ssrlpl/model.ssrlpl"
    run("predict", model, "new.csv", "--out", "predicted.csv")
    predicted = pd.read_csv("predicted.csv")["label"]
    said, _ = everything_checked(
        truth[::2], "new", "--model", model, "--labels", "predicted.csv"
    )  # fmt: skip
    assert said["n_rows"] == len(new)
    assert said["n_wrong"] == (predicted != truth[::2]).sum()


def test_labels_that_are_not_there_or_of_another_table_are_refused(truth):
    assert "--labels" in refused(*AUDIT, "--labels", "nowhere.csv")
    pd.read_csv("cancer.csv").iloc[:-1].to_csv("shorter.csv", index=False)
    sentence = refused("audit", "shorter.csv", *AUDIT[2:])
    assert "has labels of 569 rows, and the table has 568 rows" in sentence
    path = Path("cancer-ssrlpl/labels.csv")
    labels = pd.read_csv(path)
    labels.assign(given=True).to_csv("all.csv", index=False)
    assert "none is left to check" in refused(*AUDIT, "--labels", "all.csv")
    labels.loc[7, "label"] = None
    labels.to_csv(path, index=False)
    assert "has no label for row 7" in refused(*AUDIT)


def test_rows_that_were_corrected_after_an_audit_do_not_begin_the_next_one(truth):
    """The order of before would show only them, and certify all others."""
    run(*AUDIT, "--rows", 60)
    rows = pd.read_csv(SHEET)["row"].tolist()
    path = Path("cancer-ssrlpl/labels.csv")
    labels = pd.read_csv(path)
    labels.loc[~labels["given"], "label"] = "benign"
    labels.loc[rows, "label"] = truth[rows]
    labels.to_csv(path, index=False)
    assert "is the audit of other labels" in refused(*AUDIT)
    run(*AUDIT, "--rows", 60, "--trail", "second.json", "--out", "second.csv")
    again = set(rows) & set(pd.read_csv("second.csv")["row"])
    assert len(again) < 25  # about nine of 60 in 419 are so by chance
    said = run(*AUDIT, "--trail", "s.json", "--out", "s.csv", "--max-error", 0.004).stdout
    assert "at most 0.4% of the others are wrong" in said
