"""Products with a kernel matrix in bands and blocks, against the whole matrix."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse

from ssrlpl._core import blocks, products
from ssrlpl._core.kernels import KERNELS, Kernel


@pytest.fixture
def rows():
    return np.random.default_rng(0).normal(size=(150, 6))


@pytest.mark.parametrize("sides", [(32, 32), (16, 64), (32, 96), (256, 256)])
@pytest.mark.parametrize("made", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize("name", KERNELS)
def test_blocks_and_bands_of_any_size_give_the_product(rows, name, made, sides, monkeypatch):
    B = np.random.default_rng(1).normal(size=(150, 3))
    kernel = Kernel(name, 0.2, shift=rows.mean(axis=0) if made is np.asarray else None)
    K = kernel.square(made(rows))  # of the whole table
    monkeypatch.setattr(products, "product_block_rows", lambda _: sides[0])
    monkeypatch.setattr(blocks, "MAX_BLOCK_ROWS", sides[1])
    assert_allclose(products.gram_product(kernel, made(rows), B), K @ B, atol=1e-11)
    found = products.cross_product(kernel, made(rows[:70]), made(rows), B)
    assert_allclose(found, K[:70] @ B, atol=1e-11)


@pytest.mark.parametrize("made", [(np.asarray, sparse.csr_matrix), (sparse.csr_matrix, np.asarray)])
def test_dense_rows_beside_sparse_ones(rows, made):
    kernel, coef = Kernel("rbf", 0.2, shift=rows.mean(axis=0)), np.ones((150, 1))
    found = products.cross_product(kernel, made[0](rows[:9]), made[1](rows), coef)
    assert_allclose(found, kernel(rows[:9], rows).sum(axis=1, keepdims=True), rtol=1e-11)


def test_sums_of_bands_in_single_precision_are_kept_in_double(rows, monkeypatch):
    B = np.random.default_rng(1).normal(size=(150, 5)) * 1e6
    B -= B.mean(axis=0)  # large terms that cancel, as the coefficients of a whitened map do
    X, kernel = rows.astype(np.float32), Kernel("rbf", 1e-12)  # all kernel values round to one
    monkeypatch.setattr(products, "product_block_rows", lambda _: 25)
    monkeypatch.setattr(blocks, "MAX_BLOCK_ROWS", 25)
    found = products.cross_product(kernel, X, X, B)
    assert found.dtype == np.float32
    assert np.abs(found).max() < 1e-3  # a sum in single precision is off by 0.1 or more


def test_progress_counts_every_entry_once(rows, monkeypatch):
    monkeypatch.setattr(products, "product_block_rows", lambda _: 20)
    monkeypatch.setattr(blocks, "MAX_BLOCK_ROWS", 60)
    counted = []

    class Counted:
        advance = staticmethod(counted.append)

    products.gram_product(Kernel("rbf", 0.1), rows, rows, progress=Counted())
    assert sum(counted) == 150**2
