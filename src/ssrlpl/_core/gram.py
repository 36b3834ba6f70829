r"""Kernel matrices that are never stored: products K·B, streamed block by block.

K(X, X) is symmetric, so half of its blocks are computed and each serves twice. Memory is
O(block) whatever the number of rows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import pdist
from sklearn.metrics.pairwise import manhattan_distances
from sklearn.utils import check_random_state

from .blocks import block_rows, dense_product, row_slices, squared_norms, unit_rows
from .progress import Progress

KERNELS = ("rbf", "laplacian", "polynomial", "linear", "cosine")

_MEDIAN_ROWS = 500


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
        if callable(self.name):
            return self._called(A, B)
        return _BLOCKS[self.name](self, A, B)

    def _called(self, A: Any, B: Any) -> NDArray[Any]:
        assert callable(self.name)
        block = np.asarray(self.name(A, B, **self.params))
        if block.shape != (A.shape[0], B.shape[0]):
            raise ValueError(
                "kernel must return a matrix with one row for each row of its first argument and"
                f" one column for each row of its second. Got shape {block.shape} for"
                f" {(A.shape[0], B.shape[0])}: write kernel(A, B) for two matrices of rows."
            )
        return block


def _rbf(kernel: Kernel, A: Any, B: Any) -> NDArray[Any]:
    """Return exp(-γ|a - b|²); the exponent comes out of a single matrix product."""
    if hasattr(A, "tocsr") or hasattr(B, "tocsr"):
        left, right = -kernel.gamma * squared_norms(A), -kernel.gamma * squared_norms(B)
        exponent = dense_product(A, B.T)
        exponent *= 2 * kernel.gamma
        exponent += left[:, None]
        exponent += right
    else:
        rows, columns = _rbf_left(kernel, A), _rbf_right(kernel, B)
        left, right = rows[:, -2], columns[:, -1]
        exponent = rows @ columns.T
    _clean(exponent, -float(left.min(initial=0) + right.min(initial=0)), A.shape[1])
    return np.exp(exponent, out=exponent)


def _clean(exponent: NDArray[Any], scale: float, n_features: int) -> None:
    """Make exponents that rounding alone keeps from zero exactly zero.

    Without this a row at distance zero would not be similar to itself when γ is very large.
    """
    eps = np.finfo(exponent.dtype).eps
    noise = eps * (8 + np.sqrt(n_features)) * scale
    if noise > np.sqrt(eps):
        exponent[exponent > -noise] = 0
    else:
        np.minimum(exponent, 0, out=exponent)


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


def _laplacian(kernel: Kernel, A: Any, B: Any) -> NDArray[Any]:
    return np.exp(-kernel.gamma * manhattan_distances(A, B)).astype(A.dtype, copy=False)


def _polynomial(kernel: Kernel, A: Any, B: Any) -> NDArray[Any]:
    block = dense_product(A, B.T)
    block *= kernel.gamma
    block += kernel.coef0
    return np.power(block, kernel.degree, out=block)


def _linear(_: Kernel, A: Any, B: Any) -> NDArray[Any]:
    return dense_product(A, B.T)


def _cosine(_: Kernel, A: Any, B: Any) -> NDArray[Any]:
    return dense_product(unit_rows(A), unit_rows(B).T)


_BLOCKS: dict[str, Callable[[Kernel, Any, Any], NDArray[Any]]] = {
    "rbf": _rbf,
    "laplacian": _laplacian,
    "polynomial": _polynomial,
    "linear": _linear,
    "cosine": _cosine,
}


def gram_block_rows(itemsize: int) -> int:
    """Return the side of a square block of K."""
    return block_rows(itemsize * 2048)


def gram_product(
    kernel: Kernel, X: Any, B: NDArray[Any], *, progress: Progress | None = None
) -> NDArray[np.float64]:
    """Return K(X, X) B, summed over blocks in float64."""
    result = np.zeros(B.shape, dtype=np.float64)
    right = B.astype(X.dtype, copy=False)
    slices = list(row_slices(X.shape[0], gram_block_rows(X.dtype.itemsize)))
    for i, rows in enumerate(slices):
        for columns in slices[i:]:
            block = kernel(X[rows], X[columns])
            result[rows] += block @ right[columns]
            if columns != rows:
                result[columns] += block.T @ right[rows]
            if progress is not None:
                progress.advance(block.size if columns == rows else 2 * block.size)
    return result


def cross_product(kernel: Kernel, A: Any, X: Any, B: NDArray[Any]) -> NDArray[Any]:
    """Return K(A, X) B in the dtype of A."""
    side = gram_block_rows(A.dtype.itemsize)
    result = np.zeros((A.shape[0], B.shape[1]), dtype=np.float64)
    for rows in row_slices(A.shape[0], side):
        for columns in row_slices(X.shape[0], side):
            result[rows] += kernel(A[rows], X[columns]) @ B[columns]
    return result.astype(A.dtype)


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
    count; a table of equal rows gets γ = 1.
    """
    if kernel not in ("rbf", "laplacian", "polynomial"):
        return 1.0
    rows = sample_rows(X.shape[0], weight, seed)
    sample = X[rows].toarray() if hasattr(X, "toarray") else np.asarray(X[rows])
    w = np.ones(len(rows)) if weight is None else weight[rows]
    if kernel == "polynomial":
        return inverse_median(squared_norms(sample), w)
    i, j = np.triu_indices(len(rows), 1)
    if kernel == "laplacian":
        return inverse_median(pdist(sample, "cityblock"), w[i] * w[j])
    return inverse_median(2 * pdist(sample, "sqeuclidean"), w[i] * w[j])


def sample_rows(n_rows: int, weight: NDArray[Any] | None, seed: Any) -> NDArray[np.intp]:
    """Return the rows the median heuristic looks at, in order."""
    usable = np.arange(n_rows) if weight is None else np.flatnonzero(weight > 0)
    if len(usable) <= _MEDIAN_ROWS:
        return usable
    rng = check_random_state(seed)
    return np.sort(rng.choice(usable, _MEDIAN_ROWS, replace=False))


def inverse_median(values: NDArray[Any], weight: NDArray[Any]) -> float:
    """Return one over the lower weighted median of the positive values."""
    positive = values > 0
    if not positive.any():
        return 1.0
    order = np.argsort(values[positive], kind="stable")
    reach = np.cumsum(weight[positive][order])
    middle = np.searchsorted(reach, reach[-1] / 2)
    return float(1 / values[positive][order][middle])
