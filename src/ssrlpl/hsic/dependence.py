r"""Dependence between two kernel matrices, neither of which is stored.

With :math:`K_c = HKH`, :math:`L_c = HLH`, both estimators of HSIC and the mean of the gamma
approximation of its null distribution are functions of the two diagonals and of
:math:`S = \operatorname{tr}(K_c L_c)`. If both matrices are given by factors with few columns, S is
computed without any block of the kernel matrices.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaincc

from .._core.blocks import BLOCK_BYTES, row_slices
from .._utils.progress import Progress
from .._utils.types import Array, Floats
from .centered_grams import EPS, FactorGram, Gram, StreamedGram, block_pairs


def permuted_traces(
    K: Gram, L: Gram, orders: NDArray[np.int32], progress: Progress | None = None
) -> Floats:
    """Return tr(K_c L_c) for each permutation of the rows (and columns) of L, a row of ``orders``.

    Each block of K is computed once and used for all permutations. If only one of the two is a
    factor, it must be L. Progress is advanced by n² for each permutation.
    """
    if isinstance(K, FactorGram) and isinstance(L, FactorGram):
        return _factor_traces(K.factor, L.factor, orders, progress)
    assert isinstance(K, StreamedGram)
    if isinstance(L, FactorGram):
        return _half_factor_traces(K, L.factor, orders, progress)
    return _streamed_traces(K, L, orders, progress)


def _factor_traces(
    A: Array, B: Array, orders: NDArray[np.int32], progress: Progress | None
) -> Floats:
    """Return the traces for K_c = AAᵀ and L_c = BBᵀ, which are ‖AᵀB‖²."""
    traces = np.zeros(len(orders))
    for chunk in row_slices(len(orders), _orders_at_once(B.shape[1] * len(B))):
        reordered = B[orders[chunk].T]
        product = A.T @ reordered.reshape(len(B), -1)
        norms = np.einsum("ij,ij->j", product, product)
        traces[chunk] = norms.reshape(reordered.shape[1:]).sum(axis=1)
        _advance(progress, reordered.shape[1] * len(B) ** 2)
    return traces


def _half_factor_traces(
    K: StreamedGram, F: Array, orders: NDArray[np.int32], progress: Progress | None
) -> Floats:
    """Return the traces for L_c = FFᵀ: the sum of (K F)∘F. F is centered, so K need not be."""
    traces = np.zeros(len(orders))
    for rows, columns in block_pairs(K.n_rows):
        block = np.asarray(K.entries(rows, columns), dtype=np.float64)
        times = 1 if columns == rows else 2
        for chunk in row_slices(len(orders), _orders_at_once(F.shape[1] * len(block))):
            left, right = F[orders[chunk, rows].T], F[orders[chunk, columns].T]
            product = (block @ right.reshape(len(right), -1)).reshape(left.shape)
            traces[chunk] += times * np.einsum("ibq,ibq->b", left, product)
            _advance(progress, times * block.size * left.shape[1])
    return traces


def _streamed_traces(
    K: StreamedGram, L: StreamedGram, orders: NDArray[np.int32], progress: Progress | None
) -> Floats:
    traces = np.zeros(len(orders))
    for rows, columns in block_pairs(K.n_rows):
        block = K.block(rows, columns)
        times = 1 if columns == rows else 2
        for b, order in enumerate(orders):
            traces[b] += times * np.vdot(block, L.block(order[rows], order[columns]))
            _advance(progress, times * block.size)
    return traces


def _orders_at_once(entries_per_order: int) -> int:
    return max(1, BLOCK_BYTES // (8 * max(entries_per_order, 1)))


def _advance(progress: Progress | None, steps: float) -> None:
    if progress is not None:
        progress.advance(steps)


def biased_estimate(traces: Floats, n_rows: int) -> Floats:
    """Return tr(K H L H)/(n-1)², eq. 2 of the paper."""
    return traces / (n_rows - 1) ** 2


def unbiased_estimate(traces: Floats, K: Gram, L: Gram, orders: NDArray[np.int32]) -> Floats:
    r"""Return the unbiased estimate of Song et al. (2012), eq. 5, for each permutation of L.

    It does not change when :math:`a_i + a_j` is added to the entries of K, so K can be replaced
    by K_c. The rows of K_c sum to zero; without the diagonal they sum to minus the diagonal, so
    no other sums are needed.
    """
    n, k, l = K.n_rows, K.diagonal, L.diagonal  # noqa: E741
    common = np.array([k @ l[order] for order in orders])
    inner = traces - n / (n - 2) * common + k.sum() * l.sum() / ((n - 1) * (n - 2))
    return np.asarray(inner / (n * (n - 3)))


def gamma_tail(K: Gram, L: Gram, progress: Progress | None = None) -> tuple[float, float]:
    r"""Return tr(K_c L_c) and its upper tail probability under a gamma distribution.

    The distribution has the mean and the variance that the trace has under independence
    (Gretton et al. 2008, eq. 4 to 6; here scaled to the trace):

    .. math::

        \frac{n \operatorname{tr} K_c \operatorname{tr} L_c}{(n-1)^2}, \qquad
        \frac{2 n^3 (n-4)(n-5)}{(n-1)\, n(n-1)(n-2)(n-3)} \sum_{i \ne j} (K_c \circ L_c)_{ij}^2
    """
    n = K.n_rows
    trace, squares = _product_sums(K, L, progress)
    mean = n * K.diagonal.sum() * L.diagonal.sum() / (n - 1) ** 2
    falling = n * (n - 1.0) * (n - 2) * (n - 3)
    variance = 2 * n**3 * (n - 4) * (n - 5) / ((n - 1) * falling) * squares
    noise = EPS * K.scale * L.scale
    if mean <= noise or variance <= noise**2:
        return trace, 1.0  # X or Y is constant, and a constant is independent of everything
    return trace, float(gammaincc(mean**2 / variance, max(trace, 0.0) * mean / variance))


def _product_sums(K: Gram, L: Gram, progress: Progress | None) -> tuple[float, float]:
    """Return the sum of K_c∘L_c, and the sum of its squares off the diagonal."""
    total, squares = 0.0, 0.0
    for rows, columns in block_pairs(K.n_rows):
        product = K.block(rows, columns)
        product *= L.block(rows, columns)
        times = 1 if columns == rows else 2
        total += times * float(product.sum())
        if columns == rows:
            np.fill_diagonal(product, 0)
        squares += times * float(np.vdot(product, product))
        _advance(progress, times * product.size)
    return total, squares
