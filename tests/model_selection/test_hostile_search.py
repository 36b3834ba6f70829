"""SSRLPLCV and what people pass to it: weights, shares, scales, threads."""

import json
import threading
import warnings

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning

from ssrlpl import SSRLPLCV
from ssrlpl._utils.quiet_learners import quiet_learners
from ssrlpl.datasets import hide_labels
from ssrlpl.model_selection.consensus import with_class_shares

pytestmark = pytest.mark.usefixtures("small_forests")


@pytest.fixture(scope="module")
def iris():
    X, truth = load_iris(return_X_y=True)
    X, truth = X[::2], truth[::2]
    # Centimeters with one decimal lie on the thresholds of trees, where rounding decides.
    X = X + np.random.default_rng(0).normal(scale=1e-3, size=X.shape)
    return X, hide_labels(truth, keep_per_class=5, random_state=0), truth


@pytest.fixture(scope="module")
def model(iris):
    return SSRLPLCV().fit(*iris[:2])


def test_score_board_holds_plain_values(model):
    assert json.loads(json.dumps(model.score_board_)) == model.score_board_
    assert {type(value) for row in model.score_board_ for value in row.values()} == {str, float}


@pytest.mark.parametrize("weights", [{"fit": np.full(75, 2.0)}, {"fit": np.full(75, 1e-6)}, {}])
def test_equal_weights_are_no_weights(iris, model, weights):
    # Five labels in each class: "balanced" has nothing to balance.
    X, y, _ = iris
    same = SSRLPLCV(class_weight=None if weights else "balanced")
    same.fit(X, y, sample_weight=weights.get("fit"))
    assert_array_equal(same.label_distributions_, model.label_distributions_)
    assert len(same.cv_results_["weight"]) == len(model.cv_results_["weight"])


@pytest.mark.parametrize("heavy", [1e10, 1e20, 1e300])
def test_one_row_with_all_the_weight(heavy, iris):
    X, y, _ = iris
    weight = np.ones(len(y))
    weight[np.flatnonzero(y >= 0)[0]] = heavy
    found = SSRLPLCV().fit(X, y, sample_weight=weight)
    assert np.isfinite(found.label_distributions_).all()
    assert 0 <= found.nested_error_ <= 1


@pytest.mark.parametrize("class_weight", [{0: 0.0}, {0: -1.0}, {0: np.nan}, {0: np.inf}])
def test_class_weights_must_be_positive(iris, class_weight):
    with pytest.raises(ValueError, match=r"class_weight must .* positive.*Got"):
        SSRLPLCV(class_weight={1: 1, 2: 1, **class_weight}).fit(*iris[:2])


def test_class_weight_is_checked(iris):
    with pytest.raises(ValueError, match=r"class_weight must .*Got 'balance'"):
        SSRLPLCV(class_weight="balance").fit(*iris[:2])
    with pytest.raises(ValueError, match=r"classes of the labeled rows, \[0, 1, 2\]. Got 'A'"):
        SSRLPLCV(class_weight={"A": 10}).fit(*iris[:2])


@pytest.mark.parametrize("n_jobs", [0, "2", 2.0, True])
def test_the_number_of_threads_is_checked(iris, n_jobs):
    with pytest.raises(ValueError, match="n_jobs must be None or an int other than 0. Got"):
        SSRLPLCV(n_jobs=n_jobs).fit(*iris[:2])


def test_class_shares_in_a_series_are_read_by_class(iris):
    X, y, _ = iris
    shares = {2: 0.5, 1: 0.3, 0: 0.2}
    by_name, by_series = (
        SSRLPLCV(class_prior=prior).fit(X, y) for prior in (shares, pd.Series(shares))
    )
    assert_array_equal(by_series.label_distributions_, by_name.label_distributions_)


@pytest.mark.parametrize(
    ("prior", "words"),
    [
        ("balanced", "Got 'balanced'"),
        ({0: 0.3, 1: 0.3, 2: 0.3, "other": 0.1}, "no labeled row.*'other'"),
        ({"0": 0.3, "1": 0.3, "2": 0.4}, "Got none for 0"),
    ],
)
def test_wrong_class_shares_are_named(iris, prior, words):
    with pytest.raises(ValueError, match=f"class_prior must.*{words}"):
        SSRLPLCV(class_prior=prior).fit(*iris[:2])


def test_class_shares_of_one_candidate_are_refused(iris):
    with pytest.raises(ValueError, match=r"class_prior .* choose='one'"):
        SSRLPLCV(choose="one", class_prior=[0.2, 0.3, 0.5]).fit(*iris[:2])


def test_class_shares_change_no_given_label():
    Y, every = np.eye(3)[[0, 1, 2, 2]], np.ones(4, dtype=bool)
    assert_array_equal(with_class_shares(Y, np.array([0.8, 0.1, 0.1]), every), Y)


@pytest.mark.parametrize("scale", [1e-100, 1e70])
def test_units_of_the_columns_do_not_matter(iris, model, scale):
    X, y, _ = iris
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = SSRLPLCV().fit(X * scale, y)
    assert_array_equal(found.transduction_, model.transduction_)
    assert_allclose(found.label_distributions_, model.label_distributions_, atol=1e-3)


def test_threads_leave_the_filters_of_warnings_alone(monkeypatch, iris):
    """Filters belong to the process: a thread that silences a warning does so for all."""
    entered = []

    class Told(warnings.catch_warnings):
        def __enter__(self):
            entered.append((threading.current_thread() is threading.main_thread(), filters()))
            return super().__enter__()

    def filters():
        return {(action, category) for action, _, category, *_ in warnings.filters}

    monkeypatch.setattr(warnings, "catch_warnings", Told)
    SSRLPLCV(n_jobs=2).fit(*iris[:2])
    in_threads = [found for is_main, found in entered if not is_main]
    assert in_threads
    assert all(("ignore", ConvergenceWarning) in found for found in in_threads)


def test_learners_are_quiet_and_others_are_not():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with quiet_learners:
            warnings.warn("steps", ConvergenceWarning, stacklevel=1)
            warnings.warn("mine", UserWarning, stacklevel=1)
    assert [str(one.message) for one in caught] == ["mine"]
