"""Classifiers and the search on tables in chunks."""

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from chunked_problems import cut, dask_table, in_this_process
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from conftest import mixed, problem
from ssrlpl import SSRLPL, SSRLPLCV, KernelSSRLPL, MixtureClassifier, SSRLPLClassifier, load, save
from ssrlpl._utils import limits
from ssrlpl.model_selection import suspect_labels

pytestmark = pytest.mark.usefixtures("small_forests")


@pytest.fixture(autouse=True)
def _in_threads():
    with dask.config.set(scheduler="threads"):
        yield


@pytest.mark.parametrize(
    "model",
    [
        SSRLPLClassifier(SSRLPL()),
        SSRLPLClassifier(SSRLPL(n_components=3), "nearest", temperature=0.5),
        SSRLPLClassifier(KernelSSRLPL(constraint="whitened"), "least_squares"),
        SSRLPLClassifier(
            SSRLPL(constraint="whitened", unlabeled_weight=0.2), "least_squares", temperature=0.1
        ),
    ],
    ids=str,
)
def test_classifiers_predict_as_those_of_the_whole_table(model):
    X, y, _ = problem(240, 6, 3, 0.2)
    words = np.array(["a", "b", "c", None], dtype=object)[y]
    table = dask_table(cut(X, 70, 150))
    whole, chunked = clone(model).fit(X, words), clone(model).fit(table, words)
    assert np.allclose(chunked.predict_proba(table), whole.predict_proba(X), atol=1e-6)
    labels = chunked.predict(table)
    assert isinstance(labels, da.Array)
    assert labels.compute().tolist() == whole.predict(X).tolist()
    assert chunked.score(table, words) == whole.score(X, words)
    with pytest.raises(TypeError, match="transform the chunks first"):
        SSRLPLClassifier(make_pipeline(StandardScaler(), SSRLPL())).fit(table, y)


def test_a_search_that_saw_all_rows_is_that_of_the_table():
    X, y, _ = mixed(n=150)
    frame = pd.DataFrame(X, columns=list("abcdef"))
    whole = SSRLPLCV().fit(frame, y)
    table = dd.from_pandas(frame, npartitions=3)
    model = SSRLPLCV().fit(table, y)
    assert model.nested_error_ == whole.nested_error_
    assert model.cv_results_["weight"].tolist() == whole.cv_results_["weight"].tolist()
    assert np.allclose(model.predict_proba(table).compute(), whole.predict_proba(frame))
    assert model.feature_names_in_.tolist() == list("abcdef")
    assert set(vars(whole)) <= set(vars(model))


@pytest.mark.parametrize("choose", ["all", "one"])
def test_the_model_of_a_sample_labels_all_rows(monkeypatch, tmp_path, choose):
    X, y, truth = mixed(n=600, share=0.1)
    monkeypatch.setattr(limits, "CHUNKED_SAMPLE_ROWS", 250)
    parts = cut(X, 200, 390)
    model = SSRLPLCV(choose=choose).fit(dask_table(parts), y)
    here = SSRLPLCV(choose=choose).fit(in_this_process(parts), y)
    P, table = model.predict_proba(dask_table(parts)), in_this_process(parts)
    assert isinstance(P, da.Array)
    assert np.array_equal(P.compute(), here.predict_proba(table).compute())
    assert "CHUNKED_SAMPLE_ROWS" in model.limits_hit_
    in_memory = SSRLPLCV(choose=choose).fit(X, y)
    assert (model.predict(X) == truth).mean() > (in_memory.predict(X) == truth).mean() - 0.03
    said = model.transduction_.compute()
    assert (said[y != -1] == y[y != -1]).all()
    assert model.transform(dask_table(parts)).shape == (600, 2)
    save(model, tmp_path / "m")
    assert np.array_equal(load(tmp_path / "m").predict_proba(X), model.predict_proba(X))


def test_forests_of_a_search_on_a_sample_read_all_rows(monkeypatch):
    X = np.random.default_rng(0).uniform(size=(600, 8))
    truth = ((X[:, 0] > 0.3) & (X[:, 1] > 0.3)).astype(int)  # a box, which trees can draw
    y = np.where(np.arange(600) < 200, truth, -1)
    monkeypatch.setattr(limits, "CHUNKED_SAMPLE_ROWS", 300)
    monkeypatch.setattr("ssrlpl.model_selection.candidates.forest._TREES", 100)
    model = SSRLPLCV().fit(in_this_process(cut(X, 250, 450)), y)
    assert isinstance(model.best_estimator_, MixtureClassifier)
    assert model.best_estimator_.n_features_in_ == 8
    by_map = model.best_estimator_.reader_.predict(X)
    assert (model.predict(X) == truth).mean() > (by_map == truth).mean() + 0.01


@pytest.mark.parametrize("made", [dask_table, in_this_process])
def test_suspect_labels_have_their_numbers_in_the_table(monkeypatch, tmp_path, made):
    """The search sees a sample, in which rows have other numbers; and a refit forgets it."""
    X, y, truth = mixed(n=600, share=0.1)
    monkeypatch.setattr(limits, "CHUNKED_SAMPLE_ROWS", 150)
    slip = np.flatnonzero(y != -1)[-1]
    y[slip] = (truth[slip] + 1) % 3
    model = SSRLPLCV().fit(made(cut(X, 200, 200, 390)), y)  # the second chunk is empty
    assert model.loo_rows_.tolist() == np.flatnonzero(y != -1).tolist()
    assert model.loo_codes_.tolist() == y[y != -1].tolist()
    found = suspect_labels(model).to_dict()
    assert [one["given"] for one in found if one["row"] == slip] == [y[slip]]
    save(model, tmp_path / "m")
    assert suspect_labels(load(tmp_path / "m")).to_dict() == found
    some = np.r_[0:300]
    again = suspect_labels(model.fit(X[some], y[some])).to_dict()
    assert all(one["given"] == y[one["row"]] for one in again)


def test_a_map_in_chunks_is_least_squares_on_given_vectors():
    """With as many landmarks as rows, the fit to all chunks is the in-memory map to the same."""
    from sklearn.base import BaseEstimator

    from ssrlpl.distributed.chunked_labels import ByModel
    from ssrlpl.distributed.chunked_table import open_table
    from ssrlpl.distributed.fitting import read_chunks, solve
    from ssrlpl.labelers import GivenLabels

    X, y, _ = mixed(n=200, share=0.2)
    vectors = np.random.default_rng(0).dirichlet(np.ones(3), size=200)

    class Teacher(BaseEstimator):
        def predict_proba(self, rows):
            return vectors[[int(np.flatnonzero((row == X).all(axis=1))[0]) for row in rows]]

    map_ = KernelSSRLPL(constraint="whitened", rho=1e-3, gamma=0.1, labeler=GivenLabels(vectors))
    whole = SSRLPLClassifier(map_, "least_squares").fit(X, y)
    table = open_table(SSRLPL(), in_this_process(cut(X, 60, 130)), y)
    map_.start_chunks(6, np.arange(3), (X, None))
    solve(map_, table, ByModel(Teacher()))
    reading = read_chunks(map_, table, ByModel(Teacher()))
    assert np.allclose(map_.represent(X), whole.transform(X), atol=1e-7)
    assert np.allclose(reading(map_.represent(X)), whole.classifier_(whole.transform(X)), atol=1e-7)
