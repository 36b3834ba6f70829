"""A group of rows that nobody labeled is named; ordinary tables are not disturbed."""

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.datasets import load_breast_cancer, load_digits, load_wine, make_blobs
from sklearn.preprocessing import scale

from ssrlpl._utils import limits
from ssrlpl.guarantee.unlabeled_groups import group_without_label


def blobs(n=400, centers=4, seed=0):
    X, y = make_blobs(n, centers=centers, n_features=5, cluster_std=1.0, random_state=seed)
    return scale(X), y


@pytest.mark.parametrize("rows", [3000, 150])
def test_a_class_without_a_label_is_the_group_that_is_found(rows, monkeypatch):
    monkeypatch.setattr(limits, "GROUP_ROWS", rows)
    X, y = blobs()
    labeled = np.random.default_rng(0).permutation(np.flatnonzero(y != 2))[:25]
    found = group_without_label(X, np.isin(np.arange(len(X)), labeled), 3)
    assert sorted(found.rows) == np.flatnonzero(y == 2).tolist()
    center = X[y == 2].mean(axis=0)
    assert np.linalg.norm(X[found.rows[0]] - center) < np.linalg.norm(X[found.rows[-1]] - center)
    n, m = len(X), int((y == 2).sum())
    expected = (4 + 7 + 10) * np.prod([(n - m - i) / (n - i) for i in range(25)])
    assert found.p_value == pytest.approx(expected)


def test_with_few_labels_chance_may_have_left_a_group_out():
    X, y = blobs()
    labeled = np.flatnonzero(y != 2)[:6]
    assert group_without_label(X, np.isin(np.arange(len(X)), labeled), 3) is None


def test_pieces_of_one_cloud_are_no_groups():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 8))
    piece = KMeans(3, n_init=3, random_state=0).fit_predict(X) == 0
    labeled = rng.permutation(np.flatnonzero(~piece))[:200]
    assert group_without_label(X, np.isin(np.arange(600), labeled), 2) is None


@pytest.mark.parametrize("load", [load_wine, load_breast_cancer, load_digits])
@pytest.mark.parametrize("a_class", [5, 20])
def test_it_is_silent_on_ordinary_tables(load, a_class):
    X, y = load(return_X_y=True)
    X = scale(X)
    for seed in range(5):
        order = np.random.default_rng(seed).permutation(len(y))
        labeled = np.concatenate([order[y[order] == c][:a_class] for c in np.unique(y)])
        is_labeled = np.isin(np.arange(len(y)), labeled)
        assert group_without_label(X, is_labeled, len(np.unique(y))) is None


def test_random_samples_are_rarely_accused():
    accused = 0
    for seed in range(100):
        X, _ = blobs(120, centers=5, seed=seed)
        is_labeled = np.isin(np.arange(120), np.random.default_rng(seed).permutation(120)[:12])
        accused += group_without_label(X, is_labeled, 4) is not None
    assert accused <= 10  # 5 expected at most: P(more than 10) is 1 %


def test_tables_too_small_to_tell():
    assert group_without_label(np.eye(6), np.array([True, True] + [False] * 4), 2) is None
