"""Exact leave-one-out against fitting once for each label."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_digits, load_iris, make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from conftest import without_each_label
from ssrlpl import SSRLPL, KernelSSRLPL, KNNLabeler, LabeledOnly, SSRLPLClassifier
from ssrlpl._core.bandwidth import median_gamma
from ssrlpl._core.loo_votes import median_gammas_without
from ssrlpl.labelers._base import labels_without
from ssrlpl.labelers.graph import GraphLabeler
from ssrlpl.labels import encode_labels
from ssrlpl.model_selection import loo_predict

MAPS = {
    "linear": SSRLPL(),
    "linear k=1": SSRLPL(labeler=KNNLabeler(1)),
    "linear wta": SSRLPL(labeler=KNNLabeler(3, winner_take_all=True)),
    "linear graph": SSRLPL(labeler=GraphLabeler(7)),
    "linear two of three": SSRLPL(1),
    "linear whitened": SSRLPL(constraint="whitened"),
    "linear weight": SSRLPL(unlabeled_weight=0.3),
    "linear labeled only": SSRLPL(unlabeled_weight=0.0, constraint="whitened", rho=0.1),
    "kernel": KernelSSRLPL(),
    "kernel fixed": KernelSSRLPL(gamma=0.5, labeler=KNNLabeler(4, gamma=0.2)),
    "kernel graph": KernelSSRLPL(labeler=GraphLabeler(7, method="harmonic")),
    "kernel whitened": KernelSSRLPL(constraint="whitened", labeler=GraphLabeler(5)),
    "kernel weight": KernelSSRLPL(constraint="whitened", unlabeled_weight=0.5, rho=1e-3),
    "laplacian": KernelSSRLPL(kernel="laplacian", labeler=KNNLabeler(similarity="cosine")),
    "any classifier": KernelSSRLPL(labeler=LogisticRegression()),
}


OTHERS = {
    "more components than labels determine": KernelSSRLPL(4),
    "relabeled": SSRLPL(relabel_rounds=2),
    "votes": KNNLabeler(3),
    "graph": GraphLabeler(5),
    "classifier in the representation": SSRLPLClassifier(SSRLPL(), KNeighborsClassifier(3)),
    "pipeline": make_pipeline(StandardScaler(), SSRLPL(), LabeledOnly(KNeighborsClassifier(1))),
}


def _table(seed=0, n_labeled=24):
    X, y = make_classification(
        160, 6, n_informative=4, n_classes=3, n_clusters_per_class=1, random_state=seed
    )
    partly = np.full(160, -1)
    rows = np.random.default_rng(seed).permutation(160)[:n_labeled]
    partly[rows] = y[rows]
    return X, partly


def _one_by_one(estimator, X, y):
    """Predict each label by a fit without it."""
    found = []
    for row, hidden in without_each_label(y):
        fitted = clone(estimator).fit(X, hidden)
        if hasattr(fitted, "predict"):
            found.append(fitted.predict(X[[row]])[0])
            continue
        Z, labeled = fitted.transform(X), np.flatnonzero(hidden >= 0)
        found.append(hidden[labeled[np.argmin(np.sum((Z[labeled] - Z[row]) ** 2, axis=1))]])
    return np.array(found)


@pytest.mark.parametrize("name", MAPS | OTHERS)
def test_same_labels_as_one_fit_for_each(name):
    (X, y), model = _table(), (MAPS | OTHERS)[name]
    assert np.array_equal(loo_predict(model, X, y), _one_by_one(model, X, y))


@pytest.mark.parametrize("name", MAPS)
def test_same_representations_as_one_fit_for_each(name):
    _check_representations(MAPS[name], *_table(1))


@pytest.mark.parametrize("name", ["linear", "linear whitened", "kernel", "kernel fixed"])
def test_rows_with_several_labels_determine_fewer_directions_than_a_fit_has(name):
    """The fit adds directions of largest variance: so must the fits without a label."""
    X = np.random.default_rng(0).normal(size=(4, 5)).repeat(3, axis=0)
    _check_representations(MAPS[name], X, np.tile([0, 1, 2], 4))


def _check_representations(map_, X, y):
    """Distances between labeled rows do not depend on signs or on the order of equal values."""
    labeled = np.flatnonzero(y >= 0)
    parts = map_.fit_without(X, encode_labels(y), labeled[:, None], labeled)
    ours = np.concatenate([Z for _, _, Z in parts])
    for Z, (_, hidden) in zip(ours, without_each_label(y), strict=True):
        theirs = clone(map_).fit(X, hidden).transform(X)[labeled]
        gram, expected = _centered_gram(Z), _centered_gram(theirs)
        assert np.abs(gram - expected).max() < 1e-8 * np.abs(expected).max()


def _centered_gram(Z):
    Z = Z - Z.mean(axis=0)
    return Z @ Z.T


@pytest.mark.parametrize(
    "labeler",
    [
        KNNLabeler(),
        KNNLabeler(50),
        KNNLabeler(gamma=1e6),
        KNNLabeler(similarity="inverse_distance"),
        GraphLabeler(6),
        GraphLabeler(6, method="harmonic", class_mass=False),
        GraphLabeler(3, alpha=0.5, winner_take_all=True),
        LogisticRegression(),
    ],
    ids=str,
)
@pytest.mark.filterwarnings("ignore:n_neighbors=")
def test_label_vectors_without_each_label(labeler):
    X, y = _table(2)
    y[np.flatnonzero(y == 2)[1:]] = -1  # a class with a single label
    hidden_rows = np.flatnonzero(y >= 0)[:, None]
    parts = labels_without(labeler, X, encode_labels(y), hidden_rows)
    ours = np.concatenate([Y for _, Y in parts])
    for Y, (_, hidden) in zip(ours, without_each_label(y), strict=True):
        fitted = SSRLPL(labeler=labeler).fit(X, hidden)
        expected = np.zeros_like(Y)
        expected[:, fitted.classes_] = fitted.label_distributions_
        np.testing.assert_allclose(Y, expected, atol=1e-9)


@pytest.mark.parametrize("n_rows", [3, 4, 9, 30])
def test_medians_without_each_row(n_rows):
    X = np.random.default_rng(n_rows).integers(0, 4, (n_rows, 2)).astype(float)  # many ties
    expected = [median_gamma(np.delete(X, i, axis=0)) for i in range(n_rows)]
    np.testing.assert_allclose(median_gammas_without(X), expected, rtol=1e-12)


def test_class_with_a_single_label():
    X, y = _table(3)
    y[np.flatnonzero(y == 2)[1:]] = -1
    for estimator in (SSRLPL(), KernelSSRLPL()):
        assert np.array_equal(loo_predict(estimator, X, y), _one_by_one(estimator, X, y))


def test_two_classes_of_which_one_has_a_single_label():
    X, y = load_iris(return_X_y=True)
    partly = np.full(150, -1)
    partly[[0, 1, 2, 60]] = y[[0, 1, 2, 60]]
    assert loo_predict(SSRLPL(), X, partly)[-1] == 0


def test_sparse_rows_and_float32():
    X, y = _table(8)
    X = np.where(np.abs(X) > 0.7, X, 0)
    for rows in (sparse.csr_matrix(X), X.astype(np.float32)):
        for estimator in (SSRLPL(), KernelSSRLPL()):
            assert np.array_equal(loo_predict(estimator, rows, y), loo_predict(estimator, X, y))


def test_precomputed_kernel():
    X, y = _table(9)
    K = X @ X.T
    map_ = KernelSSRLPL(kernel="precomputed")
    assert np.array_equal(loo_predict(map_, K, y), _one_by_one(map_, K, y))


def test_labels_of_any_kind_in_row_order():
    X, y = load_digits(return_X_y=True)
    names = np.array([None if i >= 60 else f"digit {c}" for i, c in enumerate(y)], dtype=object)
    found = loo_predict(KernelSSRLPL(), X[:300], names[:300])
    coded = np.where(np.arange(300) < 60, y[:300], -1)
    assert [f"digit {c}" for c in loo_predict(KernelSSRLPL(), X[:300], coded)] == found.tolist()


@pytest.mark.parametrize(
    "classifier", [LogisticRegression(), make_pipeline(StandardScaler(), KNeighborsClassifier())]
)
def test_a_classifier_that_learns_the_marker_as_a_class_is_refused(classifier):
    X, y = _table()
    with pytest.raises(ValueError, match="LabeledOnly"):
        loo_predict(classifier, X, y)


@pytest.mark.parametrize("kind", [KNNLabeler, SSRLPL, SSRLPLClassifier, LabeledOnly])
def test_the_marker_is_what_the_estimator_reads_as_unlabeled(kind):
    X, y = _table()
    model = kind(LogisticRegression()) if kind is LabeledOnly else kind()
    marked = make_pipeline(StandardScaler(), clone(model).set_params(unlabeled=-99))
    expected = loo_predict(make_pipeline(StandardScaler(), model), X, y)
    for unlabeled in ("auto", -99):
        found = loo_predict(marked, X, np.where(y < 0, -99, y), unlabeled=unlabeled)
        assert np.array_equal(found, expected)
