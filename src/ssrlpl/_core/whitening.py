r"""The constraint :math:`V^\top(\Sigma + \rho I)V = I` instead of :math:`V^\top V = I`.

With S = XᵀHX, the scatter of *all* rows, labeled or not, and B = HY (rows may have weights), the
whitened problem

.. math::

    \max_V \operatorname{tr}(V^\top X^\top B B^\top X V) \quad \text{subject to} \quad
    V^\top (S + \rho I) V = I

has the solution :math:`V = D a \lambda^{-1/2}` with :math:`D = (S + \rho I)^{-1} X^\top B` and the
eigenpairs (a, λ) of the C×C matrix :math:`G = B^\top X D`. In kernel form V = Xᵀβ the coefficients
are :math:`(HKH + \rho I)^{-1} B a \lambda^{-1/2}`: one linear system with C right-hand sides.

Least squares then predicts labels from z = Vᵀx by
:math:`\hat y(x) = \bar y + (z - \bar z)\, Z^\top B`, which is ridge regression of Y on X.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .._utils import limits
from .._utils.arrays import is_foreign, like, namespace
from .._utils.types import Array, Floats
from .cholesky import Solver, positive_solver
from .spectrum import positive_eigen

NOT_POSITIVE = (
    "A whitened map needs a kernel whose matrix has no negative eigenvalue. Got one that has:"
    " choose another kernel, raise rho, or pass the matrix without its negative eigenvalues."
)

Ridge = Callable[[float, float, float, float], float]
"""Function of trace, squared norm, dimensions and number of rows of a scatter that returns ρ."""


def feature_dimensions(n_rows: float) -> float:
    """Return the dimensions that centered rows span in a feature space; repetitions count."""
    return max(n_rows - 1, 1.0)


def ridge_of_share(share: float, total_scatter: float) -> float:
    """Return ρ as a share of the total scatter; ρ = 1 if the scatter is zero."""
    return share * total_scatter if total_scatter > 0 else 1.0


def shrinkage_share(trace: float, squared_norm: float, dim: float, n_rows: float) -> float:
    r"""Return the oracle-approximating shrinkage (Chen et al. 2010) as a share of the scatter.

    It replaces the covariance C of n rows in d dimensions by
    :math:`(1-\delta) C + \delta (\operatorname{tr} C/d) I`, which up to a factor is C + ρI with
    :math:`\rho = \operatorname{tr} C \cdot \delta / (d (1 - \delta))`.

    Parameters
    ----------
    trace, squared_norm : float
        Trace and squared Frobenius norm of the scatter matrix, which equal those of the centered
        kernel matrix.
    dim : float
        Dimensions d; for a feature space the number of rows minus one.
    n_rows : float
        Number of rows n.
    """
    spread = squared_norm - trace**2 / dim
    noise = (1 - 2 / dim) * squared_norm + trace**2
    if spread * (n_rows + 1 - 2 / dim) <= noise:
        return 1.0  # δ = 1 would leave the identity alone, and ρ be infinite: the share is capped
    delta = noise / (spread * (n_rows + 1 - 2 / dim))
    return float(min(delta / (dim * (1 - delta)), 1.0))


def trace_and_squared_norm(S: Floats) -> tuple[float, float]:
    """Return what :func:`shrinkage_share` needs of a scatter matrix."""
    trace = namespace(S).linalg.trace if is_foreign(S) else np.trace
    return float(trace(S)), float(namespace(S).sum(S**2))


def scatter_solver(S: Floats, ridge: float) -> Solver:
    """Return R ↦ (S + ρI)⁻¹ R."""
    return positive_solver(S + like(ridge * np.eye(S.shape[0]), S))


def whitened_directions(solve: Solver, M: Floats, eps: float) -> tuple[Floats, Floats]:
    """Return V and λ for the cross-moment M = XᵀB, see the docstring of this module."""
    D = solve(M)
    a, values = positive_eigen(M.T @ D, 0.0, eps)
    return D @ (a / namespace(M).sqrt(values)), values


def centered_gram(K: Array, weight: Floats | None) -> Floats:
    """Return HKHᵀ for a kernel matrix K; a K of dtype float64 is overwritten."""
    K = np.asarray(K, dtype=np.float64)
    means = K.mean(axis=0) if weight is None else weight @ K / weight.sum()
    overall = means.mean() if weight is None else weight @ means / weight.sum()
    K -= means
    K -= (means - overall)[:, None]
    return K


def gram_solver(centered: Floats, ridge: float) -> Solver:
    """Return R ↦ (HKHᵀ + ρI)⁻¹ R; ``centered`` is overwritten."""
    centered[np.diag_indices_from(centered)] += ridge
    try:
        return positive_solver(centered)
    except np.linalg.LinAlgError as error:
        raise ValueError(NOT_POSITIVE) from error


def whitened_dual(
    centered: Floats, B: Floats, weight: Array | None, ridge: Ridge, eps: float
) -> tuple[Floats, Floats, Floats | None]:
    """Return the dual coefficients β and λ for HKHᵀ (``centered``, which is overwritten).

    The last result is HKHᵀβ, which the system gives without another product (None with weights).
    A row of weight w enters as √w(φ - φ̄), so both sides of the system are scaled by √w.
    """
    root = np.ones(len(B)) if weight is None else np.sqrt(weight)
    if weight is not None:
        centered *= root[:, None] * root
    total = len(B) if weight is None else float(weight.sum())
    squared_norm = float(np.vdot(centered, centered))
    rho = ridge(np.trace(centered), squared_norm, feature_dimensions(total), total)
    right = np.divide(B, root[:, None], out=np.zeros_like(B), where=root[:, None] > 0)
    D = gram_solver(centered, rho)(right)
    # The coefficients sum to zero. The rounding error of that sum is removed, because the product
    # with K would amplify it.
    D -= np.outer(root, root @ D) / total
    product = right - rho * D  # HKHᵀ D, by the system
    a, values = positive_eigen(right.T @ product, 0.0, eps)
    scaled = a / np.sqrt(values)
    return root[:, None] * (D @ scaled), values, product @ scaled if weight is None else None


def whitening_bytes(n_rows: int, itemsize: int) -> int:
    """Return the bytes of the largest matrices that whitening with a kernel holds at once.

    These are the kernel matrix and its factor or, with landmarks, theirs and the eigenvectors.
    """
    if n_rows <= limits.EXACT_KERNEL_ROWS:
        return (2 * 8 + (itemsize if itemsize < 8 else 1)) * n_rows**2
    side = min(limits.LANDMARKS, n_rows)
    return 6 * 8 * side**2
