"""Kernel functions, evaluated on blocks of rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from sklearn.metrics.pairwise import manhattan_distances

from .._utils.arrays import is_foreign, like, namespace, to_numpy
from .._utils.types import Array
from .blocks import dense_product, row_slices, squared_norms, unit_rows

KERNELS = ("rbf", "laplacian", "polynomial", "linear", "cosine")


class Columns(NamedTuple):
    """Rows B that give the columns of blocks K(A, B), with what depends on B alone."""

    rows: Any
    factor: Any = None

    def part(self, some: slice) -> Columns:
        """Return those of some of the rows, without computing anything again."""
        if some == slice(0, self.rows.shape[0]):
            return self  # slices of sparse rows are copies
        factor = None if self.factor is None else self.factor[some, :]
        return Columns(self.rows[some, :], factor)


Block: TypeAlias = Callable[[Columns], Array]
"""Function of columns that returns the block K(A, B), for fixed rows A.

The next call overwrites the block: allocating memory for every block would take 10 % more time.
"""


@dataclass(frozen=True)
class Kernel:
    """A kernel function with its parameters; calling it on two blocks of rows gives a block of K.

    ``shift`` is a point that is subtracted from all rows, see :func:`~.blocks.middle_of`.
    """

    name: str | Callable[..., Any]
    gamma: float = 1.0
    degree: float = 3
    coef0: float = 1.0
    shift: Array | None = None
    params: Mapping[str, Any] = field(default_factory=dict)

    def __call__(self, A: Any, B: Any) -> Array:
        """Return the matrix of k(a, b) for rows a of A and b of B."""
        return self.rows(A)(self.columns(B))

    def columns(self, B: Any) -> Columns:
        """Return rows B with what depends on B alone, for many blocks K(A, B)."""
        if self.name == "cosine":
            return Columns(B, unit_rows(B))
        if self.name == "rbf" and not hasattr(B, "tocsr") and not is_foreign(B):
            return Columns(B, _rbf_factor(self, B, left=False))
        return Columns(B)

    def rows(self, A: Any) -> Block:
        """Return the function of columns that gives K(A, B), with what depends on A alone."""
        return _called(self, A) if callable(self.name) else _BLOCKS[self.name](self, A)

    def square(self, A: Any) -> Array:
        """Return K(A, A)."""
        if self.name == "rbf" and not hasattr(A, "tocsr"):
            return _rbf_square(self, A)
        return self(A, A)


def _called(kernel: Kernel, A: Any) -> Block:
    function = kernel.name
    assert callable(function)

    def block(columns: Columns) -> Array:
        B = columns.rows
        result = function(A, B, **kernel.params)
        result = result if is_foreign(A) else np.asarray(result)
        if result.shape != (A.shape[0], B.shape[0]):
            raise ValueError(
                "kernel must return a matrix with one row for each row of its first argument and"
                f" one column for each row of its second. Got shape {result.shape} for"
                f" {(A.shape[0], B.shape[0])}: write kernel(A, B) for two matrices of rows."
            )
        return result

    return block


def _rbf(kernel: Kernel, A: Any) -> Block:
    """Return B ↦ exp(-γ|a - b|²); for dense rows one matrix product gives the exponent."""
    if hasattr(A, "tocsr"):
        return partial(_rbf_sparse, kernel, A)
    if is_foreign(A):
        return partial(_rbf_foreign, kernel, A)
    left = _rbf_factor(kernel, A, left=True)
    buffer = np.empty((len(left), 0), dtype=left.dtype)

    def block(columns: Columns) -> Array:
        nonlocal buffer
        right = columns.factor
        if right is None:
            return _rbf_sparse(kernel, A, columns)
        if buffer.shape[1] != len(right):
            buffer = np.empty((len(left), len(right)), dtype=left.dtype)
        # BLAS pads blocks with zeros: beside -∞, of rows too far for a square, that would warn.
        with np.errstate(invalid="ignore"):
            np.matmul(left, right.T, out=buffer)
        return _exponential(buffer, left[:, -2], right[:, -1], A.shape[1])

    return block


def _rbf_square(kernel: Kernel, A: Array) -> Array:
    """Return K(A, A); NumPy computes A @ A.T at half the cost of a general product."""
    rows = A if kernel.shift is None else A - like(kernel.shift, A)
    norms = -kernel.gamma * squared_norms(rows)
    exponent = rows @ rows.T
    exponent *= 2 * kernel.gamma
    exponent += norms[:, None]
    exponent += norms
    return _exponential(exponent, norms, norms, A.shape[1])


def _rbf_foreign(kernel: Kernel, A: Any, columns: Columns) -> Array:
    shift = 0 if kernel.shift is None else like(kernel.shift, A)
    return _rbf_sparse(kernel, A - shift, Columns(columns.rows - shift))


def _rbf_sparse(kernel: Kernel, A: Any, columns: Columns) -> Array:
    B = columns.rows
    left, right = -kernel.gamma * squared_norms(A), -kernel.gamma * squared_norms(B)
    exponent = dense_product(A, B.T)
    exponent *= 2 * kernel.gamma
    exponent += left[:, None]
    exponent += right
    return _exponential(exponent, left, right, A.shape[1])


def _exponential(exponent: Array, left: Array, right: Array, n_features: int) -> Array:
    """Return exp(exponent), where ``left`` and ``right`` hold -γ|a|² and -γ|b|².

    The rounding error of an exponent is about eps times the sum of its two. A small error is
    harmless. For a very large γ, exponents within the rounding error of zero are set to zero,
    because otherwise k(x, x) would differ from one.
    """
    xp = namespace(exponent)
    eps = xp.finfo(exponent.dtype).eps
    noise = eps * (8 + np.sqrt(n_features))
    if -noise * float(xp.min(left) + xp.min(right)) > np.sqrt(eps):
        # Each pair by its own error: one far row must not make all others equal.
        exponent[exponent > noise * (left[:, None] + right)] = 0
    return xp.exp(exponent) if is_foreign(exponent) else np.exp(exponent, out=exponent)


def _rbf_factor(kernel: Kernel, A: Array, *, left: bool) -> Array:
    """Return rows (2γa, -γ|a|², 1) or (b, 1, -γ|b|²): their products are -γ|a - b|²."""
    # Column by column on the right, where rows are transposed: products take 5 % less time.
    order: Literal["C", "F"] = "C" if left else "F"
    rows = np.empty((A.shape[0], A.shape[1] + 2), dtype=A.dtype, order=order)
    np.subtract(A, 0 if kernel.shift is None else kernel.shift, out=rows[:, :-2])
    norms, one = (-2, -1) if left else (-1, -2)
    rows[:, norms] = -kernel.gamma * squared_norms(rows[:, :-2])
    rows[:, one] = 1
    if left:
        rows[:, :-2] *= 2 * kernel.gamma
    return rows


def _laplacian(kernel: Kernel, A: Any) -> Block:
    if is_foreign(A):
        return partial(_laplacian_foreign, kernel, A)

    def block(columns: Columns) -> Array:
        distances = manhattan_distances(A, columns.rows)
        return np.exp(-kernel.gamma * distances).astype(A.dtype, copy=False)

    return block


def _laplacian_foreign(kernel: Kernel, A: Any, columns: Columns) -> Array:
    """Sum |a - b| column by column: one block of memory instead of one for each column."""
    xp = namespace(A)
    distances = sum(xp.abs(A[:, j, None] - columns.rows[:, j]) for j in range(A.shape[1]))
    return xp.exp(-kernel.gamma * distances)


def _polynomial(kernel: Kernel, A: Any) -> Block:
    def block(columns: Columns) -> Array:
        products = dense_product(A, columns.rows.T)
        products *= kernel.gamma
        products += kernel.coef0
        if is_foreign(products):
            return products**kernel.degree
        return np.power(products, kernel.degree, out=products)

    return block


def _linear(_: Kernel, A: Any) -> Block:
    return lambda columns: dense_product(A, columns.rows.T)


def _cosine(_: Kernel, A: Any) -> Block:
    left = unit_rows(A)
    return lambda columns: dense_product(left, columns.factor.T)


_BLOCKS: dict[str, Callable[[Kernel, Any], Block]] = {
    "rbf": _rbf,
    "laplacian": _laplacian,
    "polynomial": _polynomial,
    "linear": _linear,
    "cosine": _cosine,
}


def diagonal(kernel: Kernel, X: Any) -> Array:
    """Return k(x, x) for each row, in NumPy."""
    if kernel.name in ("rbf", "laplacian"):
        return np.ones(X.shape[0])
    if kernel.name == "cosine":
        return to_numpy(squared_norms(unit_rows(X)))
    if kernel.name == "linear":
        return to_numpy(squared_norms(X))
    if kernel.name == "polynomial":
        return (kernel.gamma * to_numpy(squared_norms(X)) + kernel.coef0) ** kernel.degree
    slices = row_slices(X.shape[0], 64)
    return np.concatenate([np.diag(to_numpy(kernel(X[rows, :], X[rows, :]))) for rows in slices])
