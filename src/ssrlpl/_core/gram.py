r"""Kernel matrices that are never stored: products K·B, streamed block by block.

K(X, X) is symmetric, so half of its blocks are computed and each serves twice. Memory is
O(block) whatever the number of rows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics.pairwise import manhattan_distances
from sklearn.utils import check_random_state

from .blocks import block_rows, dense_product, row_slices, squared_norms, unit_rows
from .progress import Progress
from .workers import AHEAD, blas_threads, in_order

Block: TypeAlias = Callable[[Any], NDArray[Any]]
"""From rows B to the block K(A, B) for the rows A it was made for.

The block is good until the next call: fresh memory for every block would cost a tenth of the time.
"""

KERNELS = ("rbf", "laplacian", "polynomial", "linear", "cosine")

MEDIAN_ROWS = 500

CACHED_SIDE = 448
"""At 256, 320, 384, 448 and 512 the best of 25 runs differ by less than a tenth."""

WAITING_BYTES = 1 << 28


@dataclass(frozen=True)
class Kernel:
    """A kernel function with its parameters; calling it on two blocks of rows gives a block of K.

    ``shift`` is a point near the middle of the data. Distances do not depend on it, their
    rounding error does.
    """

    name: str | Callable[..., Any]
    gamma: float = 1.0
    degree: float = 3
    coef0: float = 1.0
    shift: NDArray[Any] | None = None
    params: Mapping[str, Any] = field(default_factory=dict)

    def __call__(self, A: Any, B: Any) -> NDArray[Any]:
        """Return the matrix of k(a, b) for rows a of A and b of B."""
        return self.rows(A)(B)

    def rows(self, A: Any) -> Block:
        """Return a function of B, so that what depends on A alone is computed once."""
        return _called(self, A) if callable(self.name) else _BLOCKS[self.name](self, A)

    def square(self, A: Any) -> NDArray[Any]:
        """Return K(A, A)."""
        if self.name == "rbf" and not hasattr(A, "tocsr"):
            return _rbf_square(self, A)
        return self(A, A)


def _called(kernel: Kernel, A: Any) -> Block:
    function = kernel.name
    assert callable(function)

    def block(B: Any) -> NDArray[Any]:
        result = np.asarray(function(A, B, **kernel.params))
        if result.shape != (A.shape[0], B.shape[0]):
            raise ValueError(
                "kernel must return a matrix with one row for each row of its first argument and"
                f" one column for each row of its second. Got shape {result.shape} for"
                f" {(A.shape[0], B.shape[0])}: write kernel(A, B) for two matrices of rows."
            )
        return result

    return block


def _rbf(kernel: Kernel, A: Any) -> Block:
    """exp(-γ|a - b|²); for dense rows the exponent comes out of a single matrix product."""
    if hasattr(A, "tocsr"):
        return partial(_rbf_sparse, kernel, A)
    left = _rbf_left(kernel, A)
    buffer = np.empty((len(left), 0), dtype=left.dtype)

    def block(B: Any) -> NDArray[Any]:
        nonlocal buffer
        if hasattr(B, "tocsr"):
            return _rbf_sparse(kernel, A, B)
        right = _rbf_right(kernel, B)
        if buffer.shape[1] != len(right):
            buffer = np.empty((len(left), len(right)), dtype=left.dtype)
        np.matmul(left, right.T, out=buffer)
        return _exponential(buffer, left[:, -2], right[:, -1], A.shape[1])

    return block


def _rbf_square(kernel: Kernel, A: NDArray[Any]) -> NDArray[Any]:
    """NumPy computes a product of a matrix with its own transpose at half the price."""
    rows = A if kernel.shift is None else A - kernel.shift
    norms = -kernel.gamma * squared_norms(rows)
    exponent = rows @ rows.T
    exponent *= 2 * kernel.gamma
    exponent += norms[:, None]
    exponent += norms
    return _exponential(exponent, norms, norms, A.shape[1])


def _rbf_sparse(kernel: Kernel, A: Any, B: Any) -> NDArray[Any]:
    left, right = -kernel.gamma * squared_norms(A), -kernel.gamma * squared_norms(B)
    exponent = dense_product(A, B.T)
    exponent *= 2 * kernel.gamma
    exponent += left[:, None]
    exponent += right
    return _exponential(exponent, left, right, A.shape[1])


def _exponential(
    exponent: NDArray[Any], left: NDArray[Any], right: NDArray[Any], n_features: int
) -> NDArray[Any]:
    """Return exp(exponent), where ``left`` and ``right`` hold -γ|a|² and -γ|b|².

    Exponents are rounded by about eps times these. While that is little it does no harm; for a
    very large γ, exponents that rounding alone keeps from zero are made zero, or a row would not
    be similar to itself.
    """
    eps = np.finfo(exponent.dtype).eps
    scale = -float(left.min(initial=0) + right.min(initial=0))
    noise = eps * (8 + np.sqrt(n_features)) * scale
    if noise > np.sqrt(eps):
        exponent[exponent > -noise] = 0
    return np.exp(exponent, out=exponent)


def _rbf_left(kernel: Kernel, A: NDArray[Any]) -> NDArray[Any]:
    """Rows (2γa, -γ|a|², 1): their products with (b, 1, -γ|b|²) are -γ|a - b|²."""
    rows = _centered_with_two_more_columns(kernel, A)
    rows[:, -2] = -kernel.gamma * squared_norms(rows[:, :-2])
    rows[:, -1] = 1
    rows[:, :-2] *= 2 * kernel.gamma
    return rows


def _rbf_right(kernel: Kernel, B: NDArray[Any]) -> NDArray[Any]:
    rows = _centered_with_two_more_columns(kernel, B)
    rows[:, -2] = 1
    rows[:, -1] = -kernel.gamma * squared_norms(rows[:, :-2])
    return rows


def _centered_with_two_more_columns(kernel: Kernel, A: NDArray[Any]) -> NDArray[Any]:
    rows = np.empty((A.shape[0], A.shape[1] + 2), dtype=A.dtype)
    np.subtract(A, 0 if kernel.shift is None else kernel.shift, out=rows[:, :-2])
    return rows


def _laplacian(kernel: Kernel, A: Any) -> Block:
    return lambda B: np.exp(-kernel.gamma * manhattan_distances(A, B)).astype(A.dtype, copy=False)


def _polynomial(kernel: Kernel, A: Any) -> Block:
    def block(B: Any) -> NDArray[Any]:
        products = dense_product(A, B.T)
        products *= kernel.gamma
        products += kernel.coef0
        return np.power(products, kernel.degree, out=products)

    return block


def _linear(_: Kernel, A: Any) -> Block:
    return lambda B: dense_product(A, B.T)


def _cosine(_: Kernel, A: Any) -> Block:
    left = unit_rows(A)
    return lambda B: dense_product(left, unit_rows(B).T)


_BLOCKS: dict[str, Callable[[Kernel, Any], Block]] = {
    "rbf": _rbf,
    "laplacian": _laplacian,
    "polynomial": _polynomial,
    "linear": _linear,
    "cosine": _cosine,
}


def gram_block_rows(itemsize: int) -> int:
    """Return the side of a square block of K that is looked at as a whole."""
    return block_rows(itemsize * 2048)


def product_block_rows(X: Any) -> int:
    """Return the side of a square block of K that is multiplied and forgotten.

    Such a block stays in the cache from its product through the exponential to its use. Slices of
    sparse rows cost more than that gains.
    """
    return gram_block_rows(X.dtype.itemsize) if hasattr(X, "tocsr") else CACHED_SIDE


def product_workers(kernel: str | Callable[..., Any], n_rows: int, n_columns: int) -> int:
    """Return how many parts of K·B are computed side by side.

    Parts that wait to be added up must not take more than ``WAITING_BYTES``. A kernel of the
    user's own need not bear to be called twice at once.
    """
    if callable(kernel):
        return 1
    affordable = WAITING_BYTES // (AHEAD * 8 * max(n_rows * n_columns, 1))
    return int(np.clip(affordable, 1, blas_threads()))


def product_bytes(
    kernel: str | Callable[..., Any], n_rows: int, n_features: int, n_columns: int, itemsize: int
) -> int:
    """Return the bytes that a product K·B of dense rows needs beside its input and its result."""
    side = min(CACHED_SIDE, n_rows)
    block = side * (2 * (n_features + 2) + 2 * side) * itemsize
    if kernel == "laplacian":
        block += side * side * 24  # scikit-learn computes these distances in float64
    workers = product_workers(kernel, n_rows, n_columns)
    waiting = AHEAD * n_rows * n_columns * 8 if workers > 1 else 0
    return workers * (block + waiting)


def gram_product(
    kernel: Kernel, X: Any, B: NDArray[Any], *, progress: Progress | None = None
) -> NDArray[np.float64]:
    """Return K(X, X) B, summed over blocks in float64."""
    n = X.shape[0]
    result = np.zeros(B.shape, dtype=np.float64)
    right = B.astype(X.dtype, copy=False)
    slices = list(row_slices(n, product_block_rows(X)))
    parts = in_order(
        lambda i: _block_row_product(kernel, X, right, slices[i:]),
        range(len(slices)),
        workers=min(product_workers(kernel.name, *B.shape), len(slices)),
    )
    with closing(parts):  # an error here must not leave workers behind
        for rows, part in zip(slices, parts, strict=True):
            result[rows.start :] += part
            if progress is not None:
                progress.advance((n - rows.start) ** 2 - (n - rows.stop) ** 2)
    return result


def _block_row_product(
    kernel: Kernel, X: Any, right: NDArray[Any], slices: list[slice]
) -> NDArray[np.float64]:
    """Return what the first block row of K, from the diagonal on, and its mirror image give."""
    rows = slices[0]
    part = np.zeros((slices[-1].stop - rows.start, right.shape[1]))
    above, block_of = part[: rows.stop - rows.start], kernel.rows(X[rows])
    above += kernel.square(X[rows]) @ right[rows]
    for columns in slices[1:]:
        block = block_of(X[columns])
        above += block @ right[columns]
        part[columns.start - rows.start : columns.stop - rows.start] += block.T @ right[rows]
    return part


def cross_product(kernel: Kernel, A: Any, X: Any, B: NDArray[Any]) -> NDArray[Any]:
    """Return K(A, X) B in the dtype of A."""
    side = product_block_rows(A)
    columns = list(row_slices(X.shape[0], side))

    def part(rows: slice) -> NDArray[Any]:
        block_of = kernel.rows(A[rows])
        return sum((block_of(X[c]) @ B[c] for c in columns), start=np.zeros(B.shape[1]))

    result = np.empty((A.shape[0], B.shape[1]), dtype=A.dtype)
    slices = list(row_slices(A.shape[0], side))
    workers = min(product_workers(kernel.name, side, B.shape[1]), len(slices))
    with closing(in_order(part, slices, workers=workers)) as parts:
        for rows, values in zip(slices, parts, strict=True):
            result[rows] = values
    return result


def diagonal(kernel: Kernel, X: Any) -> NDArray[Any]:
    """Return k(x, x) for each row."""
    if kernel.name in ("rbf", "laplacian"):
        return np.ones(X.shape[0])
    if kernel.name == "cosine":
        return squared_norms(unit_rows(X))
    if kernel.name == "linear":
        return squared_norms(X)
    if kernel.name == "polynomial":
        return (kernel.gamma * squared_norms(X) + kernel.coef0) ** kernel.degree
    slices = row_slices(X.shape[0], 64)
    return np.concatenate([np.diag(kernel(X[rows], X[rows])) for rows in slices])


def median_gamma(
    X: Any,
    kernel: str | Callable[..., Any] = "rbf",
    *,
    weight: NDArray[Any] | None = None,
    seed: Any = 0,
) -> float:
    r"""Return γ by the median heuristic, on a seeded sample of at most 500 rows.

    rbf: :math:`1/(2 \operatorname{median} |x-x'|_2^2)`, that is γ = 1/(2σ²) with σ the median
    distance; laplacian: :math:`1/\operatorname{median} |x-x'|_1`; polynomial:
    :math:`1/\operatorname{median} |x|_2^2`. Zeros are left out, so that repeated rows do not
    count; a table of equal rows gets γ = 1. Weights count as repetitions where all rows are looked
    at; of larger tables the sample is drawn without regard to them.
    """
    if kernel not in ("rbf", "laplacian", "polynomial"):
        return 1.0
    rows = sample_rows(X.shape[0], weight, seed)
    w = np.ones(len(rows)) if weight is None else weight[rows]
    if kernel == "polynomial":
        return inverse_median(squared_norms(X[rows]), w)
    i, j = np.triu_indices(len(rows), 1)
    distances = (
        manhattan_distances(X[rows]) if kernel == "laplacian" else squared_distances(X[rows])
    )
    values = distances[i, j] if kernel == "laplacian" else 2 * distances[i, j]
    return inverse_median(values, w[i] * w[j])


def squared_distances(sample: Any) -> NDArray[np.float64]:
    """Return squared distances between rows; those that rounding keeps from zero are zero."""
    rows = sample.astype(np.float64)
    if not hasattr(rows, "tocsr"):
        rows = rows - rows.mean(axis=0)
    norms = squared_norms(rows)
    squares = norms[:, None] + norms - 2 * dense_product(rows, rows.T)
    noise = 64 * np.finfo(np.float64).eps * (norms[:, None] + norms)
    return np.where(squares > noise, squares, 0)


def sample_rows(n_rows: int, weight: NDArray[Any] | None, seed: Any) -> NDArray[np.intp]:
    """Return the rows the median heuristic looks at, in order."""
    usable = np.arange(n_rows) if weight is None else np.flatnonzero(weight > 0)
    if len(usable) <= MEDIAN_ROWS:
        return usable
    rng = check_random_state(seed)
    return np.sort(rng.choice(usable, MEDIAN_ROWS, replace=False))


def inverse_median(values: NDArray[Any], weight: NDArray[Any]) -> float:
    """Return one over the lower weighted median of the positive values."""
    positive = values > 0
    values, weight = values[positive], weight[positive]
    if not len(values):
        return 1.0
    if weight.min() == weight.max():  # no need to sort
        middle = (len(values) - 1) // 2
        return float(1 / np.partition(values, middle)[middle])
    order = np.argsort(values, kind="stable")
    reach = np.cumsum(weight[order])
    return float(1 / values[order][np.searchsorted(reach, reach[-1] / 2)])
