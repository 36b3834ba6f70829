"""Rows of torch and of array-api-strict, which has nothing but the standard."""

import sys
import warnings

import numpy as np
import pytest
from sklearn import config_context

from ssrlpl import SSRLPL, SSRLPLCV, KernelSSRLPL, KNNLabeler, SSRLPLClassifier
from ssrlpl._core import moments, products
from ssrlpl._utils import arrays, limits
from ssrlpl.datasets import hide_labels
from ssrlpl.guarantee import certify
from ssrlpl.model_selection import loo_predict

strict = pytest.importorskip("array_api_strict")
pytest.importorskip("array_api_compat")

ESTIMATORS = [
    SSRLPL(),
    SSRLPL(5),
    SSRLPL(2, unlabeled_weight=0.3, relabel_rounds=1),
    SSRLPL(constraint="whitened"),
    KernelSSRLPL(),
    KernelSSRLPL(5, gamma=0.01),
    KernelSSRLPL(kernel="laplacian", unlabeled_weight=0.3),
    KernelSSRLPL(2, kernel="polynomial", degree=2),
    KernelSSRLPL(kernel="linear", relabel_rounds=1),
    KernelSSRLPL(kernel="cosine"),
    KernelSSRLPL(kernel=lambda A, B: A @ B.T),
    KernelSSRLPL(kernel="precomputed"),
    KernelSSRLPL(constraint="whitened"),
    KernelSSRLPL(far_rows="nearest", gamma=1.0),
]


@pytest.fixture(autouse=True)
def _dispatch(monkeypatch):
    monkeypatch.setenv("SCIPY_ARRAY_API", "1")
    with config_context(array_api_dispatch=True):
        yield


@pytest.fixture(params=["torch", "strict", "without double precision"])
def convert(request):
    """Return a function that turns arrays of NumPy into arrays of another library."""
    if request.param == "torch":
        return pytest.importorskip("torch").asarray
    name = "device1" if request.param == "strict" else "no_float64"

    def on_device(values):
        dtype = np.float32 if name == "no_float64" and values.dtype.kind == "f" else values.dtype
        return strict.asarray(values.astype(dtype), device=strict.Device(name))

    return on_device


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    truth = rng.integers(4, size=90)
    X = rng.normal(size=(90, 8)) + 3 * np.eye(4, 8)[truth] + 1
    return X, hide_labels(truth, keep=40, random_state=0), truth


def close(found, wanted, X):
    """Compare with NumPy's answer, to the precision of what X was."""
    tol = 2e-3 if "32" in str(X.dtype) else 1e-8
    assert arrays.is_foreign(found)
    assert found.device == X.device
    np.testing.assert_allclose(arrays.to_numpy(found), wanted, rtol=tol, atol=tol)


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda e: repr(e)[:50])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.filterwarnings("ignore:Neighbors")
def test_same_answer_as_numpy_and_on_the_device(estimator, weighted, convert, table):
    X, y, _ = table
    X = X @ X.T if getattr(estimator, "kernel", "") == "precomputed" else X
    weight = np.tile([1.0, 2.0, 0.5], 30) if weighted else None
    expected = estimator.fit(X, y, weight)
    wanted = {k: v for k, v in vars(expected).items() if isinstance(v, np.ndarray)}
    wanted_rows = expected.transform(X[:7])
    rows = convert(X)
    found = estimator.fit(rows, convert(y), None if weight is None else convert(weight))
    for name in wanted.keys() - {"classes_"}:
        close(getattr(found, name), wanted[name], rows)
    close(found.transform(rows[:7, :]), wanted_rows, rows)


@pytest.mark.filterwarnings("ignore:Neighbors")
def test_many_blocks_and_landmarks(convert, table, monkeypatch):
    X, y, _ = table
    monkeypatch.setattr(limits, "EXACT_KERNEL_ROWS", 80)
    monkeypatch.setattr(limits, "LANDMARKS", 60)
    monkeypatch.setattr(moments, "block_rows", lambda _: 40)
    monkeypatch.setattr(products, "gram_block_rows", lambda _: 40)
    rows = convert(X)
    for estimator in (SSRLPL(5), KernelSSRLPL(5), KernelSSRLPL(constraint="whitened")):
        wanted = estimator.fit(X, y).transform(X)
        close(estimator.fit(rows, y).transform(rows), wanted, rows)
        close(estimator.fit_transform(rows, y), wanted, rows)
    assert estimator.X_fit_.shape == (60, 8)
    assert estimator.X_fit_.device == rows.device


@pytest.mark.filterwarnings("ignore:Neighbors")
def test_chunks_and_the_way_back(convert, table):
    X, y, _ = table
    order = np.argsort(y < 0, kind="stable")
    X, y = X[order], y[order]
    whole, rows = SSRLPL(6).fit(X, y), convert(X)
    stream = SSRLPL(6)
    for part in (slice(0, 50), slice(50, 90)):
        stream.partial_fit(rows[part, :], y[part])
    close(stream.components_, whole.components_, rows)
    close(stream.inverse_transform(stream.transform(rows)),
          whole.inverse_transform(whole.transform(X)), rows)  # fmt: skip
    assert stream.feature_loadings().rows[0][:2] == whole.feature_loadings().rows[0][:2]


def test_rows_are_moved_once_and_the_user_is_told(convert, table):
    X, y, _ = table
    with pytest.warns(UserWarning, match="copied to main memory") as caught:
        fitted = KernelSSRLPL().fit(convert(X), y)
    assert len(caught) == 1
    assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fitted.transform(convert(X))
        KernelSSRLPL().fit(X, y).transform(X)  # nothing to say about NumPy


@pytest.mark.filterwarnings("ignore:Neighbors")
def test_classifier_predicts_where_the_rows_are(convert, table):
    X, y, truth = table
    rows = convert(X)
    for model in (
        SSRLPLClassifier(),
        SSRLPLClassifier(SSRLPL(constraint="whitened"), "least_squares"),
    ):
        wanted, score = model.fit(X, y).predict_proba(X), model.score(X, truth)
        model.fit(rows, y)
        close(model.predict_proba(rows), wanted, rows)
        close(model.predict(rows), model.classes_[wanted.argmax(axis=1)], rows)
        assert model.score(rows, truth) == score
    named = np.array(["a", "b", "c", "d"])[truth]
    partly = hide_labels(named, keep=40, random_state=0)
    model.fit(rows, partly)  # no other library has arrays of texts
    assert (np.asarray(model.predict(rows)) == named).mean() > 0.8


def test_what_only_numpy_does_gets_numpy(convert, table):
    X, y, _ = table
    rows = convert(X.astype(np.float32))
    X = X.astype(np.float32)
    with pytest.warns(UserWarning, match="copied to main memory"):
        np.testing.assert_array_equal(loo_predict(SSRLPL(), rows, y), loo_predict(SSRLPL(), X, y))
    with pytest.warns(UserWarning, match="copied to main memory"):
        found = KNNLabeler().fit(rows, y).predict_proba(rows)
    np.testing.assert_array_equal(found, KNNLabeler().fit(X, y).predict_proba(X))
    with pytest.warns(UserWarning, match="copied to main memory"):
        assert certify(SSRLPL(), rows, y) == certify(SSRLPL(), X, y)


def test_the_search_gets_numpy(table):
    X, y, _ = table
    rows = strict.asarray(X, device=strict.Device("device1"))
    with pytest.warns(UserWarning, match="copied to main memory"):
        found = SSRLPLCV(choose="one").fit(rows, y).predict(rows)
    np.testing.assert_array_equal(found, SSRLPLCV(choose="one").fit(X, y).predict(X))


@pytest.mark.filterwarnings("ignore:Neighbors")
@pytest.mark.parametrize("estimator", [SSRLPL(), KernelSSRLPL()])
def test_other_arrays_than_in_fit_are_refused(estimator, convert, table):
    X, y, _ = table
    rows = convert(X)
    estimator.fit(rows, y)
    for other in (X, strict.asarray(X, device=strict.Device("device2"))):
        with pytest.raises(ValueError, match=r"transform\(\) must use the same namespace"):
            estimator.transform(other)
    with (
        config_context(array_api_dispatch=False),
        pytest.raises(ValueError, match="only inside sklearn.config_context"),
    ):
        estimator.transform(X)


def test_labels_of_torch_with_an_older_numpy(table, monkeypatch):
    torch = pytest.importorskip("torch")
    X, y, _ = table

    def refuse(values, **device):
        raise TypeError("from_dlpack() takes no keyword argument")

    monkeypatch.setattr(np, "from_dlpack", refuse)
    assert KNNLabeler().fit(X, torch.asarray(y)).classes_.tolist() == [0, 1, 2, 3]


def test_a_missing_package_is_named(table, monkeypatch):
    X, y, _ = table
    monkeypatch.setitem(sys.modules, "array_api_compat", None)
    with pytest.raises(ImportError, match=r"install ssrlpl\[arrays\]"):
        SSRLPL().fit(strict.asarray(X), y)
