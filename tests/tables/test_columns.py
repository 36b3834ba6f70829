"""Columns are judged by what they hold."""

import numpy as np
import pytest

from ssrlpl.tables import Evidence, TableError, choose_columns
from ssrlpl.tables.columns import candidates
from table_samples import mixed_frame, pd


def judged(frame, **options):
    evidence = Evidence(list(frame.columns))
    evidence.add(frame)
    return choose_columns(evidence, **options)


def test_columns_are_judged_by_what_they_hold():
    frame = mixed_frame().drop(columns="kind")
    frame["empty"], frame["same"] = np.nan, "x"
    columns = judged(frame)
    assert columns.numbers == ["größe", "count", "ok"]
    assert columns.texts == ["farbe"]
    assert columns.dropped == ["empty", "same"]
    assert "2 columns are empty or the same" in columns.notes[0]
    assert "16 missing cells in 2 columns" in columns.notes[1]


ROWS = np.arange(60)


REFUSED = {
    "row numbers": (ROWS, "'c' looks like an identifier.*--id c.*--drop c.*--features"),
    "row numbers from 1": (ROWS + 1, "looks like an identifier"),
    "codes": ([f"u{i:03}" for i in ROWS], "nearly every value differs.*--id c"),
    "sentences": (["so many words are in this cell"] * 30 + ["and in this one as well, too"] * 30,
                  "free text"),
    "cities": ([f"c{i % 55}" for i in np.r_[ROWS, ROWS, ROWS]], "55 different.*--max-categories"),
    "dates": (pd.date_range("2020-01-01", periods=60), "holds dates"),
    "written dates": ([f"{d}.1.2020" for d in ROWS % 28 + 1], "holds dates"),
    "question marks": (["?"] + [str(i / 7) for i in ROWS[1:]], r"also '\?': pass --missing '\?'"),
    "decimal commas": ([f"{i},5" for i in ROWS % 59], "numbers written as text"),
    "lists": ([[1, 2]] * 60, "lists or objects"),
    "infinity": (np.where(ROWS == 7, np.inf, 1.5), "infinite number in row 7"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_columns_that_cannot_be_used_are_refused_by_name(name):
    values, message = REFUSED[name]
    with pytest.raises(TableError, match=message) as caught:
        judged(pd.DataFrame({"c": values}))
    assert "Column 'c'" in str(caught.value)
    assert "--drop c" in str(caught.value)


def test_what_looks_like_a_refusal_but_is_not():
    assert judged(pd.DataFrame({"year": np.arange(1990, 2050)})).numbers == ["year"]
    assert judged(pd.DataFrame({"c": ROWS}), explicit=True).numbers == ["c"]
    assert judged(pd.DataFrame({"c": [f"c{i}" for i in range(10)]})).texts == ["c"]
    city = pd.DataFrame({"c": [f"c{i % 55}" for i in np.r_[ROWS, ROWS]]})
    assert judged(city, max_categories=60).texts == ["c"]
    with pytest.raises(TableError, match="'customer_id' looks like an identifier"):
        judged(pd.DataFrame({"customer_id": 1000 + 3 * ROWS}))


def test_candidates_check_the_names_they_are_given():
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
