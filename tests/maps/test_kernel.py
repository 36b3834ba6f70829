"""The kernel map: against the paper's eigenproblem, streamed, completed."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy import linalg
from sklearn.metrics.pairwise import laplacian_kernel, pairwise_kernels, rbf_kernel

from conftest import centering, mixed, problem
from ssrlpl import SSRLPL, KernelSSRLPL, KNNLabeler
from ssrlpl._core import bandwidth, blocks, products, spectrum


def dense_kernel(fitted, A, B):
    """The same kernel by scikit-learn, as one matrix."""
    params = {
        "rbf": {"gamma": fitted.gamma_},
        "laplacian": {"gamma": fitted.gamma_},
        "polynomial": {"gamma": fitted.gamma_, "degree": fitted.degree, "coef0": fitted.coef0},
    }.get(fitted.kernel, {})
    return pairwise_kernels(A, B, metric=fitted.kernel, **params)


@pytest.mark.parametrize("kernel", ["rbf", "laplacian", "polynomial", "linear", "cosine"])
def test_equals_the_generalized_eigenproblem_of_the_paper(kernel):
    # Few rows and many features keep K well conditioned, which the reference needs (ours does not).
    X, y, _ = problem(n=40, d=60)
    fitted = KernelSSRLPL(kernel=kernel).fit(X, y)
    K, H, Y = dense_kernel(fitted, X, X), centering(40), fitted.label_distributions_
    Q = K @ H @ Y @ Y.T @ H @ K
    values, vectors = linalg.eigh(Q, K)
    assert_allclose(fitted.eigenvalues_, values[::-1][:2], rtol=1e-8)
    beta = vectors[:, ::-1][:, :2]
    assert_allclose(np.abs(beta.T @ K @ fitted.dual_coef_), np.eye(2), atol=1e-6)
    assert_allclose(fitted.dual_coef_.T @ K @ fitted.dual_coef_, np.eye(2), atol=1e-9)
    assert_allclose(fitted.objective_, np.sum(values[::-1][:2]) / 39**2, rtol=1e-8)


def test_beats_a_thousand_random_maps(small):
    X, y, _ = small
    fitted = KernelSSRLPL().fit(X, y)
    K, H, Y = rbf_kernel(X, gamma=fitted.gamma_), centering(60), fitted.label_distributions_
    rng, best = np.random.default_rng(0), 0.0
    root = linalg.cholesky(K + 1e-12 * np.eye(60))
    for _ in range(1000):
        beta = linalg.solve_triangular(
            root, linalg.qr(rng.normal(size=(60, 2)), mode="economic")[0]
        )
        best = max(best, np.sum((beta.T @ K @ H @ Y) ** 2) / 59**2)
    assert best < fitted.objective_


def test_linear_kernel_gives_the_linear_map(small):
    X, y, _ = small
    linear, kernel = SSRLPL().fit(X, y), KernelSSRLPL(kernel="linear").fit(X, y)
    assert_allclose(kernel.eigenvalues_, linear.singular_values_**2, rtol=1e-9)
    assert_allclose(kernel.objective_, linear.objective_, rtol=1e-10)
    Z, W = linear.transform(X), kernel.transform(X)
    assert_allclose(np.abs(Z), np.abs(W), atol=1e-8)


@pytest.mark.parametrize("kernel", ["rbf", "linear"])
@pytest.mark.parametrize("dense", [True, False])
def test_extra_components_agree_with_the_dense_residual_kernel(kernel, dense, monkeypatch):
    monkeypatch.setattr(spectrum, "_dense_is_cheaper", lambda *_: dense)
    X, y, _ = problem(n=300, d=20)
    fitted = KernelSSRLPL(5, kernel=kernel).fit(X, y)
    K, H = dense_kernel(fitted, X, X), centering(300)
    first = fitted.dual_coef_[:, :2]
    Zc = H @ K @ first
    values, vectors = linalg.eigh(H @ K @ H - Zc @ Zc.T)
    variance = np.sum((H @ K @ fitted.dual_coef_[:, 2:]) ** 2, axis=0)
    assert_allclose(variance, values[::-1][:3], rtol=1e-8)
    directions = H @ K @ fitted.dual_coef_[:, 2:] / np.sqrt(variance)
    assert_allclose(np.abs(vectors[:, ::-1][:, :3].T @ directions), np.eye(3), atol=1e-4)
    assert_allclose(fitted.dual_coef_.T @ K @ fitted.dual_coef_, np.eye(5), atol=1e-7)


@pytest.mark.parametrize("kernel", ["rbf", "laplacian", "polynomial", "linear", "cosine"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_streamed_blocks_equal_the_whole_matrix(kernel, dtype, monkeypatch):
    X, y, _ = problem(n=150, d=6)
    X = X.astype(dtype)
    whole = KernelSSRLPL(kernel=kernel).fit(X, y)
    monkeypatch.setattr(products, "product_block_rows", lambda _: 32)
    monkeypatch.setattr(blocks, "MAX_BLOCK_ROWS", 32)
    fitted = KernelSSRLPL(kernel=kernel).fit(X, y)
    tol = 1e-8 if dtype == np.float64 else 2e-3
    assert_allclose(fitted.dual_coef_, whole.dual_coef_, atol=tol * np.abs(whole.dual_coef_).max())
    Z = dense_kernel(fitted, X, X) @ fitted.dual_coef_
    assert_allclose(fitted.transform(X), Z, atol=tol * np.abs(Z).max())
    assert fitted.dual_coef_.dtype == dtype
    assert fitted.transform(X).dtype == dtype


def test_precomputed_equals_rbf(small):
    X, y, _ = small
    direct = KernelSSRLPL(kernel="linear").fit(X[:50], y[:50])
    K = X @ X.T
    given_K = KernelSSRLPL(kernel="precomputed").fit(K[:50, :50], y[:50])
    assert_allclose(given_K.label_distributions_, direct.label_distributions_, atol=1e-9)
    assert_allclose(given_K.dual_coef_, direct.dual_coef_, atol=1e-9)
    assert_allclose(given_K.transform(K[50:, :50]), direct.transform(X[50:]), atol=1e-8)


def test_precomputed_must_be_square(small):
    X, y, _ = small
    with pytest.raises(ValueError, match="square"):
        KernelSSRLPL(kernel="precomputed").fit(X, y)


def test_callable_kernel_with_parameters(small):
    X, y, _ = small
    named = KernelSSRLPL(kernel="laplacian", gamma=0.3).fit(X, y)
    called = KernelSSRLPL(kernel=laplacian_kernel, kernel_params={"gamma": 0.3}).fit(X, y)
    assert_allclose(called.transform(X), named.transform(X), atol=1e-10)


def test_callable_kernel_of_single_rows_is_told_what_to_do(small):
    X, y, _ = small
    with pytest.raises(ValueError, match=r"write kernel\(A, B\) for two matrices"):
        KernelSSRLPL(kernel=lambda a, b: 1.0).fit(X, y)


@pytest.mark.parametrize(("name", "value"), [("kernel", "rbff"), ("gamma", -1), ("gamma", "auto")])
def test_bad_parameters_are_named(small, name, value):
    X, y, _ = small
    with pytest.raises(ValueError, match=f"{name} must be"):
        KernelSSRLPL(**{name: value}).fit(X, y)


def test_median_gamma_is_the_median_heuristic():
    X = np.array([[0.0], [1.0], [3.0]])  # squared distances 1, 4, 9
    assert bandwidth.median_gamma(X, "rbf") == pytest.approx(1 / 8)
    assert bandwidth.median_gamma(X, "laplacian") == pytest.approx(1 / 2)
    assert bandwidth.median_gamma(np.ones((4, 2)), "rbf") == 1.0
    repeated = np.repeat(X, [1, 2, 3], axis=0)
    weighted = bandwidth.median_gamma(X, "rbf", weight=np.array([1.0, 2.0, 3.0]))
    assert bandwidth.median_gamma(repeated, "rbf") == pytest.approx(weighted)


def test_median_gamma_samples_with_the_seed():
    X = np.random.default_rng(0).normal(size=(2000, 3))
    assert bandwidth.median_gamma(X, seed=1) == bandwidth.median_gamma(X, seed=1)
    assert bandwidth.median_gamma(X, seed=1) != bandwidth.median_gamma(X, seed=2)


@given(st.floats(1e-6, 1e12), st.integers(0, 100))
@settings(max_examples=25, deadline=None)
def test_constraint_holds_for_any_bandwidth(gamma, seed):
    X, y, _ = problem(n=30, seed=seed)
    fitted = KernelSSRLPL(gamma=gamma).fit(X, y)
    beta = fitted.dual_coef_
    constraint = beta.T @ rbf_kernel(X, gamma=gamma) @ beta
    assert_allclose(constraint, np.eye(2), atol=1e-5)


def test_large_offsets_do_not_matter():
    X, y, _ = problem()
    near, far = KernelSSRLPL().fit(X, y), KernelSSRLPL().fit(X + 1e6, y)
    assert_allclose(far.transform(X + 1e6), near.transform(X), atol=1e-6)


def test_progress_is_shown_only_when_asked_and_slow(small, capsys, monkeypatch):
    X, y, _ = small
    KernelSSRLPL(verbose=True).fit(X, y)
    assert capsys.readouterr().err == ""
    monkeypatch.setattr("ssrlpl._utils.progress.PATIENCE_SECONDS", 0)
    KernelSSRLPL().fit(X, y)
    assert capsys.readouterr().err == ""
    KernelSSRLPL(verbose=True).fit(X, y)
    assert "100%" in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments",
    [
        {"kernel": "polynomial", "degree": 2.5, "coef0": 0},
        {"kernel": lambda A, B: np.full((len(A), len(B)), np.nan)},
    ],
)
@pytest.mark.filterwarnings("ignore:invalid value")
def test_a_kernel_that_is_not_finite_is_an_error(small, arguments):
    X, y, _ = small
    with pytest.raises(ValueError, match="finite numbers"):
        KernelSSRLPL(**arguments).fit(X, y)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"degree": "3"}, "degree must be"),
        ({"coef0": None}, "coef0 must be"),
        ({"kernel_params": {"gamma": 1}}, "callable kernel"),
        ({"kernel": "precomputed", "labeler": KNNLabeler(3)}, 'similarity="precomputed"'),
    ],
)
def test_arguments_that_would_be_ignored_are_errors(small, arguments, message):
    X, y, _ = small
    with pytest.raises(ValueError, match=message):
        KernelSSRLPL(**arguments).fit(X @ X.T, y)


def test_a_refit_with_a_precomputed_kernel_forgets_the_rows(small):
    X, y, _ = small
    fitted = KernelSSRLPL().fit(X, y)
    fitted.set_params(kernel="precomputed").fit(X @ X.T, y)
    assert not hasattr(fitted, "X_fit_")


def test_weighted_median_of_many_rows_is_close_to_that_of_repeated_ones():
    X, _, _ = problem(n=400)
    weight = np.random.default_rng(0).integers(1, 4, 400).astype(float)
    repeated = bandwidth.median_gamma(np.repeat(X, weight.astype(int), axis=0))
    assert bandwidth.median_gamma(X, weight=weight) == pytest.approx(repeated, rel=0.1)


def test_far_rows_take_the_answer_of_their_nearest_row():
    X, y, _ = mixed(1, n=60)
    maps = {
        far: KernelSSRLPL(gamma=0.5, constraint="whitened", far_rows=far).fit(X, y)
        for far in ("keep", "nearest")
    }
    assert_allclose(maps["nearest"].transform(X), maps["keep"].transform(X), atol=1e-12)
    place = int(np.abs(X).sum(axis=1).argmax())
    direction = X[place] - X.mean(axis=0)
    far = X[place] + np.outer([50.0, 1e4], direction / np.linalg.norm(direction))
    lost, found = (maps[name].transform(far) for name in ("keep", "nearest"))
    assert_allclose(lost[0], lost[1], atol=1e-12)  # the same answer wherever they are
    nearest = np.sum((X - far[0]) ** 2, axis=1).argmin()
    own = maps["keep"].transform(X[[nearest]])[0]
    assert np.linalg.norm(found[0] - own) < np.linalg.norm(lost[0] - own)
    with pytest.raises(ValueError, match="far_rows must be one of 'keep', 'nearest'"):
        KernelSSRLPL(far_rows="drop").fit(X, y)


@pytest.mark.parametrize("kernel", ["rbf", "laplacian", "polynomial", "linear", "cosine"])
@pytest.mark.parametrize("rows", [problem(n=3)[0], np.array([[-2.0], [1.0], [3.0]])], ids="71")
def test_rounding_errors_are_no_components(kernel, rows):
    X, y = np.repeat(rows, 20, axis=0), np.repeat(np.arange(3), 20)
    with pytest.warns(UserWarning, match="directions that differ"):
        fitted = KernelSSRLPL(4, kernel=kernel).fit(X, y)
    beta, K = fitted.dual_coef_, dense_kernel(fitted, X, X)
    used = np.abs(beta).max(axis=0) > 0
    assert 1 <= used.sum() <= 2  # three different rows
    assert_allclose(beta.T @ K @ beta, np.diag(used), atol=1e-9)
