"""The command line, as a person or a script uses it."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_digits, load_wine

pd = pytest.importorskip("pandas")
for extra in ("typer", "rich", "pyarrow", "skops"):
    pytest.importorskip(extra)

from typer.testing import CliRunner  # noqa: E402

import ssrlpl  # noqa: E402
from ssrlpl.cli.app import app  # noqa: E402
from ssrlpl.datasets import hide_labels  # noqa: E402
from ssrlpl.job import FitOptions, ReadOptions, Silent, fit_table, write_folder  # noqa: E402

FILES = ["labels.csv", "model.ssrlpl", "report.html", "representation.parquet", "summary.json"]
LOADERS = {"wine": load_wine, "breast_cancer": load_breast_cancer, "digits": load_digits}


def table(name, n_rows=None):
    """A data set of scikit-learn's with 90 % of the labels blanked, and the truth."""
    bunch = LOADERS[name](as_frame=True)
    frame = bunch.data.copy()
    truth = bunch.target_names[bunch.target].astype(str)
    frame["label"] = hide_labels(truth, keep=0.1, random_state=0)
    rows = np.arange(len(frame)) if n_rows is None else np.arange(n_rows)
    return frame.iloc[rows], truth[rows]


@pytest.fixture
def wine(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    frame, truth = table("wine")
    frame.to_csv("wine.csv", index=False)
    return truth


def run(*arguments, code=0, stdin=None):
    result = CliRunner().invoke(app, [str(a) for a in arguments], input=stdin)
    assert result.exit_code == code, result.output
    return result


def fit(name="wine.csv", *more, code=0, method="linear"):
    return run("fit", name, "--target", "label", "--method", method, *more, code=code)


def refused(*arguments, **how):
    """Run a command that must fail with one sentence, and return it."""
    result = run(*arguments, code=2, **how)
    assert result.stdout == ""
    assert "Traceback" not in result.stderr
    (line,) = [line for line in result.stderr.splitlines() if line.startswith("ssrlpl: ")]
    return line


# --- fit ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["linear", "kernel", "auto"])
@pytest.mark.parametrize(("name", "accuracy"), [("wine", 0.85), ("breast_cancer", 0.9)])
def test_the_whole_way_of_a_new_user(name, accuracy, method, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    frame, truth = table(name)
    frame.to_csv(f"{name}.csv", index=False)
    result = fit(f"{name}.csv", method=method)
    assert f"Report: {name}-ssrlpl/report.html" in result.stdout
    out = Path(f"{name}-ssrlpl")
    assert sorted(os.listdir(out)) == FILES
    labels = pd.read_csv(out / "labels.csv")
    assert labels.columns.tolist() == ["row", "label", "probability", "given"]
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


def test_a_search_is_told_candidate_by_candidate(wine):
    summary = json.loads(fit("wine.csv", "--json", "--quiet", method="auto").stdout)
    rows = summary["selection"]["rows"]
    (winner,) = [row for row in rows if row["role"] == "winner"]
    assert winner["loo_error"] == summary["selection"]["loo_error"]
    assert len({row["candidate"] for row in rows}) == len(rows) > 10
    assert all(0 <= row["loo_error"] <= 1 for row in rows)
    assert summary["method"]["summary"].startswith(winner["candidate"])
    assert f"error of {summary['selection']['nested_error']:.1%}" in summary["headline"]
    compared = summary["selection"]["comparison"]
    assert compared["with_unlabeled"] == summary["selection"]["loo_error"]
    assert summary["certificate"]["voids"]  # 18 labels: no verdict either
    assert summary["verdict"] is None
    assert summary["certificate"]["voids"][0] in summary["headline"]


def test_a_search_with_more_labels_gives_its_own_verdict(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    X, classes = load_wine(return_X_y=True, as_frame=True)
    X.assign(label=classes.where(np.arange(len(X)) % 3 == 0)).to_csv("wine.csv", index=False)
    summary = json.loads(fit("wine.csv", "--json", "--quiet", method="auto").stdout)
    assert not summary["certificate"]["voids"]
    compared = summary["selection"]["comparison"]
    decided = "helps" if compared["gain"] > 0 else "hurts"
    assert summary["verdict"] == (decided if compared["p_value"] <= 0.05 else "undecided")
    assert "unlabeled rows" in summary["headline"]


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


def test_too_few_labels_for_a_certificate_do_not_stop_the_job(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    frame, _ = table("wine")
    kept = frame.dropna().groupby("label").head(1).index
    frame.loc[frame.index.difference(kept), "label"] = None
    frame.to_csv("few.csv", index=False)
    fit("few.csv", "--neighbors", 1)
    summary = json.loads(Path("few-ssrlpl/summary.json").read_text())
    assert summary["verdict"] is None
    voids = (summary["certificate"] or {}).get("voids") or [summary["certificate_reason"]]
    assert voids
    assert all(isinstance(reason, str) for reason in voids)


def test_rows_are_named_by_a_column(wine):
    frame = pd.read_csv("wine.csv")
    frame.insert(0, "bottle", [f"b{i}" for i in range(len(frame))])
    frame.to_csv("named.csv", index=False)
    fit("named.csv", "--id", "bottle", "--no-certify", "--representation", "csv")
    assert pd.read_csv("named-ssrlpl/labels.csv")["row"].tolist() == frame["bottle"].tolist()
    assert pd.read_csv("named-ssrlpl/representation.csv")["row"][3] == "b3"


def test_large_parquet_tables_give_what_small_ones_give(tmp_path):
    frame, _ = table("digits", 600)
    frame.insert(5, "shade", np.where(frame["pixel_3_3"] > 8, "dark", "light"))
    frame.loc[::13, "pixel_2_4"] = np.nan
    frame.to_parquet(tmp_path / "t.parquet", index=False)
    read = ReadOptions(str(tmp_path / "t.parquet"))
    whole = fit_table(FitOptions(read, "label", method="linear"), Silent())
    parts = FitOptions(read, "label", method="linear", stream_rows=100, chunk_rows=130)
    stream = fit_table(parts, Silent())
    assert stream.X is None
    assert whole.X is not None
    assert np.allclose(stream.representation, whole.representation, atol=1e-4)
    assert np.allclose(stream.predictions.probability, whole.predictions.probability, atol=1e-4)
    assert stream.target.labels.tolist() == whole.target.labels.tolist()
    assert stream.feature_names == whole.feature_names
    pd.testing.assert_frame_equal(
        stream.sample.frame.reset_index(drop=True), whole.sample.frame.reset_index(drop=True)
    )


# --- models on new tables ----------------------------------------------------------------------


def test_predict_and_transform_repeat_what_fit_wrote(wine):
    fit("wine.csv", "--no-certify")
    model = "wine-ssrlpl/model.ssrlpl"
    predicted = pd.read_csv(_text(run("predict", model, "wine.csv", "--proba")))
    labels = pd.read_csv("wine-ssrlpl/labels.csv")
    hidden = ~labels["given"]
    assert predicted["label"][hidden].tolist() == labels["label"][hidden].tolist()
    assert np.allclose(predicted["probability"][hidden], labels["probability"][hidden], atol=1e-5)
    assert np.allclose(predicted.filter(like="p(").sum(axis=1), 1, atol=1e-5)
    run("transform", model, "wine.csv", "--out", "z.parquet")
    expected = pd.read_parquet("wine-ssrlpl/representation.parquet")
    pd.testing.assert_frame_equal(pd.read_parquet("z.parquet"), expected)


def _text(result):
    import io

    return io.StringIO(result.stdout)


def test_the_model_works_in_python(wine):
    fit("wine.csv", "--no-certify")
    model = ssrlpl.load("wine-ssrlpl/model.ssrlpl")
    frame = pd.read_csv("wine.csv").drop(columns="label")
    labels = pd.read_csv("wine-ssrlpl/labels.csv")
    hidden = ~labels["given"]
    assert model.predict(frame)[hidden].tolist() == labels["label"][hidden].tolist()


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
    assert ".csv or .parquet" in refused("transform", model, "wine.csv", "--out", "z.doc")


def test_unseen_categories_are_noted(wine):
    frame = pd.read_csv("wine.csv")
    frame["art"] = np.where(frame["hue"] > 1, "süß", "herb")
    frame.to_csv("art.csv", index=False)
    fit("art.csv", "--no-certify")
    frame.replace("herb", "sauer").to_csv("new.csv", index=False)
    result = run("predict", "art-ssrlpl/model.ssrlpl", "new.csv")
    assert "note: Column 'art' holds 'sauer'" in result.stderr
    assert len(result.stdout.splitlines()) == len(frame) + 1


def test_certify_and_label_next(wine):
    fit("wine.csv", "--no-certify")
    model = "wine-ssrlpl/model.ssrlpl"
    found = json.loads(run("certify", model, "wine.csv", "--method", "loo", "--json").stdout)
    assert 0 <= found["retained_lower"] <= 1
    assert "the map keeps at least" in run("certify", model, "wine.csv", "--method", "loo").stdout
    rows = pd.read_csv(_text(run("label-next", model, "wine.csv", "--rows", 4)))
    assert rows.columns[:3].tolist() == ["row", "guess", "probability"]
    assert pd.read_csv("wine.csv")["label"][rows["row"]].isna().all()
    assert len(rows) == 4
    frame = pd.read_csv("wine.csv").assign(guess=1.5)
    frame.to_csv("guess.csv", index=False)
    rows = pd.read_csv(_text(run("label-next", model, "guess.csv", "--rows", 1)))
    assert rows["guess (table)"].tolist() == [1.5]


# --- what goes wrong ---------------------------------------------------------------------------


def test_bad_commands_give_one_sentence(wine):
    assert "did you mean 'label'" in refused("fit", "wine.csv", "--target", "lable")
    assert "--method must be one of" in refused(
        "fit", "wine.csv", "--target", "label", "--method", "magic"
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
    assert "Missing option '--target'" in run("fit", "wine.csv", code=2).stderr
    assert os.listdir() == ["wine.csv"]


def test_an_error_of_ours_is_told_from_bad_input(wine, monkeypatch):
    def broken(*_):
        raise RuntimeError("oh")

    monkeypatch.setattr("ssrlpl.cli.fit.fit_table", broken)
    result = fit("wine.csv", code=1)
    assert "internal error (RuntimeError: oh)" in result.stderr
    assert "Traceback" not in result.stderr
    assert "Traceback" in fit("wine.csv", "--debug", code=1).stderr


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


KILLED = """
import os, signal, sys  # noqa: E402
from pathlib import Path  # noqa: E402
from ssrlpl.job import write_folder  # noqa: E402

def half(folder):
    (folder / "labels.csv").write_text("row,label")
    os.kill(os.getpid(), signal.SIGKILL)

write_folder(Path(sys.argv[1]), half, force=True)
"""


@pytest.mark.parametrize("existed", [True, False])
def test_a_run_that_is_killed_leaves_no_half_folder(existed, tmp_path):
    out = tmp_path / "out"
    if existed:
        write_folder(out, lambda folder: (folder / "labels.csv").write_text("whole"), force=False)
    done = subprocess.run([sys.executable, "-c", KILLED, str(out)], check=False)
    assert done.returncode == -signal.SIGKILL
    assert out.exists() == existed
    if existed:
        assert (out / "labels.csv").read_text() == "whole"
    assert any(name.endswith(".partial") for name in os.listdir(tmp_path))
    write_folder(out, lambda folder: (folder / "labels.csv").write_text("new"), force=True)
    assert os.listdir(tmp_path) == ["out"]
    assert (out / "labels.csv").read_text() == "new"


def test_a_run_that_fails_leaves_the_old_folder(tmp_path):
    out = tmp_path / "out"
    write_folder(out, lambda folder: (folder / "labels.csv").write_text("whole"), force=False)

    def fail(folder):
        (folder / "labels.csv").write_text("half")
        raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        write_folder(out, fail, force=True)
    assert (out / "labels.csv").read_text() == "whole"
    assert os.listdir(tmp_path) == ["out"]


# --- around ------------------------------------------------------------------------------------


def in_a_process(*arguments, **how):
    command = [sys.executable, "-m", "ssrlpl.cli", *arguments]
    return subprocess.run(command, check=False, capture_output=True, text=True, **how)


def test_pipes(wine):
    text = Path("wine.csv").read_text()
    done = in_a_process(
        "fit", "-", "--target", "label", "--method", "linear", "--no-certify", "-q", input=text
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    done = in_a_process("predict", "table-ssrlpl/model.ssrlpl", "-", input=text)
    assert done.stdout.startswith("row,label,probability\n0,")


def test_without_the_extra_one_sentence_says_what_to_install():
    code = "import sys; sys.modules['typer'] = None; from ssrlpl.cli import main; main()"
    done = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr == "ssrlpl: the command line needs typer: pip install 'ssrlpl[cli]'.\n"


def test_info_names_versions_and_blas():
    printed = run("info").stdout
    assert f"ssrlpl        {ssrlpl.__version__}" in printed
    assert "threads" in printed
    assert json.loads(run("info", "--json").stdout)["versions"]["numpy"] == np.__version__


def test_reproduce_shows_its_help():
    assert "verdicts_development" in run("reproduce", "--help").stdout


@pytest.mark.parametrize("name", ["fit", "transform", "predict", "certify", "label-next", "demo"])
def test_every_command_shows_examples(name):
    printed = run(name, "--help").stdout
    assert "Examples:" in printed
    assert f"ssrlpl {name}" in printed
