"""The fifteen findings of a new user's first day, each as the command that disappointed."""

import json
from pathlib import Path

import numpy as np
import pytest

from command_line import fit, refused, run
from table_samples import pd

N = 80
ROWS = np.arange(N)
SIZE = np.where(ROWS % 2, 3.0, -3.0) + np.sin(7 * ROWS)
KIND = np.where(ROWS % 4 < 2, np.where(ROWS % 2, "big", "small"), "")


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def write(columns, encoding="utf-8", sep=",", **how):
    frame = pd.DataFrame(columns | {"label": KIND})
    Path("t.csv").write_bytes(frame.to_csv(index=False, sep=sep, **how).encode(encoding))


def reading(name, *options):
    """How a column is read, and an example of what its cells mean."""
    found = json.loads(run("inspect", "t.csv", "--target", "label", "--json", *options).stdout)
    assert not found["problems"]
    (column,) = [column for column in found["columns"] if column["name"] == name]
    return column["kind"], column["becomes"]


def test_identifiers_names_tickets_and_cabins_need_one_run():
    write(
        {
            "PassengerId": ROWS + 1,
            "Name": [f"Smith, Mr. {chr(65 + i % 26)}{i}" for i in ROWS],
            "Ticket": [f"A/{i} {i * 77}" if i % 7 == 0 else str(370000 + 13 * i) for i in ROWS],
            "Cabin": [f"C{i}" if i % 3 == 0 else "" for i in ROWS],
            "Age": [f"{a:.1f}" if i % 5 else "" for i, a in enumerate(SIZE + 30)],
        }
    )
    result = fit("t.csv", "--no-certify")
    for name in ("PassengerId", "Name", "Ticket", "Cabin"):
        assert f"'{name}' " in result.stderr.split("left out:")[1].split("\n")[0]


CELLS = {
    "decimal comma": ([f"{v:.2f}".replace(".", ",") for v in SIZE], "-3,00' is -3"),
    "1,951": ([f"{1000 + 951 * i:,}" for i in ROWS], "'10,510' is 10510"),
    "7 %": ([f"{i} %" for i in ROWS], "'10 %' is 0.1"),
    "$8,432": ([f"${8432.5 + i:,.2f}" for i in ROWS], "is 8432.5"),
    "dates": (
        [f"{1 + i % 28:02}.{1 + i % 12:02}.2024" for i in ROWS],
        "'01.01.2024' is 01 January",
    ),
}


@pytest.mark.parametrize("name", CELLS)
def test_cells_are_read_as_people_write_them(name):
    cells, means = CELLS[name]
    write({"revenue": cells, "size": SIZE})
    kind, becomes = reading("revenue")
    assert kind == ("date" if name == "dates" else "number")
    assert pd.Series([becomes]).str.contains(means)[0]
    assert "--id" not in becomes  # the wrong advice of that day


@pytest.mark.parametrize("encoding", ["latin-1", "utf-16"])
def test_encodings(encoding):
    write({"größe": SIZE}, encoding)
    assert reading("größe")[0] == "number"


def test_free_text_is_named_with_the_option_that_reads_it():
    write({"note": [f"so many words about {i} things that are big or small" for i in range(80)]})
    assert "--text note reads its words" in refused("fit", "t.csv", "--target", "label")
    assert reading("note", "--text", "note")[0] == "text"


def test_question_marks_are_no_class():
    write({"size": SIZE})
    text = Path("t.csv").read_text().replace(",\n", ",?\n")
    Path("t.csv").write_text(text.replace("big", "?", 15).replace("small", "?", 15))
    assert "hold '?': pass --unlabeled '?'" in refused("fit", "t.csv", "--target", "label")


def test_a_quantity_is_no_class():
    write({"size": SIZE, "price": 18 + ROWS * 7 % 73})
    said = refused("fit", "t.csv", "--target", "price")
    assert "73 different numbers" in said
    assert "--bins 3" in said


@pytest.mark.parametrize("method", ["auto", "lap_rls"])
def test_more_components_than_labels_determine(method):
    frame = pd.DataFrame({"a": np.where(ROWS % 2, 3, -3) + np.cos(ROWS), "b": np.sin(ROWS)})
    frame["label"] = np.where(ROWS % 7 < 3, np.where(ROWS % 2, "x", "y"), None)
    frame.to_csv("t.csv", index=False)
    options = ("--target", "label", "--components", "2", "--out", "o")
    said = refused("fit", "t.csv", *options, "--method", method)
    assert "--components must be at most 1 with 2 classes. Got 2" in said
    run("fit", "t.csv", *options, "--method", "kernel")  # as the sentence says


def first_lines(*options):
    return run("fit", "t.csv", "--target", "label", "--out", "o", *options).stdout


def test_a_biased_sample_is_not_praised():
    frame = pd.DataFrame({"a": np.linspace(-4, 4, N), "b": np.cos(ROWS)})
    frame["label"] = np.where(ROWS < 30, np.where(ROWS % 2, "x", "y"), None)
    frame.to_csv("t.csv", index=False)
    said = first_lines("--method", "linear")
    assert said.startswith("Warning: The labeled rows are not like the others")
    assert "0.0%" not in said


def test_pure_noise_is_not_praised():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(N, 3)), columns=list("abc"))
    frame["label"] = np.where(ROWS < 60, rng.choice(["x", "y", "z"], N), None)
    frame.to_csv("t.csv", index=False)
    said = first_lines()
    assert "This is no better than guessing" in said.splitlines()[0]


def test_one_sentence_comes_first_and_no_figure_twice():
    frame = pd.DataFrame({"a": np.where(ROWS % 2, 3, -3) + np.cos(ROWS), "b": np.sin(ROWS)})
    frame["label"] = np.where(ROWS % 7 < 3, np.where(ROWS % 2, "x", "y"), None)
    frame.to_csv("t.csv", index=False)
    first, measured, found, method, report, table = first_lines().splitlines()
    assert first.startswith("At least ")
    assert first.count(". ") == 1
    assert measured.startswith("How that was measured: ")
    assert found.count("left-out error") == 2  # ours, and the one without the unlabeled rows
    assert method.startswith("Method: ")
    assert "error" not in method
    assert report == f"Report: {Path('o/report.html')}"
    assert table == f"Your table, filled in: {Path('o/filled.csv')}"


@pytest.mark.parametrize("options", [[], ["--sigma", "1e-300"], ["--max-categories", "1"]])
def test_no_message_of_a_library_leaks(options):
    write({"a": SIZE * 1e300, "b": SIZE * 1e-300, "c": np.where(ROWS % 2, 1e308, -1e308), "d": 1})
    line = run("fit", "t.csv", "--target", "label", *options, code=2).stderr.splitlines()[-1]
    assert line.startswith("ssrlpl: ")
    assert "numpy" not in line
    Path("results").symlink_to("nowhere")
    assert "a link to nothing" in refused("fit", "t.csv", "--target", "label", "--out", "results")
