"""HarmonicFunctions by its defining property, against graphlearning, and left-out labels."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from baseline_problems import overlapping
from conftest import without_each_label
from ssrlpl import encode_labels
from ssrlpl._core.neighbor_graph import WEIGHTS
from ssrlpl._utils import limits
from ssrlpl.baselines import HarmonicFunctions
from ssrlpl.model_selection import loo_predict


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("dense_rows", [10, 1000])
def test_unlabeled_values_are_means_of_their_neighbors(weights, dense_rows, monkeypatch):
    monkeypatch.setattr(limits, "DENSE_GRAPH_ROWS", dense_rows)
    X, y, _ = overlapping()
    metric = "cosine" if weights == "cosine" else "euclidean"
    fitted = HarmonicFunctions(6, weights=weights, metric=metric).fit(X, y)
    F, W = fitted.harmonic_, fitted._graph.weights
    free = y < 0
    assert_allclose((W @ F / W.sum(axis=1))[free], F[free], atol=1e-8)
    assert_array_equal(F[~free], np.eye(3)[y[~free]])
    assert ("DENSE_GRAPH_ROWS" in fitted.limits_hit_) == (dense_rows == 10)


def test_class_masses_are_the_counts_raised_by_one():
    X, y, _ = overlapping(1)
    fitted = HarmonicFunctions(6).fit(X, y)
    F = fitted.harmonic_[y < 0]
    F = F * (np.bincount(y[y >= 0]) + 1) / F.sum(axis=0)
    assert_allclose(fitted.label_distributions_[y < 0], F / F.sum(axis=1, keepdims=True))
    plain = HarmonicFunctions(6, class_mass=False).fit(X, y)
    assert_allclose(plain.label_distributions_, plain.harmonic_, atol=1e-8)


def test_a_new_row_is_harmonic():
    """It has the value of an unlabeled row of the table whose edges lead one way only."""
    X, y, _ = overlapping(2)
    fitted = HarmonicFunctions(4, class_mass=False).fit(X, y)
    x = X[:7].mean(axis=0)
    d = np.linalg.norm(X - x, axis=1)
    near = np.argsort(d)[:4]
    w = np.exp(-(d[near] ** 2) / fitted._graph.scale[0] ** 2)
    expected = w @ fitted.harmonic_[near] / w.sum()
    assert_allclose(fitted.predict_proba(x[None])[0], expected)
    assert_allclose(fitted.predict_proba(X), fitted.label_distributions_, atol=1e-12)


@pytest.mark.parametrize("class_mass", [False, True])
def test_left_out_scores_are_those_of_refits(class_mass):
    X, y, _ = overlapping(3)
    y[np.flatnonzero(y == 2)[1:]] = -1  # one label: its class disappears when it is hidden
    model = HarmonicFunctions(5, class_mass=class_mass)
    scores = model.loo_scores(X, encode_labels(y))
    for found, (row, hidden) in zip(scores, without_each_label(y), strict=True):
        refit = model.fit(X, hidden)
        assert_allclose(found[refit.classes_], refit.label_distributions_[row], atol=1e-8)
        assert_allclose(found.sum(), 1)
    assert_array_equal(loo_predict(model, X, y), scores.argmax(axis=1))


def test_rows_that_no_label_reaches_have_the_class_shares():
    X, y, _ = overlapping(4)
    X[60:] += 1000
    y[60:] = -1
    fitted = HarmonicFunctions(5).fit(X, y)
    shares = np.bincount(y[y >= 0]) / (y >= 0).sum()
    assert_allclose(fitted.label_distributions_[60:], np.tile(shares, (30, 1)))
    assert_allclose(fitted.predict_proba(X[60:61] + 0.1), shares[None])


def test_a_class_that_reaches_no_unlabeled_row_is_predicted_beside_its_labels():
    X, y, _ = overlapping(5)
    X[y == 2] += 1000
    fitted = HarmonicFunctions(2).fit(X, y)
    at = np.flatnonzero(y == 2)[0]
    assert fitted.predict(X[[at]] + 1e-3) == 2


def test_every_row_labeled():
    X, _, truth = overlapping(6)
    fitted = HarmonicFunctions(3).fit(X, truth)
    assert_array_equal(fitted.predict(X), truth)
    assert_allclose(fitted.predict_proba(X + 0.01).sum(axis=1), 1)


def test_equals_graphlearning():
    gl = pytest.importorskip("graphlearning")
    X, y, _ = overlapping(7)
    fitted = HarmonicFunctions(8, weights="self_tuning").fit(X, y)
    labeled = np.flatnonzero(y >= 0)
    theirs = gl.ssl.laplace(fitted._graph.weights, tol=1e-12).fit(labeled, y[labeled])
    assert_allclose(fitted.harmonic_, theirs, atol=1e-8)
