"""Labels propagated over a graph of all rows, with a whitened kernel map and least squares."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..._core.blocks import CACHE_BYTES
from ..._core.shared import SharedRows
from ..._core.whitening import gram_solver, ridge_of_share
from ...classify import SSRLPLClassifier
from ...labelers.graph import GraphLabeler
from ...maps.kernel import KernelSSRLPL
from ._base import Bench, Candidate, Scored, TableFacts, grouped


@dataclass(frozen=True)
class GraphLabels(Candidate):
    """Candidate with the settings of the graph and of the map."""

    rho: float
    n_neighbors: int
    alpha: float
    sharpness: float
    bandwidth: float = 4.0

    def gamma(self, bench: Bench) -> float:
        """Return the median γ times the factor ``bandwidth``."""
        return bench.gamma * self.bandwidth

    def labeler(self) -> GraphLabeler:
        """Return the unfitted labeler."""
        return GraphLabeler(self.n_neighbors, alpha=self.alpha, sharpness=self.sharpness)

    def build(self, table: TableFacts) -> SSRLPLClassifier:
        """Return the estimator, see :class:`Candidate`."""
        map_ = KernelSSRLPL(
            gamma=table.gamma,
            labeler=self.labeler(),
            constraint="whitened",
            rho=self.rho,
            random_state=table.seed,
        )
        return SSRLPLClassifier(map_, "least_squares", temperature=table.temperature)

    @classmethod
    def loo_scores(cls, bench: Bench, candidates: Sequence[GraphLabels]) -> Scored:
        """Yield scores; candidates of a space have the same number of neighbors and bandwidth."""
        gamma = candidates[0].gamma(bench)
        kernel = KernelSSRLPL(gamma=gamma).kernel_on(bench.X)
        rhos = sorted({c.rho for c in candidates})
        # One kernel matrix for each space would be too many at a time. In few columns it is cheap
        # to compute again, should the candidate win.
        keep = candidates[0].space.n_principal is None
        shared = bench.shared if keep else SharedRows(bench.X)
        K = shared.centered_gram(kernel)
        readers = np.stack(list(whitened_hats(K, rhos, bench.labeled)), axis=1)
        del K, shared
        readers += 1 / bench.X.shape[0]  # adds the mean label vector to the prediction
        for _, group in grouped(candidates, "alpha", "sharpness"):
            scores = np.empty((len(rhos), *bench.given.shape))
            left_out = (
                group[0]
                .labeler()
                .labels_without(
                    bench.X,
                    bench.target,
                    bench.labeled[:, None],
                    shared=bench.shared,
                    batch_bytes=CACHE_BYTES,
                )
            )
            for part, Y in left_out:
                scores[:, part] = (readers[part] @ Y).transpose(1, 0, 2)
            for candidate in group:
                yield candidate, scores[rhos.index(candidate.rho)]

    def words(self) -> str:
        """Return a description of the setting."""
        spread = f"alpha={self.alpha}, sharpness={self.sharpness:g}"
        return (
            f"graph labels (k={self.n_neighbors}, {spread}), RBF x{self.bandwidth:g},"
            f" whitened rho={self.rho:g}, {self.space}"
        )


def whitened_hats(
    K: NDArray[np.float64], rhos: Sequence[float], labeled: NDArray[np.intp]
) -> Iterator[NDArray[np.float64]]:
    """Yield the labeled rows of HKH(HKH + ρI)⁻¹ = I - ρ(HKH + ρI)⁻¹ for each ρ; K is HKH.

    The product of row i with label vectors is the least-squares prediction at row i minus the
    mean label vector.
    """
    unit = np.zeros((len(K), len(labeled)))
    unit[labeled, np.arange(len(labeled))] = 1
    for rho in rhos:
        ridge = ridge_of_share(rho, np.trace(K))
        yield (unit - ridge * gram_solver(K.copy(), ridge)(unit)).T
