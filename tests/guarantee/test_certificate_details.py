"""What a certificate says about its estimator and its limits."""

import warnings

import numpy as np
import pandas as pd

from conftest import problem
from ssrlpl import SSRLPL, KernelSSRLPL, certify
from ssrlpl._utils import limits


def test_the_certified_map_knows_the_columns_of_the_table():
    X, y, _ = problem(n=90)
    frame = pd.DataFrame(X, columns=[f"column {j}" for j in range(X.shape[1])])
    map_ = certify(KernelSSRLPL(), frame, y).estimator
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # such as: fitted without feature names
        map_.transform(frame)
    assert list(map_.feature_names_in_) == list(frame.columns)


def test_a_limit_for_rows_of_each_kind_is_hit_by_one_kind_only(monkeypatch):
    X, _, truth = problem(n=90)
    half = np.where(np.arange(90) % 2, truth, -1)
    monkeypatch.setattr(limits, "SAMPLING_TEST_ROWS", 50)
    assert "SAMPLING_TEST_ROWS" not in certify(SSRLPL(), X, half).limits_hit
    monkeypatch.setattr(limits, "SAMPLING_TEST_ROWS", 40)
    assert "SAMPLING_TEST_ROWS" in certify(SSRLPL(), X, half).limits_hit
