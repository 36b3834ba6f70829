"""Base class of LapRLS, LapSVM and LapSVMPrimal: kernel machines with a graph penalty."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from .._core.graph_penalty import (
    Factor,
    PenalizedLoss,
    Product,
    deformed_kernel,
    descend,
    factor_deformation,
    kernel_product,
    refined,
)
from .._core.neighbor_graph import WEIGHTS, neighbor_graph
from .._core.shared import SharedRows
from .._utils import limits
from .._utils.types import Floats, Ints
from .._utils.validation import check_choice, check_count, check_share
from ..labels import PartialLabels
from .kernel_machine import Deformed, DeformedMachine, one_or_each, one_vs_rest

SOLVERS = ("newton", "cg")

_HEAT = 0.5
"""Sharpness of heat weights: exp(-d²/(2t²)), as in the authors' programs."""


class System(NamedTuple):
    """What all sets of labels share: K, the Laplacian, and the factors of I + γ_I/γ_A 𝓛K."""

    K: Floats
    laplacian: sparse.csr_matrix
    factor: Factor | None

    def deformed(self, labeled: Ints, gamma_A: float) -> Deformed:
        """Return the deformed kernel of the labeled rows."""
        Z, G = deformed_kernel(self.K, self.factor, labeled, gamma_A)
        return Deformed(Z, G, np.zeros(len(labeled)))


class LaplacianMachine(DeformedMachine):
    """A kernel machine with a penalty on differences along the edges of a graph of all rows."""

    n_neighbors: int
    normalized: bool
    weights: str

    def _check_graph(self) -> None:
        check_count("n_neighbors", self.n_neighbors)
        check_choice("weights", self.weights, WEIGHTS, or_callable=False)

    def _laplacian(self, shared: SharedRows) -> sparse.csr_matrix:
        """Return the Laplacian of the graph of all rows."""
        X = shared.X
        self.n_neighbors_ = min(self.n_neighbors, X.shape[0] - 1)
        metric = "cosine" if self.weights == "cosine" else "euclidean"
        self.limits_hit_ = (*self.limits_hit_, *limits.hit(shared.neighbor_search(metric)))
        found = shared.neighbors(metric, self.n_neighbors_)
        graph = neighbor_graph(*found, _HEAT if self.weights == "heat" else 1.0, kind=self.weights)
        return graph.laplacian(normalized=bool(self.normalized))

    def _system(self, shared: SharedRows, ratio: float) -> System:
        """Return the kernel matrix, the Laplacian, and the factors for a ratio γ_I/γ_A."""
        K, laplacian, factor = self._kernel_matrix(shared), self._laplacian(shared), None
        if ratio:
            graph = (self.weights, self.n_neighbors_, bool(self.normalized))
            factor = shared.once(
                ("deformation", self._kernel_key(), graph, ratio),
                lambda: factor_deformation(K, laplacian, ratio),
                K.nbytes,
            )
        return System(K, laplacian, factor)


class PrimalMachine(LaplacianMachine):
    """The two Laplacian machines of Melacci and Belkin, which differ in their loss only."""

    _hinge: bool

    def __init__(
        self,
        kernel: str = "rbf",
        gamma: str | float = "median",
        *,
        sharpness: float = 1.0,
        gamma_A: float = 1e-2,
        gamma_I: float = 1e-2,
        n_neighbors: int = 6,
        normalized: bool = False,
        fit_intercept: bool = False,
        solver: str = "newton",
        stability: float = 0.015,
        max_iter: int = 200,
        weights: str = "heat",
        unlabeled: Any = "auto",
    ):
        self.kernel = kernel
        self.gamma = gamma
        self.sharpness = sharpness
        self.gamma_A = gamma_A
        self.gamma_I = gamma_I
        self.n_neighbors = n_neighbors
        self.normalized = normalized
        self.fit_intercept = fit_intercept
        self.solver = solver
        self.stability = stability
        self.max_iter = max_iter
        self.weights = weights
        self.unlabeled = unlabeled

    def _check_parameters(self) -> None:
        self._check_graph()
        check_share("gamma_A", self.gamma_A, high=np.inf)
        check_share("gamma_I", self.gamma_I, high=np.inf, zero=True)
        check_choice("solver", self.solver, SOLVERS, or_callable=False)
        check_share("stability", self.stability, open_=False)
        check_count("max_iter", self.max_iter)
        if self.fit_intercept and self.normalized:
            raise ValueError(
                "fit_intercept=True needs normalized=False, because the normalized Laplacian"
                " would penalize the intercept. Got both as True: set one of them to False."
            )

    def _deform(self, shared: SharedRows, labeled: Ints) -> Deformed:
        return self._system(shared, self.gamma_I / self.gamma_A).deformed(labeled, self.gamma_A)

    def _loss(
        self, product: Product, laplacian: sparse.csr_matrix, target: PartialLabels
    ) -> PenalizedLoss:
        return PenalizedLoss(
            product, laplacian, target.labeled, self.gamma_A, self.gamma_I,
            hinge=self._hinge, intercept=bool(self.fit_intercept),
        )  # fmt: skip

    def _solve(self, shared: SharedRows, target: PartialLabels) -> None:
        Y, n = one_vs_rest(target), shared.X.shape[0]
        if self.solver == "newton":
            system = self._system(shared, self.gamma_I / self.gamma_A)
            Z, G = deformed_kernel(system.K, system.factor, target.labeled, self.gamma_A)
            c, b = self._machine(G, Y)
            loss = self._loss(lambda B: system.K @ B, system.laplacian, target)
            alpha, b = refined(loss, system.factor, Z, G, Z @ c, b, Y)
            image = system.K @ alpha
        else:
            rows = shared.X.astype(np.float64, copy=False)
            loss = self._loss(kernel_product(self._kernel, rows), self._laplacian(shared), target)
            found = descend(loss, Y, stability=self.stability, max_iter=self.max_iter)
            alpha, b, image, counts = found
            self.n_iter_ = int(counts.max())
            self.limits_hit_ += limits.hit(EXACT_KERNEL_ROWS=n, KERNEL_MEMORY_ROWS=n)
        self.dual_coef_, self.intercept_ = alpha, b
        self._report(image[target.labeled] + b, loss.penalty(alpha, image), Y)

    def _report(self, values: Floats, penalty: Floats, Y: Floats) -> None:
        errors = np.sum(np.maximum(0, 1 - Y * values) ** 2, axis=0)
        self.objective_ = one_or_each((errors + penalty) / 2)

    def loo_codes(self, X: Any, target: PartialLabels) -> Iterator[tuple[slice, Ints]] | None:
        """Yield the predicted code of each labeled row when its label is hidden.

        None for conjugate gradients: they stop early, so a fit without a label has to be made.
        """
        return super().loo_codes(X, target) if self.solver == "newton" else None
