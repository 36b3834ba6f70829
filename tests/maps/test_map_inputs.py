"""Every shape and type of input that both maps must take, and the degenerate ones."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy import sparse
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.semi_supervised import LabelSpreading

from conftest import peak_bytes, problem
from ssrlpl import SSRLPL, KernelSSRLPL, KNNLabeler, LabeledRidge, SSRLPLClassifier

MAPS = [SSRLPL(), SSRLPL(4), KernelSSRLPL(), KernelSSRLPL(4)]
both_maps = pytest.mark.parametrize("map_", MAPS, ids=str)


@both_maps
@pytest.mark.parametrize("form", [sparse.csr_matrix, sparse.csc_matrix, sparse.csr_array])
def test_sparse_equals_dense(map_, form, small):
    X, y, _ = small
    X = np.where(np.abs(X) < 1, 0, X)
    dense, thin = clone(map_).fit(X, y), clone(map_).fit(form(X), y)
    assert_allclose(thin.transform(form(X)), dense.transform(X), atol=1e-8)
    assert_allclose(thin.transform(X), dense.transform(X), atol=1e-8)


@both_maps
def test_float32_stays_float32(map_, small):
    X, y, _ = small
    double, single = clone(map_).fit(X, y), clone(map_).fit(X.astype(np.float32), y)
    Z = single.transform(X.astype(np.float32))
    assert Z.dtype == np.float32
    assert single.label_distributions_.dtype == np.float32
    assert_allclose(Z, double.transform(X), atol=1e-3 * np.abs(Z).max())


@both_maps
def test_memory_layout_does_not_matter(map_, small, tmp_path):
    X, y, _ = small
    expected = clone(map_).fit(X, y).transform(X)
    np.save(tmp_path / "X.npy", X)
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    frozen = X.copy()
    frozen.flags.writeable = False
    for form in (np.asfortranarray(X), mapped, frozen, X.tolist()):
        assert_allclose(clone(map_).fit(form, y).transform(form), expected, atol=1e-8)


@both_maps
def test_pandas_in_and_out(map_, small):
    pd = pytest.importorskip("pandas")
    X, y, _ = small
    frame = pd.DataFrame(X, columns=[f"col {j}" for j in range(7)], index=np.arange(60) + 100)
    labels = pd.Series([None if code < 0 else f"class {code}" for code in y], index=frame.index)
    fitted = clone(map_).set_output(transform="pandas").fit(frame, labels)
    Z = fitted.transform(frame)
    assert list(Z.columns) == list(fitted.get_feature_names_out())
    assert list(Z.index) == list(frame.index)
    assert fitted.classes_.tolist() == ["class 0", "class 1", "class 2"]
    assert_allclose(Z.to_numpy(), clone(map_).fit(X, y).transform(X), atol=1e-9)


@both_maps
def test_polars_in_and_out(map_, small):
    pl = pytest.importorskip("polars")
    X, y, _ = small
    frame = pl.DataFrame(X, schema=[f"c{j}" for j in range(7)])
    labels = pl.Series([None if code < 0 else int(code) for code in y])
    fitted = clone(map_).set_output(transform="polars").fit(frame, labels)
    assert isinstance(fitted.transform(frame), pl.DataFrame)
    expected = clone(map_).fit(X, y).transform(X)
    assert_allclose(fitted.transform(frame).to_numpy(), expected, atol=1e-9)


@both_maps
def test_a_renamed_column_is_noticed(map_, small):
    pd = pytest.importorskip("pandas")
    X, y, _ = small
    fitted = clone(map_).fit(pd.DataFrame(X).rename(columns=str), y)
    with pytest.raises(ValueError, match="feature names"):
        fitted.transform(pd.DataFrame(X).rename(columns=lambda c: f"new {c}"))


@pytest.mark.parametrize("map_", [SSRLPL(), KernelSSRLPL()], ids=str)
@pytest.mark.parametrize(
    ("n", "d", "n_classes"), [(30, 1, 2), (10, 60, 3), (60, 10, 2), (200, 50, 40), (30, 1, 4)]
)
def test_shapes(map_, n, d, n_classes):
    X, y, _ = problem(n, d, n_classes)
    fitted = clone(map_).fit(X, y)
    Z = fitted.transform(X)
    limit = d if isinstance(map_, SSRLPL) else n
    assert Z.shape == (n, min(n_classes - 1, limit))
    assert np.isfinite(Z).all()
    assert fitted.label_distributions_.shape == (n, n_classes)


@both_maps
def test_one_unlabeled_row(map_, small):
    X, _, truth = small
    y = truth.copy()
    y[7] = -1
    fitted = clone(map_).fit(X, y)
    assert_allclose(fitted.label_distributions_.sum(axis=1), 1)
    assert np.isfinite(fitted.transform(X)).all()


@both_maps
@given(st.lists(st.integers(0, 3), min_size=30, max_size=30), st.integers(0, 50))
@settings(max_examples=15, deadline=None)
def test_sample_weight_equals_repeating_rows(map_, counts, seed):
    X, y, _ = problem(n=30, seed=seed)
    counts = np.array(counts)
    counts[:9] += 1  # every class keeps a label
    y[:9] = np.arange(9) % 3
    weighted = clone(map_).fit(X, y, sample_weight=counts)
    repeated = clone(map_).fit(np.repeat(X, counts, axis=0), np.repeat(y, counts))
    assert_allclose(weighted.objective_, repeated.objective_, rtol=1e-8)
    Z, W = weighted.transform(X), repeated.transform(X)
    assert_allclose(Z, W, atol=1e-5 * np.abs(W).max())


@both_maps
@pytest.mark.parametrize("total", [1, 1 + 1e-15], ids=["one", "rounded up"])
def test_weights_that_sum_to_one_are_refused_with_the_cure(map_, total, small):
    X, y, _ = small
    with pytest.raises(ValueError, match="multiply the weights"):
        clone(map_).fit(X, y, sample_weight=np.full(60, total / 60))


@both_maps
def test_duplicated_rows_and_constant_features(map_, small):
    X, y, _ = small
    X = np.hstack([np.vstack([X[:20]] * 3), np.ones((60, 2))])
    y = np.concatenate([y[:20], np.full(40, -1)])
    fitted = clone(map_).fit(X, y)
    Z = fitted.transform(X)
    assert_allclose(Z[:20], Z[20:40], atol=1e-9)
    nearest = KNNLabeler(1).fit(X, y).transduction_
    assert np.array_equal(nearest[20:40][y[:20] >= 0], y[:20][y[:20] >= 0])


@pytest.mark.filterwarnings("ignore:The rows have only")
@both_maps
@pytest.mark.parametrize("value", [0.0, 0.1, 1e6])
def test_all_points_equal(map_, value):
    X, y = np.full((20, 5), value), np.array([0, 1, 2, *[-1] * 17])
    fitted = clone(map_).fit(X, y)
    Z = fitted.transform(X)
    assert np.isfinite(Z).all()
    assert_allclose(fitted.objective_, 0, atol=1e-15 * max(value, 1) ** 2)
    assert_allclose(fitted.label_distributions_[3:], 1 / 3)
    if isinstance(fitted, SSRLPL):
        assert_allclose(fitted.components_ @ fitted.components_.T, np.eye(len(Z.T)), atol=1e-9)


def test_kernel_without_directions_says_so():
    X, y = np.ones((10, 3)), np.array([0, 1, *[-1] * 8])
    with pytest.warns(UserWarning, match="only 0 directions"):
        KernelSSRLPL().fit(X, y)


@both_maps
def test_two_classes_at_the_same_place(map_):
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(size=(40, 5)), rng.normal(size=(20, 5)) + 4])
    y = np.concatenate([np.arange(40) % 2, np.full(20, 2)])
    fitted = clone(map_).fit(np.vstack([X, X]), np.concatenate([y, np.full(60, -1)]))
    assert np.isfinite(fitted.transform(X)).all()
    assert fitted.objective_ > 0


@both_maps
def test_every_similarity_underflows(map_, small):
    X, y, _ = small
    labeler = KNNLabeler(gamma=1e300)
    fitted = clone(map_).set_params(labeler=labeler).fit(X, y)
    nearest = KNNLabeler(1).fit(X, y)
    assert_allclose(fitted.label_distributions_, nearest.label_distributions_)


@both_maps
@pytest.mark.parametrize(
    "labeler", [LogisticRegression(), LabelSpreading(), KNNLabeler(winner_take_all=True)], ids=str
)
def test_any_labeler_and_any_classifier_will_do(map_, labeler, small):
    X, y, truth = small
    names = np.array(["ash", "beech", "cedar", None], dtype=object)[y]
    fitted = clone(map_).set_params(labeler=labeler).fit(X, names)
    Y = fitted.label_distributions_
    assert_allclose(Y.sum(axis=1), 1)
    assert_allclose(Y[y >= 0], np.eye(3)[y[y >= 0]])
    right = np.array(["ash", "beech", "cedar"])[truth] == fitted.transduction_
    assert right.mean() > 0.9


@pytest.mark.parametrize("map_", [SSRLPL(), KernelSSRLPL(), SSRLPL(12), KernelSSRLPL(12)], ids=str)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_memory_is_as_announced(map_, dtype):
    X, y, _ = problem(n=4000, d=100, n_classes=10, share=0.05)
    X, estimator = X.astype(dtype), clone(map_)
    peak = peak_bytes(lambda: estimator.fit(X, y))
    announced = estimator.estimate_memory(*X.shape, 10, n_labeled=200, dtype=dtype)
    assert 0.4 * announced < peak < announced
    assert peak < X.shape[0] ** 2 * X.itemsize  # never an n by n matrix


@pytest.mark.parametrize(
    "map_",
    [SSRLPL(constraint="whitened"), KernelSSRLPL(constraint="whitened"), LabeledRidge()],
    ids=str,
)
@pytest.mark.parametrize("scale", [1e-160, 1e100, 1e200])
def test_numbers_whose_powers_are_none_are_refused_with_the_cure(map_, scale, small):
    X, y, _ = small
    with pytest.raises(ValueError, match="scale the columns"):
        clone(map_).fit(scale * X, y)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    "model", [KNNLabeler(), SSRLPL(), KernelSSRLPL(), SSRLPLClassifier()], ids=str
)
@pytest.mark.parametrize("scale", [1e160, 1e308])
def test_numbers_too_large_are_refused_without_a_warning_of_another_library(model, scale, small):
    X, y, _ = small
    with pytest.raises(ValueError, match="scale the columns"):
        clone(model).fit(scale * np.sign(X), y)


def test_a_precomputed_kernel_must_be_symmetric(small):
    X, y, _ = small
    K = X @ X.T
    K[3, 5] += 1
    with pytest.raises(ValueError, match=r"pass \(K \+ K.T\) / 2"):
        KernelSSRLPL(kernel="precomputed").fit(K, y)


@pytest.mark.parametrize("constraint", ["orthonormal", "whitened"])
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_a_precomputed_kernel_must_be_finite(constraint, value, small):
    X, y, _ = small
    K = X @ X.T
    model = KernelSSRLPL(kernel="precomputed", constraint=constraint).fit(K, y)
    K[3, 5] = K[5, 3] = value
    for ask in (lambda: clone(model).fit(K, y), lambda: model.transform(K)):
        with pytest.raises(ValueError, match="what your callable or precomputed kernel holds"):
            ask()


@pytest.mark.parametrize("landmarks", [None, np.arange(20)], ids=["exact", "landmarks"])
def test_a_whitened_map_needs_a_positive_kernel(landmarks, small):
    X, y, _ = small
    indefinite = KernelSSRLPL(
        kernel=lambda A, B: A[:, :3] @ B[:, :3].T - 2 * A[:, 3:] @ B[:, 3:].T,
        constraint="whitened", rho=1e-6, landmarks=landmarks,
    )  # fmt: skip
    with pytest.raises(ValueError, match="no negative eigenvalue"):
        indefinite.fit(X, y)
