"""Centered kernel matrices of labels and tables: the right numbers in little memory."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from conftest import peak_bytes
from hsic_reference import dense_biased, dense_kernel
from ssrlpl._core.kernels import Kernel
from ssrlpl.hsic import centered_grams
from ssrlpl.hsic.estimates import hsic


def test_many_classes_take_no_one_hot_matrix():
    groups = np.arange(400) // 2
    X = np.random.default_rng(1).standard_normal((400, 2)) + groups[:, None] % 7
    assert isinstance(centered_grams.label_gram(groups), centered_grams.StreamedGram)
    L = dense_kernel("delta", groups, 0)
    assert hsic(X, groups, gamma=0.1) == pytest.approx(
        dense_biased(dense_kernel("rbf", X, 0.1), L), rel=1e-10
    )


def test_hundreds_of_classes_are_streamed_in_little_memory():
    codes = np.arange(4000) % 950  # below a quarter of the rows
    assert isinstance(centered_grams.label_gram(codes), centered_grams.StreamedGram)
    assert peak_bytes(lambda: centered_grams.label_gram(codes)) < 1e6


def test_label_factors_keep_to_a_byte_limit(monkeypatch):
    monkeypatch.setattr(centered_grams, "_LABEL_BYTES", 8 * 400 * 60)
    for n_classes, kind in ((60, centered_grams.FactorGram), (61, centered_grams.StreamedGram)):
        assert isinstance(centered_grams.label_gram(np.arange(400) % n_classes), kind)
    monkeypatch.setattr(
        centered_grams, "_LABEL_BYTES", 0
    )  # few classes must never be quadratic in n
    assert isinstance(centered_grams.label_gram(np.arange(400) % 32), centered_grams.FactorGram)


def test_label_factor_is_the_only_array_of_its_size():
    codes = np.random.default_rng(0).integers(0, 200, 20_000)
    gram = centered_grams.label_gram(codes)
    assert gram.factor.shape == (20_000, 199)
    assert peak_bytes(lambda: centered_grams.label_gram(codes)) < 1.2 * gram.factor.nbytes


@pytest.mark.parametrize("n_classes", [1, 2, 9, 30])
def test_label_factor_gives_the_centered_matrix(n_classes):
    codes = np.random.default_rng(2).permutation(np.r_[:n_classes, np.arange(60) ** 2 % n_classes])
    H = np.eye(len(codes)) - 1 / len(codes)
    gram = centered_grams.label_gram(codes)
    assert gram.factor.shape[1] == n_classes - 1
    np.testing.assert_allclose(
        gram.block(slice(None), slice(None)), H @ dense_kernel("delta", codes, 0) @ H, atol=1e-13
    )


def test_the_factor_of_a_constant_has_no_columns():
    for n, value in product(range(2, 300, 7), (0.1, 1.1, 1e6 / 7)):
        gram = centered_grams.table_gram(np.full((n, 2), value), Kernel("linear"))
        assert gram.factor.shape == (n, 0)
