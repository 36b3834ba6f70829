"""Cells with several numbers or choices, and quantities in several numbers."""

import numpy as np
import pytest

from ssrlpl import TableTransformer, load, save
from ssrlpl.tables import TableError
from table_samples import pd

ROWS = np.arange(60)


def fitted(cells, **options):
    frame = pd.DataFrame({"c": cells, "z": np.sin(ROWS)})
    return TableTransformer(scale=False, **options).fit(frame), frame


SEVERAL = {
    "blood pressure": ([f"{100 + i}/{60 + i % 31}" for i in ROWS], (100 + ROWS, 60 + ROWS % 31)),
    "sizes": ([f"{i}.5 x {i % 7 + 1}.0 m" for i in ROWS], (ROWS + 0.5, ROWS % 7 + 1)),
    "decimal commas": ([f"{i},5x{i % 7},25" for i in ROWS], (ROWS + 0.5, ROWS % 7 + 0.25)),
    "uncertainty": ([f"{i}.25 ± 0.{i % 9 + 1}" for i in ROWS], (ROWS + 0.25, (ROWS % 9 + 1) / 10)),
    "places": ([f"{i}.5, -{i % 9}.5" for i in ROWS], (ROWS + 0.5, -(ROWS % 9) - 0.5)),
    "points": ([f"POINT ({i}.5 {i % 9}.5)" for i in ROWS], (ROWS + 0.5, ROWS % 9 + 0.5)),
    "height above sea": (
        [f"POINT Z ({i}.5 {i % 9}.5 {i % 7})" for i in ROWS],
        (ROWS + 0.5, ROWS % 9 + 0.5, ROWS % 7),
    ),
    "hemispheres": (
        [f"{i % 7}.5° {'NS'[i % 2]}, {i}.25° E" for i in ROWS],
        ((ROWS % 7 + 0.5) * (1 - ROWS % 2 * 2), ROWS + 0.25),
    ),
    "arc": ([f"{i % 8}°30'N {i}°15'00\"W" for i in ROWS], (ROWS % 8 + 0.5, -ROWS - 0.25)),
    "two units": ([f"{i + 9} kW ({i * 2} PS)" for i in ROWS], (ROWS + 9, 2 * ROWS)),
    "shares": ([f"{i} ({i % 9}.5%)" for i in ROWS], (ROWS, ROWS % 9 + 0.5)),
    "intervals": (
        [f"{i}.5 [{i}.0; {i + 2}.0]" for i in ROWS],
        (ROWS + 0.5, ROWS, ROWS + 2),
    ),
    "intervals with a dash": (
        [f"{i}.5 ({i}.0-{i + 2}.0)" for i in ROWS],
        (ROWS + 0.5, ROWS, ROWS + 2),
    ),
    "ranges": ([f"{i}.5 - {i + 5}.5" for i in ROWS], (ROWS + 0.5, ROWS + 5.5)),
    "of 100": ([f"{i}/100" for i in ROWS], (ROWS,)),  # what is the same everywhere is no column
}


@pytest.mark.parametrize("name", SEVERAL)
def test_several_numbers_in_a_cell_become_columns(name):
    cells, numbers = SEVERAL[name]
    columns, frame = fitted(cells)
    assert columns.columns_[0].kind == "numbers"
    assert np.allclose(columns.transform(frame)[:, :-1], np.transpose(numbers))
    assert f"'c' ({cells[0]!r} is " in columns.notes_[0]


QUANTITIES = {
    "degrees": (["52.5° N", "33.25° S", "52°30'N"], [52.5, -33.25, 52.5]),
    "degrees and minutes": (["52 30 N", "33 15 N", "10 0 N"], [52.5, 33.25, 10]),
    "degrees with dashes": (["8-30.0E", "9-15.0E", "7-45.0W"], [8.5, 9.25, -7.75]),
    "a kilometer": (["5'30\"/km", "4'15\"/km", "6'0\"/km"], [5.5, 4.25, 6]),
    "minutes a kilometer": (["5:30 min/km", "4:15 min/km", "6:00 min/km"], [5.5, 4.25, 6]),
    "hours behind a clock": (["1:30 h", "0:45 h", "12:00 Std."], [1.5, 0.75, 12]),
    "minutes and seconds": (["79'30\"", "5'15\"", "6'0\""], [79.5, 5.25, 6]),
    "hemispheres": (["13.5E", "71.25W", "0.5 E"], [13.5, -71.25, 0.5]),
    "seconds of arc": (["10°30'36\"S", "0°00'00\"N", "1°15'0\"N"], [-10.51, 0, 1.25]),
    "feet": (["5'11\"", "6'0\"", "5 ft 2 in"], [71, 72, 62]),
    "pounds": (["7 lb 4 oz", "8 lbs", "6 lb 15 oz"], [116, 128, 111]),
    "laps": (["2:12.30", "1:59.90", "2:00.00"], [132.3 / 3600, 119.9 / 3600, 120 / 3600]),
    "powers": (["1.5 x 10^3", "2×10⁻²", "3.0 · 10^2"], [1500, 0.02, 300]),
    "sides": (["1,200.50 CR", "80.25 DR", "3.00 CR"], [1200.5, -80.25, 3]),
    "memory": (["512 MiB", "2 GiB", "1.5 GiB", "64 MiB", "1 MiB"], [512, 2048, 1536, 64, 1]),
    "inches": (["10 cm", "1 in", "30 cm"], [10, 2.54, 30]),
    "no cents": (["25,- €", "1.250,- €", "3,50 €"], [25, 1250, 3.5]),
    "arrows": (["▲ 3.5%", "▼ 1.5%", "▲ 0.5%"], [0.035, -0.015, 0.005]),
    "lakhs": (["₹2,50,000", "₹12,34,567", "₹950"], [250000, 1234567, 950]),
    "a point behind the unit": (["8 Pkt.", "12 Pkt.", "3 Pkt."], [8, 12, 3]),
    "kept as text": (["'-0.5", "1.5", "2.5"], [-0.5, 1.5, 2.5]),
    "limits": (["<0.05", "0.2", ">100", "7"], [0.05, 0.2, 100, 7]),
}


@pytest.mark.parametrize("name", QUANTITIES)
def test_quantities_as_people_write_them(name):
    texts, numbers = QUANTITIES[name]
    cells = [texts[i % len(texts)] for i in ROWS]
    columns, frame = fitted(cells)
    assert columns.columns_[0].kind == "number"
    expected = [numbers[i % len(texts)] for i in ROWS]
    assert np.allclose(columns.transform(frame)[:, 0], expected)


def test_a_limit_is_said():
    notes = fitted([("<0.05", "0.2", "7.5")[i % 3] for i in ROWS])[0].notes_
    assert "Read as the number in the cell: '<0.05' in 'c'." in notes


def test_few_ratings_are_numbers_and_other_fractions_are_categories():
    columns, frame = fitted([f"{i % 5 + 1}/5" for i in ROWS])
    assert columns.transform(frame)[:5, 0].tolist() == [1, 2, 3, 4, 5]
    assert fitted([("1/2", "3/4", "5/8")[i % 3] for i in ROWS])[0].columns_[0].kind == "category"


CODES = {
    "telephones": [f"555-{1000 + i}" for i in ROWS],
    "dates without a year": [f"{i % 28 + 1:02}/{i % 12 + 1:02}" for i in ROWS],
    "addresses of computers": [f"10.0.{i}.{i % 7}" for i in ROWS],
    "thousands or decimals": [f"{i + 1},200/{i + 2},400" for i in ROWS],
    "scores": [f"{i % 6}:{i % 5}" for i in ROWS],
    "two shares": [f"{38 + i % 22}:{62 - i % 22}" for i in ROWS],
    "debit below zero": [f"{'-' if i % 2 else ''}{i}.5 {'DR' if i % 2 else 'CR'}" for i in ROWS],
}


@pytest.mark.parametrize("name", CODES)
def test_what_could_be_codes_is_not_taken_apart(name):
    kinds = {column.name: column.kind for column in fitted(CODES[name])[0].columns_}
    assert kinds.get("c") in (None, "category")


def test_numbers_among_words_are_left_out_with_the_option_that_helps():
    cells = ["<LOD" if i % 3 == 0 else f"{i}.5" for i in ROWS]
    left = fitted(cells)[0].left_out_["c"]
    assert "and also '<LOD' (missing=['<LOD'] to ssrlpl.tables.read takes these for" in left
    assert "max_categories" not in left


TOOLS = ("Excel", "Python", "R", "SPSS")
CHOSEN = [[tool for j, tool in enumerate(TOOLS) if (i >> j) % 2] for i in ROWS % 16]


@pytest.mark.parametrize("sep", [";", ", ", "|"])
def test_choices_become_a_column_each(sep):
    columns, frame = fitted([sep.join(chosen) or None for chosen in CHOSEN])
    assert columns.columns_[0].names == [f"c_{tool}" for tool in TOOLS]
    expected = [[tool in chosen for tool in TOOLS] for chosen in CHOSEN]
    assert np.array_equal(columns.transform(frame)[:, :-1], expected)
    assert "between 4 choices" in columns.notes_[0]
    new = pd.DataFrame({"c": [f"Stata{sep}R"], "z": [0.0]})
    assert columns.transform(new)[0, :-1].tolist() == [0, 0, 1, 0]


@pytest.mark.parametrize(
    "cells",
    [
        [f"{i % 9} Main St, Springfield" for i in ROWS],  # an address has parts, but no choices
        [f"{'ABCDE'[i % 5]}mith, {'BRST'[i % 4]}ob" for i in ROWS],
        ["a;b" if i % 2 else "c" for i in ROWS],  # two texts are a category
    ],
)
def test_texts_with_separators_are_no_choices(cells):
    kinds = {column.name: column.kind for column in fitted(cells)[0].columns_}
    assert kinds.get("c") in (None, "category")


def test_they_are_saved_and_refuse_other_cells(tmp_path):
    cells = {"pressure": SEVERAL["blood pressure"][0], "height": ["5'11\"", "6'0\""] * 30,
             "tools": [";".join(chosen) for chosen in CHOSEN]}  # fmt: skip
    frame = pd.DataFrame(cells)
    columns = TableTransformer().fit(frame)
    save(columns, tmp_path / "m.ssrlpl")
    again = load(tmp_path / "m.ssrlpl")
    assert np.array_equal(again.transform(frame), columns.transform(frame))
    assert again.get_feature_names_out().tolist()[:3] == ["pressure_1", "pressure_2", "height"]
    empty = frame.assign(pressure=None)
    assert np.allclose(columns.transform(empty)[:, :2], 0)  # the mean
    with pytest.raises(TableError, match="'pressure' must hold cells like '100/60', as before"):
        columns.transform(frame.assign(pressure="high"))
