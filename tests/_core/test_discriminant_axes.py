"""Axes of few labeled rows: their normalization, their optimality, and hard tables."""

import numpy as np
from numpy.testing import assert_allclose
from sklearn.covariance import ledoit_wolf
from sklearn.datasets import load_wine

from ssrlpl import GraphLabeler
from ssrlpl._core.discriminant_axes import discriminant_axes
from ssrlpl.datasets import hide_labels


def ratio(axis, rows, codes):
    """Variance of class means along an axis, over the shrunken variance within classes."""
    means = np.array([rows[codes == c].mean(axis=0) for c in np.unique(codes)])[codes]
    within, _ = ledoit_wolf(rows - means, assume_centered=True)
    centered = means - rows.mean(axis=0)
    return np.mean((centered @ axis) ** 2) / (axis @ within @ axis)


def test_no_other_axis_tells_classes_apart_better():
    rng = np.random.default_rng(0)
    codes = np.arange(30) % 3
    rows = rng.normal(size=(30, 5)) + rng.normal(size=(3, 5))[codes]
    axes = discriminant_axes(rows, codes)
    assert axes.shape == (5, 2)
    best = ratio(axes[:, 0], rows, codes)
    assert all(ratio(rng.normal(size=5), rows, codes) < best for _ in range(200))
    assert all(ratio(axes[:, 0] + 0.01 * rng.normal(size=5), rows, codes) < best for _ in range(50))


def test_hard_tables_give_finite_axes():
    assert np.isfinite(discriminant_axes(np.ones((4, 3)), np.array([0, 0, 1, 1]))).all()
    rng = np.random.default_rng(0)
    wide = discriminant_axes(rng.normal(size=(6, 200)), np.array([0, 0, 1, 1, 2, 2]))
    assert wide.shape == (200, 2)
    single = discriminant_axes(rng.normal(size=(3, 4)), np.arange(3))  # one row of each class
    assert np.isfinite(single).all()


def test_a_graph_in_discriminant_space_ignores_columns_of_noise():
    X, truth = load_wine(return_X_y=True)
    noise = 3 * np.random.default_rng(0).normal(size=(len(X), 15))
    X = np.c_[(X - X.mean(axis=0)) / X.std(axis=0), noise]
    y = hide_labels(truth, keep=60, random_state=0)
    labelers = [GraphLabeler(metric=name).fit(X, y) for name in ("discriminant", "euclidean")]
    good, plain = (np.mean(one.transduction_ == truth) for one in labelers)
    assert good > plain + 0.02
    discriminant = labelers[0]
    assert_allclose(
        discriminant.predict_proba(X), discriminant.label_distributions_, atol=1e-9
    )  # a row of the table is its own neighbor
