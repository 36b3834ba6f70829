"""Equal rows are found, and no others, whatever their fingerprints are."""

import numpy as np
import pytest
from scipy import sparse

from ssrlpl import GraphLabeler
from ssrlpl._core import equal_rows as module
from ssrlpl._core.equal_rows import equal_rows


def by_comparison(rows, X, most):
    found = np.full((len(X), most), -1)
    for i, x in enumerate(X):
        equal = np.flatnonzero((rows == x).all(axis=1))[:most]
        found[i, : len(equal)] = equal
    return found


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("most", [1, 3])
def test_the_same_as_comparing_all_pairs(dtype, most):
    rng = np.random.default_rng(0)
    rows = rng.integers(1, 4, size=(200, 4)).astype(dtype)  # many rows come twice and more
    X = np.concatenate([rows[::-1], rng.integers(1, 5, size=(100, 4)).astype(dtype)])
    expected = by_comparison(rows, X, most)
    assert np.array_equal(equal_rows(rows, X, most), expected)
    assert np.array_equal(equal_rows(np.asfortranarray(rows), X, most), expected)
    assert (expected < 0).any()
    assert (expected[:, 0] >= 0).any()


def test_rows_of_the_same_fingerprint_are_compared(monkeypatch):
    monkeypatch.setattr(module, "_fingerprints", lambda rows: np.zeros(len(rows)))
    rows = np.arange(8.0).reshape(4, 2)
    found = equal_rows(rows, np.array([[2.0, 3.0], [2.0, 4.0]]), 3)
    assert np.array_equal(found, [[-1, 1, -1], [-1, -1, -1]])


def test_other_types_and_sparse_rows_are_left_to_the_search():
    rows = np.eye(3)
    for other in (rows.astype(np.float32), sparse.csr_matrix(rows)):
        assert (equal_rows(rows, other, 2) == -1).all()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_graph_says_of_its_own_rows_what_it_said_when_it_was_fitted(dtype, monkeypatch):
    """Without a second search; new rows among them are searched, and get the same as alone."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 30)).astype(dtype)
    y = np.where(np.arange(300) < 40, np.arange(300) % 2, -1)
    labeler = GraphLabeler(5).fit(X, y)
    new = rng.normal(size=(20, 30)).astype(dtype)
    mixed = labeler.predict_proba(np.concatenate([X[100:150], new]))
    np.testing.assert_array_equal(mixed[:50], labeler.label_distributions_[100:150])
    np.testing.assert_allclose(mixed[50:], labeler.predict_proba(new), rtol=1e-5)
    monkeypatch.setattr(type(labeler._search), "nearest", None)
    np.testing.assert_array_equal(labeler.predict_proba(X), labeler.label_distributions_)
