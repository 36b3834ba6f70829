r"""The kernel map on landmarks, from sums over rows that come in chunks.

In the Nyström features :math:`\phi(x) = R^{-\top} k(x)`, with k(x) the kernel between x and the
landmarks, the kernel map is the linear one: it needs the cross-moment of φ and the label vectors,
and the scatter of φ if it is whitened or has more components than the labels determine. Both add
up over chunks. Without the scatter the sums are those of k(x), which cost less; then
:math:`\sum \phi b^\top = R^{-\top} \sum k b^\top`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .._utils.types import Array, Floats
from .blocks import row_slices
from .completion import complete_linear
from .landmarks import Landmarks
from .moments import CrossMoment, RowSums, cross_moment, row_moments
from .products import gram_block_rows
from .spectrum import left_singular
from .whitening import Ridge, feature_dimensions, scatter_solver, whitened_directions

Weight = Floats | None


def landmark_moment(features: Landmarks, X: Any, Y: Array, weight: Weight) -> CrossMoment | None:
    """Return the cross-moment of k(x) and the label vectors; None if all weights are zero."""
    return _summed(X, weight, lambda rows, w: cross_moment(features.products(X[rows]), Y[rows], w))


def feature_sums(
    features: Landmarks, X: Any, Y: Array, weight: Weight, row_weight: Weight
) -> RowSums:
    """Return the cross-moment of φ(x) by ``weight``, and its scatter by ``row_weight``."""

    def block(rows: slice, w: Weight) -> RowSums:
        phi, v = features(X[rows]), None if row_weight is None else row_weight[rows]
        moment = cross_moment(phi, Y[rows], w) if w is None or w.any() else None
        return RowSums(moment, row_moments(phi, v) if v is None or v.any() else None)

    found = _summed(X, weight, block, with_zeros=True)
    assert found is not None
    return found


def _summed(
    X: Any, weight: Weight, block: Callable[[slice, Weight], Any], *, with_zeros: bool = False
) -> Any:
    total = None
    for rows in row_slices(X.shape[0], gram_block_rows(8)):
        w = None if weight is None else weight[rows]
        if with_zeros or w is None or w.any():
            part = block(rows, w)
            total = part if total is None else total.merge(part)
    return total


def orthonormal_landmarks(
    features: Landmarks, sums: RowSums, n_components: int, eps: float
) -> tuple[Floats, Floats]:
    """Return the dual coefficients of the landmarks for βᵀKβ = I, and λ.

    With a scatter in ``sums``, they are sums of φ, and directions of largest variance are added if
    the labels determine fewer than ``n_components``.
    """
    moment, scatter = sums.moment, None if sums.spread is None else sums.spread.scatter
    assert moment is not None
    cross = moment.cross if scatter is not None else features.inverse_factor.T @ moment.cross
    noise = eps * np.sqrt(moment.weight)  # of a sum of n entries that are at most one or so
    U, s = left_singular(cross, noise, eps)
    U, s = U[:, :n_components], s[:n_components]
    missing = min(n_components, len(U)) - U.shape[1]
    if missing > 0 and scatter is not None:
        added = complete_linear(U, missing, lambda V: scatter @ V, tol=np.sqrt(eps))
        U = np.hstack([U, added])
    return features.dual(U), s**2


def whitened_from_sums(
    features: Landmarks, sums: RowSums, ridge: Ridge, eps: float
) -> tuple[Floats, Floats]:
    """Return the dual coefficients of the landmarks for the whitened constraint, and λ."""
    assert sums.moment is not None
    assert sums.spread is not None
    S, n = sums.spread.scatter, sums.spread.weight
    assert S is not None
    rho = ridge(np.trace(S), np.sum(S**2), feature_dimensions(n), n)
    V, values = whitened_directions(scatter_solver(S, rho), sums.moment.cross, eps)
    return features.dual(V), values
