"""The family that SSRLPLCV chooses from, in the order in which it is preferred."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import TransformerMixin
from sklearn.decomposition import PCA, TruncatedSVD
from sklearn.preprocessing import StandardScaler

from .._utils import limits

GRAPH_NEIGHBORS = 10
GRAPH_SETTINGS = ((12.0, 0.97), (12.0, 0.99), (4.0, 0.95), (4.0, 0.9), (1.0, 0.9))
"""Sharpness of the weights and how far labels spread."""
WHITENED_RHO = (1e-5, 1e-4)
WHITENED_BANDWIDTH = 4.0
PRINCIPAL = (20, 5, 2)
RIDGES = (1.0, 0.1, 0.01, 0.001)
RIDGE_BANDWIDTHS = (0.25, 1.0, 4.0)
DISCRIMINANT_RHO = (1e-2, 1e-3)

_UNEVEN = 10.0


@dataclass(frozen=True)
class Space:
    """Where rows are compared: all columns, standardized ones, or leading principal components."""

    standardized: bool = False
    n_principal: int | None = None

    def transformers(self, is_sparse: bool, seed: Any) -> list[TransformerMixin]:
        """Return the unfitted steps that lead there."""
        steps: list[TransformerMixin] = []
        if self.standardized:
            steps.append(StandardScaler(with_mean=not is_sparse))
        if self.n_principal is not None:
            reduce = TruncatedSVD if is_sparse else PCA
            steps.append(reduce(self.n_principal, random_state=seed))
        return steps

    def __str__(self) -> str:
        columns = "standardized columns" if self.standardized else "all columns"
        if self.n_principal is None:
            return columns
        of = " of standardized columns" if self.standardized else ""
        return f"{self.n_principal} principal components{of}"


@dataclass(frozen=True)
class Candidate:
    """One setting of the family; ``tier`` says how much it is preferred, 0 most."""

    tier: int
    kind: str
    space: Space
    kernel: str = "rbf"
    bandwidth: float = 1.0
    rho: float | None = None
    n_neighbors: int | None = None
    alpha: float | None = None
    sharpness: float | None = None

    @property
    def uses_unlabeled(self) -> bool:
        """Whether unlabeled rows have a say."""
        return self.kind != "ridge" or self.space.n_principal is not None

    def params(self, gamma: float | None) -> dict[str, Any]:
        """Return the setting in the vocabulary of the estimators."""
        labels = {"graph": "graph", "plain": "knn"}.get(self.kind, "labeled rows only")
        weight = 1.0 if self.kind in ("graph", "plain") else 0.0
        constraint = "orthonormal" if self.kind == "plain" else "whitened"
        setting = {
            "space": str(self.space),
            "labels": labels,
            "n_neighbors": self.n_neighbors,
            "alpha": self.alpha,
            "sharpness": self.sharpness,
            "kernel": self.kernel,
            "gamma": gamma if self.kernel == "rbf" else None,
            "constraint": constraint,
            "ridge" if self.kind == "ridge" else "rho": self.rho,
            "unlabeled_weight": weight,
            "classifier": "nearest neighbor" if self.kind == "plain" else "least squares",
        }
        return {name: value for name, value in setting.items() if value is not None}

    def __str__(self) -> str:
        shape = self.kernel if self.kernel == "linear" else f"RBF x{self.bandwidth:g}"
        return f"{self._labels()}, {shape}{self._strength()}, {self.space}"

    def _labels(self) -> str:
        if self.kind == "graph":
            spread = f"alpha={self.alpha}, sharpness={self.sharpness:g}"
            return f"graph labels (k={self.n_neighbors}, {spread})"
        if self.kind == "plain":
            return f"plain SSRL-PL (k={self.n_neighbors})"
        if self.kind == "discriminant":
            return "labeled rows, scatter of all rows"
        return (
            "labeled rows, components of all rows" if self.uses_unlabeled else "labeled rows only"
        )

    def _strength(self) -> str:
        """Say how much is smoothed: a share of the scatter, or least squares' own number."""
        if self.rho is None:
            return ""
        return f", {'ridge' if self.kind == 'ridge' else 'whitened rho'}={self.rho:g}"


def family(X: Any) -> list[Candidate]:
    """Return the candidates for a table, most preferred first.

    Labels spread over a graph of all rows are preferred because they were right more often than
    anything else on the benchmarks of the SSL book. All others have to be clearly better than
    the best of them, and then compete on equal terms.
    """
    base = base_spaces(X)
    most = min(X.shape[0], np.count_nonzero(column_scale(X)))
    reduced = [Space(base[0].standardized, q) for q in PRINCIPAL if q < most]
    return [
        *_graph(0, base, GRAPH_NEIGHBORS, GRAPH_SETTINGS, WHITENED_RHO),
        *_graph(1, reduced, 2 * GRAPH_NEIGHBORS, GRAPH_SETTINGS[-1:], WHITENED_RHO[-1:]),
        *(Candidate(1, "ridge", space, "linear", rho=0.1) for space in reduced),
        *(Candidate(1, "plain", space, n_neighbors=k) for space in base for k in (5, 1)),
        *_discriminant(1, X, base),
        *_labeled_only(1, base),
    ]


def _graph(
    tier: int,
    spaces: list[Space],
    n_neighbors: int,
    settings: tuple[tuple[float, float], ...],
    rhos: tuple[float, ...],
) -> list[Candidate]:
    return [
        Candidate(
            tier, "graph", space, "rbf", WHITENED_BANDWIDTH, rho, n_neighbors, alpha, sharpness
        )
        for space in spaces
        for sharpness, alpha in settings
        for rho in rhos
    ]


def _discriminant(tier: int, X: Any, spaces: list[Space]) -> list[Candidate]:
    if hasattr(X, "tocsr") or X.shape[1] > limits.DISCRIMINANT_COLUMNS:
        return []
    return [
        Candidate(tier, "discriminant", space, "linear", rho=rho)
        for space in spaces
        for rho in DISCRIMINANT_RHO
    ]


def _labeled_only(tier: int, spaces: list[Space]) -> list[Candidate]:
    kernels = [("linear", 1.0), *(("rbf", bandwidth) for bandwidth in RIDGE_BANDWIDTHS)]
    return [
        Candidate(tier, "ridge", space, kernel, bandwidth, ridge)
        for space in spaces
        for kernel, bandwidth in kernels
        for ridge in RIDGES
    ]


def base_spaces(X: Any) -> list[Space]:
    """Return the columns as they are and, if their scales differ widely, standardized first."""
    scale = np.sort(column_scale(X))
    scale = scale[scale > 0]
    # The lower median: of two columns the upper one alone would hide that they differ.
    uneven = len(scale) > 0 and scale[-1] > _UNEVEN * scale[(len(scale) - 1) // 2]
    is_table = not hasattr(X, "tocsr")
    return [Space(standardized=True), Space()] if uneven and is_table else [Space()]


def column_scale(X: Any) -> NDArray[np.float64]:
    """Return the standard deviation of each column."""
    if hasattr(X, "tocsr"):
        mean = np.asarray(X.mean(axis=0)).ravel()
        square = np.asarray(X.multiply(X).mean(axis=0)).ravel()
        return np.sqrt(np.maximum(square - mean**2, 0))
    return np.asarray(X.std(axis=0), dtype=np.float64)
