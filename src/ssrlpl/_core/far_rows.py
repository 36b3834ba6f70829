"""New rows that are so far from all known rows that a narrow kernel is zero between them."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._utils.types import Array
from .anchors import EuclideanAnchors, nearest_one
from .kernels import Kernel
from .products import cross_product

_OUT_OF_SIGHT = np.exp(-4)
"""Sum of kernel values with all known rows, below which a row is far from all of them."""


def represent_far_rows(kernel: Kernel, X: Any, known: Any, coef: Array) -> Array:
    """Return K(X, known)·coef for an RBF kernel; far rows are moved toward their nearest row.

    Where all kernel values vanish, every row would get the same answer. Such a row is moved on a
    straight line to its nearest known row, until their kernel value is 1/e.
    """
    with_sum = np.column_stack([coef, np.ones(len(coef))])
    values = cross_product(kernel, X, known, with_sum)
    far = np.flatnonzero(values[:, -1] < _OUT_OF_SIGHT)
    if len(far):
        nearest = known[nearest_one(EuclideanAnchors(known), X[far])]
        apart = X[far] - nearest
        lengths = np.sqrt(np.sum(apart**2, axis=1, keepdims=True))
        moved = nearest + apart / (lengths * np.sqrt(kernel.gamma))
        values[far] = cross_product(kernel, moved.astype(X.dtype, copy=False), known, with_sum)
    return values[:, :-1]
