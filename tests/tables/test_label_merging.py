"""Labels that were filled in elsewhere find their rows, and disagreements are listed."""

import numpy as np
import pytest

from command_line import fit, printed_table, refused, run
from ssrlpl.tables import RawTable, TableError
from ssrlpl.tables.label_merging import LabelFile
from table_samples import pd, table


def merged(labels, file, *, id_=None, names=None, unlabeled=None, prefer_file=False):
    column = pd.Series(labels, name="kind")
    names = np.arange(len(column)) if names is None else np.array(names, dtype=object)
    found = LabelFile(RawTable("ann.csv", pd.DataFrame(file)), "kind", id_)
    return found.merged(column, names, unlabeled=unlabeled, prefer_file=prefer_file)


@pytest.mark.parametrize("name", ["kind", "checked", "label"])
def test_labels_are_taken_by_row_number(name):
    column, notes = merged(["a", None, None, "b"], {"row": [2, 1.0, 0], name: ["b", "a ", None]})
    assert column.tolist() == ["a", "a", "b", "b"]
    assert notes == ["ann.csv gave 2 rows a label that had none."]


def test_labels_are_taken_by_id_and_keep_their_type():
    file = {"key": ["z", "x"], "kind": ["2", "1"]}
    column, _ = merged([1.0, None, None], file, id_="key", names=["w", "x", "z"])
    assert column.tolist() == [1, 1, 2]
    column, _ = merged([1, 2, -1], {"row": [2], "kind": [2]})  # -1: there is no empty cell
    assert column.tolist() == [1, 2, 2]
    column, _ = merged(["a", "?", "?"], {"row": [1, 2], "kind": ["b", "?"]}, unlabeled="?")
    assert column.tolist() == ["a", "b", "?"]


def test_disagreements_are_listed():
    given, file = ["a", "b", None], {"row": [0, 1, 2], "kind": ["a", "c", "c"]}
    column, notes = merged(given, file)
    assert column.tolist() == ["a", "b", "c"]
    assert notes[1] == "New classes from ann.csv: 'c'."
    assert "1 labels differ, and the table's were kept" in notes[2]
    assert "row 1: 'b' in the table, 'c' in the file" in notes[2]
    column, notes = merged(given, file, prefer_file=True)
    assert column.tolist() == ["a", "c", "c"]
    assert "the file's were taken" in notes[2]


@pytest.mark.parametrize(
    ("file", "message"),
    [
        ({"row": [0, 0], "kind": ["a", "b"]}, "two labels for row 0, 'a' and 'b'"),
        ({"row": [7], "kind": ["a"]}, "names the rows '7', which the table does not have"),
        ({"kind": ["a"]}, "must say which rows.*'row' with row numbers from 0, or .* --id"),
        ({"row": [0], "art": ["a"]}, "must have a column 'kind'"),
        ({"row": [0], "kind": [None]}, "has no label"),
        ({"row": [0], "label": ["a"], "probability": [1], "given": [False]}, "a model filled in"),
    ],
)
def test_files_that_cannot_be_merged(file, message):
    with pytest.raises(TableError, match=message):
        merged(["a", None, "b"], file)
    with pytest.raises(TableError, match="names that differ"):
        merged(["a", None], {"key": ["x"], "kind": ["a"]}, id_="key", names=["x", "x"])


def test_label_and_fit_again_in_one_command(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    frame, truth = table("wine")
    frame.to_csv("wine.csv", index=False)
    fit("wine.csv", "--no-certify", "--out", "first")
    asked = printed_table("label-next", "first/model.ssrlpl", "wine.csv", "--rows", "12")
    asked["label"] = truth[asked["row"]]
    asked.to_excel("filled-in.xlsx", index=False)
    result = fit("wine.csv", "--no-certify", "--merge", "filled-in.xlsx", "--out", "second")
    assert "filled-in.xlsx gave 12 rows a label that had none." in result.stderr
    labels = pd.read_csv("second/labels.csv")
    assert labels["given"].sum() == frame["label"].notna().sum() + 12
    assert labels["label"][asked["row"]].tolist() == truth[asked["row"]].tolist()
    assert "There is no file" in refused(
        "fit", "wine.csv", "--target", "label", "--merge", "no.csv", "--out", "third"
    )
    run("fit", "wine.csv", "--target", "label", "--method", "linear", "--merge", "wine.csv",
        "--out", "fourth", code=2)  # fmt: skip
