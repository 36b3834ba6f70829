"""``ssrlpl inspect``: how a table is read, before anything is fitted."""

import json

import numpy as np
import pytest

from command_line import run
from table_samples import pd


@pytest.fixture
def shop(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({
        "id": range(40), "pay": [f"${1000 + i},50" for i in range(40)],
        "when": [f"{1 + i % 28:02}.03.2024" for i in range(40)], "vip": ["yes", "no"] * 20,
        "notes": ["many words in a cell that say nothing new " + "x" * i for i in range(40)],
        "colour": rng.choice(["red", "blue", None], 40),
        "kind": ["a", "b", "unknown", "unknown", "unknown"] * 8,
    })  # fmt: skip
    frame.to_csv("shop.csv", sep=";", index=False)


def test_every_column_is_shown_and_nothing_is_written(shop, tmp_path):
    shown = run("inspect", "shop.csv", "--target", "kind", "--unlabeled", "unknown").stdout
    lines = {line.split()[0]: line for line in shown.splitlines() if line}
    assert "40 rows" in lines["shop.csv:"]
    assert "16 rows have a label: a (8), b (8)" in shown
    assert "separator ';'" in shown
    assert "left out: looks like an identifier" in lines["id"]
    assert "'$1000,50' is 1000.5" in lines["pay"]
    assert "weekday, day; '01.03.2024' is 01 March 2024" in lines["when"]
    assert "yes/no" in lines["vip"]
    assert "--text notes" in lines["notes"]
    assert "2 columns of 0 and 1" in lines["colour"]
    assert [path.name for path in tmp_path.iterdir()] == ["shop.csv"]


def test_names_of_two_lines_are_printed_on_one(shop):
    kinds = ["Typ\nA", "Typ\r\nB", "", "", ""] * 8
    frame = pd.DataFrame({"size\nmm": np.sin(np.arange(40)), "kind": kinds})
    frame.loc[2, "kind"] = "?\n?"
    frame.to_csv("two.csv", index=False)
    inspected = run("inspect", "two.csv", "--target", "kind").stdout
    assert "17 rows have a label: ? ? (1), Typ A (8), Typ B (8)\n" in inspected
    assert "note: One class has a single label (? ?): whether" in inspected
    said = run("fit", "two.csv", "--target", "kind", "--method", "linear")
    assert "note: One class has a single label (? ?): whether" in said.stderr
    first = [line.split()[0] for line in said.stdout.splitlines()]
    assert first == ["Nothing", "How", "23", "Method:", "Report:", "Your"]


def test_it_says_all_that_would_stop_a_fit_at_once(shop):
    frame = pd.read_csv("shop.csv", sep=";").assign(n=["many", *map(str, range(39))])
    frame.to_csv("shop.csv", index=False)
    result = run("inspect", "shop.csv", "--target", "kind", "--json", code=2)
    found = json.loads(result.stdout)
    assert [c["kind"] for c in found["columns"] if c["name"] == "n"] == ["?"]
    assert "--unlabeled unknown" in found["problems"][0]
    assert "--missing many" in found["problems"][1]
    stopped = run("fit", "shop.csv", "--target", "kind", code=2).stderr
    assert "--unlabeled unknown" in stopped
    assert "--missing many" in stopped
    went_on = ["--unlabeled", "unknown", "--missing", "many", "--method", "linear"]
    run("fit", "shop.csv", "--target", "kind", *went_on)


def test_a_whole_way_with_text_dates_and_bins(shop):
    frame = pd.read_csv("shop.csv", sep=";")
    frame["price"] = np.where(np.arange(40) % 3, np.arange(40) * 1.5 + 20, np.nan)
    frame.to_csv("shop.csv", index=False)
    options = ["--target", "price", "--bins", "2", "--text", "notes", "--drop", "kind"]
    run("fit", "shop.csv", *options, "--date", "when=%d.%m.%Y", "--out", "out")
    assert set(pd.read_csv("out/labels.csv")["label"]) == {"1: up to 48.5", "2: above 48.5"}
    run("certify", "out/model.ssrlpl", "shop.csv", "--method", "loo")
    run("predict", "out/model.ssrlpl", "shop.csv", "--proba", "--out", "p.csv")
    assert len(pd.read_csv("p.csv").columns) == 5
    assert "--text names the column 'note'" in run(
        "fit", "shop.csv", "--target", "kind", "--text", "note", code=2
    ).stderr  # fmt: skip
    assert "must name a column and a format" in run(
        "fit", "shop.csv", "--target", "kind", "--date", "when", code=2
    ).stderr  # fmt: skip


def test_numbers_that_count_days(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    frame = pd.DataFrame({"w": 45292 + 3 * np.arange(30), "kind": ["a", "b", None] * 10})
    frame.to_csv("t.csv", index=False)
    shown = run("inspect", "t.csv", "--target", "kind", "--date", "w=excel").stdout
    assert "'45292' is 01 January 2024" in shown


def test_a_cell_of_several_lines_stays_in_one_sentence(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    cells = [str(i / 7) for i in range(1, 41)]
    cells[20] = "two\nlines"
    pd.DataFrame({"a": cells, "kind": ["x", "y"] * 20}).to_csv("t.csv", index=False)
    (line,) = run("inspect", "t.csv", "--target", "kind", code=2).stderr.splitlines()
    assert line.startswith("ssrlpl: Column 'a' holds cells like")
