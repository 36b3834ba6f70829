"""KNNLabeler as an estimator: parameters, weights, classes, memory."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.datasets import load_iris
from sklearn.metrics.pairwise import laplacian_kernel

from conftest import peak_bytes
from label_reference import expected_distributions, references, table
from ssrlpl import KNNLabeler
from ssrlpl._core import anchors, votes

EUCLIDEAN = ["rbf", "inverse_distance", "uniform"]
SIMILARITIES = [*EUCLIDEAN, "cosine"]


@pytest.mark.parametrize("similarity", SIMILARITIES)
def test_more_neighbors_than_labeled_rows_use_them_all_and_say_so_once(similarity):
    X, y = table(labeled=6)
    with pytest.warns(UserWarning, match="n_neighbors=50 with 6 labeled rows") as caught:
        model = KNNLabeler(50, similarity=similarity).fit(X, y)
    assert len(caught) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.predict_proba(X)
    assert caught[0].filename == __file__
    assert model.n_neighbors_ == 6
    assert model.n_neighbors == 50
    assert_allclose(model.label_distributions_, expected_distributions(model, X, y), atol=1e-12)


@pytest.mark.parametrize(
    ("k", "shape", "labeled"),
    [
        *((k, (130,), 100) for k in (6, 23, 24, 25, 40, 99, 100)),
        (5, (60,), 59),
        (5, (40, 1, 2), 10),
        (5, (40, 500, 2), 10),
        (5, (200, 4, 40), 40),
        (5, (200, 4, 40), 120),
    ],
)
@pytest.mark.filterwarnings("error")
def test_any_number_of_neighbors_columns_and_classes(k, shape, labeled):
    X, y = table(*shape, labeled=labeled)
    model = KNNLabeler(k).fit(X, y)
    assert_allclose(model.label_distributions_, expected_distributions(model, X, y), atol=1e-12)


@pytest.mark.parametrize("value", [0, -1, 1.5, "5", None, True, np.nan, [5]])
def test_n_neighbors_must_be_a_positive_int(value):
    with pytest.raises(ValueError, match="n_neighbors must be an int >= 1. Got"):
        KNNLabeler(value).fit(*table())


def test_n_neighbors_may_be_a_numpy_int():
    model = KNNLabeler(np.int32(3)).fit(*table())
    assert type(model.n_neighbors_) is int


@pytest.mark.parametrize("value", [0, -1.0, np.inf, np.nan, "scale", None, True, [1.0]])
def test_gamma_must_be_median_or_positive(value):
    with pytest.raises(ValueError, match='gamma must be "median" or a number > 0. Got'):
        KNNLabeler(gamma=value).fit(*table())


@pytest.mark.parametrize("value", ["RBF", "euclidean", None, 3, ""])
def test_similarity_must_be_known(value):
    with pytest.raises(ValueError, match="similarity must be one of 'rbf'.*or a callable. Got"):
        KNNLabeler(similarity=value).fit(*table())


@pytest.mark.parametrize("as_rows", [np.asarray, sparse.csr_matrix], ids=["dense", "csr"])
def test_a_callable_similarity_equals_the_built_in_one(as_rows):
    X, y = table()

    def rbf(A, B):
        A, B = (M.toarray() if sparse.issparse(M) else M for M in (A, B))
        return np.exp(-0.2 * ((A[:, None] - B) ** 2).sum(axis=2))

    ours = KNNLabeler(gamma=0.2).fit(as_rows(X), y)
    theirs = KNNLabeler(similarity=rbf).fit(as_rows(X), y)
    assert_allclose(theirs.label_distributions_, ours.label_distributions_, atol=1e-12)
    assert_allclose(theirs.predict_proba(as_rows(X)), ours.predict_proba(as_rows(X)), atol=1e-12)


def _overlap(A, B):
    """Return the number of columns in which two rows are both positive, as integers."""
    return ((A > 0).astype(int)) @ ((B > 0).astype(int)).T


@pytest.mark.parametrize("as_rows", [np.asarray, sparse.csr_matrix], ids=["dense", "csr"])
def test_a_callable_may_return_integers_and_sparse_matrices(as_rows):
    X = as_rows(np.array([[1.0, 1, 0], [0, 1, 1], [1, 0, 0], [1, 1, 1], [-1, 0, 0]]))
    model = KNNLabeler(2, similarity=_overlap).fit(X, [0, 1, 1, -1, -1])
    # The last row is similar to none: the first two vote alike.
    assert_allclose(model.label_distributions_[3:], [[0.5, 0.5], [0.5, 0.5]])


@pytest.mark.parametrize("tiny_or_huge", [1e-310, 1e-100, 1e300])
def test_only_ratios_of_similarities_matter(tiny_or_huge):
    X, y = table()
    plain = KNNLabeler(similarity=laplacian_kernel).fit(X, y)
    scaled = KNNLabeler(similarity=lambda A, B: tiny_or_huge * laplacian_kernel(A, B)).fit(X, y)
    assert_allclose(scaled.label_distributions_, plain.label_distributions_, atol=1e-6)


@pytest.mark.parametrize(
    ("similarity", "message"),
    [
        (lambda A, B: np.ones(len(A)), r"one row for each.*Got shape \(40,\).*write similarity"),
        (lambda A, B: np.ones((len(B), len(A))), r"one row for each.*Got shape \(20, 40\)"),
        (lambda A, B: 1.0, r"one row for each.*Got shape \(\)"),
        (lambda A, B: A @ B.T, r"finite numbers >= 0. Got -.*clip"),
        (lambda A, B: np.full((len(A), len(B)), np.nan), "finite numbers >= 0. Got nan"),
        (lambda A, B: np.full((len(A), len(B)), np.inf), "finite numbers >= 0. Got inf"),
    ],
)
def test_a_callable_that_returns_something_else_is_an_error(similarity, message):
    with pytest.raises(ValueError, match="similarity must return " + message):
        KNNLabeler(similarity=similarity).fit(*table())


@pytest.mark.parametrize("gamma", ["median", 0.1, 1e300])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("labeled", [9, 20])
def test_a_precomputed_linear_kernel_equals_rbf_on_the_points(gamma, dtype, labeled):
    X, y = table(labeled=labeled, dtype=dtype)
    new = table(seed=7, dtype=dtype)[0]
    weight = np.random.default_rng(0).integers(1, 4, len(X))
    points = KNNLabeler(gamma=gamma).fit(X, y, weight)
    kernel = KNNLabeler(gamma=gamma, similarity="precomputed").fit(X @ X.T, y, weight)
    atol = 1e-4 if dtype == np.float32 else 1e-10
    assert_allclose(kernel.gamma_, points.gamma_, rtol=1e-5)
    assert_allclose(kernel.label_distributions_, points.label_distributions_, atol=atol)
    assert_allclose(kernel.predict_proba(new @ X.T), points.predict_proba(new), atol=atol)


def test_a_precomputed_kernel_of_equal_points_and_one_far_away():
    X = np.array([[1e5], [0.1], [0.1], [0.3], [0.3], [0.1], [0.29]])
    y = [0, 1, 0, 2, 2, -1, -1]
    model = KNNLabeler(2, gamma=1.0, similarity="precomputed").fit(X @ X.T, y)
    assert_allclose(model.label_distributions_[5:], [[0.5, 0.5, 0], [0, 0, 1]])
    same = KNNLabeler(similarity="precomputed", n_neighbors=1).fit(np.ones((4, 4)), [1, 0, -1, -1])
    assert_array_equal(same.transduction_, [1, 0, 1, 1])


def test_a_precomputed_kernel_must_be_square_and_dense():
    X, y = table()
    model = KNNLabeler(similarity="precomputed")
    with pytest.raises(ValueError, match=r"square matrix. Got shape \(60, 3\): pass K\(X, X\)"):
        model.fit(X, y)
    with pytest.raises(TypeError, match="[Ss]parse"):
        model.fit(sparse.csr_matrix(X @ X.T), y)
    with pytest.raises(ValueError, match="60 features"):
        model.fit(X @ X.T, y).predict_proba(X)


@pytest.mark.parametrize("similarity", [*SIMILARITIES, "precomputed", laplacian_kernel])
@pytest.mark.parametrize("n_rows", [1, 7])
def test_the_size_of_blocks_does_not_matter(similarity, n_rows, monkeypatch):
    X, y = table()
    X[30:50] = X[5:25]
    X = X @ X.T if similarity == "precomputed" else X
    whole = KNNLabeler(similarity=similarity).fit(X, y)
    monkeypatch.setattr(votes, "block_rows", lambda *_: n_rows)
    monkeypatch.setattr(anchors, "_UNCLEAR_ROWS", 3)
    parts = KNNLabeler(similarity=similarity).fit(X, y)
    assert_allclose(parts.label_distributions_, whole.label_distributions_, atol=1e-12)
    assert_allclose(parts.predict_proba(X), whole.predict_proba(X), atol=1e-12)


@pytest.mark.parametrize("similarity", SIMILARITIES)
@given(seed=st.integers(0, 10**6))
@settings(max_examples=15, deadline=None)
@pytest.mark.filterwarnings("ignore:n_neighbors")
def test_weights_equal_repeated_rows(similarity, seed):
    rng = np.random.default_rng(seed)
    X, y = table(25, 2, seed=seed, labeled=10)
    X[5:10] = X[:5]  # equal rows of other classes
    weight = rng.integers(1, 5, len(X))
    k = int(rng.integers(1, 12))
    weighted = KNNLabeler(k, similarity=similarity).fit(X, y, sample_weight=weight)
    repeated = KNNLabeler(k, similarity=similarity).fit(X.repeat(weight, axis=0), y.repeat(weight))
    assert weighted.gamma_ == pytest.approx(repeated.gamma_, rel=1e-12)
    assert weighted.n_neighbors_ == repeated.n_neighbors_
    Y = weighted.label_distributions_.repeat(weight, axis=0)
    assert_allclose(repeated.label_distributions_, Y, atol=1e-12)
    assert_allclose(repeated.predict_proba(X), weighted.predict_proba(X), atol=1e-12)


def test_weights_equal_repeated_rows_where_no_row_is_similar():
    X, y, weight = np.eye(4), [0, 1, 1, -1], [2, 3, 1, 1]
    weighted = KNNLabeler(4, similarity="cosine").fit(X, y, weight)
    assert_allclose(weighted.label_distributions_[-1], [0.5, 0.5])  # places: 2 + 2 of 3


def test_weight_zero_equals_no_label():
    X, y = table()
    weight = np.ones(len(X))
    weight[[0, 4, 11]] = 0
    without = KNNLabeler().fit(X, np.where(weight == 0, -1, y))
    found = KNNLabeler().fit(X, y, sample_weight=weight)
    assert_array_equal(found.label_distributions_, without.label_distributions_)
    assert found.gamma_ == without.gamma_


def test_a_class_whose_rows_all_have_weight_zero_does_not_exist():
    X, y = table()
    model = KNNLabeler().fit(X, y, sample_weight=(y != 1).astype(float))
    assert_array_equal(model.classes_, [0, 2])
    assert model.label_distributions_.shape == (60, 2)


@pytest.mark.parametrize("left", [[0], []])
def test_weights_that_leave_less_than_two_classes_are_an_error(left):
    X, y = table()
    with pytest.raises(ValueError, match="At least 2 classes must keep a label"):
        KNNLabeler().fit(X, y, sample_weight=(np.isin(y, [-1, *left])).astype(float))


@pytest.mark.parametrize(
    ("weight", "k", "expected"),
    [
        ([0.5, 2, 1, 1], 1, [0.5, 0.5, 0]),
        ([0.5, 1, 2, 1], 2, [0.25, 0.5, 0.25]),
        ([0.25, 0.25, 0.5, 1], 1, [0.25, 0.25, 0.5]),
        ([0.1, 0.1, 0.2, 1], 1, [0.25, 0.25, 0.5]),
        ([3, 1, 1, 1], 2, [1, 0, 0]),
    ],
)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_fractional_weights_fill_fractions_of_places(weight, k, expected, dtype):
    X = np.array([[0], [1], [2], [0.1]], dtype=dtype)
    model = KNNLabeler(k, similarity="uniform").fit(X, [0, 1, 2, -1], sample_weight=weight)
    assert_allclose(model.label_distributions_[-1], expected, atol=1e-6)


@pytest.mark.parametrize("weight", [[-1.0] * 60, [np.nan] * 60, [1.0] * 59, np.zeros(60)])
def test_weights_that_make_no_sense_are_an_error(weight):
    with pytest.raises(ValueError, match="weight"):
        KNNLabeler().fit(*table(), sample_weight=weight)


@pytest.mark.parametrize("similarity", SIMILARITIES)
def test_winner_take_all_sets_the_largest_probability_to_one(similarity):
    X, y = table()
    soft = KNNLabeler(similarity=similarity).fit(X, y)
    hard = KNNLabeler(similarity=similarity, winner_take_all=True).fit(X, y)
    assert_array_equal(
        hard.label_distributions_, np.eye(3)[soft.label_distributions_.argmax(axis=1)]
    )
    assert_array_equal(hard.predict_proba(X), np.eye(3)[soft.predict_proba(X).argmax(axis=1)])
    assert_array_equal(hard.transduction_, soft.transduction_)


def test_the_first_class_wins_a_tie():
    model = KNNLabeler(2, winner_take_all=True).fit([[1.0], [-1.0], [0.0]], ["b", "a", None])
    assert_array_equal(model.label_distributions_[-1], [1, 0])
    assert model.predict([[0.0]]) == ["a"]


def test_classes_of_strings():
    X, y = table()
    names = np.array(["zebra", "ant", "cat", ""])[y]
    model = KNNLabeler().fit(X, names)
    assert_array_equal(model.classes_, ["ant", "cat", "zebra"])
    codes = KNNLabeler().fit(X, y)
    assert_allclose(model.label_distributions_, codes.label_distributions_[:, [1, 2, 0]])
    assert_array_equal(model.transduction_, names[:3][codes.transduction_])
    assert set(model.predict(X)) <= {"zebra", "ant", "cat"}


@pytest.mark.parametrize(
    ("y", "unlabeled"),
    [([-1, 1, 1, None], "auto"), ([-1, 1, 1, 0], 0), ([-1.0, 1.0, 1.0, np.nan], None)],
)
def test_minus_one_can_be_a_class(y, unlabeled):
    model = KNNLabeler(1, unlabeled=unlabeled).fit([[0.0], [1.0], [2.0], [0.1]], y)
    assert_array_equal(model.classes_, [-1, 1])
    assert_array_equal(model.transduction_, [-1, 1, 1, -1])


def test_minus_and_plus_one_with_the_default_marker_name_the_cure():
    with pytest.raises(ValueError, match="unlabeled=None"):
        KNNLabeler().fit([[0.0], [1.0]], [-1, 1])


def test_a_second_fit_forgets_the_first():
    X, y = table()
    model = KNNLabeler().fit(table(30, 5, 2, seed=3)[0], table(30, 5, 2, seed=3)[1]).fit(X, y)
    assert_array_equal(model.label_distributions_, KNNLabeler().fit(X, y).label_distributions_)


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_column_names_are_checked(frame):
    X, y = table()
    columns = dict(zip("abc", X.T, strict=True))
    model = KNNLabeler().fit(frame(columns), y)
    assert_array_equal(model.feature_names_in_, list("abc"))
    model.predict(frame(columns))
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(frame({name: columns[name] for name in "cba"}))


def test_all_rows_labeled():
    X, _ = table()
    y = np.arange(60) % 3
    model = KNNLabeler().fit(X, y)
    assert_array_equal(model.label_distributions_, np.eye(3)[y])
    assert_allclose(model.predict_proba(X), references(model, X, y), atol=1e-12)


@pytest.mark.parametrize("random_state", [0, 3, None, np.random.RandomState(1)])
def test_the_median_is_drawn_from_at_most_500_labeled_rows(random_state):
    X, y = table(700, 2, labeled=700)
    model = KNNLabeler(random_state=random_state).fit(X, y)
    squares = ((X[:, None] - X) ** 2).sum(axis=2)
    assert_allclose(model.gamma_, 0.5 / np.median(squares[np.triu_indices(700, 1)]), rtol=0.1)
    if isinstance(random_state, int):
        assert KNNLabeler(random_state=random_state).fit(X, y).gamma_ == model.gamma_


@pytest.mark.parametrize(("similarity", "ties"), [("rbf", 0), ("rbf", 1), ("cosine", 0)])
def test_memory_is_a_few_blocks(similarity, ties):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (50_000, 20)).astype(float) if ties else rng.random((50_000, 20))
    y = np.where(np.arange(50_000) < 500, np.arange(50_000) % 2, -1)
    model = KNNLabeler(similarity=similarity).fit(X[:1000], y[:1000])
    assert peak_bytes(lambda: model.predict_proba(X)) < 50_000 * 500 * 8 / 4


def test_wide_rows_are_not_gathered_as_a_whole():
    X, y = np.random.default_rng(0).random((2000, 3000)), np.r_[0, 1, np.full(1998, -1)]
    assert peak_bytes(lambda: KNNLabeler(1).fit(X, y)) < X.nbytes


def test_labels_of_iris_are_good():
    X, truth = load_iris(return_X_y=True)
    y = np.where(np.arange(150) % 10 == 0, truth, -1)
    assert np.mean(KNNLabeler().fit(X, y).transduction_ == truth) > 0.9
