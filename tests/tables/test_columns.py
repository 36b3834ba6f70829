"""Columns are judged by what they hold."""

import numpy as np
import pytest

from ssrlpl import TableTransformer
from ssrlpl.tables import TableError, candidates
from table_samples import mixed_frame, pd


def judged(frame, **options):
    return TableTransformer(**options).fit(frame)


def test_columns_are_judged_by_what_they_hold():
    frame = mixed_frame().drop(columns="kind")
    frame["empty"], frame["same"] = np.nan, "x"
    columns = judged(frame)
    assert [(c.name, c.kind) for c in columns.columns_] == [
        ("größe", "number"), ("count", "number"), ("ok", "number"), ("farbe", "category"),
    ]  # fmt: skip
    assert list(columns.left_out_) == ["empty", "same"]
    assert "2 columns are left out: 'empty' is empty or the same" in columns.notes_[0]
    assert "16 missing cells in 2 columns" in columns.notes_[1]


ROWS = np.arange(60)


LEFT_OUT = {
    "row numbers": (ROWS, r"identifier \(0 to 59; keep=\['c'\] uses it"),
    "row numbers from 1": (ROWS + 1, "identifier"),
    "a counter that began long ago": (ROWS + 5000, "identifier"),
    "the newest first": (4711 - ROWS, "identifier"),
    "codes": ([f"u{i:03}" for i in ROWS], "nearly every value differs"),
    "sentences": ([f"so many words are in this cell, number {i}" for i in ROWS // 2],
                  "free text .text=.'c'."),
    "cities": ([f"c{i % 55}" for i in np.r_[ROWS, ROWS, ROWS]], "55 different.*max_categories=55"),
    "huge numbers": (np.sin(ROWS) * 1e300, "too large or too close"),
    "both ends": (np.where(ROWS % 2, 1e308, -1e308), "too large or too close"),
    "tiny numbers": (np.sin(ROWS) * 1e-300, "too large or too close"),
    "lists": ([[1, 2]] * 60, "lists or objects"),
    "tickets": ([f"A/{i} {i}" if i % 7 == 0 else str(370000 + 13 * i) for i in ROWS], "differs"),
    "several units": ([f"{i}.5 {'kg' if i % 2 else 'm'}" for i in ROWS],
                      "different units or signs .'0.5 m', '1.5 kg'"),
    "several formats": ([f"{2000 + d}-01-02" if d % 2 else f"{d % 12 + 1:02}/02/{2000 + d}"
                         for d in ROWS], "dates in several formats"),
    "both orders": ([f"{d}/01/2024" if d % 2 else f"01/{d}/2024" for d in ROWS % 28 + 1],
                    "dates in several formats"),
    "telephones": (2_000_000_000 + (ROWS * 3_141_592_653) % 7_900_000_000, "identifier"),
    "accounts": ([f"DE{10 + i} 1203 {1000 + 7 * i} 0002 {2000 + 3 * i} 55" for i in ROWS],
                 r"an identifier \(nearly every value differs\)"),
    "objects as texts": ([f'{{"w": {i}.5, "h": [1, 2]}}' for i in ROWS], "lists or objects: give"),
    "all lengths": ([str([i + 0.5] * (1 + i % 3)) for i in ROWS], "lists or objects: give"),
    "postal codes": ([f"0{1000 + i}" for i in ROWS], "nearly every value differs"),
}  # fmt: skip


@pytest.mark.parametrize("name", LEFT_OUT)
def test_columns_that_cannot_be_used_are_left_out_by_name(name):
    values, message = LEFT_OUT[name]
    frame = pd.DataFrame({"c": values, "z": np.sin(np.arange(len(values)))})
    columns = judged(frame)
    assert [c.name for c in columns.columns_] == ["z"]
    with pytest.raises(TableError, match=f"'c'.*{message}"):
        judged(frame[["c"]])
    assert "A column is left out: 'c'" in columns.notes_[0]


def test_codes_of_no_answer_are_pointed_out():
    several = np.where(ROWS % 8 == 0, -9, np.where(ROWS % 9 == 0, 98, ROWS % 5))
    frame = pd.DataFrame({"q": np.where(ROWS % 9 == 0, 99, ROWS % 7 + 1), "r": several})
    (note,) = judged(frame).notes_
    for words in ("99 in 'q' (7 rows", "-9 in 'r' (8 rows", "98 in 'r' (6 rows"):
        assert words in note
    ages = pd.DataFrame({"age": np.r_[ROWS, 97, 98, 99, 99] + 0.0})
    assert judged(ages).notes_ == []


def test_all_that_has_to_be_decided_is_asked_at_once():
    odd = {"a": ["many", *map(str, ROWS[1:] / 7)], "b": [f"{d}.1.2020" for d in ROWS % 28 + 1]}
    odd["b"][5] = "soon"
    with pytest.raises(TableError, match="'a' holds cells like .* 'many'; column 'b'") as caught:
        judged(pd.DataFrame(odd))
    assert "missing=['many', 'soon'] to ssrlpl.tables.read" in str(caught.value)
    assert "X.drop(columns=['a', 'b'])" in str(caught.value)
    with pytest.raises(TableError, match="infinite number in row 7.*drop.columns=.'c'"):
        judged(pd.DataFrame({"c": np.where(ROWS == 7, np.inf, 1.5)}))


def test_a_column_that_was_asked_for_is_used_or_refused():
    ids = pd.DataFrame({"c": ROWS, "name": [f"n{i}" for i in ROWS]})
    assert [c.name for c in judged(ids[["c"]], keep=["c"]).columns_] == ["c"]
    with pytest.raises(TableError, match="asked for can be used: 'name' looks like an identifier"):
        judged(ids, keep=["c", "name"])


def test_what_looks_like_an_identifier_but_is_not():
    used = {
        "year": np.arange(1990, 2050),
        "shop_id": ROWS % 7,
        "index": ROWS[::-1] % 31,
        "c": [f"c{i % 10}" for i in ROWS],
    }
    assert not judged(pd.DataFrame(used)).left_out_
    ids = {"customer_id": 1000 + 3 * ROWS, "PassengerId": ROWS[::-1] * 77, "z": np.sin(ROWS)}
    ids |= dict.fromkeys(("Kd.-Nr.", "Startnr.", "Order #", "Téléphone"), 1000 + ROWS * 7919 % 997)
    assert list(judged(pd.DataFrame(ids)).left_out_) == [name for name in ids if name != "z"]
    shuffled = {"Unnamed: 0": ROWS * 7 % 60, "Unnamed: 1": ROWS * 7 % 30, "z": np.sin(ROWS)}
    assert list(judged(pd.DataFrame(shuffled)).left_out_) == ["Unnamed: 0"]
    city = pd.DataFrame({"c": [f"c{i % 55}" for i in np.r_[ROWS, ROWS]]})
    assert len(judged(city, max_categories=60).get_feature_names_out()) == 55


def test_long_answers_that_come_again_are_a_category():
    answers = [f"I use it {often} at my place of work" for often in ("never", "always", "a lot")]
    frame = pd.DataFrame({"q": np.array(answers)[ROWS % 3], "z": np.sin(ROWS)})
    assert judged(frame).columns_[0].kind == "category"
    letters = frame.assign(q=[f"my answer to you is the number {i}" for i in ROWS % 40])
    assert "holds free text" in judged(letters).left_out_["q"]


def test_names_of_pictures_have_an_option():
    frame = pd.DataFrame({"file": [f"IMG_{i}.JPG" for i in ROWS], "z": np.sin(ROWS)})
    assert "images='FOLDER' reads the pictures that it names" in judged(frame).left_out_["file"]


def test_numbers_with_dashes_that_are_called_an_id_are_one():
    orders = [f"112-{1000 + 7 * i}-{2000 + 3 * i}" for i in ROWS]
    spans = [f"{5 + i}-{9 + 3 * i}" for i in ROWS]
    frame = pd.DataFrame({"order id": spans, "card": orders, "part": spans, "z": np.sin(ROWS)})
    left = judged(frame).left_out_
    assert "looks like an identifier" in left["order id"]
    assert "looks like an identifier" in left["card"]  # as many digits in every cell
    assert "holds several numbers in a cell" in left["part"]


def test_words_that_differ_by_case_are_pointed_out():
    frame = pd.DataFrame({"q": np.array(["often", "OFTEN ", "never"])[ROWS % 3],
                          "sex": np.array(["m", "M", "f"])[ROWS % 3]})  # fmt: skip
    (note,) = judged(frame).notes_
    assert "different categories here: 'q' ('OFTEN', 'often')." in note


def test_numbers_that_become_categories_are_pointed_out():
    rates = np.array([f"{n}%" for n in range(30, 42)] + ["0.40", "0.38"])
    places = np.array(["1st", "2nd", "3rd", "4th"])  # these are categories
    frame = pd.DataFrame({"rate": rates[ROWS % 14], "place": places[ROWS % 4]})
    (note,) = judged(frame).notes_
    assert note.startswith("Read as categories, and not as numbers or dates: 'rate' holds numbers")


def test_numbers_may_be_names():
    plz = np.array([10115, 20095, 80331])[ROWS % 3]
    frame = pd.DataFrame({"plz": plz, "year": 1960 + ROWS})
    told = judged(frame)
    assert [c.kind for c in told.columns_] == ["number", "number"]  # years tell something
    assert told.notes_[-1].startswith("'plz' is called a code and was read as numbers; category=['")
    asked = judged(frame, category=["plz"])
    assert [(c.name, c.kind) for c in asked.columns_] == [("plz", "category"), ("year", "number")]
    gaps = frame.assign(plz=np.where(ROWS % 2, np.nan, plz))  # which makes floats of them
    assert asked.transform(gaps)[0].tolist()[:3] == asked.transform(frame)[0].tolist()[:3]
    with pytest.raises(TableError, match="names the column 'zip'"):
        judged(frame, category="zip")


def test_long_numbers_that_are_amounts_or_times():
    frame = pd.DataFrame({
        "seconds": 1_700_000_000 + (ROWS * 7_919) % 90_000,
        "revenue": np.round(np.exp(12 + ROWS / 4)),
        "price": 2_000_000_000 + 1_000_000_000 * (ROWS % 7),
    })  # fmt: skip
    assert TableTransformer().fit(frame).left_out_ == {}


def test_candidates_check_the_names_they_are_given():
    with pytest.raises(TableError, match="no column besides 'y' and 'n', so that there is nothing"):
        candidates(["y", "n"], features=[], drop=[], reserved={"--target": "y", "--id": "n"})
    names = ["a", "b", "kind"]
    reserved = {"--target": "kind"}
    assert candidates(names, features=[], drop=["b"], reserved=reserved) == ["a"]
    assert candidates(names, features=["b"], drop=[], reserved=reserved) == ["b"]
    with pytest.raises(TableError, match="--drop names the column 'knd'.*did you mean 'kind'"):
        candidates(names, features=[], drop=["knd"], reserved=reserved)
    with pytest.raises(TableError, match="both to --features and to --target"):
        candidates(names, features=["kind"], drop=[], reserved=reserved)
    with pytest.raises(TableError, match="No column is left"):
        candidates(names, features=[], drop=["a", "b"], reserved=reserved)
