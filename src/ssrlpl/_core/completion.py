r"""More components than the labels determine (p > C-1).

With rows in X (n×d) and Y (n×C), the objective
:math:`\operatorname{tr}(V^\top X^\top H Y Y^\top H X V)` has rank at most C-1: every further
direction has eigenvalue zero, and the paper does not say which one to choose. We choose the
directions of largest variance in the orthogonal complement, the limit γ→0 of the label kernel
:math:`Y Y^\top + \gamma I`.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .._utils.types import Floats
from .spectrum import eigen_bytes, top_eigenvectors

Operator = Callable[[Floats], Floats]


def completion_bytes(dim: int, count: int) -> int:
    """Return the bytes that ``count`` additional directions in ``dim`` dimensions usually need."""
    return eigen_bytes(dim, count) if count > 0 else 0


def complete_linear(U: Floats, count: int, scatter: Operator, tol: float) -> Floats:
    """Return ``count`` orthonormal columns of largest variance, orthogonal to those of U (d×r)."""
    added, _ = top_eigenvectors(
        scatter, U.shape[0], count, project=lambda V: V - U @ (U.T @ V), tol=tol
    )
    return added


def complete_kernel(
    beta: Floats, Z: Floats, weight: Floats, count: int, gram: Operator, tol: float, noise: float
) -> tuple[Floats, Floats]:
    r"""Return dual coefficients of the directions of largest variance, and their variances.

    With weights W, :math:`H = I - \mathbf 1 w^\top/\sum w` and the map ``beta`` (Z = Kβ), the
    centered rows have the residual kernel :math:`R = H K H^\top - (HZ)(HZ)^\top`. An eigenpair
    (u, μ) of :math:`W^{1/2} R W^{1/2}` gives the direction
    :math:`(H^\top c - \beta (HZ)^\top c)/\sqrt\mu` with :math:`c = W^{1/2} u`. Directions whose
    variance is below the rounding error ``noise`` are omitted, so fewer than ``count`` may be
    returned.
    """
    root = np.sqrt(weight)[:, None]
    share = weight[:, None] / weight.sum()
    centered_Z = Z - (weight @ Z) / weight.sum()

    def residual(U: Floats) -> Floats:
        c = root * U
        image = gram(c - share * c.sum(axis=0))
        image -= (share * image).sum(axis=0)
        return root * (image - centered_Z @ (centered_Z.T @ c))

    def project(U: Floats) -> Floats:
        # Without √w, the one vector that centering always removes.
        return U - root @ (root.T @ U) / (root.T @ root)

    u, variance = top_eigenvectors(residual, len(weight), count, project=project, tol=tol)
    kept = variance > max(noise, tol * 1e-2 * variance.max(initial=0))
    c = root * u[:, kept]
    added = c - share * c.sum(axis=0) - beta @ (centered_Z.T @ c)
    return added / np.sqrt(variance[kept]), variance[kept]
