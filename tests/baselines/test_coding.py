"""Methods that combine labels as they combine rows: closed forms, collapse, left-out labels."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from baseline_problems import overlapping
from conftest import without_each_label
from ssrlpl import encode_labels
from ssrlpl.baselines import (
    LinearNeighborhoodPropagation,
    PairwisePropagation,
    SparseNeighborhoodPropagation,
)
from ssrlpl.model_selection import loo_predict

ALL = [
    LinearNeighborhoodPropagation(5),
    LinearNeighborhoodPropagation(5, class_mass=True),
    SparseNeighborhoodPropagation(n_neighbors=15),
    SparseNeighborhoodPropagation(n_neighbors=15, class_mass=True),
    PairwisePropagation(n_neighbors=15, n_rounds=2),
]


def spread_out(seed=0):
    """Rows that are not all on one side of the origin would have few positive products."""
    X, y, truth = overlapping(seed)
    return X + 3, y, truth


def scaled(F, y):
    F = F / F.sum(axis=1, keepdims=True)
    F[y >= 0] = np.eye(3)[y[y >= 0]]
    return F


@pytest.mark.parametrize("alpha", [0.3, 0.99])
@pytest.mark.parametrize("mass", [False, True])
def test_linear_neighborhoods_are_the_closed_form(alpha, mass):
    X, y, _ = spread_out()
    fitted = LinearNeighborhoodPropagation(6, alpha=alpha, class_mass=mass).fit(X, y)
    W = fitted.weights_.toarray()
    assert_allclose(W.sum(axis=1), 1)
    assert (W >= 0).all()
    Y = np.where(y[:, None] >= 0, np.eye(3)[y], 0)
    F = (1 - alpha) * np.linalg.solve(np.eye(len(X)) - alpha * W, Y)
    F *= (Y.sum(axis=0) + 1) / F.sum(axis=0) if mass else 1
    assert_allclose(fitted.label_distributions_, scaled(F, y), atol=1e-9)


def test_sparse_neighborhoods_are_the_closed_form():
    X, y, _ = spread_out(1)
    fitted = SparseNeighborhoodPropagation(n_neighbors=20).fit(X, y)
    W, free = fitted.weights_.toarray(), y < 0
    inner = np.eye(free.sum()) - W[np.ix_(free, free)]
    F = np.linalg.solve(inner, W[np.ix_(free, ~free)] @ np.eye(3)[y[~free]])
    assert_allclose(fitted.label_distributions_[free], F, atol=1e-9)
    assert np.diff(fitted.weights_.indptr).max() < 20  # chosen among the candidates


def test_class_masses_follow_the_counts_raised_by_one():
    X, y, _ = spread_out(1)
    plain = SparseNeighborhoodPropagation(n_neighbors=20).fit(X, y).label_distributions_
    F = plain * (np.bincount(y[y >= 0]) + 1) / plain.sum(axis=0)
    fitted = SparseNeighborhoodPropagation(n_neighbors=20, class_mass=True).fit(X, y)
    assert_allclose(fitted.label_distributions_, scaled(F, y), atol=1e-9)


@pytest.mark.parametrize("mass", [False, True])
def test_pairs_without_effect_are_sparse_neighborhoods(mass):
    X, y, _ = spread_out(2)
    plain = SparseNeighborhoodPropagation(n_neighbors=15, class_mass=mass).fit(X, y)
    pairs = PairwisePropagation(n_neighbors=15, class_mass=mass, mixing=0).fit(X, y)
    assert_allclose(pairs.label_distributions_, plain.label_distributions_, atol=1e-12)


def test_pair_weights_by_their_definition():
    X, y, _ = spread_out(3)
    plain = SparseNeighborhoodPropagation(n_neighbors=15).fit(X, y)
    F, W = plain.label_distributions_, plain.weights_.toarray()
    S = W * (0.3 + 0.7 * F @ F.T)
    S /= S.sum(axis=1, keepdims=True)
    pairs = PairwisePropagation(n_neighbors=15, mixing=0.7, n_rounds=1).fit(X, y)
    assert_allclose(pairs.pair_weights_.toarray(), S, atol=1e-12)
    assert_array_equal(pairs.weights_.toarray(), W)
    free = y < 0
    assert_allclose((S @ pairs.label_distributions_)[free], pairs.label_distributions_[free])


@pytest.mark.parametrize("model", ALL)
def test_left_out_scores_are_those_of_refits(model):
    X, y, _ = spread_out(4)
    y[np.flatnonzero(y == 2)[1:]] = -1  # one label: its class disappears when it is hidden
    scores = model.loo_scores(X, encode_labels(y))
    for found, (row, hidden) in zip(scores, without_each_label(y), strict=True):
        refit = model.fit(X, hidden)
        assert_allclose(found[refit.classes_], refit.label_distributions_[row], atol=1e-8)
    assert_array_equal(loo_predict(model, X, y), scores.argmax(axis=1))


@pytest.mark.parametrize("model", ALL)
def test_new_rows_combine_label_vectors_and_training_rows_keep_theirs(model):
    X, y, _ = spread_out(5)
    fitted = model.fit(X, y)
    assert_allclose(fitted.predict_proba(X), fitted.label_distributions_, atol=1e-12)
    assert_array_equal(fitted.predict(X), fitted.transduction_)
    between = fitted.predict_proba(0.5 * (X[:20] + X[1:21]))
    assert_allclose(between.sum(axis=1), 1)
    assert np.isfinite(fitted.predict_proba(np.vstack([-X[:1], 1e9 * X[:1], 0 * X[:1]]))).all()


def test_a_new_row_is_coded_like_a_training_row():
    X, y, _ = spread_out(6)
    fitted = LinearNeighborhoodPropagation(2, ridge=0).fit(X, y)
    distances, columns = fitted._search.nearest(1)
    one = distances[:, 0].argmin()  # of the two nearest rows, no other row is between them
    other = columns[one, 0]
    Y = fitted.label_distributions_
    x = 0.25 * X[one] + 0.75 * X[other]
    found = fitted.predict_proba(x[None])[0]
    assert_allclose(found, 0.25 * Y[one] + 0.75 * Y[other], atol=1e-9)


@pytest.mark.parametrize("model", ALL)
def test_sparse_input_and_single_precision(model):
    X, y, _ = spread_out(7)
    X[:, 0] = np.where(X[:, 0] < 3, 0, X[:, 0])
    dense = model.fit(X, y).label_distributions_
    assert_allclose(model.fit(sparse.csr_array(X), y).label_distributions_, dense, atol=1e-6)
    single = model.fit(X.astype(np.float32), y)
    assert single.label_distributions_.dtype == np.float32
    assert_allclose(single.label_distributions_, dense, atol=1e-3)
