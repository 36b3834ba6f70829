"""Partially labeled targets of any form: properties that hold for all of them."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ssrlpl import SSRLPL, encode_labels

NAN = float("nan")
FORMS = {
    "int": (st.integers(0, 6), [-1]),
    "float": (st.integers(0, 6).map(float), [NAN]),
    "negative float": (st.integers(-3, 3).map(float), [NAN]),
    "object int": (st.integers(-3, 6), [None, pd.NA, NAN]),
    "text": (st.sampled_from("abcdef"), [None, NAN, pd.NA, "", -1]),
    "bool": (st.booleans(), [None, pd.NA]),
}


@st.composite
def targets(draw):
    labels, markers = FORMS[draw(st.sampled_from(sorted(FORMS)))]
    entry = st.one_of(
        labels.map(lambda v: (True, v)), st.sampled_from(markers).map(lambda m: (0, m))
    )
    rows = draw(st.lists(entry, min_size=3, max_size=25))
    rows += [(True, v) for v in draw(st.lists(labels, min_size=2, max_size=2, unique=True))]
    if markers != [-1]:
        rows += [(False, markers[0])]  # an empty value, so that -1 is a class
    return draw(st.permutations(rows))


CONTAINERS = {
    "list": list,
    "tuple": tuple,
    "object array": lambda y: np.array([*y, None], dtype=object)[:-1],
    "object Series": lambda y: pd.Series(list(y), dtype=object),
    "Categorical": pd.Categorical,
}


def _same(a, b):
    return type(a) is type(b) and a == b


@pytest.mark.parametrize("container", CONTAINERS)
@given(rows=targets())
def test_decoding_the_codes_gives_back_the_labels(container, rows):
    target = encode_labels(CONTAINERS[container]([value for _, value in rows]))
    is_label = [bool(labeled) for labeled, _ in rows]
    labels = [value for labeled, value in rows if labeled]
    assert target.is_labeled.tolist() == is_label
    assert all(map(_same, target.classes[target.codes[target.is_labeled]].tolist(), labels))
    assert target.labels_of_labeled().tolist() == labels
    assert target.classes.tolist() == sorted(set(labels))
    assert (target.codes[~target.is_labeled] == -1).all()


@given(rows=targets(), seed=st.integers(0, 2**31))
def test_the_order_of_the_rows_does_not_matter(rows, seed):
    order = np.random.default_rng(seed).permutation(len(rows))
    target = encode_labels([value for _, value in rows])
    shuffled = encode_labels([rows[i][1] for i in order])
    assert shuffled.classes.tolist() == target.classes.tolist()
    assert shuffled.codes.tolist() == target.codes[order].tolist()


@given(rows=targets(), data=st.data())
def test_without_equals_unlabeling_the_rows_by_hand(rows, data):
    y = [value for _, value in rows] + [None]
    hidden = np.array(data.draw(st.lists(st.booleans(), min_size=len(y), max_size=len(y))))
    whole = encode_labels(y)
    # -1 beside text is empty, too. Alone with empty values it would be read as a class.
    kept = whole.is_labeled & ~hidden
    expected = encode_labels(
        [v if k else None for k, v in zip(kept, y, strict=True)], min_classes=0
    )
    target = whole.without(hidden, min_classes=0)
    assert target.classes.tolist() == expected.classes.tolist()
    assert target.codes.tolist() == expected.codes.tolist()


@pytest.mark.parametrize("later", [[None, -1], [-1, -1], ["", "-1"], ["a", -1], ["a", "b"]])
def test_minus_one_beside_classes_of_text_marks_in_later_chunks_too(later):
    X = np.random.default_rng(0).normal(size=(8, 3))
    first = ["a", "b", "a", "b", -1, None, "a", "b"]
    chunked = SSRLPL().partial_fit(X, first).partial_fit(X[:2], later)
    assert chunked.classes_.tolist() == ["a", "b"]
