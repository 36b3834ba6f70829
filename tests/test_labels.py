"""Every form of "no label" that people use, and the errors that name the cure."""

import datetime
import decimal
import re
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.exceptions import DataConversionWarning

from ssrlpl import PartialLabels, encode_labels
from ssrlpl.labels import is_empty

NAN, NAT = float("nan"), np.datetime64("NaT")
DAYS = np.array(["2024-05-01", "2024-05-02"], dtype="datetime64[D]")

# name: (y, classes, codes)
ACCEPTED = {
    "ints with -1": (np.array([3, -1, 1]), [1, 3], [1, -1, 0]),
    "int8 with -1": (np.array([3, -1, 1], dtype=np.int8), [1, 3], [1, -1, 0]),
    "unsigned ints have no -1": (np.array([3, 255, 1], np.uint8), [1, 3, 255], [1, 2, 0]),
    "floats with NaN": (np.array([3, NAN, 1]), [1.0, 3.0], [1, -1, 0]),
    "float32 with NaN": (np.array([3, NAN, 1], np.float32), [1.0, 3.0], [1, -1, 0]),
    "whole floats with -1": (np.array([3.0, -1.0, 1.0]), [1.0, 3.0], [1, -1, 0]),
    "NaN makes -1.0 a class": (np.array([1.0, -1.0, NAN]), [-1.0, 1.0], [1, 0, -1]),
    "negative zero is zero": (np.array([0.0, -0.0, 1.0]), [0.0, 1.0], [0, 0, 1]),
    "booleans": (np.array([True, False, True]), [False, True], [1, 0, 1]),
    "list of ints": ([3, -1, 1], [1, 3], [1, -1, 0]),
    "tuple of ints": ((3, -1, 1), [1, 3], [1, -1, 0]),
    "list of ints and None": ([3, None, 1], [1, 3], [1, -1, 0]),
    "list of ints and pd.NA": ([3, pd.NA, 1], [1, 3], [1, -1, 0]),
    "None makes -1 a class": ([1, -1, None], [-1, 1], [1, 0, -1]),
    "list of booleans and None": ([True, None, False], [False, True], [1, -1, 0]),
    "list of booleans and NaN": ([True, NAN, False], [False, True], [1, -1, 0]),
    "list of booleans and -1": ([True, -1, False], [False, True], [1, -1, 0]),
    "array of strings": (np.array(["b", "", "a"]), ["a", "b"], [1, -1, 0]),
    "array of strings and -1": (np.array(["b", "a", -1]), ["a", "b"], [1, 0, -1]),
    "array of strings and NaN": (np.array(["b", "a", NAN]), ["a", "b"], [1, 0, -1]),
    "list of strings": (["b", "", "a"], ["a", "b"], [1, -1, 0]),
    "list of strings and None": (["b", None, "a"], ["a", "b"], [1, -1, 0]),
    "list of strings and -1": (["b", "a", -1], ["a", "b"], [1, 0, -1]),
    "list of strings and '-1'": (["b", "a", "-1"], ["a", "b"], [1, 0, -1]),
    "-1 beside None": (["b", None, -1, "a"], ["a", "b"], [1, -1, -1, 0]),
    "-1 beside pd.NA": (["b", pd.NA, -1, "a"], ["a", "b"], [1, -1, -1, 0]),
    "None makes '-1' a class": (["1", "-1", None], ["-1", "1"], [1, 0, -1]),
    "every empty value": (
        np.array(["b", None, NAN, pd.NA, pd.NaT, NAT, "", np.float32("nan"), "a"], dtype=object),
        ["a", "b"],
        [1, -1, -1, -1, -1, -1, -1, -1, 0],
    ),
    "objects that are ints": (np.array([3, -1, 1], dtype=object), [1, 3], [1, -1, 0]),
    "masked array": (np.ma.array([3, 9, 1], mask=[0, 1, 0]), [1, 3], [1, -1, 0]),
    "a mask makes -1 a class": (np.ma.array([-1, 9, 1], mask=[0, 1, 0]), [-1, 1], [0, -1, 1]),
    "masked array without mask": (np.ma.array([3, -1, 1]), [1, 3], [1, -1, 0]),
    "dates": (np.array([DAYS[1], NAT, DAYS[0]]), DAYS.tolist(), [1, -1, 0]),
    "pandas ints": (pd.Series([3, -1, 1], index=[7, 7, 7]), [1, 3], [1, -1, 0]),
    "pandas Index": (pd.Index([3, -1, 1]), [1, 3], [1, -1, 0]),
    "pandas Int64": (pd.Series([3, None, 1], dtype="Int64"), [1, 3], [1, -1, 0]),
    "pandas Int64 array": (pd.array([3, None, 1], dtype="Int64"), [1, 3], [1, -1, 0]),
    "pandas Int64 with -1": (pd.Series([3, -1, 1], dtype="Int64"), [1, 3], [1, -1, 0]),
    "pandas int64[pyarrow]": (
        pd.Series([3, None, 1], dtype="int64[pyarrow]"),
        [1, 3],
        [1, -1, 0],
    ),
    "pandas Float64": (pd.Series([3, None, 1], dtype="Float64"), [1.0, 3.0], [1, -1, 0]),
    "pandas boolean": (
        pd.Series([True, None, False], dtype="boolean"),
        [False, True],
        [1, -1, 0],
    ),
    "pandas string": (pd.Series(["b", None, "a"], dtype="string"), ["a", "b"], [1, -1, 0]),
    "pandas text": (pd.Series(["b", None, "a"]), ["a", "b"], [1, -1, 0]),  # str in pandas 3
    "pandas object": (pd.Series(["b", NAN, "a"], dtype=object), ["a", "b"], [1, -1, 0]),
    "pandas categorical": (pd.Series(["b", None, "a"], dtype="category"), ["a", "b"], [1, -1, 0]),
    "pd.Categorical": (pd.Categorical(["b", None, "a"]), ["a", "b"], [1, -1, 0]),
    "categorical, unused category": (
        pd.Categorical(["b", "a"], categories=["a", "b", "c"]),
        ["a", "b"],
        [1, 0],
    ),
    "ordered categorical": (
        pd.Series(pd.Categorical(["low", None, "high"], ["low", "high"], ordered=True)),
        ["high", "low"],
        [1, -1, 0],
    ),
    "categorical ints with NaN": (pd.Series(pd.Categorical([3, None, 1])), [1, 3], [1, -1, 0]),
    "categorical ints with -1": (pd.Series(pd.Categorical([3, -1, 1])), [1, 3], [1, -1, 0]),
    "pandas datetime": (
        pd.Series(np.array([DAYS[1], NAT, DAYS[0]])).astype("datetime64[s]"),
        [datetime.datetime(2024, 5, 1), datetime.datetime(2024, 5, 2)],
        [1, -1, 0],
    ),
    "polars ints": (pl.Series([3, -1, 1]), [1, 3], [1, -1, 0]),
    "polars ints with null": (pl.Series([3, None, 1]), [1, 3], [1, -1, 0]),
    "polars floats with null and NaN": (
        pl.Series([3.0, None, NAN, 1.0]),
        [1.0, 3.0],
        [1, -1, -1, 0],
    ),
    "polars booleans": (pl.Series([True, None, False]), [False, True], [1, -1, 0]),
    "polars strings": (pl.Series(["b", None, "a"]), ["a", "b"], [1, -1, 0]),
    "polars categorical": (
        pl.Series(["b", None, "a"], dtype=pl.Categorical),
        ["a", "b"],
        [1, -1, 0],
    ),
    "polars enum": (
        pl.Series(["b", None, "a"], dtype=pl.Enum(["b", "a"])),
        ["a", "b"],
        [1, -1, 0],
    ),
    "pyarrow strings": (pa.array(["b", None, "a"]), ["a", "b"], [1, -1, 0]),
    "all rows labeled": ([1, 0, 1], [0, 1], [1, 0, 1]),
}


def short(value):
    """Name a test by the type of an array, by the value of anything else."""
    return f"{type(value).__name__} {value.dtype}" if hasattr(value, "dtype") else str(value)


@pytest.mark.parametrize("name", ACCEPTED)
def test_every_accepted_form_gives_sorted_classes_and_codes(name):
    y, classes, codes = ACCEPTED[name]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        target = encode_labels(y)
    assert target.classes.tolist() == classes
    assert [type(c) for c in target.classes.tolist()] == [type(c) for c in classes]
    assert target.codes.tolist() == codes
    assert target.is_labeled.tolist() == [code >= 0 for code in codes]
    assert target.n_labeled == sum(code >= 0 for code in codes)


@pytest.mark.parametrize(
    ("y", "dtype"),
    [
        (np.array([3, -1, 1], np.int8), np.int8),
        (np.array([3, NAN, 1], np.float32), np.float32),
        (np.array([True, False]), bool),
        (np.array(["b", "a", ""]), np.dtype("<U1")),
        (np.array(["b", "a", None], dtype=object), object),
        (np.array([3, 1, None], dtype=object), np.int64),
        (np.array([True, False, None], dtype=object), bool),
        (pd.Series([3, 1, None], dtype="Int64"), np.int64),
        (pd.Series([True, False, None], dtype="boolean"), bool),
        (pd.Series(["b", "a", None]), object),
        (pd.Series(pd.Categorical([3, 1, None])), np.int64),
        (pl.Series([3, 1, None]), np.int64),
        (DAYS, DAYS.dtype),
    ],
    ids=short,
)
def test_classes_keep_the_callers_dtype(y, dtype):
    target = encode_labels(y)
    assert target.classes.dtype == dtype
    assert target.labels_of_labeled().dtype == dtype


@pytest.mark.skipif(not hasattr(np.dtypes, "StringDType"), reason="StringDType is of NumPy 2")
@pytest.mark.parametrize("empty", ["", None, NAN], ids=str)
def test_strings_of_variable_width(empty):
    dtype = np.dtypes.StringDType(**({} if empty == "" else {"na_object": empty}))
    target = encode_labels(np.array(["b", empty, "a"], dtype=dtype))
    assert target.classes.tolist() == ["a", "b"]
    assert target.codes.tolist() == [1, -1, 0]


def test_large_nullable_integers_keep_every_digit():
    big = 2**53 + 1
    for y in (pd.Series([big, 1, None], dtype="Int64"), pl.Series([big, 1, None])):
        assert encode_labels(y).classes.tolist() == [1, big]


@pytest.mark.parametrize(
    ("y", "unlabeled", "classes", "codes"),
    [
        ([-1, 1, -1], None, [-1, 1], [0, 1, 0]),
        (np.array([-1.0, 1.0, NAN]), None, [-1, 1], [0, 1, -1]),
        (["a", "-1"], None, ["-1", "a"], [1, 0]),
        ([0, -99, 1], -99, [0, 1], [0, -1, 1]),
        ([0, -99, -1], -99, [-1, 0], [1, -1, 0]),
        ([0, -99, 1], np.int64(-99), [0, 1], [0, -1, 1]),
        ([0, -99, 1], -99.0, [0, 1], [0, -1, 1]),
        ([0.0, -99, NAN, 1], -99, [0, 1], [0, -1, -1, 1]),
        ([0, -99, -98, 1], [-99, -98], [0, 1], [0, -1, -1, 1]),
        ([0, -99, -98, 1], (-99, -98), [0, 1], [0, -1, -1, 1]),
        ([0, -99, -98, 1], {-99, -98}, [0, 1], [0, -1, -1, 1]),
        ([0, -99, -98, 1], np.array([-99, -98]), [0, 1], [0, -1, -1, 1]),
        ([0, -99, -98, 1], pd.Series([-99, -98]), [0, 1], [0, -1, -1, 1]),
        ([0, 5, 1], [], [0, 1, 5], [0, 2, 1]),
        (["a", "?", "b"], "?", ["a", "b"], [0, -1, 1]),
        (np.array(["a", "?", "b"]), "?", ["a", "b"], [0, -1, 1]),
        (["a", "?", "", "b"], ["?", None], ["a", "b"], [0, -1, -1, 1]),
        (["a", "?", "b"], ["?", -1], ["a", "b"], [0, -1, 1]),
        ([1, "?", 2], "?", [1, 2], [0, -1, 1]),
        (["a", -99, "b"], -99, ["a", "b"], [0, -1, 1]),
        (["a", 0, "b"], 0, ["a", "b"], [0, -1, 1]),
        (np.array(["a", "-1", "b"]), "-1", ["a", "b"], [0, -1, 1]),
        (["auto", None, "manual"], "auto", ["auto", "manual"], [0, -1, 1]),
        ([True, None, False], None, [False, True], [1, -1, 0]),
        (pd.Series([0, -99, None, 1], dtype="Int64"), -99, [0, 1], [0, -1, -1, 1]),
        (pd.Series(["a", "?", None, "b"], dtype="string"), "?", ["a", "b"], [0, -1, -1, 1]),
        (pd.Series(["a", "?", None, "b"], dtype="category"), "?", ["a", "b"], [0, -1, -1, 1]),
        (pl.Series([0, -99, None, 1]), -99, [0, 1], [0, -1, -1, 1]),
        ([0, 1, None], NAN, [0, 1], [0, 1, -1]),
        ([0, 1, None], pd.NA, [0, 1], [0, 1, -1]),
        ([0, 1, None], [pd.NA, NAN], [0, 1], [0, 1, -1]),
        (DAYS, -1, DAYS.tolist(), [0, 1]),
    ],
)
def test_a_marker_of_the_callers(y, unlabeled, classes, codes):
    target = encode_labels(y, unlabeled=unlabeled)
    assert target.classes.tolist() == classes
    assert target.codes.tolist() == codes


@pytest.mark.parametrize(
    ("y", "unlabeled"),
    [
        (["a", "b"], -1),
        (np.array(["a", "b", "-1"]), -1),
        (["a", "b"], [-1, 0]),
        ([0, 1], "?"),
        ([0.0, NAN, 1.0], "?"),
        ([True, False], "?"),
        (DAYS, "2024-05-01"),
    ],
)
def test_a_marker_that_y_cannot_hold_is_an_error(y, unlabeled):
    with pytest.raises(ValueError, match=r"unlabeled must be a value that y can hold.*same type"):
        encode_labels(y, unlabeled=unlabeled)


@pytest.mark.parametrize(
    "y",
    [[-1, 1, -1, 1], [-1.0, 1.0], np.array(["1", "-1"]), ["1", "-1"], pd.Series([-1, 1])],
    ids=short,
)
def test_classes_minus_and_plus_one_name_the_cure(y):
    with pytest.raises(ValueError, match=r"at least 2 classes.*unlabeled=None"):
        encode_labels(y)
    assert len(encode_labels(y, unlabeled=None).classes) == 2


def test_the_cure_for_minus_one_is_named_only_where_minus_one_was_read_as_marker():
    for y in ([1, 1, None], [None, None], ["a", "", "a"]):
        with pytest.raises(ValueError, match=r"label") as caught:
            encode_labels(y)
        assert "unlabeled=None" not in str(caught.value)


@pytest.mark.parametrize("unlabeled", ["auto", None, -1, [-1, -2], np.array([-1, -2]), pd.NA])
@pytest.mark.parametrize("y", [[None, None], [NAN, NAN], pd.Series([None, None], dtype="Int64")])
def test_no_labeled_row(y, unlabeled):
    with pytest.raises(ValueError, match=r"y has no labeled row.*label at least one row"):
        encode_labels(y, unlabeled=unlabeled)


@pytest.mark.parametrize("y", [[-1, -1], [-1.0], ["-1"], pd.Series([-1, -1], dtype="Int64")])
def test_no_labeled_row_with_the_default_marker_names_the_cure(y):
    with pytest.raises(ValueError, match=r"y has no labeled row.*unlabeled=None"):
        encode_labels(y)


def test_no_label_is_legal_if_the_caller_says_so():
    target = encode_labels([-1, -1], min_classes=0)
    assert len(target.classes) == 0
    assert target.codes.tolist() == [-1, -1]
    assert len(target.labels_of_labeled()) == 0


@pytest.mark.parametrize("y", [["a", None], ["a", "a"], [7, 7, -1], [True, None]])
def test_a_single_class(y):
    with pytest.raises(ValueError, match=r"at least 2 classes. Got 1 class \('?(a|7|True)'?\)"):
        encode_labels(y)
    assert len(encode_labels(y, min_classes=1).classes) == 1


def test_lengths_differ():
    with pytest.raises(ValueError, match=r"same length. Got 4 rows in X and 3 in y"):
        encode_labels([0, 1, -1], n_samples=4)


@pytest.mark.parametrize("value", [np.inf, -np.inf])
def test_infinity_is_no_label(value):
    with pytest.raises(ValueError, match=r"infinity.*NaN or -1"):
        encode_labels([0.0, 1.0, value])


@pytest.mark.parametrize(
    "y", [[0.0, 0.5, 1.0], [0.25, NAN], [0.5, None, 1], pl.Series([0.5, None, 1.0])], ids=short
)
def test_continuous_floats_are_no_classes(y):
    with pytest.raises(ValueError, match=r"Unknown label type: continuous.*Got 0\.\d+: cut"):
        encode_labels(y)


def test_floats_too_large_for_an_integer_are_whole():
    assert encode_labels([1e300, 0.0]).classes.tolist() == [0.0, 1e300]


@pytest.mark.parametrize("y", [["a", 1, "b"], ["a", 2.5], ["a", True], ["a", DAYS[0]]], ids=short)
def test_mixed_strings_and_numbers(y):
    with pytest.raises(ValueError, match=r"y must not mix strings and other values.*unlabeled="):
        encode_labels(y)


@pytest.mark.parametrize(
    ("y", "shown"),
    [
        ([datetime.date(2024, 5, 1), datetime.date(2024, 5, 2), None], "date"),
        (pd.Series(pd.to_datetime(["2024-05-01", "2024-05-02"], utc=True)), "Timestamp"),
        (pd.cut(pd.Series([1.0, 2.0, NAN]), 2), "Interval"),
        ([decimal.Decimal(1), decimal.Decimal(2)], "Decimal"),
        (np.array([b"a", b"b"]), "bytes"),
        ([b"a", None, b"b"], "bytes"),
        (np.array([{"a"}, {"b"}]), "set"),
        ([["a"], None, ["a", "b"]], "list"),
    ],
    ids=short,
)
def test_types_that_are_no_labels_name_the_cure(y, shown):
    with pytest.raises(ValueError, match=f"y must hold ints.*Got {shown}.*convert"):
        encode_labels(y)


def test_the_cure_for_intervals_works():
    y = pd.cut(pd.Series([1.0, 2.0, NAN]), 2).astype("string")
    assert encode_labels(y).codes.tolist() == [0, 1, -1]


def test_complex_numbers_are_refused():
    with pytest.raises(ValueError, match="omplex"):
        encode_labels(np.array([1 + 1j, 2]))


@pytest.mark.parametrize(
    "y",
    [
        np.array([[0], [1], [-1]]),
        [[0], [1], [-1]],
        pd.DataFrame({"y": [0, 1, -1]}),
        pl.DataFrame({"y": [0, 1, -1]}),
        np.ma.array([[0], [1], [7]], mask=[[0], [0], [1]]),
    ],
    ids=lambda y: type(y).__name__,
)
def test_a_column_vector_warns(y):
    with pytest.warns(DataConversionWarning):
        assert encode_labels(y).codes.tolist() == [0, 1, -1]


@pytest.mark.parametrize(
    "y", [np.eye(3), [["a", "b"], ["a", "c"]], pd.DataFrame({"a": [0, 1], "b": [1, 0]})], ids=short
)
def test_two_dimensions_are_refused(y):
    with pytest.raises(ValueError, match=r"y should be a 1d array.*Got shape.*argmax"):
        encode_labels(y)


@pytest.mark.parametrize("y", [np.zeros((2, 2, 2)), 3, "abc", [["a"], ["a", "b"]]], ids=short)
def test_other_shapes_are_refused(y):
    with pytest.raises(ValueError, match="y should be a 1d array"):
        encode_labels(y)


def test_no_y():
    with pytest.raises(ValueError, match=r"requires y to be passed.*pass one label"):
        encode_labels(None)


def test_many_classes_with_one_label_each_do_not_warn():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(encode_labels(list(range(40)) + [-1] * 200).classes) == 40


@pytest.mark.parametrize(
    "y", [np.array([1, -1, 0]), np.array([1, NAN]), np.array(["a", ""]), pd.Series([1, -1])]
)
def test_y_is_left_alone(y):
    if isinstance(y, np.ndarray):
        y.flags.writeable = False
    before = y.copy()
    encode_labels(y, min_classes=1)
    np.testing.assert_array_equal(y, before)


def test_messages_show_plain_values():
    for y in ([np.int64(7), None], np.array([7, 7]), np.array(["a", "a"])):
        with pytest.raises(ValueError, match="class") as caught:
            encode_labels(y)
        assert not re.search(r"np\.|dtype|array\(", str(caught.value))


def test_what_is_empty_and_what_is_a_class():
    empty = [None, "", NAN, np.float32("nan"), NAT, pd.NaT, pd.NA, decimal.Decimal("NaN")]
    assert all(is_empty(value) for value in empty)
    assert not any(is_empty(value) for value in ("nan", " ", 0, False, -1, 0.0, DAYS[0], [], ()))


def test_without_removes_labels_and_the_classes_that_lost_their_last_one():
    target = PartialLabels(np.array(["a", "b", "c"]), np.array([0, 1, -1, 2, 0]))
    rest = target.without(np.array([False, True, False, False, True]))
    assert rest.classes.tolist() == ["a", "c"]
    assert rest.codes.tolist() == [0, -1, -1, 1, -1]
    assert target.codes.tolist() == [0, 1, -1, 2, 0]


def test_without_refuses_to_leave_one_class_unless_told():
    target, hidden = encode_labels(["a", "b"]), np.array([True, False])
    with pytest.raises(ValueError, match=r"At least 2 classes must keep a label. Got 1"):
        target.without(hidden)
    assert target.without(hidden, min_classes=0).classes.tolist() == ["b"]
