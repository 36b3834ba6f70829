"""The candidates among which SSRLPLCV chooses: one file for each kind."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._utils import limits
from ._base import Bench, Candidate, Space, TableFacts, base_spaces, column_scale
from .discriminant import AllRowsDiscriminant
from .graph_labels import GraphLabels
from .labeled_only import LabeledLeastSquares
from .plain_map import PlainMap

__all__ = ["Bench", "Candidate", "Space", "TableFacts", "family"]

_GRAPH_NEIGHBORS = 10
_GRAPH_SETTINGS = ((12.0, 0.97), (12.0, 0.99), (4.0, 0.95), (4.0, 0.9), (1.0, 0.9))
"""Pairs (sharpness, alpha) of the graph labeler."""
_RHOS = (1e-5, 1e-4)
_PRINCIPAL = (20, 5, 2)
_KERNELS = (("linear", 1.0), ("rbf", 0.25), ("rbf", 1.0), ("rbf", 4.0))
"""Kernels of least squares, each with its factor on the median γ."""
_RIDGES = (1.0, 0.1, 0.01, 0.001)
_DISCRIMINANT_RHOS = (1e-2, 1e-3)


def family(X: Any) -> list[Candidate]:
    """Return the candidates for a table, most preferred first.

    Labels propagated over a graph of all rows are preferred (tier 0), because they had the lowest
    errors on the benchmarks of the SSL book. All others are in tier 1: one of them is chosen only
    if it is better than the best of tier 0 by more than one standard error.
    """
    base = base_spaces(X)
    most = min(X.shape[0], np.count_nonzero(column_scale(X)))
    reduced = [Space(base[0].standardized, q) for q in _PRINCIPAL if q < most]
    sharpness, alpha = _GRAPH_SETTINGS[-1]
    is_table = not hasattr(X, "tocsr") and X.shape[1] <= limits.DISCRIMINANT_COLUMNS
    return [
        *(
            GraphLabels(0, space, rho, _GRAPH_NEIGHBORS, reach, sharp)
            for space in base
            for sharp, reach in _GRAPH_SETTINGS
            for rho in _RHOS
        ),
        *(GraphLabels(1, s, _RHOS[-1], 2 * _GRAPH_NEIGHBORS, alpha, sharpness) for s in reduced),
        *(LabeledLeastSquares(1, space, "linear", 1.0, 0.1) for space in reduced),
        *(PlainMap(1, space, k) for space in base for k in (5, 1)),
        *(
            AllRowsDiscriminant(1, space, rho)
            for space in (base if is_table else [])
            for rho in _DISCRIMINANT_RHOS
        ),
        *(
            LabeledLeastSquares(1, space, kernel, bandwidth, ridge)
            for space in base
            for kernel, bandwidth in _KERNELS
            for ridge in _RIDGES
        ),
    ]
