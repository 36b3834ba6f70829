"""Small problems that several test files use."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import settings
from sklearn.datasets import load_digits

from ssrlpl.datasets import hide_labels

# A timing is never a test: a busy machine must not make one fail.
settings.register_profile("ssrlpl", deadline=None)
settings.load_profile("ssrlpl")


def problem(n=60, d=7, n_classes=3, share=0.4, seed=0):
    """Gaussian classes with different means; about ``share`` of the rows keep their label."""
    rng = np.random.default_rng(seed)
    truth = np.arange(n) % n_classes
    X = rng.normal(size=(n, d)) + 2 * rng.normal(size=(n_classes, d))[truth]
    y = np.where(rng.random(n) < share, truth, -1)
    y[:n_classes] = truth[:n_classes]
    return X, y, truth


def peak_bytes(work):
    """Return the most memory that a call takes at once."""
    tracemalloc.start()
    work()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


def without_each_label(y):
    """Yield each labeled row, and the target without its label."""
    for row in np.flatnonzero(y >= 0):
        yield row, np.where(np.arange(len(y)) == row, -1, y)


def centering(n):
    return np.eye(n) - np.full((n, n), 1 / n)


@pytest.fixture
def small():
    return problem()


@pytest.fixture(scope="session")
def digits():
    """900 images of handwritten digits, a third of them labeled; no test may write to them."""
    X, truth = load_digits(return_X_y=True)
    X, truth = X[:900] / 16, truth[:900]
    y = hide_labels(truth, keep=300, random_state=0)
    for array in (X, y, truth):
        array.flags.writeable = False
    return X, y, truth


@pytest.fixture(scope="module")
def small_forests():
    """For files that search often: two thirds of a search in a small table are its forests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("ssrlpl.model_selection.candidates.forest._TREES", 5)
        yield


@pytest.fixture
def empty_cache(tmp_path, monkeypatch):
    """A cache for data sets that does not exist yet, and no folder of data."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("SSRLPL_CACHE", str(folder))
    monkeypatch.delenv("SSRLPL_DATA", raising=False)
    return folder


@pytest.fixture
def no_network(monkeypatch):
    """Whoever tries to download fails the test."""

    def refuse(*_, **__):
        raise AssertionError("tried to download")

    monkeypatch.setattr("socket.getaddrinfo", refuse)


@pytest.fixture
def wine(tmp_path, monkeypatch):
    """A folder that holds wine.csv, most labels blank; return the truth."""
    from table_samples import table  # needs pandas

    monkeypatch.chdir(tmp_path)
    frame, truth = table("wine")
    frame.to_csv("wine.csv", index=False)
    return truth


def mixed(seed=0, n=60, d=6, share=0.3, n_classes=3):
    """Classes that overlap, so that candidates disagree."""
    X, y, truth = problem(n, d, n_classes, share, seed)
    means = np.array([X[truth == c].mean(axis=0) for c in range(n_classes)])
    return X - 0.6 * means[truth], y, truth
