"""SSRLPLCV on tables beyond its limits, which are lowered here."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone

from ssrlpl import SSRLPLCV, GraphLabeler, KernelSSRLPL
from ssrlpl._core import cell_neighbors, diffusion, least_squares
from ssrlpl._core.neighbor_graph import find_neighbors, neighbor_graph
from ssrlpl._core.shared import SharedRows
from ssrlpl._utils import limits
from ssrlpl.labels import PartialLabels, encode_labels
from ssrlpl.model_selection.candidates import Bench, GraphLabels, Space
from ssrlpl.model_selection.sampled_map import doubtful_rows
from ssrlpl.model_selection.sampled_rows import choice_rows, rows_of_map
from ssrlpl.model_selection.scoreboard import Scoreboard
from ssrlpl.model_selection.second_round import with_all_rows
from ssrlpl.persistence import file_bytes

pytestmark = pytest.mark.usefixtures("small_forests")


def rings(n=900, d=17, n_labeled=60, seed=0):
    """Two rings, one inside the other: a graph of all rows follows them, few labels do not."""
    rng = np.random.default_rng(seed)
    y = rng.integers(2, size=n)
    angle, radius = rng.uniform(0, 2 * np.pi, n), np.where(y == 0, 1.0, 2.0)
    X = 0.08 * rng.normal(size=(n, d))
    X[:, 0] += radius * np.cos(angle)
    X[:, 1] += radius * np.sin(angle)
    partly = y.copy()
    partly[n_labeled:] = -1
    return X, y, partly


@pytest.fixture
def small_limits(monkeypatch):
    lowered = {
        "SEARCH_ROWS": 150,
        "EXACT_KERNEL_ROWS": 300,
        "EXACT_NEIGHBOR_ROWS": 400,
        "MAP_ROWS": 500,
        "MAP_LANDMARKS": 150,
    }
    for name, value in lowered.items():
        monkeypatch.setattr(limits, name, value)
    monkeypatch.setattr(cell_neighbors, "_NEAR_CELLS", 4)


@pytest.mark.parametrize("choose", ["all", "one"])
def test_a_large_table_is_labeled_by_all_rows_and_read_by_a_sampled_map(small_limits, choose):
    X, y, partly = rings()
    model = SSRLPLCV(choose=choose).fit(X, partly)
    hidden = partly == -1
    assert np.mean(model.transduction_[hidden] == y[hidden]) > 0.97
    assert_array_equal(model.predict(X)[hidden], model.transduction_[hidden])
    assert_allclose(model.predict_proba(X)[hidden], model.label_distributions_[hidden])
    new, truth, _ = rings(seed=1)
    assert np.mean(model.predict(new) == truth) > 0.96
    assert model.map_.X_fit_.shape == (150, 17)
    assert model.label_distributions_.shape == (900, 2)
    assert_allclose(model.label_distributions_.sum(axis=1), 1)
    assert 0.5 < model.neighbor_recall_ < 1
    said = {"SEARCH_ROWS", "EXACT_KERNEL_ROWS", "EXACT_NEIGHBOR_ROWS", "MAP_ROWS"}
    assert said <= set(model.limits_hit_)
    with pytest.raises(ValueError, match="fit the search again"):  # its vectors are of a sample
        model.best_estimator().fit(X, partly)


def test_the_same_seed_gives_the_same_bits(small_limits):
    X, _, partly = rings(600)
    first, second = (SSRLPLCV(random_state=3).fit(X, partly) for _ in range(2))
    assert_array_equal(first.label_distributions_, second.label_distributions_)
    assert_array_equal(first.predict_proba(X), second.predict_proba(X))


def test_graph_labels_are_scored_among_all_rows_again(small_limits):
    X, _, partly = rings()
    results = SSRLPLCV().fit(X, partly).cv_results_
    on_graph = [str(name).startswith("graph labels (k=10") for name in results["candidate"]]
    assert results["weight"][on_graph].max() == results["weight"].max()
    assert results["loo_error"][on_graph].min() < 0.05


@pytest.mark.parametrize(("error", "components"), [(0.05, 50), (0.15, 50), (0.3, None)])
def test_neighbors_of_wide_tables_are_those_of_principal_components_unless_clearly_worse(
    error, components
):
    X, y, _ = rings(150, d=120, n_labeled=150)
    target = encode_labels(y)
    spaces = Space(), Space(n_principal=50)
    candidates = [GraphLabels(0, space, 10, 0.97, 12.0) for space in spaces]
    wrong = np.random.default_rng(0).permuted(np.tile(np.arange(150), (2, 1)), axis=1)
    scores = [
        np.eye(2)[np.where(order < 150 * share, 1 - y, y)]
        for order, share in zip(wrong, (0.12, error), strict=True)
    ]
    board = Scoreboard(candidates, scores, y, np.ones(150))
    found = with_all_rows(board, lambda space: Bench(space, X, target, 0), np.ones(150, dtype=bool))
    assert [one.space.n_principal for one in found.candidates] == [components]


def test_a_large_and_wide_table_is_read_in_its_principal_components(small_limits):
    rng = np.random.default_rng(0)
    group = rng.integers(12, size=1800)
    X = rng.normal(size=(1800, 200)) + 10 * rng.normal(size=(12, 200))[group]
    partly = np.where(np.arange(900) < 120, group[:900] % 2, -1)
    model = SSRLPLCV(choose="one").fit(X[:900], partly)
    assert model.map_.X_fit_.shape == (150, 50)
    assert np.mean(model.transduction_ == group[:900] % 2) == 1
    assert np.mean(model.predict(X[900:]) == group[900:] % 2) == 1


def test_sparse_rows_and_weights_pass(small_limits):
    from scipy import sparse

    X, y, partly = rings(600)
    X[np.abs(X) < 0.05] = 0
    weight = np.where(y == 0, 2.0, 1.0)
    model = SSRLPLCV().fit(sparse.csr_matrix(X), partly, sample_weight=weight)
    assert model.neighbor_recall_ == 1.0
    assert np.mean(model.predict(X) == y) > 0.9


def test_single_precision_in_large_graphs_changes_no_label(monkeypatch):
    X, _, partly = rings(n_labeled=20)
    X += 0.3 * np.random.default_rng(1).normal(size=X.shape)  # the rings touch
    labeler = GraphLabeler(alpha=0.997, sharpness=12.0)
    exact = clone(labeler).fit(X, partly)
    monkeypatch.setattr(limits, "EXACT_NEIGHBOR_ROWS", 400)
    monkeypatch.setattr(cell_neighbors, "_NEAR_CELLS", 1000)  # all of them
    single = clone(labeler).fit(X, partly)
    assert single.neighbor_recall_ == 1
    assert_array_equal(single.transduction_, exact.transduction_)
    assert_allclose(single.label_distributions_, exact.label_distributions_, atol=1e-3)


def test_labels_of_a_large_graph_are_spread_once(monkeypatch):
    monkeypatch.setattr(limits, "EXACT_NEIGHBOR_ROWS", 400)
    X, y, partly = rings()
    X += 0.3 * np.random.default_rng(1).normal(size=X.shape)  # the rings touch
    target, shared = encode_labels(partly), SharedRows(X)
    labeler = GraphLabeler(alpha=0.9, sharpness=4.0)
    labeler.loo_scores(X, target, shared, estimated=True)
    fresh = clone(labeler).fit(X, partly).label_distributions_
    with monkeypatch.context() as patched:
        patched.setitem(diffusion.WAYS, "spreading", None)  # cannot be called
        again = clone(labeler).fit_checked(X, target, None, shared).label_distributions_
    assert_allclose(again, fresh, atol=1e-4)
    # Other labels are other labels.
    other = encode_labels(np.where(np.arange(len(y)) < 30, y, -1))
    found = clone(labeler).fit_checked(X, other, None, shared).label_distributions_
    assert_allclose(found, clone(labeler).fit_checked(X, other).label_distributions_, atol=1e-6)
    assert np.abs(found - fresh).max() > 0.1


@pytest.mark.parametrize("n_labeled", [5, 200])
def test_estimated_parts_of_the_spread_are_near_the_exact_ones(n_labeled):
    X, y, _ = rings(700)
    graph = neighbor_graph(*find_neighbors(X, "euclidean").nearest(10), 4.0)
    labeled = np.arange(n_labeled)
    Y = np.eye(2)[y[labeled]]
    exact = diffusion.spread_parts(graph, labeled, Y, 0.9)
    nearly = diffusion.estimated_parts(graph, labeled, Y, 0.9)
    assert np.abs(nearly[0] - exact[0]).mean() < (1e-3 if n_labeled == 5 else 0.15)
    assert nearly[0].mean() == pytest.approx(exact[0].mean(), rel=0.05)
    assert_allclose(nearly[1], exact[1], rtol=1e-3)
    assert np.abs(nearly[2] - exact[2]).max() < 1e-3 * exact[2].max()


def test_columns_solved_in_groups_are_the_same(monkeypatch):
    X, _, _ = rings(300)
    graph = neighbor_graph(*find_neighbors(X, "euclidean").nearest(6), 1.0)
    labeled = np.arange(40)
    whole = diffusion.spread(graph, labeled, np.eye(40)[:, :5], 0.9)
    monkeypatch.setattr(diffusion, "_COLUMN_ENTRIES", 700)
    assert_allclose(diffusion.spread(graph, labeled, np.eye(40)[:, :5], 0.9), whole, atol=1e-9)


def test_many_classes_update_one_system_instead_of_solving_many(monkeypatch):
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(40, 3))
    codes = rng.integers(9, size=40)
    codes[-1] = 9  # a class of one row
    weight = rng.uniform(0.5, 2, size=40)
    K, Y = np.exp(-((rows[:, None] - rows) ** 2).sum(axis=2)), np.eye(10)[codes]
    one_by_one = least_squares.left_out_with_class_totals(K, Y, codes, 0.1, weight)
    monkeypatch.setattr(least_squares, "_REFITTED_CLASSES", 0)
    updated = least_squares.left_out_with_class_totals(K, Y, codes, 0.1, weight)
    assert_allclose(updated, one_by_one, rtol=1e-9, atol=1e-11)


def test_more_classes_than_the_limit_leave_costly_candidates_out(monkeypatch):
    rng = np.random.default_rng(0)
    y = np.tile(np.arange(12), 20)
    X = 4 * np.eye(12)[y] + rng.normal(size=(240, 12))
    partly = np.where(np.arange(240) < 60, y, -1)
    monkeypatch.setattr(limits, "FEWER_CANDIDATES_CLASSES", 11)
    model = SSRLPLCV().fit(X, partly)
    words = " ".join(map(str, model.cv_results_["candidate"]))
    assert "FEWER_CANDIDATES_CLASSES" in model.limits_hit_
    assert "graph" in words
    assert not any(kind in words for kind in ("forest", "logistic", "plain", "pairs"))
    assert np.mean(model.transduction_ == y) > 0.9


def test_many_labels_do_not_all_go_into_least_squares(monkeypatch):
    X, y, _ = rings(500)
    monkeypatch.setattr(limits, "LEAST_SQUARES_LABELED", 50)
    model = SSRLPLCV().fit(X, np.where(np.arange(500) < 200, y, -1))
    assert "LEAST_SQUARES_LABELED" in model.limits_hit_
    assert np.mean(model.predict(X) == y) > 0.95


def test_many_classes_keep_two_labels_in_the_sample(monkeypatch):
    codes = np.repeat(np.arange(30), 5)
    monkeypatch.setattr(limits, "SEARCH_LABELED", 40)
    rows = choice_rows(PartialLabels(np.arange(30), codes), 0)
    assert_array_equal(np.bincount(codes[rows]), np.full(30, 2))


def test_the_rows_of_the_map_have_labels(monkeypatch):
    monkeypatch.setattr(limits, "MAP_ROWS", 100)
    codes = np.full(1000, -1)
    codes[:30] = np.arange(30) % 2
    rows = rows_of_map(PartialLabels(np.arange(2), codes), 0)
    assert len(np.unique(rows)) == 100
    assert np.count_nonzero(codes[rows] >= 0) == 30


def test_landmarks_are_rows_in_doubt():
    labels = np.repeat([[1.0, 0.0], [0.5, 0.5]], [900, 100], axis=0)
    chosen = doubtful_rows(labels, 80, np.random.RandomState(0))
    assert len(np.unique(chosen)) == 80
    assert np.count_nonzero(chosen >= 900) >= 60


def test_landmarks_need_a_whitened_map():
    X, _, partly = rings(50)
    with pytest.raises(ValueError, match="whitened"):
        KernelSSRLPL(landmarks=[0, 1]).fit(X, partly)


def test_a_model_file_holds_landmarks_and_not_the_table(small_limits):
    pytest.importorskip("skops")
    X, _, partly = rings(900, d=200)
    model = SSRLPLCV().fit(X, partly)
    assert len(file_bytes(model)) < 0.4 * X.nbytes
