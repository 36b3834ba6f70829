r"""The cross-moment :math:`M = X^\top H Y = \sum_i w_i (x_i - \bar x)(y_i - \bar y)^\top`.

The linear map needs nothing else from the data. The moments of two chunks of rows can be merged
(Chan, Golub and LeVeque), so the same code works for a table in memory and for a stream.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from .._utils.arrays import cast, itemsize, like, namespace, to_numpy, widest_float
from .._utils.progress import Progress
from .._utils.types import Array, Floats
from .blocks import block_rows, row_slices


@dataclass(frozen=True)
class CrossMoment:
    """Sums over the rows seen so far, in float64.

    ``cross`` is d×C; ``scatter`` is the d×d matrix XᵀHX, computed only on request.
    """

    weight: float
    mean_x: Floats
    mean_y: Floats
    cross: Floats
    scatter: Floats | None = None

    def merge(self, other: CrossMoment) -> CrossMoment:
        """Return the moment of both sets of rows together."""
        total = self.weight + other.weight
        share = other.weight / total
        step_x = other.mean_x - self.mean_x
        step_y = other.mean_y - self.mean_y
        between = self.weight * share  # weight of the scatter between the two means
        merged = replace(
            self,
            weight=total,
            mean_x=self.mean_x + share * step_x,
            mean_y=self.mean_y + share * step_y,
            cross=self.cross + other.cross + between * (step_x[:, None] * step_y),
        )
        if self.scatter is None or other.scatter is None:
            return replace(merged, scatter=None)
        spread = self.scatter + other.scatter + between * (step_x[:, None] * step_x)
        return replace(merged, scatter=spread)


class RowSums(NamedTuple):
    """What a map needs from a chunk of rows, if they come in chunks.

    ``moment`` weights rows as the dependence on the labels does (None: all weights are zero),
    ``spread`` as the scatter does (None: in the same way, so that it is not needed).
    """

    moment: CrossMoment | None
    spread: CrossMoment | None

    def merge(self, other: RowSums) -> RowSums:
        """Return the sums of both chunks together."""
        pairs = zip(self, other, strict=True)
        return RowSums(*(a.merge(b) if a and b else a or b for a, b in pairs))


def cross_moment(
    X: Any, Y: Array, weight: Array | None = None, *, scatter: bool = False
) -> CrossMoment:
    """Return the cross-moment of the rows of X (dense or sparse) and Y, block by block.

    Products run in the dtype of X and on its device; sums over blocks are kept in float64.
    """
    moment, Y, weight = None, like(Y, X), None if weight is None else like(weight, X)
    with Progress("rows", X.shape[0]) as progress:
        for rows in _row_blocks(X, densified=scatter):
            part = _block_moment(
                X[rows, :], Y[rows, :], None if weight is None else weight[rows], scatter
            )
            if part is not None:
                moment = part if moment is None else moment.merge(part)
            progress.advance(rows.stop - rows.start)
    if moment is None:
        raise ValueError("sample_weight must be positive for at least one row.")
    return moment


def _row_blocks(X: Any, *, densified: bool) -> Iterator[slice]:
    """Return slices of rows; a table that stays sparse is one slice."""
    if hasattr(X, "tocsr") and not densified:
        return iter([slice(0, X.shape[0])])
    return row_slices(X.shape[0], block_rows(X.shape[1] * itemsize(X)))


def _block_moment(X: Any, Y: Array, weight: Array | None, scatter: bool) -> CrossMoment | None:
    xp, wide = namespace(X), widest_float(X)
    w = like(np.ones(X.shape[0]), X) if weight is None else cast(weight, wide)
    total = float(xp.sum(w))
    if total == 0:
        return None
    mean_x = cast(X.T @ cast(w, X.dtype), wide) / total
    mean_y = w @ cast(Y, wide) / total
    B = cast(w[:, None] * (Y - mean_y), X.dtype)
    # B sums to zero, so X need not be centered (which would make a sparse X dense); the rounding
    # error of that sum is subtracted.
    cross = cast(X.T @ B, wide) - mean_x[:, None] * xp.sum(B, axis=0, dtype=wide)
    spread = _block_scatter(X, mean_x, w) if scatter else None
    return CrossMoment(total, mean_x, mean_y, cross, spread)


def _block_scatter(X: Any, mean_x: Floats, w: Floats) -> Floats:
    dense = X.toarray() if hasattr(X, "toarray") else X
    centered = (dense - mean_x) * namespace(X).sqrt(w)[:, None]
    return centered.T @ centered


def row_moments(X: Any, weight: Array | None = None) -> CrossMoment:
    """Return mean and scatter XᵀHX of the rows; the cross-moment in the result is zero."""
    return cross_moment(X, np.zeros((X.shape[0], 1)), weight, scatter=True)


def scatter_product(X: Any, mean_x: Array, weight: Array | None, V: Array) -> Array:
    """Return (XᵀHX) V in NumPy, without forming the d×d matrix."""
    V, weight = like(V, X), None if weight is None else like(weight, X)
    total = like(np.zeros(V.shape), X)
    shift = mean_x @ V
    for rows in _row_blocks(X, densified=False):
        Z = X[rows, :] @ cast(V, X.dtype) - shift
        if weight is not None:
            Z *= weight[rows][:, None]
        sums = namespace(X).sum(Z, axis=0)
        total += X[rows, :].T @ cast(Z, X.dtype) - mean_x[:, None] * sums
    return to_numpy(total)
