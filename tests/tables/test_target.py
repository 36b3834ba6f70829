"""Labels of a target column, and what marks rows that have none."""

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
    with pytest.raises(TableError, match=r"--unlabeled names 'x', which no cell of 'y' holds"):
        read_target(column, "y", unlabeled="x")


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
