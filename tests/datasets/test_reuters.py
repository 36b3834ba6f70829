"""Reuters-10K, drawn from RCV1, and its stand-in."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import sklearn.datasets
from scipy import sparse
from sklearn.utils import Bunch

from dataset_samples import put
from ssrlpl import datasets
from ssrlpl.datasets import reuters
from ssrlpl.datasets.layout import matrix, sparse_contents


def rcv1(n=40, d=12, seed=0):
    """RCV1 in small: documents with one, two or none of the root categories."""
    rng = np.random.default_rng(seed)
    names = np.array(["C11", *sorted(reuters.ROOT_CATEGORIES)])
    target = sparse.csr_matrix((rng.random((n, 5)) < 0.3).astype(np.uint8))
    data = sparse.random(n, d, density=0.5, format="csr", random_state=seed)
    return Bunch(data=data, target=target, target_names=names)


def test_reuters10k_follows_the_procedure(monkeypatch):
    monkeypatch.setattr(reuters, "N_DOCUMENTS", 6)
    monkeypatch.setattr(reuters, "N_WORDS", 5)
    source = rcv1()
    contents = reuters.reuters10k_from_rcv1(source, random_state=3)
    X, y = matrix(contents).toarray(), contents["y"]
    columns = [list(source.target_names).index(root) for root in reuters.ROOT_CATEGORIES]
    roots = source.target.toarray()[:, columns]
    single = np.flatnonzero(roots.sum(axis=1) == 1)
    present = (source.data.toarray()[single] > 0).sum(axis=0)
    words = sorted(range(12), key=lambda word: (-present[word], word))[:5]
    rows = source.data.toarray()[single][:, sorted(words)]
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    unit = np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0)
    assert X.shape == (6, 5)
    for row, label in zip(X, y, strict=True):  # every drawn row is one of the documents
        match = np.flatnonzero(np.abs(unit - row).max(axis=1) < 1e-12)
        assert label in roots[single[match]].argmax(axis=1)


def test_reuters10k_is_fetched_once_and_leaves_no_pickle(empty_cache, monkeypatch):
    monkeypatch.setattr(reuters, "N_DOCUMENTS", 6)
    homes = []

    def fetch_rcv1(data_home):
        homes.append(Path(data_home))
        (homes[-1] / "samples.pkl").write_bytes(b"pickle")
        return rcv1()

    monkeypatch.setattr(sklearn.datasets, "fetch_rcv1", fetch_rcv1)
    monkeypatch.setattr(reuters, "REUTERS10K", replace(reuters.REUTERS10K, shape=(6, 12)))
    first, second = datasets.load_reuters10k(), datasets.load_reuters10k()
    assert first.name == second.name == "Reuters-10K"
    assert not first.is_stand_in
    assert len(homes) == 1
    assert [path.name for path in empty_cache.iterdir()] == ["reuters10k.npz"]


@pytest.mark.usefixtures("no_network")
def test_the_stand_in_is_asked_for_and_named_as_such(empty_cache):
    counts = sparse.csr_matrix(np.random.default_rng(0).poisson(1.0, (30, 9)))
    y = np.repeat([1, 2, 3, 4, 5], [10, 8, 6, 4, 2])
    put(empty_cache, "reuters21578.npz", sparse_contents(counts, y))
    with pytest.raises(FileNotFoundError, match="Reuters-10K is missing"):
        datasets.load_reuters10k(download_if_missing=False)
    data = datasets.load_reuters10k(download_if_missing=False, stand_in=True)
    assert data.is_stand_in
    assert data.name == "Reuters-21578 (stand-in for Reuters-10K)"
    assert data.description.startswith("NOT Reuters-10K")
    assert np.unique(data.y).tolist() == [1, 2, 3, 4]
    np.testing.assert_allclose(sparse.linalg.norm(data.X, axis=1), 1.0)
    raw = datasets.load_reuters21578(2, 3, tfidf=False)
    wanted = np.sort(np.argsort(-counts[:18].toarray().sum(axis=0), kind="stable")[:3])
    np.testing.assert_array_equal(raw.X.toarray(), counts[:18].toarray()[:, wanted])
