"""LabeledForest: the forest of the labeled rows, and probabilities that suit left-out rows."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array
from sklearn.ensemble import RandomForestClassifier

from conftest import problem
from ssrlpl import LabeledForest, load, save
from ssrlpl._core.readout import probabilities
from ssrlpl.learners.labeled_forest import _left_out_votes


def test_it_is_the_forest_of_the_labeled_rows(small):
    X, y, _ = small
    labeled = y >= 0
    forest = RandomForestClassifier(20, oob_score=True, random_state=3).fit(X[labeled], y[labeled])
    model = LabeledForest(n_trees=20, random_state=3).fit(X, y)
    assert_array_equal(model.label_scores(X), np.log(forest.predict_proba(X) + 1 / 20))
    assert_array_equal(model.predict(X), forest.predict(X))


def test_temperature_suits_rows_that_were_left_out():
    X, y, _ = problem(n=400, d=3, seed=1)
    model, codes = LabeledForest().fit(X, y), y[y >= 0]
    rows = np.arange(len(codes))

    def likelihood(temperature):
        found = probabilities(model.loo_scores_, temperature)[rows, codes]
        return np.log(np.maximum(found, 1e-12)).mean()

    best = likelihood(model.temperature_)
    assert best > likelihood(0.5 * model.temperature_)
    assert best > likelihood(2 * model.temperature_)
    assert LabeledForest(temperature=3.0).fit(X, y).temperature_ == 3.0


@pytest.mark.parametrize("kind", [np.asarray, csr_array])
@pytest.mark.parametrize("unit", [1e-60, 1e60, 2.0**-30, 2.0 ** np.arange(-30, 40, 10)])
def test_units_in_which_trees_cannot_tell_values_apart(small, unit, kind):
    """Values that differ by less than 1e-7 are equal to trees, and they have single precision."""
    X, y, _ = small
    scaled = kind(unit * X)
    expected = LabeledForest(n_trees=10).fit(X, y).predict_proba(X)
    found = LabeledForest(n_trees=10).fit(scaled, y).predict_proba(scaled)
    assert_allclose(found, expected)


def test_sparse_rows_with_long_indices(small):
    """As ``scipy.sparse.hstack`` or int64 row numbers make them."""
    X, y, _ = small
    rows = csr_array(X)
    rows.indices, rows.indptr = rows.indices.astype(np.int64), rows.indptr.astype(np.int64)
    expected = LabeledForest(n_trees=5).fit(X, y).predict(X)
    assert_array_equal(LabeledForest(n_trees=5).fit(rows, y).predict(rows), expected)


def test_a_file_holds_the_trees_as_arrays(small, tmp_path):
    X, y, _ = small
    model = LabeledForest(True, 10).fit(X, np.array(["a", "b", "c", None], dtype=object)[y])
    save(model, tmp_path / "model.ssrlpl")
    loaded = load(tmp_path / "model.ssrlpl")
    assert_array_equal(loaded.predict_proba(X), model.predict_proba(X))
    assert_array_equal(loaded.predict(X), model.predict(X))


@pytest.mark.parametrize("setting", [{"n_trees": 0}, {"temperature": 0.0}])
def test_settings_that_cannot_be(small, setting):
    X, y, _ = small
    with pytest.raises(ValueError, match=next(iter(setting))):
        LabeledForest(**setting).fit(X, y)


def test_few_labels_a_class_are_not_judged_by_the_label_that_is_missing():
    """Trees that have not seen a row saw one of two labels of its class: these votes count twice.

    Of many labels one does not matter; a row that every tree has seen has no votes.
    """
    votes, codes = np.array([[0.5, 0.5], [0.2, 0.8], [np.nan, np.nan]]), np.array([0, 0, 1])
    assert_allclose(_left_out_votes(votes, codes), [[2 / 3, 1 / 3], [1 / 3, 2 / 3], [0, 0]])
    many = np.tile([0.5, 0.5], (40, 1))
    assert_allclose(_left_out_votes(many, np.arange(40) % 2), many)
