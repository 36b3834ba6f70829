"""The subsets of MNIST."""

import numpy as np
import pytest

from dataset_samples import put, small
from ssrlpl import datasets
from ssrlpl.datasets import images


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
