"""Singular vectors and eigenvectors: dense solvers, a matrix-free solver, and a sign rule."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy import linalg
from sklearn.exceptions import ConvergenceWarning

from .._utils import limits
from .._utils.arrays import is_foreign, like, namespace, to_numpy
from .._utils.types import Array, Floats
from .._utils.user_warnings import warn_user

_OVERSAMPLING = 16
"""Vectors in a block beyond those wanted: convergence depends on the gap to the first eigenvalue
that the block leaves out."""

_MAX_BLOCKS = 40
_USUAL_BLOCKS = 12
"""Blocks that Lanczos usually needs: 4 to 9 for decaying spectra, 12 to 24 for pure noise."""

_DENSE_MATRICES = 8
"""Square matrices that the dense solver holds at once, with those of LAPACK, for estimates of
memory."""


def fix_signs(vectors: Array) -> Array:
    """Return +1 or -1 for each column: the sign that makes its largest entry positive.

    If several entries are largest up to rounding, the first of them decides, so that symmetric
    data give the same sign on every machine.
    """
    entries = to_numpy(vectors)
    magnitude = np.abs(entries)
    near_top = magnitude >= magnitude.max(axis=0, initial=0) * (1 - 1e-6)
    first = near_top.argmax(axis=0)
    signs = np.sign(entries[first, np.arange(entries.shape[1])])
    return like(np.where(signs == 0, 1.0, signs), vectors)


def left_singular(M: Floats, noise: float, eps: float) -> tuple[Floats, Floats]:
    """Return the left singular vectors (columns) and values of M above the rounding error.

    ``noise`` is the absolute rounding error of M's entries, ``eps`` the precision of its source.
    """
    if is_foreign(M):
        U, s, _ = namespace(M).linalg.svd(M, full_matrices=False)
    else:
        U, s, _ = linalg.svd(M, full_matrices=False, check_finite=False)
    sizes = to_numpy(s)
    rank = int(np.count_nonzero(sizes > max(eps * max(M.shape) * sizes.max(initial=0), noise)))
    U = U[:, :rank]
    return U * fix_signs(U), s[:rank]


def positive_eigen(G: Floats, noise: float, eps: float) -> tuple[Floats, Floats]:
    """Return eigenvectors and eigenvalues of G above the rounding error, largest first."""
    xp, symmetric = namespace(G), (G + G.T) / 2
    if is_foreign(G):
        values, vectors = xp.linalg.eigh(symmetric)
    else:
        values, vectors = linalg.eigh(symmetric, check_finite=False)
    values, vectors = xp.flip(values, axis=0), xp.flip(vectors, axis=1)
    sizes = to_numpy(values)
    floor = max(eps * 10 * len(sizes) * sizes.max(initial=0), noise)
    rank = int(np.count_nonzero(sizes > floor))
    return vectors[:, :rank], values[:rank]


def top_eigenvectors(
    apply: Callable[[Array], Array],
    dim: int,
    count: int,
    *,
    project: Callable[[Array], Array],
    tol: float,
) -> tuple[Floats, Floats]:
    """Return the ``count`` leading eigenvectors (columns) and values of a positive operator.

    Block Lanczos with full orthogonalization: ``apply`` gets a block of vectors, because one pass
    over the data costs nearly the same for one vector and for twenty. The start vectors are
    fixed, so that results are reproducible. Vectors stay in the image of the orthogonal
    projection ``project``. If it is cheaper, the operator is formed as a dense matrix and solved
    exactly. Warns if the vectors have not converged to ``tol`` after ``_MAX_BLOCKS`` blocks.
    """
    if _dense_is_cheaper(dim, count):
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
        block = _new_directions(image, basis, project)
        if residual.max() <= tol * values[0] or block.shape[1] == 0:
            break
    else:
        warn_user(
            f"The {count} directions of largest variance must have a relative residual of at most"
            f" {tol:.1g}. Got {residual.max() / values[0]:.1g} after {_MAX_BLOCKS} blocks of"
            " Lanczos, because variances lie too close together to tell their directions apart:"
            " lower n_components, or keep fewer columns of noise.",
            ConvergenceWarning,
        )
    return vectors * fix_signs(vectors), values


def eigen_bytes(dim: int, count: int) -> int:
    """Return the bytes that :func:`top_eigenvectors` needs, including the results of ``apply``.

    For Lanczos: basis and images after 30 blocks, more than most spectra need.
    """
    if _dense_is_cheaper(dim, count):
        return _DENSE_MATRICES * 8 * dim**2
    return 30 * 2 * 8 * dim * (count + _OVERSAMPLING)


def _dense_is_cheaper(dim: int, count: int) -> bool:
    """Return whether forming the dense operator costs less than k Lanczos blocks of b vectors.

    Dense: ``apply`` to dim columns, and about 25 dim³ flops. Lanczos: ``apply`` to k b columns,
    and about 2/3 dim k³ b² + 9/4 k⁴ b³ + 6 dim k² b² flops, because each block solves again in
    a larger basis. Both costs are equal near dim = k b, so one comparison is enough. If a dense
    matrix is large, Lanczos is preferred unless its own basis would be nearly as large.
    """
    blocks = _USUAL_BLOCKS if dim <= limits.EIGEN_MEMORY_SIDE else 4
    return dim <= max(limits.DENSE_EIGEN_SIDE, blocks * (count + _OVERSAMPLING))


def _dense_top(
    apply: Callable[[Array], Array], dim: int, count: int, project: Callable[[Array], Array]
) -> tuple[Floats, Floats]:
    """Return the leading eigenpairs, computed in a basis of the image of ``project``."""
    kept, directions = linalg.eigh(project(np.eye(dim)))
    inside = directions[:, kept > 0.5]  # eigenvalues of a projection are 0 or 1
    operator = inside.T @ apply(inside)
    values, vectors = linalg.eigh((operator + operator.T) / 2, check_finite=False)
    vectors = inside @ vectors[:, ::-1][:, :count]
    return vectors * fix_signs(vectors), values[::-1][:count]


def _new_directions(image: Array, basis: Floats, project: Callable[[Array], Array]) -> Floats:
    """Return an orthonormal basis of the part of ``image`` that is orthogonal to ``basis``."""
    scale = np.linalg.norm(image, axis=0).max(initial=0)
    for _ in range(2):  # two passes of Gram-Schmidt are enough for orthogonality up to rounding
        image = image - basis @ (basis.T @ image)
    Q, R, _ = linalg.qr(image, mode="economic", pivoting=True)
    Q = Q[:, np.abs(np.diag(R)) > 1e-10 * scale]
    # If the operator is zero, image is rounding error and may lie outside the projection.
    Q = project(Q - basis @ (basis.T @ Q))
    Q, R, _ = linalg.qr(Q, mode="economic", pivoting=True)
    # Columns inside the projection keep norm 1, columns of rounding errors are near 0.
    return np.asarray(Q[:, np.abs(np.diag(R)) > 0.5])
