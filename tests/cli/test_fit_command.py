"""``ssrlpl fit``, as a person or a script uses it."""

import json
import os
from pathlib import Path

import numpy as np
import pytest

from command_line import fit, refused, run
from ssrlpl.baselines import BASELINES
from table_samples import pd, table

FILES = ["filled.csv", "label_next.csv", "labels.csv", "model.ssrlpl", "report.html",
         "representation.parquet", "summary.json"]  # fmt: skip


@pytest.mark.parametrize("method", ["linear", "kernel", "auto"])
@pytest.mark.parametrize(("name", "accuracy"), [("wine", 0.85), ("breast_cancer", 0.9)])
def test_the_whole_way_of_a_new_user(name, accuracy, method, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    frame, truth = table(name)
    frame.to_csv(f"{name}.csv", index=False)
    result = fit(f"{name}.csv", method=method)
    assert f"Report: {name}-ssrlpl/report.html" in result.stdout
    out = Path(f"{name}-ssrlpl")
    suspects = ["suspects.csv"] if method == "auto" else []  # found by the search
    assert sorted(os.listdir(out)) == [*FILES, *suspects]
    labels = pd.read_csv(out / "labels.csv")
    assert labels.columns.tolist() == ["row", "label", "probability", "given", "accepted"]
    given = frame["label"].notna().to_numpy()
    assert np.array_equal(labels["given"], given)
    assert np.array_equal(labels["label"][given], frame["label"][given])
    assert (labels["label"] == truth)[~given].mean() > accuracy
    assert labels["probability"].between(0, 1).all()
    representation = pd.read_parquet(out / "representation.parquet")
    assert representation.shape == (len(frame), len(set(truth)))  # one column for the row
    page = (out / "report.html").read_text()
    assert "<html" in page
    assert "http://" not in page.split("<body")[0]


@pytest.mark.parametrize("method", ["poisson", "lap_rls", "fddl"])  # a graph, margins, atoms
def test_published_methods_get_a_report(method, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    frame, truth = table("wine")
    frame.to_csv("wine.csv", index=False)
    printed = json.loads(fit("wine.csv", "--json", "--quiet", method=method).stdout)
    assert BASELINES[method].title in printed["method"]["summary"]
    assert set(printed["method"]["params"]) == set(BASELINES[method].grid)
    assert printed["label_certificate"]["error_upper"] < 1
    assert "about maps" in printed["certificate_reason"]
    labels = pd.read_csv("wine-ssrlpl/labels.csv")
    given = frame["label"].notna().to_numpy()
    assert (labels["label"] == truth)[~given].mean() > 0.75  # atoms mean little in 13 columns
    assert labels["probability"].min() < 0.9 < labels["probability"].max()
    run("predict", "wine-ssrlpl/model.ssrlpl", "wine.csv", "--out", "again.csv")
    again = pd.read_csv("again.csv")
    assert (again["label"] == labels["label"])[~given].mean() > 0.95  # accepted rows may differ


def test_the_summary_says_what_was_done(wine):
    printed = json.loads(fit("wine.csv", "--json", "--quiet").stdout)
    assert printed == json.loads(Path("wine-ssrlpl/summary.json").read_text())
    assert printed["data"]["n_rows"] == 178
    assert printed["data"]["n_labeled"] + printed["data"]["n_unlabeled"] == 178
    assert sum(printed["data"]["labels_per_class"]) == printed["data"]["n_labeled"]
    assert sum(printed["labels"]["predicted_per_class"]) == printed["data"]["n_unlabeled"]
    assert sum(printed["labels"]["histogram"]["counts"]) == printed["data"]["n_unlabeled"]
    assert len(printed["labels"]["doubtful"]) == 10
    assert printed["features"]["kind"] == "coefficients"
    assert printed["method"]["n_components"] == 2
    assert printed["verdict"] in ("helps", "undecided", "hurts", None)
    assert (printed["certificate"] is None) <= (printed["certificate_reason"] is not None)


def test_a_messy_table(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    frame, _ = table("wine")
    rng = np.random.default_rng(0)
    frame = frame.rename(columns={"alcohol": "größe", "hue": "flavanoids", "label": "klasse"})
    frame["art"] = rng.choice(["süß", "herb"], len(frame))
    frame.loc[::11, "art"] = None
    frame.loc[::5, "größe"] = np.nan
    noise = pd.DataFrame(rng.normal(size=(len(frame), 100))).add_prefix("noise")
    frame = pd.concat([frame, noise], axis=1)
    labeled_last = frame.index[frame["klasse"] == "class_2"]
    frame.loc[labeled_last[1:], "klasse"] = None
    frame.to_csv("messy.csv", index=False)
    result = run("fit", "messy.csv", "--target", "klasse", "--method", "kernel", "--out", "out")
    notes = result.stderr
    assert "'flavanoids' comes twice" in notes
    assert "missing cells in 2 columns" in notes
    assert "One class has a single label (class_2)" in notes
    summary = json.loads(Path("out/summary.json").read_text())
    assert summary["data"]["n_features"] == 12 + 1 + 2 + 100
    assert summary["features"]["kind"] == "correlation"


def test_rows_are_named_by_a_column(wine):
    frame = pd.read_csv("wine.csv")
    frame.insert(0, "bottle", [f"b{i}" if i != 4 else "" for i in range(len(frame))])
    frame.to_csv("named.csv", index=False)
    fit("named.csv", "--id", "bottle", "--no-certify", "--representation", "csv")
    labels = pd.read_csv("named-ssrlpl/labels.csv", keep_default_na=False)
    assert labels["row"].tolist() == frame["bottle"].tolist()
    assert pd.read_csv("named-ssrlpl/representation.csv")["row"][3] == "b3"


def test_bad_commands_give_one_sentence(wine):
    assert "did you mean 'label'" in refused("fit", "wine.csv", "--target", "lable")
    assert "--method must be one of auto, linear, kernel, or a published method: lap" in refused(
        "fit", "wine.csv", "--target", "label", "--method", "magic"
    )
    assert "--neighbors and --sigma are for --method linear and kernel" in refused(
        "fit", "wine.csv", "--target", "label", "--method", "poisson", "--neighbors", "3"
    )
    assert "--neighbors must be larger" in refused(
        "fit", "wine.csv", "--target", "label", "--neighbors", "0"
    )
    assert "--representation must be" in refused(
        "fit", "wine.csv", "--target", "label", "--representation", "xml"
    )
    assert "--unlabeled names '?'" in refused(
        "fit", "wine.csv", "--target", "label", "--unlabeled", "?"
    )
    assert "--target must name the column of the labels" in run("fit", "wine.csv", code=2).stderr
    assert os.listdir() == ["wine.csv"]


def test_an_earlier_run_is_replaced_only_by_force_and_nothing_else_is(wine):
    fit("wine.csv", "--no-certify", "--out", "out")
    before = Path("out/summary.json").read_bytes()
    assert "--force" in refused("fit", "wine.csv", "--target", "label", "--out", "out")
    Path("out/mine.txt").write_text("do not lose me")
    sentence = refused("fit", "wine.csv", "--target", "label", "--out", "out", "--force")
    assert "mine.txt" in sentence
    assert Path("out/summary.json").read_bytes() == before
    Path("out/mine.txt").unlink()
    fit("wine.csv", "--no-certify", "--out", "out", "--force", "--components", 1)
    assert Path("out/summary.json").read_bytes() != before
    assert sorted(os.listdir()) == ["out", "wine.csv"]
    assert "is a file" in refused("fit", "wine.csv", "--target", "label", "--out", "wine.csv")
    os.mkfifo("pipe")
    assert "is a file" in refused("fit", "wine.csv", "--target", "label", "--out", "pipe")
    Path("link").symlink_to("nowhere")
    assert "link to nothing" in refused("fit", "wine.csv", "--target", "label", "--out", "link")
