"""The exact leave-one-out scores of every candidate, sharing what does not depend on labels."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._core.bandwidth import median_gamma
from .._core.blocks import CACHE_BYTES
from .._core.kernels import Kernel
from .._core.least_squares import centered, least_squares, middle
from .._core.loo_maps import centered_labels
from .._core.readout import nearest_scores
from .._core.votes import one_hot
from .._core.whitening import centered_gram, gram_solver, ridge_of_share, scatter_solver
from ..labels import PartialLabels
from ..maps.linear import SSRLPL
from .family import Candidate, Space, column_scale
from .loo import distances_to_hidden, left_out_representations
from .members import build_map, chain, given, graph_labeler

Scored = tuple[Candidate, float, NDArray[np.float64]]
"""A candidate, the γ it means on this table, and a row of scores for each labeled row."""


@dataclass(frozen=True)
class Problem:
    """Rows of a space and their partially labeled target."""

    X: Any
    target: PartialLabels
    gamma: float

    @property
    def labeled(self) -> NDArray[np.intp]:
        """Numbers of the labeled rows."""
        return np.flatnonzero(self.target.is_labeled)

    @property
    def given(self) -> NDArray[np.float64]:
        """One-hot vectors of the labeled rows."""
        return one_hot(self.target.codes[self.labeled], len(self.target.classes), np.float64)


def enter(space: Space, X: Any, target: PartialLabels, seed: Any) -> Problem:
    """Take a table into a space and find its median bandwidth."""
    steps = space.transformers(hasattr(X, "tocsr"), seed)
    rows = chain(steps).fit_transform(X) if steps else X
    return Problem(rows, target, median_gamma(rows, seed=seed))


def score_group(problem: Problem, kind: str, candidates: list[Candidate]) -> Iterator[Scored]:
    """Yield the leave-one-out scores of candidates of one kind in one space."""
    ways = {
        "graph": _graph_scores,
        "ridge": _ridge_scores,
        "plain": _plain_scores,
        "discriminant": _discriminant_scores,
    }
    return ways[kind](problem, candidates)


def _by(candidates: list[Candidate], *names: str) -> Iterator[tuple[Any, list[Candidate]]]:
    def key(candidate: Candidate) -> Any:
        return tuple(getattr(candidate, name) for name in names)

    for value, group in groupby(sorted(candidates, key=key), key):
        yield value, list(group)


def _graph_scores(problem: Problem, candidates: list[Candidate]) -> Iterator[Scored]:
    """Candidates of a space have the same neighbors and the same bandwidth."""
    gamma = problem.gamma * candidates[0].bandwidth
    rhos = sorted({given(c.rho) for c in candidates})
    readers = np.stack(list(whitened_hats(problem.X, gamma, rhos, problem.labeled)), axis=1)
    readers += 1 / problem.X.shape[0]  # rows of a hat sum to zero: the mean is added to them
    first = graph_labeler(candidates[0])
    first.build_graph(problem.X)
    for _, group in _by(candidates, "alpha", "sharpness"):
        labeler = graph_labeler(group[0])
        labeler.build_graph(problem.X, like=first)
        scores = np.empty((len(rhos), *problem.given.shape))
        for part, Y in labeler.left_out_distributions(problem.target, CACHE_BYTES):
            scores[:, part] = (readers[part] @ Y).transpose(1, 0, 2)
        for candidate in group:
            yield candidate, gamma, scores[rhos.index(given(candidate.rho))]


def whitened_hats(
    X: Any, gamma: float, rhos: list[float], labeled: NDArray[np.intp]
) -> Iterator[NDArray[np.float64]]:
    """Yield the labeled rows of HKH(HKH + ρI)⁻¹ = I - ρ(HKH + ρI)⁻¹ for each ρ.

    Row i applied to label vectors gives what the least-squares reading says at row i, less the
    mean of the label vectors.
    """
    K = centered_gram(Kernel("rbf", gamma, shift=middle(X)).square(X), None)
    unit = np.zeros((X.shape[0], len(labeled)))
    unit[labeled, np.arange(len(labeled))] = 1
    for rho in rhos:
        ridge = ridge_of_share(rho, np.trace(K))
        yield (unit - ridge * gram_solver(K.copy(), ridge)(unit)).T


def _ridge_scores(problem: Problem, candidates: list[Candidate]) -> Iterator[Scored]:
    rows = problem.X[problem.labeled]
    rows = centered(rows, middle(rows))
    for (kernel, bandwidth), group in _by(candidates, "kernel", "bandwidth"):
        if kernel == "linear":
            gamma = linear_gamma(problem.X)
            K = Kernel("polynomial", gamma, degree=1, coef0=0.0)(rows, rows)
        else:
            gamma = problem.gamma * bandwidth
            K = Kernel("rbf", gamma).square(rows)
        for candidate in group:
            yield candidate, gamma, least_squares(K, problem.given, given(candidate.rho))[2]


def linear_gamma(X: Any) -> float:
    """Return one over the mean squared length of the centered rows."""
    spread = float(np.sum(column_scale(X) ** 2))
    return 1 / spread if spread > 0 else 1.0


def _plain_scores(problem: Problem, candidates: list[Candidate]) -> Iterator[Scored]:
    codes = problem.target.codes[problem.labeled]
    for candidate in candidates:
        map_ = build_map(candidate, problem.gamma, 0, len(codes))
        scores = np.empty_like(problem.given)
        for part, Z in left_out_representations(map_, problem.X, problem.target):
            distances = distances_to_hidden(Z, part)
            scores[part] = nearest_scores(distances, codes, scores.shape[1])
        yield candidate, problem.gamma, scores


def _discriminant_scores(problem: Problem, candidates: list[Candidate]) -> Iterator[Scored]:
    """M of the labeled rows, scatter of all rows: the hat matrix needs labeled rows only."""
    labeled, n = problem.labeled, problem.X.shape[0]
    S = SSRLPL().row_scatter(problem.X, None)
    rows = centered(problem.X[labeled], middle(problem.X)).astype(np.float64)
    every = np.arange(len(labeled))
    Y = np.broadcast_to(problem.given, (len(labeled), *problem.given.shape))
    B = centered_labels(Y, every, every, 0.0)
    count = len(labeled) - 1
    mean = (problem.given.sum(axis=0) - problem.given) / count
    for candidate in candidates:
        solve = scatter_solver(S, ridge_of_share(given(candidate.rho), np.trace(S)))
        hat = rows @ solve(np.ascontiguousarray(rows.T))
        yield candidate, 0.0, mean + np.einsum("ij,ijc->ic", hat, B) * n / count
