"""The candidates that SSRLPLCV combines or chooses from: one file for each kind."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ..._utils import limits
from ...labelers.graph import DISCRIMINANT
from ._base import (
    MANY_PRINCIPAL,
    Bench,
    Candidate,
    Space,
    base_spaces,
    column_scale,
    leading_of,
    params_of,
)
from .discriminant import AllRowsDiscriminant
from .forest import ForestLabels
from .graph_labels import GraphLabels
from .labeled_only import LabeledLeastSquares
from .logistic_regression import LogisticLabels
from .pairwise_squares import PairwiseLeastSquares
from .plain_map import PlainMap
from .shrunken_discriminant import ShrunkenDiscriminant

__all__ = [
    "MANY_PRINCIPAL",
    "Bench",
    "Candidate",
    "ForestLabels",
    "GraphLabels",
    "LogisticLabels",
    "PlainMap",
    "Space",
    "family",
    "leading_of",
    "params_of",
]

_GRAPH_NEIGHBORS = 10
_GRAPH_SETTINGS = ((12.0, 0.97), (12.0, 0.997), (18.0, 0.999))
"""Pairs (sharpness, alpha) of the graph labeler: sharp edges reach far along a thin class."""
_PRINCIPAL = (20, 5, 2)
_PRINCIPAL_GRAPH = (1.0, 0.9)
_ROOTED = {30: ((12.0, 0.97), (8.0, 0.997)), 15: ((12.0, 0.997), (18.0, 0.999))}
"""The same pairs for graphs in half-whitened principal components, by their number."""
_KERNELS = (("linear", 1.0), ("rbf", 0.25), ("rbf", 1.0), ("rbf", 4.0))
"""Kernels of least squares, each with its factor on the median γ."""
_RIDGES = (1.0, 0.1, 0.01, 0.001)
_PAIRWISE = ((1.0, 0.1), (1.0, 0.01), (4.0, 0.1), (4.0, 0.01))
"""Pairs (factor on the median γ, ridge) of least squares between two classes."""
_LOGISTIC_COSTS = (1.0, 10.0, 100.0)
_SHRINKAGES = (0.05, 0.3, 0.6, 0.9)
_VOTERS = 5
"""Labeled rows that vote in the paper's method."""
_DISCRIMINANT_RHOS = (1e-2, 1e-3)


def _few_kinds(X: Any, space: Space) -> list[Candidate]:
    """Return candidates whose leave-one-out scores are cheap for any number of classes."""
    is_narrow = not hasattr(X, "tocsr") and X.shape[1] <= limits.DISCRIMINANT_COLUMNS
    rhos = _DISCRIMINANT_RHOS[:1] if is_narrow else ()
    return [
        *(
            GraphLabels(0, space, _GRAPH_NEIGHBORS, reach, sharp)
            for sharp, reach in ((4.0, 0.95), (1.0, 0.9))
        ),
        *(AllRowsDiscriminant(1, space, rho) for rho in rhos),
        *(
            LabeledLeastSquares(1, space, kernel, bandwidth, ridge)
            for kernel, bandwidth in (_KERNELS[0], *_KERNELS[2:])
            for ridge in _RIDGES[1:3]
        ),
    ]


def _rooted_graphs(base: Space, most: int) -> list[Candidate]:
    """Return graphs in half-whitened principal components, of which a table has ``most``.

    In a narrow table these are all of them: half whitening still changes which rows are near.
    """
    return [
        GraphLabels(0, space, _GRAPH_NEIGHBORS, reach, sharp)
        for q, settings in _ROOTED.items()
        for space in [replace(base, n_principal=min(q, most), rooted=True)]
        for sharp, reach in settings
    ]


def family(X: Any, n_classes: int = 2) -> list[Candidate]:
    """Return the candidates for a table.

    If one of them is chosen, labels propagated over a graph of all rows are preferred (tier 0),
    because they had the lowest errors on the benchmarks of the SSL book: another one is chosen
    only if it is better than the best of these by more than one standard error. A mixture has no
    preference.
    """
    base = base_spaces(X)
    if n_classes > limits.FEWER_CANDIDATES_CLASSES:
        return _few_kinds(X, base[0])
    most = min(X.shape[0], int(np.count_nonzero(column_scale(X))))
    standardized, ranked = base[0].standardized, base[0].ranked
    reduced = [Space(standardized, q, ranked) for q in _PRINCIPAL if q < most]
    sharpness, alpha = _PRINCIPAL_GRAPH
    is_table = not hasattr(X, "tocsr")
    is_large_and_wide = (
        is_table and X.shape[0] > limits.EXACT_KERNEL_ROWS and most > 2 * MANY_PRINCIPAL
    )
    less_noisy = [Space(standardized, MANY_PRINCIPAL, ranked)] if is_large_and_wide else []
    is_narrow = is_table and X.shape[1] <= limits.DISCRIMINANT_COLUMNS
    in_pairs = 2 < n_classes <= limits.PAIRWISE_CLASSES
    return [
        *(
            GraphLabels(0, space, _GRAPH_NEIGHBORS, reach, sharp)
            for space in base
            for sharp, reach in _GRAPH_SETTINGS
        ),
        *(_rooted_graphs(base[0], most) if most > 1 else []),
        *(
            GraphLabels(0, space, 2 * _GRAPH_NEIGHBORS, reach, sharp)
            for space in less_noisy
            for sharp, reach in _GRAPH_SETTINGS
        ),
        *(GraphLabels(1, space, 2 * _GRAPH_NEIGHBORS, alpha, sharpness) for space in reduced),
        *(
            GraphLabels(1, space, _GRAPH_NEIGHBORS, alpha, sharpness, DISCRIMINANT)
            for space in (base[:1] if is_table else [])
        ),
        *(LabeledLeastSquares(1, space, "linear", 1.0, 0.1) for space in reduced),
        *(PlainMap(1, space, _VOTERS) for space in base),
        *(
            AllRowsDiscriminant(1, space, rho)
            for space in (base if is_narrow else [])
            for rho in _DISCRIMINANT_RHOS
        ),
        *(
            LabeledLeastSquares(1, space, kernel, bandwidth, ridge)
            for space in base
            for kernel, bandwidth in _KERNELS
            for ridge in _RIDGES
        ),
        *(
            PairwiseLeastSquares(1, base[0], bandwidth, ridge)
            for bandwidth, ridge in (_PAIRWISE if in_pairs else ())
        ),
        *(LogisticLabels(1, base[0], C) for C in _LOGISTIC_COSTS),
        *(ShrunkenDiscriminant(1, base[0], share) for share in _SHRINKAGES),
        *(ForestLabels(1, Space(), random_splits) for random_splits in (False, True)),
    ]
