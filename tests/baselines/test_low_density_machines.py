"""TransductiveSVM and LDS: the authors' figures, the constraint, and tables with structure."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, make_moons
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import ssrlpl
from baseline_problems import overlapping
from ssrlpl._utils import limits
from ssrlpl.baselines import LDS, TransductiveSVM


def test_the_authors_figures():
    """From lds.m in Octave; the problem is not convex, so figures agree to four digits."""
    X, truth = load_breast_cancer(return_X_y=True)
    X, y = StandardScaler().fit_transform(X), np.full(len(X), -1)
    for c in (0, 1):
        y[np.flatnonzero(truth == c)[:10]] = c
    fitted = TransductiveSVM(C=1).fit(X, y)
    assert_allclose(fitted.objective_, 6.7869167, rtol=1e-5)
    assert_allclose(fitted.intercept_, [-0.076708], atol=1e-4)
    assert_allclose(np.linalg.norm(fitted.coef_), 3.044188, rtol=1e-4)
    free = y < 0
    assert round(100 * np.mean(fitted.predict(X)[free] != truth[free]), 4) == 8.9253


@pytest.mark.parametrize("model", [TransductiveSVM(), TransductiveSVM(kernel="rbf"), LDS()])
def test_every_class_keeps_its_share(model):
    X, y, _ = overlapping()
    y[np.flatnonzero(y == 0)[2:]] = -1
    values = clone(model).fit(X + 5, y).decision_function(X + 5)
    shares = np.bincount(y[y >= 0]) / np.count_nonzero(y >= 0)
    assert_allclose(values[y < 0].mean(axis=0), 2 * shares - 1, atol=1e-7)


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_without_unlabeled_cost_it_is_a_support_vector_machine(kernel):
    """The squared hinge is the hinge with 1/(2C) on the diagonal of the kernel, without bound."""
    X, y, _ = overlapping(1)
    y[y == 2] = -1
    given = y >= 0
    model = TransductiveSVM(0.5, unlabeled_cost=0, balance=False, kernel=kernel, gamma=0.1)
    K = X @ X.T if kernel == "linear" else np.exp(-0.1 * ((X[:, None] - X) ** 2).sum(axis=2))
    inner = K[np.ix_(given, given)] + np.eye(given.sum())  # 1/(2C) = 1
    svm = SVC(C=1e6, kernel="precomputed", tol=1e-10).fit(inner, y[given])
    expected = K[:, given][:, svm.support_] @ svm.dual_coef_[0] + svm.intercept_
    assert_allclose(model.fit(X, y).decision_function(X), expected, atol=1e-4)


def test_unlabeled_rows_push_the_boundary_away():
    X, y, _ = overlapping(2)
    y[y == 2] = -1
    free = y < 0
    near = [
        np.mean(np.abs(TransductiveSVM(1.0, unlabeled_cost=c).fit(X, y).decision_function(X)[free]))
        for c in (0, 1)
    ]
    assert near[1] > 1.2 * near[0]


def test_low_density_separation_follows_the_moons():
    X, truth = make_moons(300, noise=0.05, random_state=0)
    y = np.full(300, -1)
    for c in (0, 1):
        y[np.flatnonzero(truth == c)[:3]] = c
    fitted = LDS().fit(X, y)
    new, new_truth = make_moons(200, noise=0.05, random_state=1)
    assert fitted.score(X, truth) > 0.99
    assert fitted.score(new, new_truth) > 0.99
    assert TransductiveSVM().fit(X, y).score(X, truth) < 0.95


def test_all_pairs_are_the_limit_of_many_neighbors():
    X, y, _ = overlapping(3)
    all_pairs = LDS(1.0, None).fit(X, y)
    assert all_pairs.n_neighbors_ == len(X) - 1
    assert_allclose(
        LDS(1.0, 60).fit(X, y).decision_function(X), all_pairs.decision_function(X), atol=1e-3
    )


def test_landmarks_of_large_tables(monkeypatch):
    X, y, _ = overlapping(4)
    models = [LDS(), TransductiveSVM(kernel="rbf")]
    exact = [clone(model).fit(X, y) for model in models]
    monkeypatch.setattr(limits, "LANDMARKS", 60)
    monkeypatch.setattr(limits, "DENSE_GRAPH_ROWS", 60)
    for model, whole, name in zip(models, exact, ["DENSE_GRAPH_ROWS", "LANDMARKS"], strict=True):
        part = clone(model).fit(X, y)
        assert name in part.limits_hit_
        assert name not in whole.limits_hit_
        agree = np.mean(part.predict(X) == whole.predict(X))
        assert agree > 0.8
        assert not np.allclose(part.decision_function(X), whole.decision_function(X))


def test_sparse_rows():
    X, y, _ = overlapping(5)
    for model in (TransductiveSVM(), TransductiveSVM(kernel="rbf"), LDS()):
        dense = clone(model).fit(X, y).decision_function(X)
        thin = clone(model).fit(sparse.csr_matrix(X), y).decision_function(sparse.csr_matrix(X))
        assert_allclose(thin, dense, atol=0.02)


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (TransductiveSVM(C=0), "C must be a number in"),
        (TransductiveSVM(C="big"), "C must be a number in"),
        (TransductiveSVM(unlabeled_cost=-1), "unlabeled_cost must be a number in"),
        (TransductiveSVM(kernel="poly"), "kernel must be one of"),
        (LDS(rho=-1), "rho must be a number in"),
        (LDS(rho=1e4), "rho times the longest edge must be at most 600. Got rho=1e.04: use a"),
        (LDS(n_neighbors=0), "n_neighbors must be an int >= 1"),
        (LDS(delta=1), "delta must be a number in"),
    ],
)
def test_wrong_settings_are_named(model, message):
    X, y, _ = overlapping()
    with pytest.raises(ValueError, match=message):
        model.fit(X, y)


def test_equal_rows_and_every_row_labeled():
    X, y = np.repeat([[0.0, 0.0], [1.0, 1.0]], 4, axis=0), np.repeat([0, 1], 4)
    for model in (TransductiveSVM(), TransductiveSVM(kernel="rbf"), LDS(n_neighbors=2), LDS()):
        assert_array_equal(clone(model).fit(X, y).predict(X), y)


def test_a_loaded_model_says_the_same(tmp_path):
    pytest.importorskip("skops")
    X, y, _ = overlapping()
    for model in (TransductiveSVM(), TransductiveSVM(kernel="rbf"), LDS()):
        ssrlpl.save(model.fit(X, y), tmp_path / "model.ssrlpl")
        again = ssrlpl.load(tmp_path / "model.ssrlpl")
        assert_array_equal(again.decision_function(X), model.decision_function(X))
