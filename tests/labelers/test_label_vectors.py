"""Label vectors against the formula, with every tie and every scale."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from label_reference import expected_distributions, references, table
from ssrlpl import KNNLabeler

EUCLIDEAN = ["rbf", "inverse_distance", "uniform"]
SIMILARITIES = [*EUCLIDEAN, "cosine"]


def as_memmap(X, folder):
    np.save(folder / "X.npy", X)
    return np.load(folder / "X.npy", mmap_mode="r")


CONTAINERS = {
    "dense": lambda X, _: X,
    "fortran": lambda X, _: np.asfortranarray(X),
    "strided": lambda X, _: np.repeat(X, 2, axis=0)[::2],
    "read-only memory map": as_memmap,
    "csr matrix": lambda X, _: sparse.csr_matrix(X),
    "csr array": lambda X, _: sparse.csr_array(X),
    "csc matrix": lambda X, _: sparse.csc_matrix(X),
    "pandas": lambda X, _: pd.DataFrame(X, columns=list("abc")),
    "polars": lambda X, _: pl.DataFrame(X, schema=list("abc")),
    "lists": lambda X, _: X.tolist(),
}


@pytest.mark.parametrize("similarity", SIMILARITIES)
@pytest.mark.parametrize("container", CONTAINERS)
@pytest.mark.parametrize("k", [1, 4])
def test_label_vectors_equal_the_papers_formula(similarity, container, k, tmp_path):
    X, y = table()
    X[:, 1] *= np.random.default_rng(1).random(len(X)) < 0.5
    rows = CONTAINERS[container](X, tmp_path)
    model = KNNLabeler(k, similarity=similarity).fit(rows, y)
    assert_allclose(model.label_distributions_, expected_distributions(model, X, y), atol=1e-10)
    assert_allclose(model.predict_proba(rows), references(model, X, y), atol=1e-10)
    assert_array_equal(model.transduction_, model.label_distributions_.argmax(axis=1))
    assert_array_equal(model.predict(rows), model.predict_proba(rows).argmax(axis=1))


@pytest.mark.parametrize("similarity", SIMILARITIES)
@pytest.mark.parametrize("as_rows", [np.asarray, sparse.csr_matrix], ids=["dense", "csr"])
def test_float32_stays_float32_and_is_as_exact_as_it_can_be(similarity, as_rows):
    X, y = table(dtype=np.float32)
    model = KNNLabeler(similarity=similarity).fit(as_rows(X), y)
    assert model.label_distributions_.dtype == np.float32
    assert model.predict_proba(as_rows(X)).dtype == np.float32
    assert_allclose(model.label_distributions_, expected_distributions(model, X, y), atol=2e-5)


@pytest.mark.parametrize("fit_as", [np.asarray, np.float32, sparse.csr_matrix, sparse.csr_array])
@pytest.mark.parametrize("ask_as", [np.asarray, np.float32, sparse.csr_matrix, sparse.csr_array])
@pytest.mark.parametrize("similarity", ["rbf", "cosine"])
def test_rows_may_arrive_in_another_form_than_in_fit(fit_as, ask_as, similarity):
    X, y = table()
    expected = KNNLabeler(similarity=similarity).fit(X, y).predict_proba(X)
    found = KNNLabeler(similarity=similarity).fit(fit_as(X), y).predict_proba(ask_as(X))
    assert_allclose(found, expected, atol=2e-5)


@given(
    points=st.lists(st.tuples(*[st.integers(-2, 2)] * 2), min_size=6, max_size=16),
    k=st.integers(1, 8),
    similarity=st.sampled_from(SIMILARITIES),
    dtype=st.sampled_from([np.float64, np.float32]),
    is_sparse=st.booleans(),
)
@settings(max_examples=80, deadline=None)
@pytest.mark.filterwarnings("ignore:n_neighbors")
def test_ties_go_by_row_order_on_a_grid_where_most_distances_tie(
    points, k, similarity, dtype, is_sparse
):
    X = np.array(points, dtype=dtype)
    y = np.array([0, 1, 2, 0] + [1, -1] * 6)[: len(X)]
    rows = sparse.csr_matrix(X) if is_sparse else X
    model = KNNLabeler(k, similarity=similarity, gamma=0.3).fit(rows, y)
    # The cosines of the reference are rounded, so among them it cannot see all ties.
    if similarity != "cosine":
        found = model.label_distributions_
        assert_allclose(found, expected_distributions(model, X, y), atol=1e-5)
    one_by_one = np.vstack([model.predict_proba(rows[[i]]) for i in range(len(X))])
    atol = 1e-6 if dtype == np.float32 else 1e-12
    assert_allclose(one_by_one, model.predict_proba(rows), atol=atol)


@given(seed=st.integers(0, 10**6), similarity=st.sampled_from(SIMILARITIES))
@settings(max_examples=25, deadline=None)
def test_one_by_one_equals_batch_with_duplicates(seed, similarity):
    rng = np.random.default_rng(seed)
    dtype = rng.choice([np.float32, np.float64])
    X = (rng.normal(size=(12, rng.integers(1, 9))) * 10.0 ** rng.integers(-3, 4)).astype(dtype)
    X = X[rng.integers(0, 12, 60)]
    y = np.r_[0, 1, 2, rng.integers(-1, 3, 57)]
    model = KNNLabeler(rng.integers(1, 9), similarity=similarity).fit(X, y)
    one_by_one = np.vstack([model.predict_proba(X[[i]]) for i in range(len(X))])
    batch = model.predict_proba(X)
    assert_allclose(one_by_one, batch, atol=1e-4 if dtype == np.float32 else 1e-9)
    assert_array_equal(one_by_one.argmax(axis=1), batch.argmax(axis=1))


@pytest.mark.parametrize("similarity", SIMILARITIES)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("offset", [0.0, 1.0, 1e3])
def test_of_equal_rows_with_different_labels_the_first_vote(similarity, dtype, offset):
    x = np.random.default_rng(0).normal(size=7) + offset
    far = x * [-1, 1, 1, 1, 1, 1, 1] - [0, 50, 0, 0, 0, 0, 0]
    X = np.array([far, x, x, x, x, far, x], dtype=dtype)
    y = np.array([1, 2, 0, 1, 1, 0, -1])
    model = KNNLabeler(3, similarity=similarity).fit(X, y)
    expected = [[1 / 3, 1 / 3, 1 / 3]]
    assert_allclose(model.label_distributions_[-1:], expected, atol=1e-6)
    assert_allclose(model.predict_proba(X[-1:]), expected, atol=1e-6)
    assert_allclose(model.predict_proba(np.repeat(X[-1:], 99, axis=0))[50:51], expected, atol=1e-6)
    assert KNNLabeler(1, similarity=similarity).fit(X, y).predict(X[-1:]) == [2]


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_parallel_rows_tie_under_cosine(dtype):
    direction = np.random.default_rng(0).random(5)
    X = np.outer([3.0, 0.7, 11.0, 1.0 / 3.0, 0.1], direction).astype(dtype)
    model = KNNLabeler(2, similarity="cosine").fit(X, [1, 0, 2, 0, -1])
    assert_allclose(model.label_distributions_[-1], [0.5, 0.5, 0], atol=1e-6)


@pytest.mark.parametrize("as_rows", [np.asarray, sparse.csr_matrix], ids=["dense", "csr"])
def test_a_row_of_zeros_has_cosine_zero_with_every_row(as_rows):
    X = np.array([[0.0, 0], [1, 2], [0, 1], [0, 0], [1, 0]])
    y = np.array([0, 1, 2, -1, -1])
    model = KNNLabeler(2, similarity="cosine").fit(as_rows(X), y)
    # Row 3 is like no row: the first two vote alike. Row 4 finds (1, 2), then a cosine of 0.
    assert_allclose(model.label_distributions_[3:], [[0.5, 0.5, 0], [0, 1, 0]])


@pytest.mark.parametrize("scale", [1e-200, 1e-30, 1e30, 1e200])
def test_cosine_does_not_depend_on_the_length_of_rows(scale):
    X, y = table()
    model = KNNLabeler(similarity="cosine").fit(X, y)
    scaled = KNNLabeler(similarity="cosine", gamma=1.0).fit(X * scale, y)
    assert_allclose(scaled.label_distributions_, model.label_distributions_, atol=1e-12)


def test_rows_opposite_to_all_neighbors_let_them_count_alike():
    X = [[1.0, 0.1], [1.0, 0.0], [1.0, -0.1], [-1.0, 0.0]]
    model = KNNLabeler(3, similarity="cosine").fit(X, [0, 1, 1, -1])
    assert_allclose(model.label_distributions_[-1], [1 / 3, 2 / 3])


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("gamma", [1e-300, 1e-30, 1e30, 1e300, np.finfo(float).max])
def test_no_bandwidth_is_too_small_or_too_large(dtype, gamma):
    X, y = table(dtype=dtype)
    Y = KNNLabeler(3, gamma=gamma).fit(X, y).label_distributions_
    nearest = KNNLabeler(1 if gamma > 1 else 3, similarity="uniform").fit(X, y)
    assert_allclose(Y, nearest.label_distributions_, atol=1e-6)


@pytest.mark.parametrize("similarity", SIMILARITIES)
@pytest.mark.parametrize("scale", [1e-160, 1e-150, 1e-20, 1e20, 1e150])
def test_scales_of_the_data_give_no_nan(similarity, scale):
    X, y = table()
    with np.errstate(all="ignore"):
        model = KNNLabeler(similarity=similarity).fit(X * scale, y)
    assert_allclose(model.label_distributions_.sum(axis=1), 1)
    if scale in (1e-20, 1e20):
        expected = KNNLabeler(similarity=similarity).fit(X, y).label_distributions_
        assert_allclose(model.label_distributions_, expected, atol=1e-9)


@pytest.mark.parametrize(("dtype", "scale"), [(np.float64, 1e160), (np.float32, 1e25)])
def test_distances_that_overflow_are_an_error_not_nan(dtype, scale):
    X, y = table()
    with pytest.raises(ValueError, match=r"squared distances are finite.*StandardScaler"):
        KNNLabeler(gamma=1.0).fit((X * scale).astype(dtype), y)
    model = KNNLabeler(gamma=1.0).fit(X.astype(dtype), y)
    with pytest.raises(ValueError, match="squared distances are finite"):
        model.predict_proba((X * scale).astype(dtype))


@given(seed=st.integers(0, 10**6), power=st.integers(-100, 100))
@settings(max_examples=20, deadline=None)
def test_powers_of_two_change_nothing(seed, power):
    X, y = table(seed=seed)
    a, b = KNNLabeler().fit(X, y), KNNLabeler().fit(X * 2.0**power, y)
    assert_allclose(a.label_distributions_, b.label_distributions_, atol=1e-12)
    assert_allclose(a.gamma_, b.gamma_ * 4.0**power)


@pytest.mark.parametrize("similarity", EUCLIDEAN)
@pytest.mark.parametrize("offset", [1e6, -1e8])
def test_an_offset_of_all_rows_changes_no_label(similarity, offset):
    X, y = table(200, 5, labeled=50)
    a = KNNLabeler(similarity=similarity).fit(X, y)
    b = KNNLabeler(similarity=similarity).fit(X + offset, y)
    assert_allclose(a.label_distributions_, b.label_distributions_, atol=1e-6)
    assert_array_equal(a.transduction_, b.transduction_)
    assert_array_equal(a.predict(X), b.predict(X + offset))


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("far", [1e4, 1e9])
def test_one_labeled_row_far_away_blurs_no_distance(dtype, far):
    X, y = table(300, 2, labeled=100, dtype=dtype)
    X[0] = far  # a code for "missing", say, that nobody replaced
    model = KNNLabeler(3, similarity="inverse_distance").fit(X, y)
    assert_allclose(model.label_distributions_, expected_distributions(model, X, y), atol=1e-4)


def test_a_column_much_larger_than_the_others_blurs_no_distance_in_float32():
    rng = np.random.default_rng(0)
    X = np.c_[rng.random(400) * 1e7, rng.random(400)].astype(np.float32)
    y = np.where(np.arange(400) < 300, np.arange(400) % 2, -1)
    model = KNNLabeler(1).fit(X, y)
    assert_array_equal(model.label_distributions_, expected_distributions(model, X, y))


@pytest.mark.parametrize("similarity", SIMILARITIES)
@pytest.mark.parametrize("value", [0.0, 0.1, 1e6])
def test_all_points_equal(similarity, value):
    X, y = np.full((30, 4), value), np.array([0, 1, 2, 0, 1] + [-1] * 25)
    model = KNNLabeler(4, similarity=similarity).fit(X, y)
    assert_allclose(model.label_distributions_[5:], [[0.5, 0.25, 0.25]] * 25)


@pytest.mark.parametrize("similarity", SIMILARITIES)
def test_two_classes_at_the_same_place_share(similarity):
    X = np.array([[1.0, 1.0], [1.0, 1.0], [1.5, 1.1], [1.5, 1.1], [1.0, 1.0], [1.5, 1.1]])
    model = KNNLabeler(2, similarity=similarity).fit(X, [0, 1, 1, 0, -1, -1])
    assert_allclose(model.label_distributions_[4:], [[0.5, 0.5]] * 2)


def test_a_match_at_distance_zero_takes_all_under_inverse_distance():
    model = KNNLabeler(3, similarity="inverse_distance")
    model.fit([[0.0], [1.0], [2.0], [0.1]], [0, 1, 1, -1])
    assert_allclose(model.predict_proba([[0.0], [1.0]]), np.eye(2))
