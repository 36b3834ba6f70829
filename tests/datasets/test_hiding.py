"""Hiding labels: every kind of class, every way to say how many stay."""

import numpy as np
import pytest

from ssrlpl import encode_labels
from ssrlpl.datasets import hide_labels

TRUTH = np.arange(20) % 2


def test_hide_labels_keeps_what_it_says():
    truth = np.arange(100) % 5
    y = hide_labels(truth, keep=0.2, random_state=0)
    assert (y >= 0).sum() == 20
    assert set(y[y >= 0]) == set(range(5))
    assert np.array_equal(y[y >= 0], truth[y >= 0])
    per_class = hide_labels(truth, keep_per_class=3, random_state=0)
    assert np.bincount(per_class[per_class >= 0]).tolist() == [3] * 5


def test_hide_labels_is_seeded_and_takes_strings():
    truth = np.array(["a", "b"] * 20)
    y = hide_labels(truth, keep=6, random_state=3)
    assert y.tolist() == hide_labels(truth, keep=6, random_state=3).tolist()
    assert y.tolist() != hide_labels(truth, keep=6, random_state=4).tolist()
    assert sum(label is not None for label in y) == 6


@pytest.mark.parametrize("signs", [np.int64, np.int8, float])
def test_minus_one_can_be_a_class(signs):
    truth = (2 * TRUTH - 1).astype(signs)
    y = hide_labels(truth, keep=6, unlabeled=None, random_state=0)
    shown = np.array([label is not None for label in y])
    assert shown.sum() == 6
    assert y[shown].tolist() == truth[shown].tolist()
    for unlabeled in (None, "auto"):
        target = encode_labels(y, unlabeled=unlabeled)
        assert target.classes.tolist() == [-1, 1]
        assert target.is_labeled.tolist() == shown.tolist()


@pytest.mark.parametrize("unlabeled", [None, -99, [-99, 99]])
def test_a_marker_of_your_own_reads_the_result(unlabeled):
    y = hide_labels(TRUTH, keep=6, unlabeled=unlabeled, random_state=0)
    target = encode_labels(y, unlabeled=unlabeled)
    assert target.classes.tolist() == [0, 1]
    assert target.n_labeled == 6


def test_rows_with_the_marker_stay_without_label():
    y = np.where(np.arange(20) < 10, -99, TRUTH)
    target = encode_labels(hide_labels(y, keep=1.0, unlabeled=-99), unlabeled=-99)
    assert target.is_labeled.tolist() == [False] * 10 + [True] * 10


@pytest.mark.parametrize("dtype", [np.int8, np.int64, np.uint8, np.uint32])
def test_whole_numbers_get_minus_one(dtype):
    y = hide_labels(TRUTH.astype(dtype), keep=4, random_state=0)
    assert y.dtype.kind == "i"
    assert np.count_nonzero(y == -1) == 16


def test_labels_too_large_for_a_signed_type_stay_exact():
    truth = np.array([2**64 - 1, 2**64 - 2] * 3, dtype=np.uint64)
    y = hide_labels(truth, keep=4, random_state=0)
    assert {label for label in y if label is not None} == {2**64 - 1, 2**64 - 2}


@pytest.mark.parametrize(
    ("keep", "count"),
    [
        (0.3, 6), (np.float64(0.3), 6), (np.float32(0.3), 6), (np.float16(0.5), 10),
        (1.0, 20), (np.float32(1), 20), (5, 5), (np.int64(5), 5), (20, 20),
    ],
)  # fmt: skip
def test_keep_is_a_number_or_a_share(keep, count):
    assert np.count_nonzero(hide_labels(TRUTH, keep=keep, random_state=0) >= 0) == count


@pytest.mark.parametrize(
    ("arguments", "cure"),
    [
        ({}, "either"),
        ({"keep": 1}, "one for each class"),
        ({"keep": 5.7}, r"keep must be an int >= 1 or a share in \(0, 1\]\. Got 5\.7: pass an int"),
        ({"keep": 5.0}, r"share in \(0, 1\]\. Got 5\.0: pass an int"),
        ({"keep": np.float32(2.5)}, r"share in \(0, 1\]\. Got .*2\.5.*: pass an int"),
        ({"keep": 0.0}, r"share in \(0, 1\]\. Got 0\.0"),
        ({"keep": -0.5}, r"share in \(0, 1\]\. Got -0\.5"),
        ({"keep": np.nan}, r"share in \(0, 1\]\. Got nan"),
        ({"keep": 0.01}, "between 2 labels .* Got 0.01, that is 0 labels: pass keep in this"),
        ({"keep": 21}, "and 20 .* Got 21, that is 21 labels: pass keep in this"),
        ({"keep": 0}, "keep must be an int >= 1. Got 0"),
        ({"keep": True}, "keep must be an int >= 1. Got True"),
        ({"keep": "5"}, "keep must be an int >= 1. Got '5'"),
        ({"keep_per_class": 0}, "keep_per_class must be an int >= 1. Got 0"),
        ({"keep_per_class": 2.5}, "keep_per_class must be an int >= 1. Got 2.5"),
        ({"keep_per_class": 11}, r"\[1, 10\], the size of the smallest .* Got 11: lower"),
    ],
)
def test_errors_name_the_cure(arguments, cure):
    with pytest.raises(ValueError, match=cure):
        hide_labels(TRUTH, **arguments)
