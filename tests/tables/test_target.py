"""Labels of a target column, and what marks rows that have none."""

import re

import numpy as np
import pytest

from ssrlpl.tables import TableError, read_target
from table_samples import pd


def test_whole_numbers_stay_whole_with_empty_cells():
    target = read_target(pd.Series([1.0, np.nan, 3.0, 1.0]), "y")
    assert target.labels.tolist() == [1, None, 3, 1]
    assert target.class_names == ["1", "3"]
    assert target.labels_per_class == [2, 1]
    assert "One class has a single label (3)" in target.notes[0]


def test_classes_that_look_the_same_are_the_same():
    cells = np.array(
        ["caf\u00e9", "cafe\u0301", "caf\u00e9\u200b ", "tea", "tea\u00a0", None], dtype=object
    )
    target = read_target(cells, "y")
    assert target.class_names == ["caf\u00e9", "tea"]
    assert target.labels_per_class == [3, 2]


def test_several_markers_beside_empty_cells_are_asked_about():
    cells = ["N/A", "NA", None, "null"] * 3 + ["a", "b"] * 4
    with pytest.raises(TableError, match="Most rows .* hold 'N/A', 'NA', 'null' or nothing: leave"):
        read_target(cells, "y")
    assert read_target([*cells, *"ab" * 9], "y").class_names == ["N/A", "NA", "a", "b", "null"]


def test_minus_one_may_be_a_class():
    cells = np.array([1, -1] * 5)
    with pytest.raises(TableError, match="one class only .1.*pass unlabeled='' if -1 is a class"):
        read_target(cells, "y")
    assert read_target(cells, "y", unlabeled="").class_names == ["-1", "1"]


def test_markers():
    column = pd.Series(["a", "?", "b", "?", "a", "b"])
    assert read_target(column, "y", unlabeled="?").labels.tolist() == [
        "a", None, "b", None, "a", "b"
    ]  # fmt: skip
    ints = pd.Series([0, -1, 1, 0, 1])
    target = read_target(ints, "y")
    assert target.labels.tolist() == [0, None, 1, 0, 1]
    assert "-1 in 'y' was read as unlabeled" in target.notes[0]
    assert -1 in read_target(ints, "y", unlabeled="").labels
    assert read_target(ints, "y", unlabeled="1").labels.tolist() == [0, -1, None, 0, None]
    auto = pd.Series(["auto", "a", "b", " "])
    assert read_target(auto, "y", unlabeled="auto").labels.tolist() == [None, "a", "b", None]
    with pytest.raises(TableError, match=r"unlabeled= names 'x', which no cell of 'y' holds"):
        read_target(column, "y", unlabeled="x")


def test_minus_one_is_no_number_to_cut_if_no_other_is_below_zero():
    target = read_target([-1, 1, 2, 3, 4, 5, -1], "t", bins=2)
    assert target.labels.tolist() == [None, *["1: up to 3"] * 3, *["2: above 3"] * 2, None]
    assert target.notes == ["-1 in 't' was read as unlabeled because no cell is empty."]
    again = read_target(np.array([-1.0, 1, 9]), "t", edges=target.edges)
    assert again.labels.tolist() == [None, "1: up to 3", "2: above 3"]
    for other, first in ((-0.5, "1: up to -0.5"), (None, "1: up to 1")):
        assert read_target([-1, other, 1, 2], "t", bins=2).labels[0] == first
    assert read_target([-1, 1, 2, 3], "t", bins=2, unlabeled="").labels[0] == "1: up to 1"
    with pytest.raises(TableError, match="Got no label.*if -1 is a class"):
        read_target([-1] * 5, "t", bins=2)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([None, None], "Got no label"),
        (["a", None, "a"], "one class only"),
        ([0.5, 1.5, None], "must hold classes. Got the number 0.5"),
        (list(range(100)), "100 different labels in 100 labeled rows"),
        ([[1], [2]], "one label in a cell"),
    ],
)
def test_targets_that_are_none(values, message):
    with pytest.raises(TableError, match=message):
        read_target(pd.Series(values, dtype=object), "y")


def test_booleans_are_classes():
    target = read_target(pd.Series([True, None, False, True, False], dtype=object), "y")
    assert target.labels.tolist() == ["True", None, "False", "True", "False"]


def test_a_marker_that_was_not_declared_and_fills_most_rows_is_asked_about():
    column = pd.Series(["unknown"] * 60 + ["a", "b"] * 10)
    with pytest.raises(TableError, match=r"\(60 of 80\) hold 'unknown': pass unlabeled='unknown'"):
        read_target(column, "y")
    assert read_target(column, "y", unlabeled="unknown").class_names == ["a", "b"]
    assert read_target(column, "y", unlabeled="").class_names == ["a", "b", "unknown"]
    few = pd.Series(["?"] * 5 + ["a", "b"] * 10 + [None])
    assert (
        "'?' is a class of 'y' here (5 rows): pass unlabeled='?'" in read_target(few, "y").notes[0]
    )
    assert read_target(pd.Series(["large"] * 60 + ["small"] * 5), "y").class_names == [
        "large",
        "small",
    ]
    zeros = read_target(pd.Series([0] * 60 + [1, 2, 3] * 5), "y").notes
    assert "If '0' (60 rows) means that a row has no label, pass unlabeled='0'." in zeros


@pytest.mark.parametrize(
    ("labels", "group"),
    [
        (["Cat", "cat", "CAT"], "'Cat', 'cat', 'CAT'"),
        (["very good", "very  good", "Very_good"], "'very good', 'very  good', 'Very_good'"),
        (["Dog", "Dgo", "Bird"], "'Dog', 'Dgo'"),
        (["positive", "positiv", "negative"], "'positive', 'positiv'"),
        (["setosa", "setasa", "virginica"], "'setosa', 'setasa'"),
    ],
)
def test_classes_that_look_like_one(labels, group):
    notes = read_target(pd.Series([*labels, "zebra"] * 5), "y").notes
    assert f"classes of 'y' look like the same one: {group}." in notes[0]


@pytest.mark.parametrize(
    "labels",
    [["cat", "rat", "bat"], ["k1", "k2", "k12"], ["male", "female"], ["a", "b", "A+"],
     ["treatA", "treatB", "ctrl"]],
)  # fmt: skip
def test_classes_that_do_not_look_like_one(labels):
    assert not any("same one" in note for note in read_target(pd.Series(labels * 5), "y").notes)


def test_many_numbers_are_a_quantity_unless_they_count():
    prices = pd.Series(np.arange(400) * 7 % 73 + 18.0)
    with pytest.raises(TableError, match="73 different numbers, from 18 to 90.*bins=3.*bins=0"):
        read_target(prices, "price")
    assert len(read_target(prices, "price", bins=0).classes) == 73
    written = pd.Series([f"${p:,.2f}" if i % 3 else "?" for i, p in enumerate(prices)])
    with pytest.raises(TableError, match="73 different numbers, from 18 to 90"):
        read_target(written, "price")
    cut = read_target(written, "price", bins=2)
    assert cut.class_names == ["1: up to 54", "2: above 54"]
    assert not cut.is_labeled[::3].any()
    missing = pd.Series(np.where(np.arange(400) % 3, prices, -99))
    assert not read_target(missing, "price", unlabeled="-99", bins=2).is_labeled[::3].any()
    assert len(read_target(pd.Series(np.arange(400) % 40 + 1), "person").classes) == 40


def test_bins_are_of_about_the_same_size_sort_as_numbers_and_are_found_again():
    rng = np.random.default_rng(0)
    prices = pd.Series(np.where(rng.random(400) < 0.3, np.nan, rng.exponential(size=400)))
    target = read_target(prices, "price", bins=12)
    assert target.class_names[0].startswith("01: up to")
    assert max(target.labels_per_class) - min(target.labels_per_class) <= 1
    in_order = target.codes[prices.to_numpy().argsort()]
    assert np.all(np.diff(in_order[: int(prices.notna().sum())]) >= 0)
    again = read_target(prices[:50], "price", edges=target.edges)
    assert again.labels.tolist() == target.labels[:50].tolist()
    equal = read_target(pd.Series([1.0] * 50 + [2.0] * 3), "price", bins=4)
    assert equal.class_names == ["1: up to 1", "2: above 1"]
    with pytest.raises(TableError, match="bins= cuts numbers into classes"):
        read_target(pd.Series(["a", "b"]), "price", bins=2)


@pytest.mark.parametrize(
    ("cells", "marker"),
    [(["0", "1"], "9"), (["0", "1"], "99"), (["1", "2", "3", "4", "5"], "99"),
     (["a", "b"], "(none)"), (["a", "b"], "[missing]"), (["1", "2"], "-9")],
)  # fmt: skip
def test_codes_of_no_answer_that_fill_most_rows_are_asked_about(cells, marker):
    column = pd.Series(cells * 4 + [marker] * 60)
    words = f"hold {marker!r}: pass unlabeled={marker!r}"
    with pytest.raises(TableError, match=re.escape(words)):
        read_target(column, "y")


def test_a_largest_class_is_no_marker():
    assert len(read_target(pd.Series(["7", "8", "9"] * 9 + ["9"] * 60), "y").classes) == 3


def test_classes_with_a_number_or_letter_behind_are_different():
    stages = ["stage I", "stage II", "stage III", "Size S", "Size M", "Size L", "type A", "type B"]
    assert not any("look like" in note for note in read_target(pd.Series(stages * 5), "y").notes)
    typo = read_target(pd.Series(["red fox", "red fx", "Red  fox"] * 5), "y")
    assert any("look like the same one" in note for note in typo.notes)
