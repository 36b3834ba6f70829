"""The whitened constraint, the weight of unlabeled rows, landmarks, and the reading of labels."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import linalg, sparse
from sklearn.base import clone
from sklearn.datasets import load_digits
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import Ridge
from sklearn.metrics.pairwise import rbf_kernel

from conftest import centering, peak_bytes, problem
from ssrlpl import SSRLPL, GraphLabeler, KernelSSRLPL, KNNLabeler
from ssrlpl._core.readout import read_labels
from ssrlpl._utils import limits

RHO = 0.03
WHITENED = pytest.mark.parametrize(
    "map_", [SSRLPL(constraint="whitened"), KernelSSRLPL(constraint="whitened")], ids=str
)


def scatter(X):
    return X.T @ centering(len(X)) @ X


def same_up_to_signs(A, B, **tolerance):
    signs = np.sign(np.sum(A * B, axis=0))
    assert_allclose(A * signs, B, **tolerance)


def subspace(V):
    Q = linalg.orth(V)
    return Q @ Q.T


@pytest.mark.parametrize("rho", [1e-6, RHO, 10.0, "auto"])
def test_linear_map_solves_the_generalized_eigenproblem(rho):
    X, y, _ = problem(80, 6)
    fitted = SSRLPL(constraint="whitened", rho=rho).fit(X, y)
    S, M = scatter(X), X.T @ centering(80) @ fitted.label_distributions_
    right = S + fitted.rho_ * np.trace(S) * np.eye(6)
    values, vectors = linalg.eigh(M @ M.T, right)
    assert_allclose(fitted.singular_values_**2, values[::-1][:2], rtol=1e-8)
    same_up_to_signs(fitted.components_.T, vectors[:, ::-1][:, :2], atol=1e-8)
    assert_allclose(fitted.components_ @ right @ fitted.components_.T, np.eye(2), atol=1e-8)


@pytest.mark.parametrize("rho", [1e-4, RHO, 10.0, "auto"])
@pytest.mark.parametrize("kernel", ["rbf", "polynomial"])
def test_kernel_map_solves_the_generalized_eigenproblem(rho, kernel):
    """With V = Φᵀβ, the constraint is βᵀ(K H K + ρK)β = I."""
    X, y, _ = problem(50, 6)
    map_ = KernelSSRLPL(kernel=kernel, gamma=0.1, degree=2, constraint="whitened", rho=rho)
    Z = map_.fit_transform(X, y)
    H, K = centering(50), map_._kernel(X, X).copy()
    ridge = map_.rho_ * np.trace(H @ K @ H)
    beta, B = map_.dual_coef_, H @ map_.label_distributions_
    assert_allclose(beta.T @ (K @ H @ K + ridge * K) @ beta, np.eye(2), atol=1e-8)
    values = linalg.eigvals(H @ K @ H @ B @ B.T, H @ K @ H + ridge * np.eye(50)).real
    assert_allclose(map_.eigenvalues_, np.sort(values)[::-1][:2], rtol=1e-7)
    # In coordinates of the feature space, where the kernel matrix is a matrix of products.
    w, U = linalg.eigh(K)
    kept = w > 1e-12 * w[-1]
    features = U[:, kept] * np.sqrt(w[kept])
    S, M = scatter(features), features.T @ B
    _, V = linalg.eigh(M @ M.T, S + ridge * np.eye(len(S)))
    same_up_to_signs(Z, features @ V[:, ::-1][:, :2], atol=1e-7)


def test_no_feasible_map_has_a_larger_objective():
    X, y, _ = problem(80, 6)
    fitted = SSRLPL(constraint="whitened", rho=RHO).fit(X, y)
    S, M = scatter(X), X.T @ centering(80) @ fitted.label_distributions_
    C = linalg.cholesky(S + RHO * np.trace(S) * np.eye(6))
    rng = np.random.default_rng(0)
    best = np.sum((fitted.components_ @ M) ** 2)
    assert_allclose(best, fitted.objective_ * 79**2)
    for _ in range(1000):
        V = linalg.solve_triangular(C, linalg.qr(rng.normal(size=(6, 2)), mode="economic")[0])
        assert np.sum((V.T @ M) ** 2) < best
        near = linalg.qr(C @ fitted.components_.T + 0.01 * rng.normal(size=(6, 2)), mode="economic")
        assert np.sum((linalg.solve_triangular(C, near[0]).T @ M) ** 2) <= best * (1 + 1e-12)


@pytest.mark.parametrize("map_", [SSRLPL, KernelSSRLPL])
def test_a_large_ridge_gives_the_orthonormal_map_up_to_scale(map_):
    X, y, _ = problem(80, 6)
    plain = map_().fit(X, y)
    whitened = map_(constraint="whitened", rho=1e9).fit(X, y)
    Z, W = plain.transform(X), whitened.transform(X)
    Z, W = Z - Z.mean(axis=0), W - W.mean(axis=0)
    same_up_to_signs(W / np.linalg.norm(W), Z / np.linalg.norm(Z), atol=1e-7)


@pytest.mark.parametrize("rho", [RHO, 1e-5])
def test_linear_kernel_gives_the_linear_map(rho):
    X, y, _ = problem(80, 6)
    linear = SSRLPL(constraint="whitened", rho=rho).fit(X, y)
    dual = KernelSSRLPL(kernel="linear", constraint="whitened", rho=rho).fit(X, y)
    same_up_to_signs(X.T @ dual.dual_coef_, linear.components_.T, atol=1e-8)
    assert_allclose(dual.eigenvalues_, linear.singular_values_**2, rtol=1e-8)
    assert_allclose(dual.objective_, linear.objective_, rtol=1e-8)


MAPS = {
    "linear": SSRLPL(constraint="whitened"),
    "linear rho": SSRLPL(constraint="whitened", rho=RHO),
    "linear weight": SSRLPL(constraint="whitened", unlabeled_weight=0.3),
    "orthonormal weight": SSRLPL(unlabeled_weight=0.3),
    "kernel": KernelSSRLPL(constraint="whitened"),
    "kernel rho": KernelSSRLPL(constraint="whitened", rho=RHO),
    "kernel weight": KernelSSRLPL(constraint="whitened", unlabeled_weight=0.3),
    "kernel orthonormal weight": KernelSSRLPL(unlabeled_weight=0.3),
}


@pytest.mark.parametrize("name", MAPS)
@pytest.mark.filterwarnings("ignore:n_neighbors=")
def test_weights_are_repetitions(name):
    X, y, _ = problem(50, 4)
    weight = np.random.default_rng(1).integers(0, 4, 50)
    weight[:3] = 1
    rows = np.repeat(np.arange(50), weight)
    weighted = MAPS[name].fit(X, y, sample_weight=weight)
    Z, rho, objective = weighted.transform(X), getattr(weighted, "rho_", 0), weighted.objective_
    repeated = MAPS[name].fit(X[rows], y[rows])
    assert_allclose(rho, getattr(repeated, "rho_", 0), rtol=1e-9)
    assert_allclose(objective, repeated.objective_, rtol=1e-8)
    same_up_to_signs(repeated.transform(X), Z, atol=1e-8)


def test_weights_are_repetitions_for_landmarks(monkeypatch):
    monkeypatch.setattr(limits, "EXACT_KERNEL_ROWS", 10)
    test_weights_are_repetitions("kernel rho")


@pytest.mark.parametrize("map_", [SSRLPL, KernelSSRLPL])
@pytest.mark.parametrize("constraint", ["orthonormal", "whitened"])
def test_full_weight_is_the_default_to_the_bit(map_, constraint):
    X, y, _ = problem(60, 5)
    one = map_(constraint=constraint, unlabeled_weight=1.0).fit(X, y).transform(X)
    assert_array_equal(one, map_(constraint=constraint).fit(X, y).transform(X))


@pytest.mark.parametrize("map_", [SSRLPL(unlabeled_weight=0.0), KernelSSRLPL(unlabeled_weight=0.0)])
def test_no_weight_is_the_map_of_the_labeled_rows(map_):
    X, y, _ = problem(60, 5)
    if isinstance(map_, KernelSSRLPL):
        map_.set_params(gamma=0.1)
    Z = map_.fit(X, y).transform(X)
    alone = map_.fit(X[y >= 0], y[y >= 0]).transform(X)
    same_up_to_signs(Z, alone, atol=1e-9)
    assert_allclose(subspace(Z), subspace(alone), atol=1e-9)


def test_no_weight_leaves_all_rows_in_the_scatter():
    X, y, _ = problem(60, 5)
    fitted = SSRLPL(constraint="whitened", rho=RHO, unlabeled_weight=0.0).fit(X, y)
    A, Y = X[y >= 0], np.eye(3)[y[y >= 0]]
    M, S = A.T @ centering(len(A)) @ Y, scatter(X)
    _, V = linalg.eigh(M @ M.T, S + RHO * np.trace(S) * np.eye(5))
    same_up_to_signs(fitted.components_.T, V[:, ::-1][:, :2], atol=1e-9)


@pytest.mark.parametrize("weight", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("constraint", ["orthonormal", "whitened"])
def test_mean_and_count_are_those_of_all_rows(weight, constraint):
    X, y, _ = problem(60, 5)
    fitted = SSRLPL(constraint=constraint, unlabeled_weight=weight).fit(X, y)
    assert_allclose(fitted.mean_, X.mean(axis=0))
    assert fitted.n_samples_seen_ == 60


@pytest.mark.parametrize("weight", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("constraint", ["orthonormal", "whitened"])
def test_chunks_are_the_whole(weight, constraint):
    """Also when a chunk has no label at all and only labeled rows count."""
    X, y, _ = problem(90, 5)
    order = np.argsort(y < 0, kind="stable")
    X, y = X[order] + 5, y[order]
    whole = SSRLPL(constraint=constraint, unlabeled_weight=weight).fit(X, y)
    parts = SSRLPL(constraint=constraint, unlabeled_weight=weight)
    first = (y >= 0).sum() + 2
    parts.partial_fit(X[:first], y[:first])
    for rows in np.array_split(np.arange(first, 90), 3):
        parts.partial_fit(X[rows])
    assert_allclose(parts.components_, whole.components_, atol=1e-8)
    assert_allclose(parts.singular_values_, whole.singular_values_, rtol=1e-8)
    assert_allclose(parts.mean_, whole.mean_)
    assert parts.n_samples_seen_ == whole.n_samples_seen_ == 90


def test_partial_fit_goes_on_after_fit():
    X, y, _ = problem(90, 5)
    order = np.argsort(y < 0, kind="stable")
    X, y = X[order], y[order]
    map_ = SSRLPL(constraint="whitened").fit(X[:60], y[:60]).partial_fit(X[60:])
    whole = SSRLPL(constraint="whitened").fit(X, y)
    assert_allclose(map_.components_, whole.components_, atol=1e-8)


@pytest.mark.parametrize("constraint", ["orthonormal", "whitened"])
def test_inverse_transform_is_the_row_nearest_to_the_mean(constraint):
    X, y, _ = problem(60, 5)
    fitted = SSRLPL(constraint=constraint).fit(X, y)
    Z = fitted.transform(X)
    back = fitted.inverse_transform(Z)
    assert_allclose(fitted.transform(back), Z, atol=1e-9)
    from_mean = back - X.mean(axis=0)
    nearest = from_mean @ linalg.pinv(fitted.components_) @ fitted.components_
    assert_allclose(nearest, from_mean, atol=1e-9)  # nothing outside the span


@pytest.mark.parametrize("constraint", ["orthonormal", "whitened"])
def test_shares_of_the_loadings_sum_to_one(constraint):
    X, y, _ = problem(60, 5)
    table = SSRLPL(constraint=constraint).fit(X, y).feature_loadings(5)
    shares = np.array([row[-1] for row in table.rows]).reshape(2, 5)
    assert_allclose(shares.sum(axis=1), 1)


def test_landmarks_that_are_all_rows_give_the_exact_map(monkeypatch):
    X, y, _ = problem(70, 5)
    map_ = KernelSSRLPL(constraint="whitened", rho=1e-3)
    exact, values = map_.fit_transform(X, y), map_.eigenvalues_
    new = map_.transform(X + 0.3)
    monkeypatch.setattr(limits, "EXACT_KERNEL_ROWS", 10)
    found = map_.fit_transform(X, y)
    assert map_.X_fit_.shape == X.shape
    same_up_to_signs(found, exact, atol=1e-6)
    same_up_to_signs(map_.transform(X + 0.3), new, atol=1e-6)
    assert_allclose(map_.eigenvalues_, values, rtol=1e-8)
    assert_allclose(map_.transform(X), found, atol=1e-9)


def unexplained(Z, reference):
    """Share of the variance of the reference that no affine function of Z gives."""
    Z, reference = Z - Z.mean(axis=0), reference - reference.mean(axis=0)
    rest = reference - Z @ np.linalg.lstsq(Z, reference, rcond=None)[0]
    return float(np.sum(rest**2) / np.sum(reference**2))


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_fewer_landmarks_come_near_the_exact_map(dtype, monkeypatch):
    X, y = load_digits(return_X_y=True)
    X, y = X[:600].astype(dtype), np.where(np.arange(600) < 100, y[:600], -1)
    map_ = KernelSSRLPL(constraint="whitened", rho=1e-3, labeler=GraphLabeler())
    exact = map_.fit_transform(X.astype(np.float64), y)
    monkeypatch.setattr(limits, "EXACT_KERNEL_ROWS", 100)
    errors = []
    for count in (50, 150, 450):
        monkeypatch.setattr(limits, "LANDMARKS", count)
        found = map_.fit_transform(X, y)
        assert found.dtype == dtype
        assert map_.dual_coef_.shape == (count, 9)
        errors.append(unexplained(found.astype(np.float64), exact))
    print("unexplained by 50, 150, 450 landmarks of 600 rows:", np.round(errors, 4))
    assert errors[0] > errors[1] > errors[2]
    assert errors[1] < 0.05
    assert errors[2] < 0.01


def test_landmarks_are_drawn_by_the_seed(monkeypatch):
    monkeypatch.setattr(limits, "EXACT_KERNEL_ROWS", 10)
    monkeypatch.setattr(limits, "LANDMARKS", 20)
    X, y, _ = problem(70, 5)
    first, again, other = (
        KernelSSRLPL(constraint="whitened", random_state=seed).fit(X, y).X_fit_
        for seed in (0, 0, 1)
    )
    assert_array_equal(first, again)
    assert not np.array_equal(first, other)


@pytest.mark.parametrize("kind", [SSRLPL, KernelSSRLPL])
def test_a_later_orthonormal_fit_has_no_rho(kind):
    X, y, _ = problem(70, 5)
    map_ = kind(constraint="whitened").fit(X, y)
    assert map_.rho_ > 0
    assert not hasattr(map_.set_params(constraint="orthonormal").fit(X, y), "rho_")


def test_landmarks_of_the_user():
    X, y, _ = problem(70, 5)
    map_ = KernelSSRLPL(constraint="whitened", landmarks=[0, 1, 20]).fit(X, y)
    assert_array_equal(map_.X_fit_, X[[0, 1, 20]])


@pytest.mark.parametrize(
    ("landmarks", "words"),
    [
        ([0, 1, 99], "from 0 to 69. Got int64 .* from 0 to 99"),
        ([-1, 1], "from -1 to 1"),
        ([0.0, 1.0], "Got float64"),
        ([], "ints"),
        ([[0, 1]], r"shape \(1, 2\)"),
        (np.arange(70) < 9, "flatnonzero"),
    ],
)
def test_landmarks_must_be_numbers_of_rows(landmarks, words):
    X, y, _ = problem(70, 5)
    with pytest.raises(ValueError, match=f"landmarks must be numbers of rows, .*{words}"):
        KernelSSRLPL(constraint="whitened", landmarks=landmarks).fit(X, y)


def test_landmarks_of_sparse_rows(monkeypatch):
    monkeypatch.setattr(limits, "EXACT_KERNEL_ROWS", 10)
    monkeypatch.setattr(limits, "LANDMARKS", 30)
    X, y, _ = problem(70, 5)
    map_ = KernelSSRLPL(constraint="whitened", rho=1e-3)
    dense = map_.fit_transform(X, y)
    thin = map_.fit(sparse.csr_array(X), y).transform(sparse.csr_array(X))
    same_up_to_signs(thin, dense, atol=1e-6)


@WHITENED
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("n", "d"), [(1500, 500), (6000, 20)])
def test_memory_is_as_announced(map_, dtype, n, d, monkeypatch):
    monkeypatch.setattr(limits, "LANDMARKS", 800)
    X, y, _ = problem(n, d, n_classes=10, share=300 / n)
    X = X.astype(dtype)
    peak = peak_bytes(lambda: clone(map_).fit(X, y))
    assert peak < map_.estimate_memory(n, d, 10, n_labeled=300, dtype=dtype) < 3 * peak


def test_reading_of_the_linear_map_is_ridge_regression():
    X, y, _ = problem(80, 6)
    fitted = SSRLPL(constraint="whitened", rho=RHO).fit(X, y)
    Y = fitted.label_distributions_
    reading = read_labels(fitted.transform(X), Y)
    ridge = Ridge(RHO * np.trace(scatter(X))).fit(X, Y)
    assert_allclose(reading(fitted.transform(X + 1)), ridge.predict(X + 1), atol=1e-8)


def test_reading_of_the_kernel_map_is_kernel_ridge_regression():
    X, y, _ = problem(80, 6)
    map_ = KernelSSRLPL(gamma=0.1, constraint="whitened", rho=1e-3)
    Z, Y, H = map_.fit_transform(X, y), map_.label_distributions_, centering(80)
    K = H @ rbf_kernel(X, gamma=0.1) @ H
    ridge = KernelRidge(alpha=1e-3 * np.trace(K), kernel="precomputed").fit(K, H @ Y)
    assert_allclose(read_labels(Z, Y)(Z), Y.mean(axis=0) + ridge.predict(K), atol=1e-8)


def test_reading_with_weights_makes_up_for_rows_without():
    """Labeled rows stand for all rows: their cross-moment is scaled by n over their number."""
    X, y, _ = problem(80, 6)
    fitted = SSRLPL(constraint="whitened", rho=RHO, unlabeled_weight=0.0).fit(X, y)
    weight = (y >= 0).astype(float)
    reading = read_labels(fitted.transform(X), fitted.label_distributions_, weight)
    A, Y, S = X[y >= 0], np.eye(3)[y[y >= 0]], scatter(X)
    M = (A - A.mean(axis=0)).T @ (Y - Y.mean(axis=0)) * 80 / len(A)
    W = np.linalg.solve(S + RHO * np.trace(S) * np.eye(6), M)
    expected = Y.mean(axis=0) + (X - X.mean(axis=0)) @ W
    assert_allclose(reading(fitted.transform(X)), expected, atol=1e-8)


@WHITENED
def test_shrinkage_shrinks_more_with_fewer_rows(map_):
    shares = [map_.fit(*problem(n, 8)[:2]).rho_ for n in (20, 80, 320)]
    assert shares[0] > shares[1] > shares[2] > 0


def test_shrinkage_is_the_papers_formula():
    """Equation 23 of Chen et al. (2010); scikit-learn's OAS leaves out terms in 2/d."""
    X, y, _ = problem(40, 6)
    C = np.cov(X.T, bias=True)
    square, trace = np.trace(C @ C), np.trace(C)
    delta = ((1 - 2 / 6) * square + trace**2) / ((41 - 2 / 6) * (square - trace**2 / 6))
    rho = SSRLPL(constraint="whitened").fit(X, y).rho_
    assert_allclose(rho, delta / (6 * (1 - delta)), rtol=1e-9)
    shrunk = (1 - delta) * C + delta * trace / 6 * np.eye(6)
    ours = C + rho * trace * np.eye(6)
    assert_allclose(ours / np.trace(ours), shrunk / np.trace(shrunk), rtol=1e-9, atol=1e-12)


@WHITENED
def test_rows_that_are_all_equal(map_):
    map_ = clone(map_).set_params(labeler=KNNLabeler(2))
    Z = map_.fit(np.ones((6, 2)), [0, 1, -1, -1, -1, -1]).transform(np.ones((1, 2)))
    assert np.isfinite(Z).all()


def test_the_users_kernel_matrix_is_not_written_to():
    X, y, _ = problem(60, 5)
    K = rbf_kernel(X, gamma=0.1)
    before = K.copy()
    labeler = GraphLabeler(5)
    KernelSSRLPL(kernel="precomputed", constraint="whitened", labeler=labeler).fit(K, y)
    assert_array_equal(K, before)
    held = KernelSSRLPL(kernel=lambda A, B: K[: len(A), : len(B)], constraint="whitened")
    held.fit(X, y)
    assert_array_equal(K, before)


def test_relabeling_is_labeling_the_representation():
    X, y, _ = problem(90, 5, share=0.2)
    once = SSRLPL(constraint="whitened").fit(X, y)
    again = SSRLPL(constraint="whitened", relabel_rounds=1).fit(X, y)
    expected = KNNLabeler().fit(once.transform(X), y).label_distributions_
    assert_allclose(again.label_distributions_, expected, atol=1e-12)


@pytest.mark.parametrize("map_", [SSRLPL, KernelSSRLPL])
@pytest.mark.parametrize(
    ("setting", "words"),
    [
        ({"constraint": "unit"}, "constraint must be one of 'orthonormal', 'whitened'"),
        ({"constraint": "whitened", "rho": 0}, "rho must be a number in"),
        ({"constraint": "whitened", "rho": "best"}, "rho must be a number in"),
        ({"unlabeled_weight": 1.5}, r"unlabeled_weight must be a number in \[0, 1\]"),
        ({"relabel_rounds": -1}, "relabel_rounds must be an int >= 0"),
        ({"constraint": "whitened", "n_components": 3}, r"n_components must be .* n_classes - 1"),
    ],
)
def test_bad_settings_are_named(map_, setting, words):
    X, y, _ = problem()
    with pytest.raises(ValueError, match=words):
        map_(**setting).fit(X, y)


def test_partial_fit_refuses_to_relabel():
    X, y, _ = problem()
    with pytest.raises(ValueError, match="partial_fit cannot label rows again"):
        SSRLPL(relabel_rounds=1).partial_fit(X, y)
