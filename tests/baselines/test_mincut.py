"""GraphMincut against all labelings of small graphs."""

from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from baseline_problems import overlapping
from ssrlpl._core.minimum_cut import CutNetwork, cut_weight
from ssrlpl.baselines import GraphMincut


def small(seed, n_classes):
    """Twelve rows, one to three labels a class."""
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(12, 2)), np.full(12, -1)
    given = rng.permutation(12)[: n_classes + rng.integers(0, 4)]
    y[given] = np.arange(len(given)) % n_classes
    return X, y


def lightest(W, y, n_classes):
    """The least weight between rows of different labels, over all labelings that keep y."""
    free = np.flatnonzero(y < 0)
    best, codes = np.inf, y.copy()
    for values in product(range(n_classes), repeat=len(free)):
        codes[free] = values
        best = min(best, (W * (codes[:, None] != codes)).sum() / 2)
    return best


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("weights", ["binary", "self_tuning"])
def test_two_classes_are_the_lightest_of_all_labelings(seed, weights):
    X, y = small(seed, 2)
    fitted = GraphMincut(3, weights=weights).fit(X, y)
    best = lightest(fitted._graph.weights.toarray(), y, 2)
    assert_allclose(fitted.flow_values_, best, atol=1e-8)
    assert_allclose(fitted.cut_value_, best, atol=1e-8)
    assert_array_equal(fitted.transduction_[y >= 0], y[y >= 0])


@pytest.mark.parametrize("seed", range(3))
def test_three_classes_are_within_the_proved_factor_and_each_cut_is_minimal(seed):
    X, y = small(seed, 3)
    y[np.flatnonzero(y < 0)[7:]] = 0  # 3^7 labelings at most
    fitted = GraphMincut(3).fit(X, y)
    W = fitted._graph.weights.toarray()
    for c in range(3):
        apart = np.where(y < 0, -1, y == c)
        assert_allclose(fitted.flow_values_[c], lightest(W, apart, 2), atol=1e-8)
    best = lightest(W, y, 3)
    assert best - 1e-8 <= fitted.cut_value_ <= (2 - 2 / 3) * best + 1e-8
    assert_array_equal(fitted.transduction_[y >= 0], y[y >= 0])


def test_a_path_is_cut_at_its_lightest_edge():
    """The figure of another program: weights 3, 1, 2, 2, ends labeled."""
    W = sparse.diags([[3.0, 1, 2, 2], [3.0, 1, 2, 2]], [1, -1], format="csr")
    inside, value = CutNetwork(W, np.array([0, 4])).isolate(np.array([0]), np.array([4]))
    assert_array_equal(inside, [True, True, False, False, False])
    assert_allclose(value, 1)
    assert cut_weight(W, inside.astype(int)) == 1


def test_of_equal_cuts_the_smallest_set_is_taken():
    W = sparse.diags([[1.0, 1, 1], [1.0, 1, 1]], [1, -1], format="csr")
    network = CutNetwork(W, np.array([0, 3]))
    for one, other in ((0, 3), (3, 0)):
        inside, value = network.isolate(np.array([one]), np.array([other]))
        assert_array_equal(np.flatnonzero(inside), [one])
        assert_allclose(value, 1)


@pytest.mark.parametrize("scale", [1e-200, 1.0, 1e200])
def test_unit_of_the_weights_does_not_matter(scale):
    X, y, _ = overlapping(1)
    W = GraphMincut(6).fit(X, y)._graph.weights
    labeled = np.flatnonzero(y >= 0)
    inside, outside = labeled[y[labeled] == 0], labeled[y[labeled] != 0]
    plain, value = CutNetwork(W, labeled).isolate(inside, outside)
    scaled, other = CutNetwork(W * scale, labeled).isolate(inside, outside)
    assert_array_equal(scaled, plain)
    assert_allclose(other / scale, value)


def test_rows_that_no_label_reaches_have_the_class_shares_and_lone_labels_are_kept():
    X, y, _ = overlapping(2)
    X[60:] += 1000
    y[60:] = -1
    X[0] = -1000  # a labeled row without an edge
    fitted = GraphMincut(3, mutual=True).fit(X, y)
    shares = np.bincount(y[y >= 0]) / (y >= 0).sum()
    assert_allclose(fitted.label_distributions_[60:], np.tile(shares, (30, 1)))
    assert fitted.transduction_[0] == y[0]
    assert_array_equal(fitted.predict(X[:60]), fitted.transduction_[:60])
