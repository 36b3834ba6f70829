"""Peers: right on easy tables, blind to hidden labels, alive with very few labels."""

import os
import sys
from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse
from sklearn.base import clone
from sklearn.decomposition import PCA
from sklearn.neighbors import KNeighborsClassifier
from sklearn.semi_supervised import LabelSpreading
from sklearn.svm import SVC

from conftest import problem
from ssrlpl.experiments import peers
from ssrlpl.experiments.spreading import spread_labels, spreading_graph, transductive_hits
from ssrlpl.model_selection import mask_labels

QUICK = {
    "1nn": peers.one_nearest_neighbor,
    "svm": peers.tuned_rbf_svm,
    "spreading": peers.tuned_label_spreading,
    "self_training": peers.self_training,
}


@pytest.fixture(params=QUICK.values(), ids=QUICK)
def make(request):
    return request.param


def test_easy_classes_are_told_apart_and_fits_repeat(make):
    X, y, truth = problem(n=90, share=0.3)
    model = make().fit(X, y)
    hidden = y < 0
    assert np.mean(model.predict(X[hidden]) == truth[hidden]) > 0.9
    assert model.classes_.tolist() == [0, 1, 2]
    again = clone(make()).fit(X, y)
    assert again.chosen_params_ == model.chosen_params_
    assert_array_equal(again.predict(X), model.predict(X))


def test_classes_need_not_be_counted_from_zero(make):
    X, y, _ = problem(n=60, share=0.4)
    names = np.array([3, 7, 20])
    plain = make().fit(X, y)
    named = make().fit(X, np.where(y < 0, -1, names[y]))
    assert named.classes_.tolist() == [3, 7, 20]
    assert_array_equal(named.predict(X), names[plain.predict(X)])


def test_sparse_rows_give_the_same_labels(make):
    X, y, _ = problem(n=60, share=0.4)
    X = np.where(np.abs(X) < 0.3, 0, X)
    dense, wide = make().fit(X, y), make().fit(sparse.csr_matrix(X), y)
    assert_array_equal(wide.predict(sparse.csr_matrix(X)), dense.predict(X))


@pytest.mark.parametrize(
    "counts", [(9, 1), (1, 1), (4, 2, 1, 1, 1, 1), (1, 1, 1)], ids=lambda c: "-".join(map(str, c))
)
def test_classes_with_one_label_are_survived(make, counts):
    X, _, truth = problem(n=72, n_classes=len(counts))
    y = np.full(72, -1)
    for code, count in enumerate(counts):
        y[np.flatnonzero(truth == code)[:count]] = code
    predicted = make().fit(X, y).predict(X)
    assert set(predicted) <= set(truth)
    assert np.mean(predicted == truth) >= 1 / len(counts)


def test_tuning_sees_labeled_rows_only():
    X, y, _ = problem(n=80, share=0.4)
    labeled = y >= 0
    whole = peers.tuned_rbf_svm().fit(X, y)
    part = peers.tuned_rbf_svm().fit(X[labeled], y[labeled])
    assert whole.chosen_params_ == part.chosen_params_
    reference = SVC(**whole.chosen_params_).fit(X[labeled], y[labeled])
    assert_array_equal(whole.predict(X), reference.predict(X))
    nearest = KNeighborsClassifier(1).fit(X[labeled], y[labeled])
    assert_array_equal(peers.one_nearest_neighbor().fit(X, y).predict(X), nearest.predict(X))


GRAPHS = [{"kernel": "knn", "n_neighbors": 7}, {"kernel": "rbf", "gamma": 0.1}]


@pytest.mark.parametrize("params", GRAPHS, ids=["knn", "rbf"])
@pytest.mark.parametrize("alpha", [0.2, 0.99])
def test_labels_spread_as_scikit_learn_spreads_them(params, alpha):
    X, y, _ = problem(n=60)
    theirs = LabelSpreading(**params, alpha=alpha, max_iter=9999, tol=1e-9).fit(X, y)
    one_hot = np.eye(3)[y] * (y >= 0)[:, None]
    spread = spread_labels(spreading_graph(X, params), alpha, one_hot)
    shares = spread / spread.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(shares, theirs.label_distributions_, atol=1e-4)


@pytest.mark.parametrize("params", GRAPHS, ids=["knn", "rbf"])
def test_rows_held_out_stay_in_the_graph_without_their_label(params):
    X, y, _ = problem(n=60, share=0.5, seed=3)
    X = X + 2 * np.random.default_rng(0).normal(size=X.shape)  # so that some are missed
    splits = peers.label_splits(X, y)
    hits = 0
    for _, test in splits:
        model = LabelSpreading(**params, alpha=0.9, max_iter=9999, tol=1e-9)
        transduced = model.fit(X, mask_labels(y, test)).transduction_
        hits += np.count_nonzero(transduced[test] == y[test])
    assert hits < np.count_nonzero(y >= 0)
    assert transductive_hits(spreading_graph(X, params), 0.9, y, splits) == hits


def test_label_spreading_follows_the_unlabeled_rows():
    along = np.linspace(0, 10, 60)
    X = np.r_[np.c_[along, np.zeros(60)], np.c_[along, np.full(60, 2.5)]]  # two parallel lines,
    truth = np.repeat([0, 1], 60)
    y = np.full(120, -1)
    y[:3], y[-3:] = 0, 1  # labeled at opposite ends
    assert_array_equal(peers.tuned_label_spreading().fit(X, y).predict(X), truth)
    assert np.mean(peers.one_nearest_neighbor().fit(X, y).predict(X) == truth) < 0.6


def test_a_row_of_the_table_keeps_its_label_and_a_new_row_is_predicted():
    X, y, _ = problem(n=60)
    model = peers.tuned_label_spreading().fit(X, y)
    transduced = model.trained_.transduction
    order = np.random.default_rng(0).permutation(60)
    assert_array_equal(model.predict(X[order]), transduced[order])
    mixed = np.vstack([X[3] + 1e-9, X[3]])
    assert model.predict(mixed).tolist() == [
        model.trained_.model.predict(mixed[:1])[0],
        transduced[3],
    ]


def test_of_equal_candidates_the_middle_of_the_grid_wins():
    X = np.r_[np.random.default_rng(0).normal(size=(10, 2)), [[50, 50]] * 10]
    y = np.repeat([0, 1], 10)
    chosen = peers.tuned_rbf_svm().fit(X, y).chosen_params_
    assert chosen["C"] == 10
    assert chosen["gamma"] == pytest.approx(peers.median_gamma(X))


def test_large_tables_get_no_dense_graph(monkeypatch):
    monkeypatch.setattr(peers, "MANY_ROWS", 50)
    kernels = {n: {g["kernel"] for g in peers._spreading_graphs(np.eye(n))} for n in (50, 51)}
    assert kernels == {50: {"knn", "rbf"}, 51: {"knn"}}


def test_self_training_learns_from_rows_it_is_sure_of():
    X, y, _ = problem(n=90, share=0.3)
    model = peers.self_training().fit(X, y).trained_.model
    assert np.count_nonzero(model.transduction_ >= 0) > np.count_nonzero(y >= 0)
    assert model.max_iter == 10


@pytest.mark.parametrize("counts", [(8, 2), (1, 1), (6, 6)])
def test_probabilities_of_the_svm_follow_its_margins(counts):
    X, _, truth = problem(n=80, n_classes=2)
    rows = np.r_[np.flatnonzero(truth == 0)[: counts[0]], np.flatnonzero(truth == 1)[: counts[1]]]
    model = peers.CalibratedSVC(C=10, gamma=0.01).fit(X[rows], truth[rows])
    order = np.argsort(model.svm_.decision_function(X))
    probability = model.predict_proba(X)[order, 1]
    assert (np.diff(probability) > 0).all()
    assert_array_equal(model.predict(X), model.svm_.predict(X))


class FakeUMAP(PCA):
    """UMAP's interface, quick; like UMAP it places rows it was fitted on and new rows apart."""

    def __init__(self, n_components, n_neighbors, random_state):
        super().__init__(n_components, random_state=random_state)
        self.n_neighbors = n_neighbors

    def fit(self, X, y):
        self.target_ = y
        self.embedding_ = super().fit_transform(X)
        return self


def test_umap_sees_the_codes_and_new_rows_are_embedded(monkeypatch):
    monkeypatch.setitem(sys.modules, "umap", SimpleNamespace(UMAP=FakeUMAP))
    X, y, truth = problem(n=90, d=12, share=0.3)
    model = peers.umap_1nn().fit(X, y)
    assert model.chosen_params_ == {"n_components": 10, "n_neighbors": 15}
    assert_array_equal(model.trained_.model.embedding.target_, y)
    assert np.mean(model.predict(X) == truth) > 0.9
    assert_array_equal(model.predict(X + 1e-9), model.predict(X))


@pytest.mark.skipif(not os.environ.get("SSRLPL_LONG"), reason="compiles: make test-long")
def test_umap_itself():
    pytest.importorskip("umap")
    X, y, truth = problem(n=90, d=12, share=0.3)
    model = peers.umap_1nn().fit(X, y)
    hidden = y < 0
    assert np.mean(model.predict(X[hidden]) == truth[hidden]) > 0.9
    assert model.predict(X[:3] + 1e-6).shape == (3,)


def test_without_umap_the_error_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "umap", None)
    X, y, _ = problem()
    with pytest.raises(ImportError, match=r"pip install 'ssrlpl\[bench\]'"):
        peers.umap_1nn().fit(X, y)
