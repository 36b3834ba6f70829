"""GraphLabeler against dense algebra, against scikit-learn's iteration, and at the edges."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from scipy.sparse import csgraph
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.semi_supervised import LabelSpreading

import ssrlpl
from baseline_problems import overlapping
from conftest import problem
from ssrlpl import SSRLPL, GraphLabeler, KernelSSRLPL, SSRLPLClassifier
from ssrlpl._core import diffusion as core
from ssrlpl._core.neighbor_graph import find_neighbors, neighbor_graph
from ssrlpl._core.shared import SharedRows
from ssrlpl._utils import limits
from ssrlpl.labels import encode_labels


def affinity(X, k, sharpness=1.0):
    """The weights of the graph, row by row, as the docstring has them."""
    distances = np.sqrt(((X[:, None] - X[None]) ** 2).sum(axis=2))
    order = np.argsort(distances + np.diag(np.full(len(X), -1.0)), axis=1, kind="stable")
    neighbors = order[:, 1 : k + 1]
    s = np.take_along_axis(distances, neighbors[:, -1:], axis=1).ravel()
    W = np.zeros_like(distances)
    for i, row in enumerate(neighbors):
        W[i, row] = np.exp(-sharpness * distances[i, row] ** 2 / (s[i] * s[row]))
    return np.maximum(W, W.T)


def given_labels(y, n_classes=3):
    Y = np.zeros((len(y), n_classes))
    Y[np.flatnonzero(y >= 0), y[y >= 0]] = 1
    return Y


def rows_to_one(F, y):
    F = F / F.sum(axis=1, keepdims=True)
    F[y >= 0] = given_labels(y)[y >= 0]
    return F


@pytest.mark.parametrize("alpha", [0.2, 0.9, 0.99])
@pytest.mark.parametrize("sharpness", [1.0, 4.0])
@pytest.mark.parametrize("mass", [False, True])
def test_spreading_is_the_dense_closed_form(alpha, sharpness, mass):
    """Class masses follow the counts raised by one."""
    X, y, _ = overlapping()
    W = affinity(X, 6, sharpness)
    root = 1 / np.sqrt(W.sum(axis=1))
    F = np.linalg.solve(np.eye(len(X)) - alpha * root[:, None] * W * root, given_labels(y))
    F *= (given_labels(y).sum(axis=0) + 1) / F.sum(axis=0) if mass else 1
    ours = GraphLabeler(6, alpha=alpha, sharpness=sharpness, class_mass=mass).fit(X, y)
    assert_allclose(ours.label_distributions_, rows_to_one(F, y), atol=1e-9)


def test_spreading_is_the_fixed_point_of_label_spreading():
    X, y, _ = overlapping(1)
    W = affinity(X, 8)

    def weights(A, B):
        return W if len(A) == len(X) else W[: len(A)]

    theirs = LabelSpreading(weights, alpha=0.9, max_iter=5000, tol=1e-12).fit(X, y)
    ours = GraphLabeler(8, alpha=0.9, class_mass=False).fit(X, y)
    assert_allclose(ours.label_distributions_[y < 0], theirs.label_distributions_[y < 0], atol=1e-8)


def test_harmonic_values_are_means_of_their_neighbors():
    X, y, _ = overlapping(2)
    Y = GraphLabeler(6, method="harmonic", class_mass=False).fit(X, y).label_distributions_
    W = affinity(X, 6)
    means = W @ Y / W.sum(axis=1, keepdims=True)
    assert_allclose(Y[y < 0], means[y < 0], atol=1e-8)
    assert_allclose(Y[y >= 0], given_labels(y)[y >= 0])


@pytest.mark.parametrize(("method", "band"), [("spreading", 0), ("harmonic", 0), ("harmonic", 100)])
def test_solvers_of_large_tables_give_the_dense_answer(method, band, monkeypatch):
    """Conjugate gradients, or a factorization of a band."""
    monkeypatch.setattr(core, "_BAND", band)
    X, y, _ = overlapping(4, n=150)
    y[np.flatnonzero(y == 2)[1:]] = -1
    dense = GraphLabeler(5, method=method).fit(X, y)
    monkeypatch.setattr(limits, "DENSE_GRAPH_ROWS", 10)
    streamed = GraphLabeler(5, method=method).fit(X, y)
    assert_allclose(streamed.label_distributions_, dense.label_distributions_, atol=1e-7)
    assert_array_equal(streamed.unreached_, dense.unreached_)


def test_labels_go_all_the_way_along_a_path():
    """Conjugate gradients stop before labels of the two ends have met in the middle."""
    places = np.random.default_rng(0).permutation(12_000)
    y = np.select([places == 0, places == places.max()], [0, 1], -1)
    fitted = GraphLabeler(2, method="harmonic", class_mass=False).fit(places[:, None], y)
    assert_allclose(fitted.label_distributions_[:, 1], places / places.max(), atol=0.01)


def test_conjugate_gradients_that_do_not_converge_say_so(monkeypatch):
    monkeypatch.setattr(limits, "DENSE_GRAPH_ROWS", 10)
    monkeypatch.setattr(core, "_BAND", 0)
    monkeypatch.setattr(core, "_MAX_STEPS", 3)
    X, y, _ = overlapping(4, n=150)
    for method in ("spreading", "harmonic"):
        with pytest.warns(ConvergenceWarning, match="residual of 1e-10. Got .*raise n_neighbors"):
            GraphLabeler(5, method=method).fit(X, y)
    A = sparse.csr_matrix(np.diag([1.0, 2, 3]) + 1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # the third step is the last one that is needed
        core.conjugate_gradients(A, np.eye(3)[:, :2])


def test_conjugate_gradients_solve_columns_of_any_size():
    rng = np.random.default_rng(0)
    M = rng.normal(size=(40, 40))
    A = M @ M.T + np.diag(np.logspace(0, 4, 40))
    B = rng.normal(size=(40, 4)) * [1e-8, 1, 1e8, 0]
    found = core.conjugate_gradients(sparse.csr_matrix(A), B)
    expected = np.linalg.solve(A, B)
    for j in range(3):
        assert_allclose(found[:, j], expected[:, j], atol=1e-8 * np.abs(expected[:, j]).max())
    assert_array_equal(found[:, 3], 0)


def test_conjugate_gradients_take_a_tolerance_for_each_column():
    rng = np.random.default_rng(1)
    M = rng.normal(size=(60, 60))
    A, B = M @ M.T + np.eye(60), rng.normal(size=(60, 6))
    tolerance = np.array([1e-1, 1e-10, 1e-1, 1e-2, 1e-6, 1e-1])
    found = core.conjugate_gradients(sparse.csr_matrix(A), B, tolerance)
    residual = np.sqrt(np.sum((B - A @ found) ** 2 / np.diag(A)[:, None], axis=0))
    length = np.sqrt(np.sum(B**2 / np.diag(A)[:, None], axis=0))
    assert np.all(residual <= 1.01 * tolerance * length)
    assert np.all(residual[tolerance == 0.1] > 1e-4 * length[tolerance == 0.1])  # they stopped


def test_conjugate_gradients_leave_finished_columns_alone():
    X = np.random.default_rng(0).normal(size=(120, 2))
    graph = neighbor_graph(*SharedRows(X).neighbors("euclidean", 3), 1.0, kind="heat", mutual=True)
    _, component = csgraph.connected_components(graph.weights)
    assert {2, 3} < set(np.bincount(component))
    assert np.bincount(component).max() > 20
    B = np.zeros((120, 120))
    for rows in (np.flatnonzero(component == c) for c in set(component)):
        B[np.ix_(rows, rows)] = np.eye(len(rows)) - 1 / len(rows)
    B = B[:, graph.degree > 0][graph.degree > 0]
    laplacian = graph.laplacian()[graph.degree > 0][:, graph.degree > 0]
    found = core.conjugate_gradients(laplacian, B)
    # A few steps are exact in small components; further ones, along the constants that the
    # singular matrix does not see, would be as large as rounding errors make them.
    assert_allclose(laplacian @ found, B, atol=1e-8)


def two_islands():
    rng = np.random.default_rng(5)
    X = rng.normal(size=(60, 2))
    X[40:] += 1000
    y = np.full(60, -1)
    y[:5] = [0, 0, 0, 1, 1]
    return X, y


@pytest.mark.parametrize("method", ["spreading", "harmonic"])
@pytest.mark.parametrize("dense_rows", [10, 1000])
def test_island_without_a_label_is_flagged_and_gets_the_class_shares(
    method, dense_rows, monkeypatch
):
    monkeypatch.setattr(limits, "DENSE_GRAPH_ROWS", dense_rows)
    X, y = two_islands()
    fitted = GraphLabeler(5, method=method).fit(X, y)
    assert_array_equal(fitted.unreached_, np.arange(60) >= 40)
    assert_allclose(fitted.label_distributions_[40:], np.tile([0.6, 0.4], (20, 1)))
    assert_allclose(fitted.predict_proba([[1000.0, 1000.0]]), [[0.6, 0.4]])


def test_class_mass_of_a_class_that_has_no_label_is_zero():
    F = np.array([[0.2, 0.0, 0.3], [0.5, 0.0, 0.1]])
    scaled = F * core.class_mass(F, np.array([3.0, 0.0, 1.0]))
    assert_allclose(scaled.sum(axis=0), [4, 0, 2])


def test_rows_on_the_simplex_and_winners():
    X, y, _ = overlapping(7)
    soft = GraphLabeler(5).fit(X, y)
    assert_allclose(soft.label_distributions_.sum(axis=1), 1)
    hard = GraphLabeler(5, winner_take_all=True).fit(X, y)
    assert_array_equal(np.unique(hard.label_distributions_), [0, 1])
    assert_array_equal(hard.transduction_, soft.transduction_)


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
@pytest.mark.parametrize("d", [3, 20])  # a tree, and brute force
@pytest.mark.parametrize("offset", [0, 300, 1e5])
def test_training_rows_get_their_own_vectors(metric, d, offset):
    """Also far from the origin, where rounding must not make a row a stranger to itself."""
    X, y, _ = overlapping(8, d=d)
    fitted = GraphLabeler(5, metric=metric).fit(X + offset, y)
    assert_allclose(fitted.predict_proba(X + offset), fitted.label_distributions_, atol=1e-12)
    assert_array_equal(fitted.predict(X + offset), fitted.transduction_)


def test_new_rows_get_weighted_means_of_their_neighbors():
    X, y, _ = overlapping(9)
    fitted = GraphLabeler(4).fit(X, y)
    x = X[:7].mean(axis=0)
    distances = np.sqrt(((X - x) ** 2).sum(axis=1))
    near = np.argsort(distances)[:4]
    scale = [np.sort(np.sqrt(((X - X[j]) ** 2).sum(axis=1)))[4] for j in near]
    w = np.exp(-(distances[near] ** 2) / (distances[near[-1]] * np.array(scale)))
    expected = w @ fitted.label_distributions_[near] / w.sum()
    assert_allclose(fitted.predict_proba(x[None])[0], expected, rtol=1e-9)


@pytest.mark.parametrize("sharpness", [1.0, 1000.0])
def test_rows_far_away_have_probabilities(sharpness):
    X, y, _ = overlapping(10)
    fitted = GraphLabeler(5, sharpness=sharpness).fit(X, y)
    found = fitted.predict_proba(np.vstack([X[:1] + 1e6, X[:1] - 1e12, np.zeros((1, 4))]))
    assert np.isfinite(found).all()
    assert_allclose(found.sum(axis=1), 1)


@pytest.mark.parametrize("method", ["spreading", "harmonic"])
@pytest.mark.parametrize("d", [2, 20])
def test_copies_of_a_row_are_no_trouble(method, d):
    X, y, _ = overlapping(11, n=40, d=d)
    X, y = np.repeat(X, 4, axis=0), np.repeat(y, 4)
    y[1::4] = -1
    fitted = GraphLabeler(3, method=method).fit(X, y)
    assert np.isfinite(fitted.label_distributions_).all()
    labeled = np.flatnonzero(y >= 0)
    assert_array_equal(fitted.transduction_[labeled], y[labeled])
    copies = np.flatnonzero(y[0::4] >= 0) * 4 + 1  # hidden ones of a labeled row
    assert_array_equal(fitted.transduction_[copies], y[copies - 1])


def test_table_of_equal_rows():
    y = np.array([0, 1, -1, -1, 1, -1])
    fitted = GraphLabeler(2).fit(np.ones((6, 2)), y)
    assert np.isfinite(fitted.label_distributions_).all()
    assert_allclose(fitted.predict_proba(np.ones((2, 2))).sum(axis=1), 1)


def test_fewer_rows_than_neighbors():
    X, y = np.array([[0.0], [1.0], [4.0], [5.0]]), np.array([0, -1, -1, 1])
    fitted = GraphLabeler(10).fit(X, y)
    assert fitted.n_neighbors_ == 3
    assert fitted.n_neighbors == 10
    assert_array_equal(fitted.transduction_, [0, 0, 1, 1])
    assert fitted.predict_proba([[0.1]]).argmax() == 0


def test_two_rows():
    fitted = GraphLabeler().fit([[0.0], [1.0]], [0, 1])
    assert_array_equal(fitted.predict([[0.1], [0.9]]), [0, 1])


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
def test_sparse_rows_are_dense_rows(metric):
    X, y, _ = overlapping(12, d=8)
    X[np.abs(X) < 0.3] = 0
    dense = GraphLabeler(5, metric=metric).fit(X, y)
    thin = GraphLabeler(5, metric=metric).fit(sparse.csr_array(X), y)
    assert_allclose(thin.label_distributions_, dense.label_distributions_, atol=1e-8)
    assert_allclose(
        thin.predict_proba(sparse.csr_array(X[:9] + 1)), dense.predict_proba(X[:9] + 1), atol=1e-8
    )


def test_single_precision():
    X, y, _ = overlapping(13)
    single = GraphLabeler(5).fit(X.astype(np.float32), y)
    assert single.label_distributions_.dtype == np.float32
    assert single.predict_proba(X.astype(np.float32)).dtype == np.float32
    double = GraphLabeler(5).fit(X, y)
    assert_allclose(single.label_distributions_, double.label_distributions_, atol=1e-4)


def test_cosine_does_not_see_lengths():
    X, y, _ = overlapping(14)
    lengths = np.random.default_rng(0).uniform(0.1, 10, (len(X), 1))
    plain, scaled = (GraphLabeler(5, metric="cosine").fit(A, y) for A in (X, lengths * X))
    assert_allclose(scaled.label_distributions_, plain.label_distributions_, atol=1e-9)


def test_cosine_with_a_row_of_zeros():
    X, y, _ = overlapping(14)
    X[10] = 0
    fitted = GraphLabeler(5, metric="cosine").fit(X, y)
    assert np.isfinite(fitted.label_distributions_).all()


@pytest.mark.parametrize("method", ["spreading", "harmonic"])
def test_order_of_rows_does_not_matter(method):
    X, y, _ = overlapping(15)
    order = np.random.default_rng(1).permutation(len(X))
    plain = GraphLabeler(6, method=method).fit(X, y)
    mixed = GraphLabeler(6, method=method).fit(X[order], y[order])
    assert_allclose(mixed.label_distributions_, plain.label_distributions_[order], atol=1e-9)


@pytest.mark.parametrize("scale", [1e-100, 1e-6, 1e6, 1e100])
def test_unit_of_the_columns_does_not_matter(scale):
    X, y, _ = overlapping(16)
    plain, scaled = GraphLabeler(5).fit(X, y), GraphLabeler(5).fit(scale * X, y)
    assert_allclose(scaled.label_distributions_, plain.label_distributions_, atol=1e-7)


@pytest.mark.parametrize("scale", [1e-200, 1e300])
def test_numbers_whose_squares_are_no_numbers_are_refused(scale):
    X, y, _ = overlapping(16)
    with pytest.raises(ValueError, match="largest number of X must be between .*scale the columns"):
        GraphLabeler(5).fit(scale * X, y)


def test_words_as_labels():
    X, y, _ = overlapping(17)
    names = np.array(["ash", "beech", "cedar", None], dtype=object)
    words = GraphLabeler(5).fit(X, names[y])
    codes = GraphLabeler(5).fit(X, y)
    assert_array_equal(words.transduction_, names[codes.transduction_])
    assert_array_equal(words.predict(X + 0.1), names[codes.predict(X + 0.1)])
    assert_array_equal(words.classes_, names[:3])


@pytest.mark.parametrize("d", [4, 20])  # a tree, and brute force
def test_saved_and_loaded(d, tmp_path):
    pytest.importorskip("skops")
    X, y, _ = overlapping(18, d=d)
    fitted = GraphLabeler(5).fit(X, y)
    ssrlpl.save(fitted, tmp_path / "model")
    loaded = ssrlpl.load(tmp_path / "model")
    assert_array_equal(loaded.predict_proba(X + 0.1), fitted.predict_proba(X + 0.1))


@pytest.mark.parametrize("map_", [SSRLPL(), KernelSSRLPL(), KernelSSRLPL(constraint="whitened")])
def test_serves_as_the_labeler_of_a_map(map_):
    X, y, truth = problem(90, 4, share=0.2)
    alone = GraphLabeler(5).fit(X, y)
    fitted = clone(map_).set_params(labeler=GraphLabeler(5)).fit(X, y)
    assert_allclose(fitted.label_distributions_, alone.label_distributions_)
    classifier = SSRLPLClassifier(clone(map_).set_params(labeler=GraphLabeler(5))).fit(X, y)
    assert (classifier.predict(X) == truth).mean() > 0.85


def test_spreads_around_a_bend_where_voting_cuts_across():
    angle = np.linspace(0, np.pi, 60)
    moons = np.vstack(
        [np.c_[np.cos(angle), np.sin(angle)], np.c_[1 - np.cos(angle), 0.5 - np.sin(angle)]]
    )
    truth = np.repeat([0, 1], 60)
    y = np.full(120, -1)
    y[[5, 65]] = [0, 1]
    assert_array_equal(GraphLabeler(5).fit(moons, y).transduction_, truth)


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        ({"n_neighbors": 0}, "n_neighbors must be an int >= 1"),
        ({"alpha": 1.0}, r"alpha must be a number in \(0, 1\)"),
        ({"alpha": 0}, r"alpha must be a number in \(0, 1\)"),
        ({"sharpness": -1.0}, "sharpness must be a number"),
        ({"sharpness": np.inf}, "sharpness must be a number"),
        ({"method": "walk"}, "method must be one of 'spreading', 'harmonic'"),
        ({"metric": "manhattan"}, "metric must be one of 'euclidean', 'cosine'"),
    ],
)
def test_bad_settings_are_named(setting, words):
    X, y, _ = overlapping()
    with pytest.raises(ValueError, match=words):
        GraphLabeler(**setting).fit(X, y)


def test_weights_of_labels_count_like_repeated_labels():
    """A label of weight two spreads like the labels of two equal rows of weight one each."""
    X, y, _ = problem(40, 3, seed=2)
    target = encode_labels(y)
    labeler = GraphLabeler(5, alpha=0.9, class_mass=False)
    weight = np.where(y == target.classes[0], 3.0, 1.0)
    plain, weighted = (clone(labeler).fit_checked(X, target, w) for w in (None, weight))
    free = ~target.is_labeled
    P = core.spread(plain._graph, target.labeled, np.eye(target.n_labeled), 0.9)
    expected = P @ (target.one_hot() * weight[target.labeled][:, None])
    expected /= expected.sum(axis=1, keepdims=True)
    assert_allclose(weighted.label_distributions_[free], expected[free], atol=1e-8)
    assert np.all(weighted.label_distributions_[free, 0] >= plain.label_distributions_[free, 0])
    left_out = labeler.loo_scores(X, target, weight=weight[target.labeled])
    for i, row in enumerate(target.labeled):
        again = clone(labeler).fit_checked(X, target.hiding(row), weight)
        assert_allclose(left_out[i], again.label_distributions_[row], atol=1e-8)


@pytest.mark.parametrize("n_labeled", [4, 30])
def test_parts_of_the_spread_are_those_of_the_inverse(n_labeled):
    rng = np.random.default_rng(2)
    X = rng.standard_normal((60, 3))
    labeled = np.sort(rng.permutation(60)[:n_labeled])
    Y = rng.random((n_labeled, 2))
    graph = neighbor_graph(*find_neighbors(X, "euclidean").nearest(5), 1.0)
    W = affinity(X, 5)
    root = np.sqrt(W.sum(axis=1))
    P = np.linalg.inv(np.eye(60) - 0.9 * W / np.outer(root, root))[:, labeled]
    diagonal, sums, spread = core.spread_parts(graph, labeled, Y, 0.9)
    assert_allclose(diagonal, np.diag(P[labeled]), atol=1e-8)
    assert_allclose(sums, P.sum(axis=0), atol=1e-8)
    assert_allclose(spread, P @ Y, atol=1e-8)
