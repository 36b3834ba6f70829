"""OSSDL and S2D2: what unlabeled rows do, and what is left without them."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.utils import check_random_state

from baseline_problems import digits, overlapping
from conftest import peak_bytes
from ssrlpl._core.blocks import squared_norms, unit_rows
from ssrlpl._core.ksvd import codes_over, ksvd_sweep, ridge_left_out, ridge_map
from ssrlpl._core.readout import best_temperature
from ssrlpl.baselines import DKSVD, LCKSVD, OSSDL, S2D2


@pytest.mark.parametrize("model", [OSSDL(), S2D2()], ids=str)
def test_unlabeled_rows_help_on_digits(model):
    better = []
    for seed in range(2):
        X, y, truth = digits(seed)
        hidden, labeled = y < 0, y >= 0
        alone = model.fit(X[labeled], y[labeled]).predict(X[hidden])
        together = model.fit(X, y).predict(X[hidden])
        better.append(np.mean(together == truth[hidden]) - np.mean(alone == truth[hidden]))
    assert np.mean(better) > 0.01


def test_s2d2_beats_the_supervised_ones_on_digits():
    X, y, truth = digits()
    hidden = y < 0
    found = [
        np.mean(model.fit(X, y).predict(X[hidden]) == truth[hidden])
        for model in (S2D2(), DKSVD(), LCKSVD())
    ]
    assert found[0] > max(found[1:]) + 0.03


def started(X, truth, n_atoms):
    """The rows in the order of the fit, their classes, and the first rows drawn as atoms."""
    random = check_random_state(0)
    order = np.lexsort((truth, X @ random.standard_normal(X.shape[1])))
    rows, codes = unit_rows(X)[order], truth[order]
    drawn = [random.choice(np.flatnonzero(codes == c), n_atoms, replace=False) for c in range(3)]
    return rows, codes, drawn


def test_ossdl_with_all_rows_labeled_learns_each_class_from_its_own_rows():
    X, _, truth = overlapping(d=8)
    model = OSSDL(4, n_nonzero=2, n_sweeps=1, n_passes=1, batch_size=len(X)).fit(X, truth)
    assert_array_equal(model.n_joined_, 0)
    rows, codes, drawn = started(X, truth, 4)
    for c in range(3):
        own = rows[codes == c]
        D, _ = ksvd_sweep(own, unit_rows(rows[drawn[c]]), 2, None)
        Z = codes_over(own, D, 2)
        for k in range(4):  # one round of best atoms
            wanted = Z[:, k] @ (own - Z @ D + Z[:, [k]] * D[k])
            D[k] = wanted / np.linalg.norm(wanted)
        assert_allclose(model.components_[model.atom_classes_ == c], D, atol=1e-10)
    W = ridge_map(codes_over(rows, model.components_, 2), np.eye(3)[codes], 1.0)
    assert_allclose(model.coef_, W, atol=1e-10)


def test_ossdl_only_confident_rows_join():
    X, y, _ = digits()
    none, some, all_ = (OSSDL(confidence=c, n_passes=2).fit(X, y) for c in (1.0, 0.9, 0.01))
    assert none.n_joined_[-1] < some.n_joined_[-1] < all_.n_joined_[-1] == np.sum(y < 0)


def test_ossdl_is_as_sure_as_rows_of_classes_with_several_labels_allow():
    X, y, _ = digits()
    y[np.flatnonzero(y == 3)[1:]] = -1
    model, own, codes = OSSDL(n_passes=1).fit(X, y), unit_rows(X[y >= 0]), y[y >= 0]
    Z = codes_over(own, model.components_, model.n_nonzero)
    left_out = ridge_left_out(Z, np.eye(10)[codes], model.ridge)
    expected = best_temperature(left_out[codes != 3], codes[codes != 3])
    assert_allclose(model.temperature_, expected, rtol=1e-6)
    assert OSSDL(n_passes=1).fit(X[:3], [0, 1, -1]).temperature_ == 1


def test_ossdl_needs_no_memory_that_grows_like_the_table():
    rng = np.random.default_rng(0)

    def peak(n):
        X = rng.normal(size=(n, 200))
        y = np.where(np.arange(n) < 40, np.arange(n) % 2, -1)
        return peak_bytes(lambda: OSSDL(5, n_sweeps=1, n_passes=1, batch_size=100).fit(X, y))

    table = 8 * 200
    assert peak(5000) - peak(1000) < 0.1 * 4000 * table


def test_s2d2_probabilities_sum_to_one_and_follow_the_residuals():
    X, y, _ = digits()
    model = S2D2(n_rounds=2).fit(X, y)
    rows = unit_rows(X[y < 0])
    P, left = model._probabilities(rows), -model._scores(rows)
    assert_allclose(P.sum(axis=1), 1)
    assert_array_equal(P.argmax(axis=1), left.argmin(axis=1))
    variance = left.min(axis=1).mean()
    expected = -model.sharpness * (left[0, 1] - left[0, 0]) / (2 * variance)
    assert np.log(P[0, 1] / P[0, 0]) == pytest.approx(expected)


def test_s2d2_with_all_rows_labeled_is_its_supervised_form():
    X, _, truth = overlapping(d=8)
    settings = {"n_atoms": 4, "n_nonzero": 2, "n_sweeps": 1, "n_rounds": 1, "discrimination": 0}
    model = S2D2(**settings).fit(X, truth)
    assert np.isnan(model.variance_)
    rows, codes, drawn = started(X, truth, 4)
    for c in range(3):
        own = rows[codes == c]
        D, _ = ksvd_sweep(own, unit_rows(rows[drawn[c]]), 2, None)
        D, _ = ksvd_sweep(own, D, 2, None)
        assert_allclose(model.components_[model.atom_classes_ == c], D, atol=1e-10)
    other = S2D2(**settings, sharpness=99.0).fit(X, truth)
    assert_array_equal(other.components_, model.components_)


def test_s2d2_discrimination_makes_a_dictionary_worse_for_other_classes():
    X, _, truth = digits(labels=5)
    X, truth = X[:600], truth[:600]

    def residual_of_others(discrimination):
        model = S2D2(10, n_rounds=3, discrimination=discrimination).fit(X, truth)
        left = -model._scores(unit_rows(X))
        return left[np.arange(10) != truth[:, None]].mean()

    assert residual_of_others(0.1) > 1.05 * residual_of_others(0)


def test_s2d2_residuals_are_those_of_the_class_dictionaries():
    X, y, _ = digits()
    model = S2D2(n_rounds=1).fit(X, y)
    D, rows = model.components_[model.atom_classes_ == 3], unit_rows(X[:7])
    left = squared_norms(rows - codes_over(rows, D, 5) @ D)
    assert_allclose(model.decision_function(X[:7])[:, 3], -left)


def test_s2d2_takes_fewer_entries_than_columns():
    X, y, _ = overlapping(d=4)
    assert S2D2().fit(X, y).n_nonzero_ == 2
