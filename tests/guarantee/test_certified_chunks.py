"""Certificates of tables in chunks: as in memory, and true also where a sample was fitted."""

from itertools import pairwise

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from scipy.stats import binom
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.semi_supervised import LabelSpreading

from ssrlpl import SSRLPL, GraphLabeler, KNNLabeler, LabeledOnly, SSRLPLClassifier
from ssrlpl._utils import limits
from ssrlpl.distributed import Chunks
from ssrlpl.guarantee import GuaranteeWarning, certify_labels

ENDS = (130, 130, 350)  # an empty chunk among them


@pytest.fixture(autouse=True)
def _in_threads():
    with dask.config.set(scheduler="threads"):
        yield


def world(n=500, n_labeled=120, seed=0):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 3, n)
    X = rng.normal(size=(n, 4)) + 2 * np.eye(4)[truth]
    y = np.full(n, -1)
    rows = rng.permutation(n)[:n_labeled]
    y[rows] = truth[rows]
    return X, y, truth


def chunks(X):
    cut = [X[a:b] for a, b in pairwise((0, *ENDS, X.shape[0]))]
    return Chunks([lambda part=part: part for part in cut])


def frame_of(X):
    names = [f"column {j}" for j in range(X.shape[1])]
    return dd.from_pandas(pd.DataFrame(X, columns=names), npartitions=3)


def dask_array(X):
    return da.from_array(X, chunks=(170, 2))


def sparse_chunks(X):
    return chunks(sparse.csr_array(X))


@pytest.mark.parametrize("form", [chunks, dask_array, frame_of, sparse_chunks])
def test_the_certificate_is_that_of_the_table_in_memory(form):
    X, y, _ = world()
    model = SSRLPLClassifier(SSRLPL())
    whole, found = certify_labels(model, X, y), certify_labels(model, form(X), y)
    assert found.error_upper == whole.error_upper < 0.5
    assert found.labels.tolist() == whole.labels.tolist()
    assert found.rows.tolist() == whole.rows.tolist()
    assert found.baselines == whole.baselines
    assert found.accept(0.2).tolist() == whole.accept(0.2).tolist()
    assert np.array_equal(found.prediction_sets(), whole.prediction_sets())


def test_a_target_in_chunks():
    X, y, _ = world()
    table, target = da.from_array(X, chunks=(200, 4)), da.from_array(y, chunks=200)
    model = SSRLPLClassifier(SSRLPL())
    assert certify_labels(model, table, target).n_wrong == certify_labels(model, X, y).n_wrong


def test_the_bound_holds_where_only_a_sample_is_fitted(monkeypatch):
    """Graph labels of 60 of 400 rows; the others are labeled as new rows are."""
    monkeypatch.setattr(limits, "CHUNKED_SAMPLE_ROWS", 60)
    draws, violated, in_use = 120, 0, 0
    for seed in range(draws):
        X, y, truth = world(400, 60, seed)
        with pytest.warns(UserWarning, match="learns from a sample"):
            found = certify_labels(GraphLabeler(5), chunks(X), y, random_state=seed, confidence=0.8)
        wrong = float(np.mean(found.labels != truth[found.rows]))
        violated += wrong > found.error_upper
        in_use += found.error_upper < 0.5
    assert in_use > draws / 2
    assert violated <= binom.ppf(0.999, draws, 0.2)


def test_labels_that_are_no_random_sample_are_noticed():
    X, y, truth = world(600, 0)
    first = np.argsort(X[:, 0])[:100]
    y[first] = truth[first]
    with pytest.warns(GuaranteeWarning, match="labeled rows differ"):
        found = certify_labels(SSRLPLClassifier(SSRLPL()), frame_of(X), y)
    assert "column 0" in found.cannot
    assert found.error_upper == 1


def test_what_cannot_be_done_in_chunks_names_the_cure():
    X, y, _ = world()
    with pytest.raises(ValueError, match="pass it as a mask in memory"):
        certify_labels(SSRLPLClassifier(SSRLPL()), frame_of(X), y, audit="column 0")
    with pytest.raises(ValueError, match="y"):
        certify_labels(SSRLPLClassifier(SSRLPL()), chunks(X), y[:-1])


@pytest.mark.parametrize(
    "estimator",
    [
        LabelSpreading(),
        LogisticRegression(),
        LabeledOnly(LogisticRegression()),
        make_pipeline(StandardScaler(), SSRLPLClassifier(SSRLPL())),
    ],
    ids=lambda estimator: type(estimator).__name__,
)
def test_who_needs_rows_in_memory_says_so(estimator):
    X, y, _ = world()
    name = type(estimator).__name__
    words = rf"{name} learns from rows in memory, but X comes in chunks: pass .*X.compute\(\)"
    with pytest.raises(TypeError, match=words):
        certify_labels(estimator, chunks(X), y)


def test_sets_of_new_rows_are_those_of_a_certificate_in_memory():
    """Votes of a few neighbors are the same for many rows: a threshold is one of these scores."""
    X, y, _ = world(n_labeled=300)
    model, new = KNNLabeler(5, similarity="uniform"), world(seed=1)[0]
    whole, found = (certify_labels(model, rows, y) for rows in (X, chunks(X)))
    for coverage in (0.7, 0.8, 0.9):
        assert np.array_equal(
            found.prediction_sets(coverage, X=new), whole.prediction_sets(coverage, X=new)
        )
    with pytest.raises(TypeError, match="chunk by chunk"):
        found.prediction_sets(X=chunks(new))
