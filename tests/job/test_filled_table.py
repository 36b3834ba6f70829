"""The person's own table, filled in: nothing of it changes but the empty cells of the target."""

import datetime
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from command_line import refused, run
from ssrlpl._utils import limits
from ssrlpl.job.options import ReadOptions

N = 80
ROWS = np.arange(N)


def labels(every=2):
    kinds = np.where(ROWS % 4 < 2, "cat", "dog").astype(object)
    return [kind if row % every == 0 else None for row, kind in enumerate(kinds)]


def numbers(shift=0.0):
    return np.round(np.where(ROWS % 4 < 2, 2.0, -2.0) + np.cos(ROWS) + shift, 3)


@pytest.fixture(autouse=True)
def in_a_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def fit(file, *options):
    return run("fit", file, "--target", "kind", "--method", "linear", "--out", "o", *options)


def test_every_cell_stays_and_every_label_is_there():
    frame = pd.DataFrame(
        {"code": [f"K{row:03d}" for row in ROWS], "kind": labels(), "x": numbers()}
    )
    frame.to_csv("t.csv", index=False)
    said = fit("t.csv").stdout.splitlines()
    assert said[-1] == f"Your table, filled in: {Path('o/filled.csv')}"
    filled, alone = pd.read_csv("o/filled.csv"), pd.read_csv("o/labels.csv")
    assert filled.columns.tolist()[:5] == ["code", "kind", "x", "probability", "given"]
    pd.testing.assert_frame_equal(filled[["code", "x"]], frame[["code", "x"]])
    assert filled["kind"].tolist() == alone["label"].tolist()
    assert filled["given"].tolist() == frame["kind"].notna().tolist()
    given = filled["given"].to_numpy()
    assert filled["kind"][given].tolist() == frame["kind"][given].tolist()
    assert filled["probability"].tolist() == alone["probability"].tolist()


def test_a_code_of_a_missing_cell_may_be_the_name_of_a_row():
    pd.DataFrame({"n": ROWS + 30, "x": ROWS % 3 + 97, "kind": labels()}).to_csv(
        "t.csv", index=False
    )
    frame = ReadOptions("t.csv", id="n", missing=("99",)).read(target="kind").frame
    assert frame["n"].tolist() == (ROWS + 30).tolist()
    assert frame["x"].isna().sum() == N // 3


def test_where_decimal_commas_are_used_a_spreadsheet_opens_it():
    frame = pd.DataFrame({"größe": numbers(), "kind": labels()})
    frame.to_csv("t.csv", index=False, sep=";", decimal=",", encoding="cp1252")
    fit("t.csv")
    content = Path("o/filled.csv").read_bytes()
    assert content.startswith("\ufeffgröße;kind;probability;given".encode())
    found = pd.read_csv("o/filled.csv", sep=";", decimal=",")
    assert found["größe"].tolist() == frame["größe"].tolist()
    assert found["probability"].between(0, 1).all()
    run("audit", "t.csv", "--model", "o/model.ssrlpl")
    sheet = pd.read_csv("t-to-check.csv", sep=";", decimal=",")
    assert sheet["größe"].tolist() == frame["größe"][sheet["row"]].tolist()


@pytest.mark.parametrize(("x", "decimal"), [(ROWS % 4 // 2 * 5, ","), (numbers(), ".")])
def test_semicolons_stay_between_cells(x, decimal):
    """Without a fraction to tell, they come from a spreadsheet with decimal commas."""
    pd.DataFrame({"x": x, "kind": labels()}).to_csv("t.csv", index=False, sep=";")
    fit("t.csv")
    found = pd.read_csv("o/filled.csv", sep=";", decimal=decimal)
    assert found["x"].tolist() == x.tolist()
    assert found["probability"].between(0, 1).all()


def test_a_workbook_stays_a_workbook_and_numbers_stay_whole():
    frame = pd.DataFrame({"x": numbers(), "count": [None, *range(1, N)], "kind": labels()})
    frame["when"] = pd.Timestamp("2024-01-01") + pd.to_timedelta(ROWS, unit="D")
    frame["at"] = [datetime.time(row % 24, row % 60) for row in ROWS]
    frame["took"] = pd.to_timedelta(ROWS * 100, unit="min")
    book = pytest.importorskip("openpyxl").Workbook()
    book.active.append(list(frame))
    for row in frame.astype(object).where(frame.notna(), None).itertuples(index=False):
        book.active.append(list(row))
    book.save("t.xlsx")
    fit("t.xlsx")
    found = pd.read_excel("o/filled.xlsx")
    for name in ("when", "at"):
        assert found[name].tolist() == frame[name].tolist()
    assert pd.read_excel("t.xlsx")["took"].tolist() == found["took"].tolist()
    assert found["x"].tolist() == frame["x"].tolist()
    assert found["kind"].notna().all()
    frame[["x", "count", "kind"]].to_csv("t.csv", index=False)
    fit("t.csv", "--force")
    cells = pd.read_csv("o/filled.csv", dtype=str)["count"]
    assert cells[1:].tolist() == [str(count) for count in range(1, N)]


def test_names_that_are_taken_and_texts_that_a_spreadsheet_would_run():
    frame = pd.DataFrame({"given": numbers(), "probability": numbers(1), "kind": labels()})
    frame["note"] = [f"=HYPERLINK({row})" for row in ROWS]
    frame.to_csv("t.csv", index=False)
    fit("t.csv")
    found = pd.read_csv("o/filled.csv")
    assert found["given"].tolist() == frame["given"].tolist()
    assert found["probability.1"].between(0, 1).all()
    assert found["given.1"].dtype == bool
    assert found["note"].str.startswith("'=HYPERLINK").all()


def test_numbers_that_were_cut_into_classes_stay_beside_them():
    frame = pd.DataFrame({"x": numbers(), "kind": np.where(ROWS % 2, np.nan, numbers(30))})
    frame.to_csv("t.csv", index=False)
    fit("t.csv", "--bins", "2")
    found = pd.read_csv("o/filled.csv")
    assert found["kind"].isna().sum() == N // 2
    assert set(found["kind, class"].str[:2]) == {"1:", "2:"}


def test_a_large_table_is_not_written_again(monkeypatch):
    monkeypatch.setattr(limits, "FILLED_CELLS", 2 * N - 1)
    pd.DataFrame({"x": numbers(), "kind": labels()}).to_csv("t.csv", index=False)
    assert fit("t.csv").stdout.splitlines()[-1] == f"Labels: {Path('o/labels.csv')}"
    assert not Path("o/filled.csv").exists()


def test_what_a_model_filled_in_is_no_label_of_a_person():
    frame = pd.DataFrame({"x": numbers(), "kind": labels()})
    frame.to_csv("t.csv", index=False)
    frame.rename(columns={"kind": "label"}).to_csv("named.csv", index=False)
    fit("t.csv")
    run("fit", "named.csv", "--target", "label", "--method", "linear", "--out", "named")
    for table, target, file in (
        ("t.csv", "kind", "o/filled.csv"),
        ("t.csv", "kind", "o/labels.csv"),
        ("named.csv", "label", "named/labels.csv"),
        ("named.csv", "label", "named/filled.csv"),
    ):
        said = refused("fit", table, "--target", target, "--merge", file, "--out", "again")
        assert "holds what a model filled in" in said


def test_checked_labels_count_and_not_those_of_the_model_beside_them():
    frame = pd.DataFrame({"x": numbers(), "label": labels()})
    frame.to_csv("t.csv", index=False)
    run("fit", "t.csv", "--target", "label", "--method", "linear", "--out", "o")
    said = pd.read_csv("o/labels.csv")
    said["checked"] = [None, "owl", *[None] * (N - 2)]
    said.to_csv("checked.csv", index=False)
    options = ("--target", "label", "--method", "linear", "--no-certify", "--out", "again")
    told = run("fit", "t.csv", *options, "--merge", "checked.csv").stderr
    assert "checked.csv gave a row a label that had none." in told
    assert pd.read_csv("again/filled.csv")["label"][1] == "owl"


@pytest.mark.parametrize("ending", ["csv", "xlsx", "parquet"])
def test_new_rows_keep_their_columns_with_a_label_behind(ending):
    frame = pd.DataFrame({"x": numbers(), "kind": labels()})
    frame.to_csv("t.csv", index=False)
    fit("t.csv")
    new = pd.DataFrame({"name": ["bell \x07", "=1+1"], "x": [2.5, -1.5]})
    new["when"] = pd.to_datetime(["2024-01-01", None]).tz_localize("UTC")
    new.to_parquet("new.parquet")
    run("predict", "o/model.ssrlpl", "new.parquet", "--with-table", "--out", f"found.{ending}")
    readers = {"csv": pd.read_csv, "xlsx": pd.read_excel, "parquet": pd.read_parquet}
    found = readers[ending](f"found.{ending}")
    assert found.columns.tolist() == ["name", "x", "when", "kind", "probability"]
    assert found["kind"].tolist() == ["cat", "dog"]
    assert found["x"].tolist() == [2.5, -1.5]
    assert found["name"][1] == ("=1+1" if ending == "parquet" else "'=1+1")


def test_more_columns_than_a_sheet_holds(monkeypatch):
    frame = pd.DataFrame({"x": numbers(), "kind": labels()})
    frame.to_excel("t.xlsx", index=False)
    monkeypatch.setattr("ssrlpl.tables.table_writing.SHEET_COLUMNS", 2)
    monkeypatch.setattr("ssrlpl.job.filled_table.SHEET_COLUMNS", 2)
    fit("t.xlsx")
    assert pd.read_csv("o/filled.csv")["kind"].notna().all()  # the labels do not get lost
    options = ("--with-table", "--out", "found.xlsx")
    said = refused("predict", "o/model.ssrlpl", "t.xlsx", *options)
    assert "A sheet holds 2 columns. Got 3" in said


def test_more_rows_than_a_sheet_holds(monkeypatch):
    monkeypatch.setattr("ssrlpl.tables.table_writing._SHEET_ROWS", N)
    frame = pd.DataFrame({"x": numbers(), "kind": labels()})
    frame.to_csv("t.csv", index=False)
    fit("t.csv")
    out = ("--out", "found.xlsx")
    assert "A sheet holds 79 rows" in refused("predict", "o/model.ssrlpl", "t.csv", *out)
    assert not Path("found.xlsx").exists()
