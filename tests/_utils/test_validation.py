"""Rows that no estimator can use are refused with one sentence that names the cure."""

import threading
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.pipeline import make_pipeline

from conftest import problem
from ssrlpl import (
    SSRLPL,
    SSRLPLCV,
    GraphLabeler,
    KernelSSRLPL,
    KNNLabeler,
    LabeledRidge,
    SSRLPLClassifier,
    TableTransformer,
)
from ssrlpl._utils.quiet_learners import quiet_learners
from ssrlpl._utils.validation import check_share, names_were_checked
from ssrlpl.baselines import LapSVM

X, Y, _ = problem(n=40, share=0.5)
ESTIMATORS = [
    SSRLPLCV(), SSRLPL(), KernelSSRLPL(), SSRLPLClassifier(), LabeledRidge(), GraphLabeler(),
    KNNLabeler(), LapSVM(),
]  # fmt: skip


def with_cell(value):
    table = pd.DataFrame(X, columns=[f"c{j}" for j in range(X.shape[1])])
    table["c0"] = table["c0"].astype(object)
    table.loc[3, "c0"] = value
    return table


UNUSABLE = {
    "a gap": (with_cell(np.nan), "^Input X contains NaN: "),
    "a mask": (np.ma.array(X, mask=X > 2), "^Input X contains NaN: "),
    "pd.NA": (with_cell(pd.NA), "^Input X contains NaN: "),
    "infinity": (with_cell(np.inf), "^Input X contains infinity"),
    "a text": (with_cell("red"), "^X must hold numbers: .*'red'"),
    "a date": (with_cell(pd.Timestamp("2020")), "^X must hold numbers: .*'Timestamp'"),
    "dates": (pd.DataFrame({"c0": X[:, 0], "day": pd.date_range("2020", periods=40)}),
              "^X must hold numbers: "),
}  # fmt: skip


@pytest.mark.parametrize("name", UNUSABLE)
@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda estimator: type(estimator).__name__)
def test_gaps_and_texts_name_the_cure(estimator, name):
    table, words = UNUSABLE[name]
    with pytest.raises((ValueError, TypeError), match=words) as caught:
        estimator.fit(table, Y)
    assert "TableTransformer" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_gaps_in_new_rows_name_it_too():
    model = SSRLPL().fit(X, Y)
    with pytest.raises(ValueError, match="contains NaN: fill in the gaps by a .*TableTransformer"):
        model.transform(np.full((1, X.shape[1]), np.nan))


@pytest.mark.parametrize(
    "table",
    [with_cell(np.nan), with_cell(0.0).assign(kind=["red", "blue"] * 20)],
    ids=["a gap", "texts"],
)
def test_the_cure_works(table):
    assert len(make_pipeline(TableTransformer(), SSRLPL()).fit_transform(table, Y)) == len(Y)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize(
    ("dtype", "scale"),
    [("float64", 1e-160), ("float64", 1e150), ("float32", 1e-22), ("float32", 1e25)],
)
def test_the_search_refuses_numbers_it_cannot_square(form, dtype, scale):
    with pytest.raises(ValueError, match=r"largest number of X must be.*Got .*StandardScaler"):
        SSRLPLCV().fit(form((X * scale).astype(dtype)), Y)


def test_threads_leave_the_warning_filters_as_they_were():
    named = SSRLPL().fit(pd.DataFrame(X).add_prefix("c"), Y)
    before = list(warnings.filters)
    second_in, first_out = threading.Event(), threading.Event()
    heard = []

    def second():
        with quiet_learners:
            second_in.set()
            first_out.wait(10)
            with warnings.catch_warnings(record=True) as caught:
                warnings.warn("steps", ConvergenceWarning, stacklevel=1)
            heard.extend(caught)

    thread = threading.Thread(target=second)
    with names_were_checked(named, X):
        thread.start()
        assert second_in.wait(10)
    first_out.set()
    thread.join()
    assert warnings.filters == before
    assert not heard  # the second one was still in when the first one left


@pytest.mark.parametrize(
    ("options", "taken", "refused", "words"),
    [
        ({}, (0.5, 1e-300), (0, 1, -1, np.nan, True, "auto", None), r"in \(0, 1\)\. Got"),
        ({"zero": True}, (0, 0.5), (1, -1, np.nan, False, "0"), r"in \[0, 1\)\. Got"),
        ({"open_": False}, (0, 0.5, 1), (2, -1, np.nan, True), r"in \[0, 1\]\. Got"),
        ({"high": np.inf, "zero": True}, (0, 9, 1e308), (np.inf, -1), r"in \[0, inf\)\. Got"),
        ({"or_auto": True}, ("auto", 0.5), ("foo", 0, 1), r'in \(0, 1\), or "auto"\. Got'),
    ],
)
def test_ends_of_an_interval_are_as_the_message_says(options, taken, refused, words):
    for value in taken:
        check_share("alpha", value, **options)
    for value in refused:
        with pytest.raises(ValueError, match=f"^alpha must be a number {words} "):
            check_share("alpha", value, **options)
