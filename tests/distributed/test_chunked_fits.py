"""Fits to tables in chunks are those of the same table in memory, whatever the chunks are."""

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from chunked_problems import cut, dask_table, digest, in_this_process
from scipy import sparse
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression

from conftest import peak_bytes, problem
from ssrlpl import (
    SSRLPL,
    GivenLabels,
    GraphLabeler,
    KernelSSRLPL,
    KNNLabeler,
    LabeledForest,
    load,
    save,
)
from ssrlpl._utils import limits
from ssrlpl.distributed import Chunks
from ssrlpl.distributed.chunked_table import open_table

MAPS = [
    SSRLPL(),
    SSRLPL(n_components=4),
    SSRLPL(constraint="whitened", unlabeled_weight=0.3),
    SSRLPL(labeler=LogisticRegression()),
    SSRLPL(relabel_rounds=2, unlabeled_weight=0),
    KernelSSRLPL(),
    KernelSSRLPL(n_components=5),
    KernelSSRLPL(kernel="polynomial"),
    KernelSSRLPL(constraint="whitened", unlabeled_weight=0.3),
    KernelSSRLPL(constraint="whitened", relabel_rounds=1),
]


@pytest.fixture(autouse=True)
def _in_threads():
    with dask.config.set(scheduler="threads"):
        yield


@pytest.mark.parametrize("map_", MAPS, ids=str)
@pytest.mark.parametrize("weighted", [False, True])
def test_chunks_give_the_map_of_the_whole_table(map_, weighted):
    X, y, _ = problem(300, 7, 3, 0.2)
    order = np.argsort(y == -1, kind="stable")  # so that the last chunks have no label
    X, y = X[order], y[order]
    weight = np.random.default_rng(1).integers(0, 3, 300) if weighted else None
    parts = cut(X, 130, 131, 220)
    whole, chunked = clone(map_).fit(X, y, weight), clone(map_).fit(dask_table(parts), y, weight)
    assert np.allclose(chunked.transform(dask_table(parts)), whole.transform(X), atol=1e-9)
    assert np.allclose(chunked.label_distributions_, whole.label_distributions_)
    assert chunked.transduction_.compute().tolist() == whole.transduction_.tolist()
    assert np.isclose(chunked.objective_, whole.objective_)
    missing = {name for name in vars(whole) if name.endswith("_") and not name.startswith("_")}
    assert missing <= set(vars(chunked))
    assert digest(clone(map_).fit(in_this_process(parts), y, weight)) == digest(chunked)
    with_empty = in_this_process([X[:0], *parts, X[:0]])
    again = clone(map_).fit(with_empty, y, weight)
    assert np.allclose(again.transform(with_empty).compute(), whole.transform(X), atol=1e-9)


def test_landmarks_approximate_the_kernel_map_of_all_rows(monkeypatch):
    X, y, _ = problem(400, 5, 3, 0.2)
    whole = KernelSSRLPL().fit(X, y)
    monkeypatch.setattr(limits, "LANDMARKS", 150)
    model = KernelSSRLPL().fit(in_this_process(cut(X, 90, 200)), y)
    assert model.X_fit_.shape == (150, 5)
    assert "LANDMARKS" in model.limits_hit_
    Z, exact = model.transform(X), whole.transform(X)
    assert abs(np.corrcoef(Z[:, 0], exact[:, 0])[0, 1]) > 0.999
    assert model.objective_ == pytest.approx(whole.objective_, rel=0.01)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_targets_of_every_form_in_chunks(dtype):
    X, y, _ = problem(200, 4, 3, 0.2)
    table = da.from_array(X.astype(dtype), chunks=(60, 3))
    words = np.array(["cat", "dog", "eel", None], dtype=object)[y]
    floats = np.where(y == -1, np.nan, y)
    expected = digest(SSRLPL().fit(table, y))
    for target in (
        da.from_array(y, chunks=60),
        da.from_array(y[:, None], chunks=77),
        floats,
        da.from_array(floats, chunks=33),
        words,
        da.from_array(words, chunks=60),
    ):
        model = SSRLPL().fit(table, target)
        assert digest(model) == expected
        assert model.components_.dtype == dtype
    assert SSRLPL().fit(table, da.from_array(words, chunks=60)).classes_.tolist() == [
        "cat", "dog", "eel",
    ]  # fmt: skip
    # -1 is a class if other rows are empty; only the whole target tells.
    minus = np.where(y == 0, -1.0, floats)
    kept = SSRLPL().fit(table, da.from_array(minus, chunks=20))
    assert kept.classes_.tolist() == SSRLPL().fit(X, minus).classes_.tolist() == [-1, 1, 2]


def test_data_frames_of_unknown_length():
    X, y, _ = problem(120, 4, 3, 0.3)
    frame = pd.DataFrame(X, columns=list("abcd"))
    frame["y"] = y
    table = dd.from_pandas(frame, npartitions=5)
    table = table[table["a"] > frame["a"].quantile(0.1)]  # lengths are not known any more
    rest = frame[frame["a"] > frame["a"].quantile(0.1)]
    model = SSRLPL().fit(table[list("abcd")], table["y"])
    whole = SSRLPL().fit(rest[list("abcd")], rest["y"])
    assert np.allclose(model.components_, whole.components_)
    assert model.feature_names_in_.tolist() == list("abcd")
    Z = model.transform(table[list("abcd")])
    assert isinstance(Z, da.Array)
    assert np.allclose(Z.compute(), whole.transform(rest[list("abcd")]))
    in_memory = SSRLPL().fit(table[list("abcd")], rest["y"])
    assert digest(in_memory) == digest(model)
    with pytest.raises(ValueError, match="feature names should match"):
        model.transform(table[list("abdc")])


def test_columns_of_data_frames_are_found_by_name_in_every_chunk():
    X, y, _ = problem(120, 4, 3, 0.3)
    frame = pd.DataFrame(X, columns=list("abcd"))
    chunks = [frame[:0][["d"]], frame[:50], frame[50:90][list("dbca")], frame[90:]]
    expected = SSRLPL().fit(frame, y)
    by_map = dd.from_map(lambda i: chunks[i], [1, 2, 3])
    for table in (in_this_process(chunks), by_map):
        model = SSRLPL().fit(table, y)
        assert np.allclose(model.components_, expected.components_)
        assert np.allclose(model.transform(table).compute(), expected.transform(frame))
        nearest = KNNLabeler().fit(table, y)  # takes rows out of chunks
        assert np.allclose(
            nearest.predict_proba(frame), KNNLabeler().fit(frame, y).predict_proba(frame)
        )
    assert np.array_equal(in_this_process(chunks[1:]).compute(), X)


@pytest.mark.parametrize(
    ("later", "words"),
    [("abd", "without the column 'c': give all"), ("abcde", "with the further column 'e'")],
)
def test_chunks_with_other_columns_are_refused(later, words):
    X, y, _ = problem(120, 5, 3, 0.3)
    frame = pd.DataFrame(X, columns=list("abcde"))
    chunks = [frame[:50][list("abcd")], frame[50:][list(later)]]
    for table in (in_this_process(chunks), dd.from_map(lambda i: chunks[i], [0, 1])):
        with pytest.raises(ValueError, match=words):
            SSRLPL().fit(table, y)
    with pytest.raises(ValueError, match=words):
        in_this_process(chunks).compute()


def test_a_sample_takes_no_memory_for_the_other_rows():
    chunk, n_chunks = np.zeros((50_000, 1)), 40
    y = np.full(n_chunks * len(chunk), -1)
    y[:2] = [0, 1]
    table = open_table(SSRLPL(), in_this_process([chunk] * n_chunks), y)
    sample, rows = table.sample(100, 0)
    assert len(sample.X) == len(set(rows)) == 100
    assert rows.max() > len(y) / 2
    assert peak_bytes(lambda: table.sample(100, 0)) < y.nbytes / 4


def test_sparse_chunks_stay_sparse():
    X, y, _ = problem(100, 6, 3, 0.3)
    X = np.where(X > 0, X, 0)
    parts = [sparse.csr_matrix(part) for part in cut(X, 30, 70)]
    model = SSRLPL().fit(in_this_process(parts), y)
    whole = SSRLPL().fit(sparse.csr_matrix(X), y)
    assert np.allclose(model.components_, whole.components_)


def test_labelers_say_of_chunks_what_they_say_of_tables():
    X, y, _ = problem(200, 5, 3, 0.2)
    table, new = da.from_array(X, chunks=(70, 5)), da.from_array(X[::-1] + 0.1, chunks=(90, 5))
    whole, chunked = KNNLabeler().fit(X, y), KNNLabeler().fit(table, y)
    assert np.allclose(chunked.label_distributions_, whole.label_distributions_)
    assert np.allclose(chunked.predict_proba(new), whole.predict_proba(new.compute()))
    labels = chunked.predict(new)
    assert isinstance(labels, da.Array)
    assert labels.compute().tolist() == whole.predict(new.compute()).tolist()
    assert chunked.n_neighbors == 5
    assert set(vars(whole)) <= set(vars(chunked))


def test_a_graph_is_built_from_a_sample_and_says_so(monkeypatch):
    X, y, truth = problem(300, 5, 3, 0.1)
    table = da.from_array(X, chunks=(70, 5))
    whole = GraphLabeler().fit(table, y)
    in_memory = GraphLabeler().fit(X, y)
    assert (whole.transduction_.compute() == in_memory.transduction_).mean() > 0.98
    found = whole.predict_proba(table).compute().argmax(axis=1)
    assert (found == in_memory.predict_proba(X).argmax(axis=1)).mean() > 0.98
    monkeypatch.setattr(limits, "CHUNKED_SAMPLE_ROWS", 100)
    with pytest.warns(UserWarning, match="learns from a sample of 1.. of 300 rows"):
        model = GraphLabeler().fit(table, y)
    assert "CHUNKED_SAMPLE_ROWS" in model.limits_hit_
    assert (model.transduction_.compute() == truth).mean() > 0.9
    assert (model.transduction_.compute()[y != -1] == y[y != -1]).all()


def test_a_model_file_leaves_the_rows_behind(tmp_path):
    X, y, _ = problem(200, 5, 3, 0.2)
    table = da.from_array(X, chunks=(70, 5))
    for model in (SSRLPL(), KernelSSRLPL(), KNNLabeler()):
        save(model.fit(table, y), tmp_path / "m")
        again = load(tmp_path / "m")
        assert not hasattr(again, "label_distributions_")
        asked = "predict_proba" if isinstance(model, KNNLabeler) else "transform"
        assert np.array_equal(getattr(again, asked)(X), getattr(model, asked)(X))


def test_what_cannot_be_done_says_so_and_leaves_the_estimator_alone():
    X, y, _ = problem(60, 4, 3, 0.4)
    table = da.from_array(X, chunks=(20, 4))
    model = SSRLPL().fit(table, y)
    before = model.components_
    bad = da.from_array(np.where(np.arange(240).reshape(60, 4) == 170, np.nan, X), chunks=(20, 4))
    with pytest.raises(ValueError, match="NaN"):
        model.fit(bad, y)
    assert model.components_ is before
    for given, labels, estimator, words in (
        (table, y[:50], SSRLPL(), "same length"),
        (table, da.from_array(y[:50], chunks=10), SSRLPL(), "same chunks"),
        (table, np.full(60, -1), SSRLPL(), "no labeled row"),
        (table, da.full(60, -1, chunks=20), SSRLPL(), "no labeled row"),
        (table[:, 0], y, SSRLPL(), "two dimensions"),
        (table, y, SSRLPL(labeler=GivenLabels(np.eye(3)[y])), "GivenLabels"),
        (table, y, KernelSSRLPL(kernel="precomputed"), "precomputed"),
        (table, y, KernelSSRLPL(constraint="whitened", landmarks=[0, 1]), "leave landmarks out"),
        (table, y, SSRLPL(n_components=9), "n_components"),
        (in_this_process([X[:0]]), y, SSRLPL(), "must have rows"),
    ):
        with pytest.raises(ValueError, match=words):
            estimator.fit(given, labels)
    with pytest.raises(ValueError, match="weight"):
        SSRLPL().fit(table, y, np.where(y == 0, 0, 1) * 0.0)
    with pytest.raises(ValueError, match="4 features"):
        model.transform(da.zeros((30, 5), chunks=10))


def test_chunks_are_functions_and_not_for_everybody():
    X, y, _ = problem()
    with pytest.raises(TypeError, match=r"Got ndarray: pass lambda: rows\."):
        Chunks([X[:30], X[30:]])
    with pytest.raises(TypeError, match=r"^LabeledForest takes rows in memory. .*X.compute"):
        LabeledForest().fit(in_this_process([X]), y)


@pytest.mark.parametrize(("cell", "message"), [(np.nan, "fill in the gaps"), ("v", "make numbers")])
def test_gaps_and_texts_in_a_chunk_name_the_cure(cell, message):
    X, y, _ = problem()
    frame = pd.DataFrame(X).astype(object)
    frame.iloc[0, 1] = cell
    with pytest.raises(ValueError, match=f"{message}.*TableTransformer that transforms each"):
        SSRLPL().fit(in_this_process([frame]), y)
