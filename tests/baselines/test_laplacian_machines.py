"""LapSVMPrimal, LapRLS and LapSVM: the authors' figures, closed forms, and known machines."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from baseline_problems import digits_3_and_8, overlapping, predicted_by_refits
from conftest import without_each_label
from ssrlpl import encode_labels
from ssrlpl._core.kernels import Kernel
from ssrlpl._core.neighbor_graph import neighbor_graph
from ssrlpl._core.shared import SharedRows
from ssrlpl._utils import limits
from ssrlpl.baselines import LapRLS, LapSVM, LapSVMPrimal
from ssrlpl.model_selection import loo_predict

GAMMA = 1 / 50  # of σ = 5


def breast_cancer(n_labels):
    """The rows of the authors' program: the first labels of each class, in file order."""
    X, truth = load_breast_cancer(return_X_y=True)
    y = np.full(len(truth), -1)
    for c in (0, 1):
        y[np.flatnonzero(truth == c)[:n_labels]] = c
    return StandardScaler().fit_transform(X), y, truth


# Labels a class, estimator, then what Octave printed with the authors' program (version 0.2).
FIGURES = [
    (40, LapRLS(gamma_A=1e-3, gamma_I=1e-3),
     0.3484865065, 0, 4.9080, [-1.00038684, -1.00032333, -0.99953309]),
    (40, LapSVMPrimal(gamma_A=1e-3, gamma_I=1e-3),
     0.3001546491, 0, 4.4990, [-1.38573812, -1.71580179, -1.43104196]),
    (40, LapSVMPrimal(gamma_A=1e-3, gamma_I=1e-3, fit_intercept=True),
     0.2987520180, -0.511674, 4.7035, [-1.53509529, -1.76126941, -1.45980477]),
    (40, LapSVMPrimal(gamma_A=1e-3, gamma_I=1e-3, normalized=True),
     0.1451429102, 0, 5.7260, [-1.02149569, -2.25897648, -1.80617361]),
    (40, LapSVMPrimal(gamma_A=1e-2, gamma_I=0),
     0.6174348145, 0, 4.7035, [-1.35018259, -2.62421288, -2.60332719]),
    (10, LapSVMPrimal(gamma_A=1e-2, gamma_I=1),
     5.850867942, 0, 8.7432, [-0.65709772, -0.26571258, -0.28569495]),
    (10, LapSVMPrimal(gamma_A=1e-2, gamma_I=1, solver="cg"),
     5.876938464, 0, 10.0182, [-0.65646025, -0.26569738, -0.28235179]),
]  # fmt: skip


@pytest.mark.parametrize(("n_labels", "model", "objective", "b", "error", "values"), FIGURES)
def test_the_authors_figures(n_labels, model, objective, b, error, values):
    X, y, truth = breast_cancer(n_labels)
    model = clone(model).set_params(gamma=GAMMA).fit(X, y)
    assert_allclose(model.objective_, objective, atol=1e-8)
    assert_allclose(model.intercept_, [b], atol=1e-6)
    assert_allclose(model.decision_function(X[:3]), values, atol=2e-8)
    free = y < 0
    assert round(100 * np.mean(model.predict(X)[free] != truth[free]), 4) == error
    if model.solver == "cg":
        assert model.n_iter_ == 36


# Labels of 8 and of 3, σ, estimator, then what the same program printed; for LapRLS its objective
# is the one with the squared error, our ``minimum_``.
DIGITS = [
    (10, 10, 2, LapSVMPrimal(gamma_A=1e-2, gamma_I=0.1, fit_intercept=True),
     0.862206110296, 0.0024445908, 1.48367953, [0.8301123666, -0.9027647554, 0.8954236807]),
    (20, 20, 3, LapSVMPrimal(gamma_A=1e-6, gamma_I=1, normalized=True),
     1.57709876936, 0, 0.63091483, [0.8559980843, -0.8598594393, 0.8792523519]),
    (20, 20, 5, LapSVMPrimal(gamma_A=0.1, gamma_I=10),
     17.3022972146, 0, 1.26182965, [0.0740636648, -0.1304953311, 0.1107357303]),
    (5, 15, 2, LapSVMPrimal(gamma_A=1e-3, gamma_I=1e-2, fit_intercept=True),
     0.0936611141673, 0.1921727718, 0.59347181, [0.9814151740, -0.9836490513, 0.9904751946]),
    (30, 10, 4, LapRLS(gamma_A=1e-4, gamma_I=1e-2, n_neighbors=10, fit_intercept=True),
     0.245241071695, -0.1616087609, 3.15457413, [0.9492377455, -0.9929049118, 0.9619946608]),
    (20, 20, 2, LapSVMPrimal(gamma_A=1e-2, gamma_I=0, fit_intercept=True),
     0.0532705946478, -0.0811581670, 4.73186120, [0.9896911378, -0.9947843305, 1.1378286026]),
    (10, 10, 2, LapSVMPrimal(gamma_A=1e-2, gamma_I=1, solver="cg"),
     4.06488201377, 0, 0.89020772, [0.4810124475, -0.5802800342, 0.5622160700]),
    (5, 5, 1, LapSVMPrimal(gamma_A=1e-6, gamma_I=1, normalized=True, solver="cg"),
     0.981771811253, 0, 0.86455331, [0.8153800480, -0.7469222535, 0.8092244324]),
]  # fmt: skip


@pytest.mark.parametrize(
    ("of_8", "of_3", "sigma", "model", "objective", "b", "error", "values"), DIGITS
)
def test_the_authors_program_on_digits(of_8, of_3, sigma, model, objective, b, error, values):
    X, y, truth = digits_3_and_8(of_8, of_3)
    model = clone(model).set_params(gamma=1 / (2 * sigma**2)).fit(X, y)
    reached = model.minimum_ if isinstance(model, LapRLS) else model.objective_
    assert_allclose(reached, objective, rtol=1e-9)
    assert_allclose(model.intercept_, [b], atol=1e-8)
    assert_allclose(model.decision_function(X[:3]), values, atol=1e-8)
    free = y < 0
    assert_allclose(100 * np.mean(model.predict(X)[free] != truth[free]), error, atol=1e-7)
    if model.solver == "cg":
        assert model.n_iter_ == 18


def test_the_authors_graph():
    for X, expected in (
        (breast_cancer(1)[0], 3114.7500145948),
        (digits_3_and_8(1, 1)[0], 1773.7389933114),
    ):
        W = neighbor_graph(*SharedRows(X).neighbors("euclidean", 6), 0.5, kind="heat")
        assert_allclose(W.laplacian(normalized=False).diagonal().sum(), expected, rtol=1e-12)


@pytest.mark.parametrize("fit_intercept", [False, True])
@pytest.mark.parametrize("kind", [LapSVMPrimal, LapRLS])
def test_conjugate_gradients_reach_the_direct_solution(kind, fit_intercept):
    X, y, _ = overlapping()
    settings = {"gamma_A": 0.01, "gamma_I": 0.1, "fit_intercept": fit_intercept}
    direct = kind(**settings).fit(X, y)
    steps = kind(**settings, solver="cg", stability=0, max_iter=5000).fit(X, y)
    assert direct.objective_.shape == (3,)
    assert_allclose(steps.objective_, direct.objective_, rtol=1e-9)
    assert_allclose(steps.decision_function(X), direct.decision_function(X), atol=1e-5)
    early = kind(**settings, solver="cg").fit(X, y)
    assert early.n_iter_ < steps.n_iter_
    if kind is LapSVMPrimal:
        assert (early.objective_ > direct.objective_).all()


@pytest.mark.parametrize("fit_intercept", [False, True])
@pytest.mark.parametrize("kind", [LapSVMPrimal, LapRLS])
def test_no_digit_is_lost_where_the_graph_outweighs_the_norm_a_million_times(kind, fit_intercept):
    X, y, _ = breast_cancer(40)
    model = kind(gamma=1 / 128, gamma_A=1e-6, gamma_I=1, fit_intercept=fit_intercept).fit(X, y)
    f = model.decision_function(X)
    signs = np.select([y == 0, y == 1], [-1.0, 1.0])
    active = (signs != 0) & ((signs * f < 1) | (kind is LapRLS))
    K = Kernel("rbf", 1 / 128).square(X)
    graph = neighbor_graph(*SharedRows(X).neighbors("euclidean", 6), 0.5, kind="heat")
    # The system of Melacci and Belkin for the active rows, with b in the first column.
    system = np.zeros((len(X) + 1, len(X) + 1))
    system[0, 1:], system[1:, 0] = fit_intercept, active * fit_intercept
    system[0, 0] = not fit_intercept
    system[1:, 1:] = 1e-6 * np.eye(len(X)) + active[:, None] * K + graph.laplacian() @ K
    b, *alpha = np.linalg.solve(system, np.r_[0, active * signs])
    assert_allclose(f, K @ alpha + b, atol=1e-8)
    assert_allclose(model.intercept_, [b], atol=1e-8)


@pytest.mark.parametrize("gamma", [0.02, 0.2])
def test_without_the_graph_the_dual_machine_is_svc(gamma):
    X, y, _ = breast_cancer(40)
    given = y >= 0
    gamma_A = 0.01
    ours = LapSVM(gamma=gamma, gamma_A=gamma_A, gamma_I=0, tol=1e-8).fit(X, y)
    theirs = SVC(gamma=gamma, C=1 / (2 * gamma_A * given.sum()), tol=1e-8).fit(X[given], y[given])
    assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-6)
    assert_array_equal(
        np.flatnonzero(ours.dual_coef_[:, 0]), np.sort(np.flatnonzero(given)[theirs.support_])
    )


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_no_small_move_makes_the_dual_machine_better(fit_intercept):
    X, y, _ = breast_cancer(10)
    given, n = y >= 0, len(X)
    settings = {"gamma_A": 0.01, "gamma_I": 50.0, "fit_intercept": fit_intercept}
    model = LapSVM(gamma=GAMMA, **settings, tol=1e-9).fit(X, y)
    K = Kernel("rbf", GAMMA).square(X)
    graph = neighbor_graph(*SharedRows(X).neighbors("euclidean", 6), 0.5, kind="heat")
    laplacian, signs = graph.laplacian(), np.where(y == 1, 1, -1)[given]

    def objective(alpha, b):
        f = K @ alpha
        hinge = np.maximum(0, 1 - signs * (f[given] + b)).mean()
        return hinge + 0.01 * alpha @ f + 50 / n**2 * f @ (laplacian @ f)

    alpha, b = model.dual_coef_[:, 0], model.intercept_[0]
    assert_allclose(model.objective_, objective(alpha, b))
    assert (b == 0) != fit_intercept
    rng = np.random.default_rng(0)
    for size in (1e-2, 1e-4):
        for _ in range(20):
            move = np.linalg.solve(K + 1e-6 * np.eye(n), size * rng.normal(size=n) * given)
            shift = size * rng.normal() * fit_intercept
            assert objective(alpha + move, b + shift) > model.objective_


MODELS = [
    LapSVMPrimal(gamma_A=1e-3, gamma_I=0.1),
    LapSVMPrimal(gamma_A=1e-3, gamma_I=0.1, fit_intercept=True),
    LapSVMPrimal(gamma_A=1e-3, gamma_I=0.1, solver="cg"),
    LapRLS(gamma_A=1e-3, gamma_I=0.1, fit_intercept=True),
    LapSVM(),
    LapSVM(gamma_A=0.01, gamma_I=100.0, fit_intercept=False),
    LapSVM(gamma_I=100.0),
]


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_labels_left_out_are_those_of_refits(model, n_classes):
    X, y, _ = overlapping(3)
    y[y >= n_classes] = -1
    y[np.flatnonzero(y == n_classes - 1)[1:]] = -1  # its class disappears when it is hidden
    expected = predicted_by_refits(model, X, y)
    assert_array_equal(loo_predict(model, X, y), expected)
    assert len(set(expected)) > 1 or n_classes == 2


def test_left_out_scores_are_decision_values_of_refits():
    X, y, _ = overlapping(4)
    model = LapSVMPrimal(gamma_A=1e-3, gamma_I=0.1)
    scores = model.loo_scores(X, encode_labels(y))
    for found, (row, hidden) in list(zip(scores, without_each_label(y), strict=True))[:5]:
        refit = clone(model).fit(X, hidden)
        assert_allclose(found, refit.decision_function(X[[row]])[0], atol=1e-7)


@pytest.mark.parametrize("model", MODELS[:5])
def test_each_class_is_a_machine_against_the_rest(model):
    X, y, _ = overlapping(5)
    values = clone(model).fit(X, y).decision_function(X)
    for c in range(3):
        alone = clone(model).fit(X, np.where(y >= 0, (y == c).astype(int), -1))
        assert_allclose(values[:, c], alone.decision_function(X), atol=1e-5)


def test_large_tables(monkeypatch):
    X, y, _ = overlapping()
    steps = LapSVMPrimal(solver="cg", gamma_A=0.01, stability=0, max_iter=1000)
    whole = clone(steps).fit(X, y)
    assert "KERNEL_MEMORY_ROWS" not in whole.limits_hit_
    monkeypatch.setattr(limits, "KERNEL_MEMORY_ROWS", len(X) - 1)
    streamed = clone(steps).fit(X, y)
    assert "KERNEL_MEMORY_ROWS" in streamed.limits_hit_
    assert_allclose(streamed.objective_, whole.objective_)
    for model in (LapSVMPrimal(), LapRLS(), LapSVM()):
        with pytest.raises(ValueError, match="takes at most 89 rows. Got 90.*solver='cg'"):
            model.fit(X, y)


@pytest.mark.parametrize("model", MODELS[:5])
def test_equal_rows_and_one_label_a_class(model):
    X = np.repeat([[0.0, 0.0], [1.0, 1.0]], 8, axis=0)
    y = np.full(16, -1)
    y[0], y[8] = 0, 1
    fitted = clone(model).fit(X, y)
    assert_array_equal(fitted.predict(X), np.repeat([0, 1], 8))
