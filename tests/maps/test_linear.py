"""The linear map: closed form, optimality, the paper's identities, streams."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import linalg, sparse

from conftest import centering, problem
from ssrlpl import SSRLPL, KNNLabeler
from ssrlpl._core import spectrum
from ssrlpl._core.bandwidth import median_gamma
from ssrlpl._core.moments import cross_moment


def objective(X, V, Y):
    """f_X(V, Y), written as in the paper."""
    H = centering(len(X))
    return np.trace(V.T @ X.T @ H @ Y @ Y.T @ H @ X @ V) / (len(X) - 1) ** 2


def random_map(d, p, rng):
    return linalg.qr(rng.normal(size=(d, p)), mode="economic")[0]


@pytest.mark.parametrize(("n", "d", "n_classes"), [(60, 7, 3), (20, 50, 4), (90, 5, 2)])
def test_equals_the_eigenvectors_of_the_paper(n, d, n_classes):
    X, y, _ = problem(n, d, n_classes)
    fitted = SSRLPL().fit(X, y)
    H, Y, p = centering(n), fitted.label_distributions_, n_classes - 1
    values, vectors = linalg.eigh(X.T @ H @ Y @ Y.T @ H @ X)
    assert_allclose(fitted.singular_values_**2, values[::-1][:p], rtol=1e-9)
    overlap = np.abs(vectors[:, ::-1][:, :p].T @ fitted.components_.T)
    assert_allclose(overlap, np.eye(p), atol=1e-7)


def test_rows_of_the_map_are_orthonormal_and_signed(small):
    X, y, _ = small
    V = SSRLPL(n_components=5).fit(X, y).components_
    assert_allclose(V @ V.T, np.eye(5), atol=1e-10)
    assert np.all(V[np.arange(5), np.abs(V).argmax(axis=1)] > 0)


def test_beats_a_thousand_random_maps(small):
    X, y, _ = small
    fitted = SSRLPL().fit(X, y)
    Y, rng = fitted.label_distributions_, np.random.default_rng(0)
    assert_allclose(fitted.objective_, objective(X, fitted.components_.T, Y), rtol=1e-10)
    rivals = [objective(X, random_map(7, 2, rng), Y) for _ in range(1000)]
    assert max(rivals) < fitted.objective_


def test_extra_components_have_largest_variance_in_the_complement(small):
    X, y, _ = small
    fitted = SSRLPL(n_components=5).fit(X, y)
    U = fitted.components_[:2].T
    P = np.eye(7) - U @ U.T
    values = linalg.eigvalsh(P @ np.cov(X.T) @ P)[::-1]
    added = fitted.components_[2:]
    assert_allclose(np.diag(added @ np.cov(X.T) @ added.T), values[:3], rtol=1e-8)
    assert_allclose(fitted.singular_values_[2:], 0)


def test_extra_components_are_the_limit_of_a_small_identity_in_the_label_kernel(small):
    X, y, _ = small
    fitted = SSRLPL(n_components=4).fit(X, y)
    H, Y = centering(len(X)), fitted.label_distributions_
    _, vectors = linalg.eigh(X.T @ H @ (Y @ Y.T + 1e-7 * np.eye(len(X))) @ H @ X)
    overlap = np.abs(vectors[:, ::-1][:, :4].T @ fitted.components_.T)
    assert_allclose(overlap, np.eye(4), atol=1e-5)


def test_matrix_free_completion_equals_the_dense_one(monkeypatch):
    monkeypatch.setattr(spectrum, "_dense_is_cheaper", lambda *_: False)
    X, y, _ = problem(n=400, d=500, n_classes=3)
    fitted = SSRLPL(n_components=6).fit(X, y)
    U = fitted.components_[:2].T
    residual = (X - X.mean(axis=0)) @ (np.eye(500) - U @ U.T)
    expected = linalg.svd(residual, full_matrices=False)[2][:4]
    assert_allclose(np.abs(expected @ fitted.components_[2:].T), np.eye(4), atol=1e-5)


@pytest.mark.parametrize("sparse_input", [False, True])
@pytest.mark.parametrize("n_components", [None, 4])
def test_partial_fit_equals_fit_when_labels_come_first(small, sparse_input, n_components):
    X, y, _ = small
    order = np.argsort(y < 0, kind="stable")
    X, y = X[order], y[order]
    X = sparse.csr_matrix(X) if sparse_input else X
    whole = SSRLPL(n_components).fit(X, y)
    stream = SSRLPL(n_components)
    first = int((y >= 0).sum()) + 3
    stream.partial_fit(X[:first], y[:first])
    for start in range(first, len(y), 7):
        stream.partial_fit(X[start : start + 7])
    assert_allclose(stream.components_, whole.components_, atol=1e-9)
    assert_allclose(stream.objective_, whole.objective_, rtol=1e-10)
    assert stream.n_samples_seen_ == len(y)


def test_labels_in_later_chunks_count_for_their_own_rows(small):
    X, y, truth = small
    stream = SSRLPL(labeler=KNNLabeler(1)).partial_fit(X[:30], y[:30])
    stream.partial_fit(X[30:], truth[30:])
    assert_allclose(stream.label_distributions_, np.eye(3)[truth[30:]])


def test_partial_fit_names_the_cure_for_a_late_class(small):
    X, y, _ = small
    early = np.where(y == 2, -1, y)
    with pytest.raises(ValueError, match="classes="):
        SSRLPL().partial_fit(X, early).partial_fit(X, y)
    named = SSRLPL().partial_fit(X, early, classes=[0, 1, 2]).partial_fit(X, y)
    assert named.classes_.tolist() == [0, 1, 2]


def test_partial_fit_after_fit_with_more_components_names_the_cure(small):
    X, y, _ = small
    with pytest.raises(ValueError, match="begin with partial_fit"):
        SSRLPL(5).fit(X, y).partial_fit(X)


def test_merging_chunks_is_exact_with_a_large_offset():
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(50, 4)), rng.random((50, 3))
    parts = [cross_moment(X[i : i + 9] + 1e6, Y[i : i + 9], scatter=True) for i in range(0, 50, 9)]
    merged = parts[0]
    for part in parts[1:]:
        merged = merged.merge(part)
    H = centering(50)
    assert_allclose(merged.cross, X.T @ H @ Y, atol=1e-7)
    assert_allclose(merged.scatter, X.T @ H @ X, atol=1e-6)


def test_feature_loadings_name_the_feature_that_matters():
    pd = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    truth = np.arange(80) % 2
    frame = pd.DataFrame({"noise": rng.normal(size=80), "signal": 5.0 * truth, "dull": 0.0})
    fitted = SSRLPL().fit(frame, np.where(np.arange(80) < 20, truth, -1))
    table = fitted.feature_loadings(n_features=3)
    assert table.rows[0][1] == "signal"
    assert table.rows[0][3] > 0.9
    assert_allclose(table.to_frame()["share"].sum(), 1)
    assert "signal" in str(table)


def test_n_components_errors_name_the_cure(small):
    X, y, _ = small
    with pytest.raises(ValueError, match=r"n_components must be an int in \[1, n_features\]"):
        SSRLPL(8).fit(X, y)
    with pytest.raises(ValueError, match="n_components must be an int >= 1"):
        SSRLPL(0).fit(X, y)


def test_inverse_transform_checks_the_number_of_columns(small):
    X, y, _ = small
    with pytest.raises(ValueError, match="Z must have 2 columns"):
        SSRLPL().fit(X, y).inverse_transform(X)


def test_minus_one_stays_a_class_in_later_chunks(small):
    X, y, truth = small
    whole = np.where(truth == 0, -1.0, 1.0)
    y = np.where(y >= 0, whole, np.nan)
    stream = SSRLPL().partial_fit(X[:30], y[:30]).partial_fit(X[30:], whole[30:])
    assert np.array_equal(stream.transduction_, whole[30:])


def test_classes_of_partial_fit_in_the_idiom_of_scikit_learn(small):
    X, y, _ = small
    first = np.where(y == 2, -1, y)
    stream = SSRLPL().partial_fit(X, first, classes=np.unique(y)).partial_fit(X, y)
    assert stream.classes_.tolist() == [0, 1, 2]
    assert stream.n_components_ == 2


def test_a_chunk_may_weigh_little(small):
    X, y, _ = small
    stream = SSRLPL().partial_fit(X, y)
    stream.partial_fit(X[:1], sample_weight=[0.5])
    assert stream.n_samples_seen_ == 60.5


def test_wide_sparse_rows_stay_sparse():
    rng = np.random.default_rng(0)
    X = sparse.random(300, 200_000, density=1e-4, format="csr", random_state=rng)
    Y = rng.random((300, 3))
    dense = X.T @ (Y - Y.mean(axis=0))
    assert_allclose(cross_moment(X, Y).cross, dense, atol=1e-12)
    assert median_gamma(X) == pytest.approx(median_gamma(X[:, X.getnnz(axis=0) > 0].toarray()))
