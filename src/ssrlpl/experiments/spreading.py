"""The limit of LabelSpreading, for the labels of many splits side by side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import sparse
from scipy.linalg import solve
from scipy.sparse.csgraph import laplacian
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.neighbors import kneighbors_graph

from .._utils.types import Floats, Ints
from ..labels import UNLABELED

Codes = Ints
Params = dict[str, Any]
Splits = list[tuple[Codes, Codes]]
"""Rows that teach and rows left out, of each split."""

MOST_STEPS, CONVERGED = 5000, 1e-5
"""LabelSpreading's max_iter and tol; with the defaults the iteration stops before labels reach
every row."""


def best_spreading(
    X: Any, codes: Codes, graphs: Sequence[Params], alphas: Sequence[float], splits: Splits
) -> Params:
    """Return the graph and α that give most labeled rows their own label while it is hidden.

    Of equally good ones the first; the first of all if there are no splits.
    """
    best, most = {**graphs[0], "alpha": alphas[0]}, -1
    for graph in graphs if splits else []:
        weights = spreading_graph(X, graph)
        for alpha in alphas:
            hits = transductive_hits(weights, alpha, codes, splits)
            if hits > most:
                best, most = {**graph, "alpha": alpha}, hits
    return best


def spreading_graph(X: Any, params: Params) -> Any:
    """Return the normalized weights S of LabelSpreading; a row's weight to itself is left out."""
    if params["kernel"] == "rbf":
        weights = rbf_kernel(X, gamma=params["gamma"])
        return np.eye(len(weights)) - laplacian(weights, normed=True)
    weights = kneighbors_graph(X, params["n_neighbors"], include_self=True)
    return (sparse.identity(X.shape[0]) - laplacian(weights, normed=True)).tocsr()


def transductive_hits(graph: Any, alpha: float, codes: Codes, splits: Splits) -> int:
    """Count labeled rows that get their own label while it is hidden.

    Labels of all splits are spread at once, side by side: fits of LabelSpreading one by one give
    the same count in many times the time.
    """
    one_hot = np.eye(codes.max() + 1)[codes] * (codes != UNLABELED)[:, None]
    targets = np.repeat(one_hot[:, None], len(splits), axis=1)
    for split, (_, test) in enumerate(splits):
        targets[test, split] = 0
    spread = spread_labels(graph, alpha, targets.reshape(len(codes), -1)).reshape(targets.shape)
    return sum(
        int(np.sum(spread[test, split].argmax(axis=1) == codes[test]))
        for split, (_, test) in enumerate(splits)
    )


def spread_labels(graph: Any, alpha: float, targets: Floats) -> Floats:
    """Return the solution F of F = αSF + (1-α)Y, to which LabelSpreading converges."""
    if not sparse.issparse(graph):
        system = np.eye(len(graph)) - alpha * graph
        return np.asarray(solve(system, (1 - alpha) * targets, assume_a="pos"))
    spread = targets
    for _ in range(MOST_STEPS):
        before, spread = spread, alpha * (graph @ spread) + (1 - alpha) * targets
        if np.abs(spread - before).sum() < CONVERGED:
            break
    return spread
