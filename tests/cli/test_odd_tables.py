"""Tables as people bring them, each as the command that once disappointed."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest

from command_line import fit, refused, run
from table_samples import pd

N = 60
ROWS = np.arange(N)
SIZE = np.where(ROWS % 2, 3.0, -3.0) + np.sin(7 * ROWS)
KIND = np.where(ROWS % 4 < 2, np.where(ROWS % 2, "big", "small"), "")


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def test_lists_in_cells_stop_nobody():
    rows = [{"size": s, "tags": [i] * (1 + i % 2), "label": k or None}
            for i, (s, k) in enumerate(zip(SIZE, KIND, strict=True))]  # fmt: skip
    Path("t.json").write_text(json.dumps(rows))
    assert "'tags' holds lists or objects" in fit("t.json", "--no-certify").stderr
    frame = pd.DataFrame(rows)
    frame.to_parquet("t.parquet")
    assert "'tags' holds lists or objects" in fit("t.parquet", "--out", "p").stderr


def test_warnings_of_libraries_are_not_shown():
    openpyxl = pytest.importorskip("openpyxl")
    from openpyxl.worksheet.datavalidation import DataValidation

    book = openpyxl.Workbook()
    book.active.append(["flag", "label"])
    for i in ROWS:  # two distinct rows: fewer than the clusters that are looked for
        book.active.append(["ab"[i % 2], KIND[i] or None])
    rule = DataValidation(type="list", formula1='"a,b"')
    book.active.add_data_validation(rule)
    book.save("t.xlsx")
    said = run("fit", "t.xlsx", "--target", "label").stderr
    assert "clusters" not in said
    assert [line for line in said.splitlines() if "'flag' alone" not in line] == []


def write(columns, encoding="utf-8"):
    frame = pd.DataFrame(columns | {"size": SIZE, "label": KIND})
    Path("t.csv").write_bytes(frame.to_csv(index=False).encode(encoding))


def reading(name, *options):
    """How a column is read, and what it becomes."""
    found = json.loads(run("inspect", "t.csv", "--target", "label", "--json", *options).stdout)
    assert not found["problems"]
    (column,) = [column for column in found["columns"] if column["name"] == name]
    return column["kind"], column["becomes"]


MONTH = 1 + ROWS % 12
MONTHS = ["Januar", "Februar", "März", "April", "Mai", "Juni", "Juli", "August", "September",
          "Oktober", "November", "Dezember"]  # fmt: skip
CELLS = {
    "decimal comma": ([f"{v:.2f}".replace(".", ",") for v in SIZE], "'-3,00' is -3"),
    "1,951": ([f"{1000 + 951 * i:,}" for i in ROWS], "'10,510' is 10510"),
    "7 %": ([f"{i} %" for i in ROWS], "'10 %' is 0.1"),
    "$8,432": ([f"${8432.5 + i:,.2f}" for i in ROWS], "is 8432.5"),
    "dates": ([f"{1 + i % 28:02}.{m:02}.2024" for i, m in zip(ROWS, MONTH, strict=True)],
              "'01.01.2024' is 01 January"),
    "minus behind": ([f"{100 + i}.50-" if i % 2 else f"{100 + i}.50" for i in ROWS],
                     "'101.50-' is -101.5"),
    "sign outside": ([f"$({i + 1}.25)" if i % 2 else f"${i}.00" for i in ROWS], "is -10.25"),
    "no money": (["$ -" if i % 9 == 0 else f"$ {i + 1}.00" for i in ROWS], "'$ 11.00' is 11"),
    "zero without unit": (["0" if i % 9 == 0 else f"{i} %" for i in ROWS], "'10 %' is 0.1"),
    "money in thousands": ([f"${i + 1}k" if i % 2 else f"${i + 1}M" for i in ROWS],
                           "is 0.01 $ M"),
    "about": ([f"~{i}.5" for i in ROWS], "'~10.5' is 10.5"),
    "weekdays": ([f"{day:%a, %d %b %Y}" for day in pd.date_range("2024-01-01", periods=N)],
                 "'Mon, 01 Jan 2024' is 01 January 2024"),
    "compact dates": ([f"2024{m:02}{1 + i % 28:02}" for i, m in zip(ROWS, MONTH, strict=True)],
                      "'20240101' is 01 January 2024"),
    "long hours": ([f"{20 + i}:30:00" for i in ROWS], "'20:30:00' is 20.5 hours"),
    "hours and minutes": ([f"{i % 9}h {i % 60}m" for i in ROWS], "'0h 0m' is 0 hours"),
    "ambiguous dates": ([f"{1 + i % 11:02}/{m:02}/2024" for i, m in zip(ROWS, MONTH, strict=True)],
                        "--date c=%m/%d/%Y"),
    "ambiguous numbers": ([f"{1 + i},951" for i in ROWS], "and 10.951 with --decimal ,"),
    "months": ([f"{day:%b %Y}" for day in pd.date_range("2020-01-31", periods=N, freq="ME")],
               "'Jan 2020' is 01 January 2020"),
    "months in German": ([f"{1 + i % 28}. {MONTHS[m - 1]} 2024"
                          for i, m in zip(ROWS, MONTH, strict=True)], "'1. Januar 2024' is 01 Jan"),
    "hours in French": ([f"{i % 9}h{i % 60:02}" for i in ROWS], "'0h00' is 0 hours"),
    "other languages": (["да" if i % 2 else "нет" for i in ROWS], "'нет' is 0"),
}  # fmt: skip


@pytest.mark.parametrize("name", CELLS)
def test_cells_as_people_write_them(name):
    cells, means = CELLS[name]
    write({"c": cells})
    kind, becomes = reading("c")
    dates = {"dates", "weekdays", "compact dates", "ambiguous dates", "months", "months in German"}
    assert kind == ("yes/no" if "languages" in name else "date" if name in dates else "number")
    assert means in becomes
    assert "--id" not in becomes  # once the advice for cells that were not understood


def test_limits_and_several_numbers_in_a_cell_are_read():
    write(
        {
            "limit": [f"<{i}.5" if i % 3 == 0 else f"{i}.5" for i in ROWS],
            "pressure": [f"{120 + i}/{80 + i}" for i in ROWS],
            "place": [f"{48 + i / 100:.4f}, {11 + i / 90:.4f}" for i in ROWS],
        }
    )
    assert reading("limit") == ("number", "itself, standardized; '<12.5' is 12.5")
    assert reading("pressure") == ("numbers", "2 columns; '120/80' is 120 and 80")
    assert reading("place") == ("numbers", "2 columns; '48.0000, 11.0000' is 48 and 11")


LEFT_OUT = {
    "both decimals": ([f"{i},25" if i % 2 else f"{i}.25" for i in ROWS],
                      "some have a decimal comma and some a decimal point"),
    "hashes": ([f"{i * 7919 % 65536:04x}-{i:04x}" for i in ROWS], "(nearly every value differs)"),
    "customer numbers": ([f"CUST-{i:05}" for i in ROWS], "(nearly every value differs)"),
    "urls": ([f"https://a.example/page{i}" for i in ROWS], "--text c reads its words"),
    "customers": ((ROWS * 7919) % 9973 + 100000, "looks like an identifier"),
    "annotator": (np.where(KIND == "", "", "Ann"), "cells only where 'label' has a label"),
}  # fmt: skip


@pytest.mark.parametrize("name", LEFT_OUT)
def test_columns_are_left_out_for_the_right_reason(name):
    cells, reason = LEFT_OUT[name]
    column = "KundenNr" if name == "customers" else "c"
    write({column: cells})
    kind, becomes = reading(column)
    assert kind == "-"
    assert reason in becomes


def test_dots_between_thousands_are_no_decimals():
    people = [f"{int(10 ** (2.5 + i / 20)):,}".replace(",", ".") for i in ROWS]
    pd.DataFrame({"people": people, "label": KIND}).to_csv("t.csv", index=False, sep=";")
    assert "'100.000' is 100000" in reading("people")[1]


def test_a_column_that_came_with_the_labels_teaches_nothing():
    write({"copy": KIND, "noise": np.cos(ROWS)})
    said = fit("t.csv", "--no-certify")
    assert "'copy' has cells only where 'label' has a label" in said.stderr
    assert "Warning" not in said.stdout
    write({"code": np.where(ROWS % 2, "b", "s"), "noise": np.cos(ROWS)})
    said = fit("t.csv", "--no-certify", "--force")
    told = "'code' alone tells the label of every labeled row: pass --drop code"
    assert told in said.stderr
    assert told in run("inspect", "t.csv", "--target", "label").stdout
    write({"code": np.where(ROWS % 2, 1e308, -1e308), "noise": np.cos(ROWS)})  # it is left out
    assert "alone tells" not in run("inspect", "t.csv", "--target", "label").stdout


def test_numbers_that_stand_for_missing_cells_are_pointed_out():
    write({"age": np.where(ROWS % 10 == 0, -999, 20 + ROWS % 50)})
    assert (
        "-999 in 'age' (6 rows; --missing -999 makes them missing)"
        in run("inspect", "t.csv").stdout
    )
    found = json.loads(run("inspect", "t.csv", "--missing", "-999", "--json").stdout)
    assert found["columns"][0]["missing"] == 0.1


def test_infinite_numbers_are_asked_about_with_all_else():
    write(
        {"a": np.where(ROWS == 5, np.inf, SIZE), "b": ["see note" if i == 7 else i for i in ROWS]}
    )
    said = run("inspect", "t.csv", code=2)
    assert "infinite number in row 5" in said.stderr
    assert "--missing 'see note'" in said.stderr
    assert "size" in said.stdout  # the other columns are shown


def test_the_time_does_not_explode_with_long_texts():
    write({"body": ["1, 2 " * 20_000 + str(i) for i in ROWS]})
    assert "holds free text" in reading("body")[1]


NUMBERS = {
    ("--sigma", "1e-300"): "--sigma must be between 1e-140 and 1e+140",
    ("--sigma", "1e300"): "--sigma must be between",
    ("--max-categories", "1"): "--max-categories must be 2 or more",
}


@pytest.mark.parametrize("options", NUMBERS)
def test_numbers_beyond_measure_are_told_by_the_name_of_the_option(options):
    write({})
    assert NUMBERS[options] in refused("fit", "t.csv", "--target", "label", *options)


def test_a_few_numbers_may_be_classes():
    grades = np.where(KIND == "", np.nan, 1 + ROWS % 3 / 2)
    pd.DataFrame({"size": SIZE, "grade": grades}).to_csv("t.csv", index=False)
    assert "with --bins 0" in refused("fit", "t.csv", "--target", "grade")
    shown = run("inspect", "t.csv", "--target", "grade", "--bins", "0").stdout
    assert "1 (10), 1.5 (10), 2 (10)" in shown


@pytest.mark.parametrize("marker", ["-999", "(leer)", "TBC"])
def test_more_markers_are_pointed_out(marker):
    write({})
    text = Path("t.csv").read_text().replace(",\n", f",{marker}\n").replace("small", marker, 5)
    Path("t.csv").write_text(text)
    assert f"hold '{marker}': pass --unlabeled" in refused("fit", "t.csv", "--target", "label")


def test_an_empty_archive_of_arrays():
    np.savez("t.npz")
    assert "t.npz is empty" in refused("fit", "t.npz", "--target", "y")


def test_classes_that_all_mean_yes_or_no_are_pointed_out():
    write({})
    text = Path("t.csv").read_text().replace("big", "Y", 4).replace("big", "yes")
    Path("t.csv").write_text(text.replace("small", "0", 5).replace("small", "no"))
    notes = run("inspect", "t.csv", "--target", "label").stdout
    assert "look like the same one: 'yes', 'Y'." in notes
    assert "look like the same one: 'no', '0'." in notes


def test_several_markers_that_fill_most_rows_together():
    write({})
    lines = Path("t.csv").read_text().splitlines()
    words = [f"{line}{['?', 'n/a'][i % 2]}" if line.endswith(",") else line
             for i, line in enumerate(lines)]  # fmt: skip
    words += [f"{words[3].rpartition(',')[0]},?"] * 5
    Path("t.csv").write_text("\n".join(words))
    assert "hold '?', 'n/a': leave cells empty" in refused("fit", "t.csv", "--target", "label")


def test_the_name_of_the_target_in_another_case():
    write({})
    assert "did you mean 'label'?" in refused("fit", "t.csv", "--target", "LABEL")


def test_a_package_that_the_report_needs_is_missed_before_the_work(monkeypatch):
    monkeypatch.setitem(sys.modules, "plotly", None)
    assert "The report needs plotly" in refused("fit", "no-such-file.csv", "--target", "label")


def test_inspect_takes_the_options_that_it_advises():
    write({"a": ["see note" if i == 7 else i for i in ROWS], "b": np.cos(ROWS)})
    assert "--drop a" in run("inspect", "t.csv", "--target", "label", code=2).stderr
    shown = json.loads(run("inspect", "t.csv", "--drop", "a", "--json").stdout)
    assert [column["name"] for column in shown["columns"]] == ["b", "size", "label"]
    shown = json.loads(run("inspect", "t.csv", "--features", "b", "--json").stdout)
    assert [column["name"] for column in shown["columns"]] == ["b"]


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


@pytest.mark.parametrize("encoding", ["latin-1", "utf-16"])
def test_encodings(encoding):
    write({"größe": SIZE}, encoding)
    assert reading("größe")[0] == "number"


def test_free_text_is_named_with_the_option_that_reads_it():
    notes = [f"so many words about {i} things that are big or small" for i in range(60)]
    pd.DataFrame({"note": notes, "label": KIND}).to_csv("t.csv", index=False)
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
    assert "60 different numbers" in said
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


def test_no_message_of_a_library_leaks():
    huge = {"a": SIZE * 1e300, "b": SIZE * 1e-300, "c": np.where(ROWS % 2, 1e308, -1e308), "d": 1}
    pd.DataFrame(huge | {"label": KIND}).to_csv("t.csv", index=False)
    assert "numpy" not in refused("fit", "t.csv", "--target", "label")
