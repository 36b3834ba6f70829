"""Commands that use a fitted model: transform, predict, certify, label-next."""

import json
from pathlib import Path

import numpy as np
import pytest

from command_line import fit, printed_table, refused, run
from ssrlpl._utils import limits
from ssrlpl.job import ReadOptions, predict_rows
from table_samples import pd, table


def test_predict_and_transform_repeat_what_fit_wrote(wine):
    fit("wine.csv", "--no-certify")
    model = "wine-ssrlpl/model.ssrlpl"
    predicted = printed_table("predict", model, "wine.csv", "--proba")
    labels = pd.read_csv("wine-ssrlpl/labels.csv")
    hidden = ~labels["given"]
    assert predicted["label"][hidden].tolist() == labels["label"][hidden].tolist()
    assert np.allclose(predicted["probability"][hidden], labels["probability"][hidden], atol=1e-5)
    assert np.allclose(predicted.filter(like="p(").sum(axis=1), 1, atol=1e-5)
    run("transform", model, "wine.csv", "--out", "z.parquet")
    expected = pd.read_parquet("wine-ssrlpl/representation.parquet")
    pd.testing.assert_frame_equal(pd.read_parquet("z.parquet"), expected)


def test_new_rows_of_another_shape_are_refused(wine):
    fit("wine.csv", "--no-certify")
    frame = pd.read_csv("wine.csv")
    frame.drop(columns="hue").to_csv("fewer.csv", index=False)
    model = "wine-ssrlpl/model.ssrlpl"
    assert "column 'hue'" in refused("predict", model, "fewer.csv")
    assert not Path("p.csv").exists()
    assert "'hue'" in refused("predict", model, "fewer.csv", "--out", "p.csv")
    assert not Path("p.csv").exists()
    assert "not a model file" in refused("predict", "wine.csv", "wine.csv")
    assert "no model file" in refused("transform", "nothing.ssrlpl", "wine.csv")
    assert ".csv, .xlsx or .parquet" in refused("transform", model, "wine.csv", "--out", "z.doc")


def test_unseen_categories_are_noted(wine):
    frame = pd.read_csv("wine.csv")
    frame["art"] = np.where(frame["hue"] > 1, "süß", "herb")
    frame.to_csv("art.csv", index=False)
    fit("art.csv", "--no-certify")
    frame.replace("herb", "sauer").to_csv("new.csv", index=False)
    result = run("predict", "art-ssrlpl/model.ssrlpl", "new.csv")
    assert "note: Column 'art' holds 'sauer'" in result.stderr
    assert len(result.stdout.splitlines()) == len(frame) + 1
    with pytest.warns(UserWarning, match="which the model has not seen") as seen:
        list(predict_rows("art-ssrlpl/model.ssrlpl", ReadOptions("new.csv")))
    assert seen[0].filename == __file__


def test_certify_and_label_next(wine, monkeypatch):
    fit("wine.csv", "--no-certify")
    model = "wine-ssrlpl/model.ssrlpl"
    found = json.loads(run("certify", model, "wine.csv", "--method", "loo", "--json").stdout)
    assert 0 <= found["retained_lower"] <= 1
    assert "the map keeps at least" in run("certify", model, "wine.csv", "--method", "loo").stdout
    rows = printed_table("label-next", model, "wine.csv", "--rows", 4)
    assert rows.columns[:3].tolist() == ["row", "guess", "probability"]
    assert pd.read_csv("wine.csv")["label"][rows["row"]].isna().all()
    assert len(rows) == 4
    frame = pd.read_csv("wine.csv").assign(guess=1.5)
    frame.to_csv("guess.csv", index=False)
    rows = printed_table("label-next", model, "guess.csv", "--rows", 1)
    assert rows["guess (table)"].tolist() == [1.5]
    monkeypatch.setattr(limits, "NEXT_ROWS", 20)
    told = run("label-next", model, "wine.csv", "--rows", 1).stderr
    assert told == "note: Of 160 unlabeled rows a random sample of 20 was considered.\n"


@pytest.mark.parametrize(("stream_bytes", "is_whole"), [(limits.STREAM_BYTES, False), (100, True)])
def test_lists_for_people_open_where_the_table_came_from(
    stream_bytes, is_whole, tmp_path, monkeypatch
):
    """Scripts read the others, and standard output: those keep commas and points."""
    monkeypatch.chdir(tmp_path)
    rows = np.arange(60)
    frame = pd.DataFrame({"größe": rows % 2 * 3 + np.cos(rows).round(2), "label": rows % 2 + 1})
    frame["größe"] = frame["größe"].astype(int) if is_whole else frame["größe"]
    frame["label"] = frame["label"].astype("Int64").where(rows < 24)
    how = {"sep": ";", "decimal": ","}
    frame.to_csv("t.csv", index=False, encoding="cp1252", **how)
    fit("t.csv", "--no-certify", "--out", "o")
    monkeypatch.setattr(limits, "STREAM_BYTES", stream_bytes)
    monkeypatch.setattr(limits, "CHUNK_ROWS", 17)
    predict, ask = ("predict", "o/model.ssrlpl", "t.csv"), ("label-next", "o/model.ssrlpl", "t.csv")

    run(*predict, "--with-table", "--proba", "--out", "filled.csv")
    assert Path("filled.csv").read_bytes().startswith("\ufeffgröße;label;probability;p(1)".encode())
    filled = pd.read_csv("filled.csv", **how)
    assert filled["größe"].tolist() == frame["größe"].tolist()
    assert filled["p(1)"].between(0, 1).all()
    run(*ask, "--out", "next.csv")
    asked = pd.read_csv("next.csv", **how)
    assert asked["größe"].tolist() == frame["größe"][asked["row"]].tolist()
    for printed in (printed_table(*ask), printed_table(*predict, "--with-table")):
        assert printed["probability"].between(0, 1).all()
    run(*predict, "--out", "labels.csv")
    assert pd.read_csv("labels.csv")["label"].tolist() == filled["label"].tolist()

    asked.assign(label=asked["guess"]).to_csv("next.csv", index=False, encoding="cp1252", **how)
    merged = fit("t.csv", "--no-certify", "--merge", "next.csv", "--out", "second").stderr
    assert "next.csv gave 10 rows a label that had none" in merged
    audit = ("audit", "t.csv", "--model", "o/model.ssrlpl", "--labels", "labels.csv")
    assert "of 60 rows" in run(*audit).stdout
    again = printed_table("predict", "o/model.ssrlpl", "filled.csv")
    assert again["label"].tolist() == filled["label"].tolist()


def test_fit_and_certify_give_the_same_certificate(wine):
    """The same default for the same question, here and in Python."""
    table("wine", keep=60)[0].to_csv("wine.csv", index=False)
    summary = json.loads(fit("wine.csv", "--json", "--quiet").stdout)
    assert summary["certificate"]["method"] == "calibration"
    assert summary["certificate_reason"] is None
    printed = run("certify", "wine-ssrlpl/model.ssrlpl", "wine.csv", "--json").stdout
    assert json.loads(printed) == summary["certificate"]
