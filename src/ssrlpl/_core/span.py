"""What linear classifiers of few rows share: the span of the rows, and classes without a row."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._utils.types import Floats
from .least_squares import centered

UNSEEN = -15.0
"""Score of a class below the lowest, if the rows that were fitted have none of it."""


def in_span(rows: Any) -> tuple[Floats, Any, Floats | None]:
    """Return rows in the coordinates of their span, what turns coefficients back, and a center.

    The penalty does not change under a rotation, and coefficients lie in the span of the rows.
    """
    point = None if hasattr(rows, "tocsr") else rows.mean(axis=0)
    rows = centered(rows, point)
    if rows.shape[1] <= rows.shape[0]:
        dense = rows.toarray() if hasattr(rows, "tocsr") else rows
        return np.asarray(dense, np.float64), np.eye(rows.shape[1]), point
    gram = rows @ rows.T
    gram = np.asarray(gram.toarray() if hasattr(gram, "tocsr") else gram, np.float64)
    squared, vectors = np.linalg.eigh(gram)
    keep = squared > 1e-10 * max(squared[-1], np.finfo(float).tiny)
    if not keep.any():  # equal rows span nothing, but a fit needs a column
        return np.zeros((len(gram), 1)), np.zeros((rows.shape[1], 1)), point
    lengths = np.sqrt(squared[keep])
    return vectors[:, keep] * lengths, rows.T @ (vectors[:, keep] / lengths), point
