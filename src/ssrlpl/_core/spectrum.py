"""Singular and eigenvectors: small dense problems, one sign rule, one matrix-free solver."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import linalg

_OVERSAMPLING = 16
_DENSE_LIMIT = 256
_MAX_BLOCKS = 40


def fix_signs(vectors: NDArray[Any]) -> NDArray[Any]:
    """Return +1 or -1 for each column: the sign that makes its largest entry positive.

    Entries within rounding of the largest count as tied and the first of them decides, so that
    symmetric data give the same sign on every machine.
    """
    magnitude = np.abs(vectors)
    near_top = magnitude >= magnitude.max(axis=0, initial=0) * (1 - 1e-6)
    first = near_top.argmax(axis=0)
    signs = np.sign(vectors[first, np.arange(vectors.shape[1])])
    return np.where(signs == 0, 1.0, signs)


def left_singular(
    M: NDArray[np.float64], noise: float, eps: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the left singular vectors (columns) and values of M that are above rounding.

    ``noise`` is the absolute rounding error of M's entries, ``eps`` the precision of its source.
    """
    U, s, _ = linalg.svd(M, full_matrices=False, check_finite=False)
    rank = int(np.count_nonzero(s > max(eps * max(M.shape) * s.max(initial=0), noise)))
    U = U[:, :rank]
    return U * fix_signs(U), s[:rank]


def positive_eigen(
    G: NDArray[np.float64], noise: float, eps: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return eigenvectors and eigenvalues of the small matrix G, largest first, above rounding."""
    values, vectors = linalg.eigh((G + G.T) / 2, check_finite=False)
    values, vectors = values[::-1], vectors[:, ::-1]
    floor = max(eps * 10 * len(G) * values.max(initial=0), noise)
    rank = int(np.count_nonzero(values > floor))
    return vectors[:, :rank], values[:rank]


def top_eigenvectors(
    apply: Callable[[NDArray[Any]], NDArray[Any]],
    dim: int,
    count: int,
    *,
    project: Callable[[NDArray[Any]], NDArray[Any]],
    tol: float,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the ``count`` leading eigenvectors (columns) and values of a positive operator.

    Block Lanczos with full orthogonalization: a block of vectors goes through ``apply`` at once,
    because one pass over the data costs nearly the same for one vector and for twenty. The
    start is fixed, so the same operator gives the same answer. Vectors stay in the image of the
    orthogonal projection ``project``. Small operators are formed and solved exactly.
    """
    if dim <= max(_DENSE_LIMIT, 4 * (count + _OVERSAMPLING)):
        return _dense_top(apply, dim, count, project)
    start = np.random.default_rng(0).standard_normal((dim, count + _OVERSAMPLING))
    block = linalg.qr(project(start), mode="economic")[0]
    basis, images = np.empty((dim, 0)), np.empty((dim, 0))
    for _ in range(_MAX_BLOCKS):
        image = project(apply(block))
        basis, images = np.hstack([basis, block]), np.hstack([images, image])
        values, inner = linalg.eigh(basis.T @ images)
        values, inner = values[::-1][:count], inner[:, ::-1][:, :count]
        vectors = basis @ inner
        residual = np.linalg.norm(images @ inner - vectors * values, axis=0)
        block = _new_directions(image, basis)
        if residual.max() <= tol * values[0] or block.shape[1] == 0:
            break
    return vectors * fix_signs(vectors), values


def krylov_bytes(dim: int, count: int) -> int:
    """Return the bytes of basis and images after 30 blocks, more than most spectra take."""
    return 30 * 2 * 8 * dim * (count + _OVERSAMPLING)


def _dense_top(
    apply: Callable[[NDArray[Any]], NDArray[Any]],
    dim: int,
    count: int,
    project: Callable[[NDArray[Any]], NDArray[Any]],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Solve in coordinates of the projection's image, so that nothing outside can be chosen."""
    kept, directions = linalg.eigh(project(np.eye(dim)))
    inside = directions[:, kept > 0.5]
    operator = inside.T @ apply(inside)
    values, vectors = linalg.eigh((operator + operator.T) / 2, check_finite=False)
    vectors = inside @ vectors[:, ::-1][:, :count]
    return vectors * fix_signs(vectors), values[::-1][:count]


def _new_directions(image: NDArray[Any], basis: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return an orthonormal basis of what ``image`` adds to ``basis``."""
    scale = np.linalg.norm(image, axis=0).max(initial=0)
    for _ in range(2):  # twice is enough
        image = image - basis @ (basis.T @ image)
    Q, R, _ = linalg.qr(image, mode="economic", pivoting=True)
    grown = np.abs(np.diag(R)) > 1e-10 * scale
    Q = Q[:, grown]
    Q -= basis @ (basis.T @ Q)
    return np.asarray(linalg.qr(Q, mode="economic")[0])
