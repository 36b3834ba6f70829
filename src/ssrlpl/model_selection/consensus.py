r"""All candidates together: a mixture of their probabilities, weighted by leave-one-out.

Choosing one of several dozen candidates by a few labels is partly luck. A mixture needs no choice:
with the mean log loss :math:`L_m` of candidate m at the l labeled rows left out,

.. math:: w_m \propto \exp(-l^g\,(L_m - \min_k L_k)),

of which the largest few are kept. With g = 1 these would be posterior weights under a uniform
prior, if the left-out rows were independent draws; they are not, and g < 1 allows for that.

The mixture is a labeler: its probabilities are the label vectors of *one* whitened kernel map, so
that representation, probabilities and labels agree, and a new row costs one map.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._core.readout import closest_temperature, probabilities
from .._core.votes import winner_take_all
from ..classify import SSRLPLClassifier
from ..labelers.given import GivenLabels
from ..labels import read_markers
from ..maps.kernel import KernelSSRLPL
from .rule import Refits, Scoreboard

POWER = 0.7
"""g. Values between 0.5 and 0.8 gave the same accuracy in the measurements that led to this rule,
which no study of this repository repeats yet."""

MOST_MEMBERS = 8
"""Candidates that are kept; more added nothing there."""

_NEVER = 1e6
"""A log loss that gives no weight."""

BANDWIDTH, RHO = 4.0, 1e-4
"""Of the one map: as for labels spread over a graph."""


def mixture_weights(losses: NDArray[np.float64], n_rows: int) -> NDArray[np.float64]:
    """Return the weights of candidates (last axis) by their mean log loss over ``n_rows`` rows."""
    excess = losses - losses.min(axis=-1, keepdims=True)
    weights = np.exp(-(n_rows**POWER) * excess)
    if weights.shape[-1] > MOST_MEMBERS:
        least = np.sort(weights, axis=-1)[..., -MOST_MEMBERS][..., None]
        weights = np.where(weights >= least, weights, 0.0)
    return np.asarray(weights / weights.sum(axis=-1, keepdims=True))


class Consensus:
    """The mixture of all candidates, with the attributes of :class:`Winner`."""

    def __init__(self, board: Scoreboard):
        self._board = board
        # With one label a class, a class without its label is never right: leave-one-out says
        # nothing about candidates.
        self._is_blind = bool(np.bincount(board.codes).max() == 1)
        every = np.arange(len(board.candidates))
        self.weights, self.loo_probabilities, self.nested_wrong = self._mix(every)
        _, _, self.alone_wrong = self._mix(board.labeled_only)
        self.wrong = self.loo_probabilities.argmax(axis=1) != board.codes

    def _mix(
        self, places: NDArray[np.intp]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.bool_]]:
        """Return weights, left-out probabilities, and which rows are wrong with nested weights.

        What the mixture says of a row must not depend on its label through the weights either.
        """
        codes, chances = self._board.codes, self._board.chances[places]
        n = len(codes)
        # A softmax may round to zero; a loss must stay a number that weights can compare.
        losses = -np.log(np.maximum(chances[:, np.arange(n), codes], 1e-300)).T
        if self._is_blind:  # the preferred candidates count the same
            tiers = self._board.tiers[places]
            losses = np.tile(np.where(tiers == tiers.min(), 0.0, _NEVER), (n, 1))
            losses[:, np.flatnonzero(losses[0] == 0)[MOST_MEMBERS:]] = _NEVER
        weights = mixture_weights(losses.mean(axis=0), n)
        others = (losses.sum(axis=0) - losses) / max(n - 1, 1)
        nested = np.einsum("im,mic->ic", mixture_weights(others, max(n - 1, 1)), chances)
        return weights, np.einsum("m,mic->ic", weights, chances), nested.argmax(axis=1) != codes

    def words(self) -> str:
        """Return the mixture in words."""
        first = int(self.weights.argmax())
        return (
            f"mixture of {np.count_nonzero(self.weights)} candidates,"
            f" {self.weights[first]:.0%} of it {self._board.candidates[first].words()}"
        )

    def fit(self, refits: Refits) -> tuple[Any, NDArray[np.float64]]:
        """Fit the members, then one map to the mixture; return it and all rows' probabilities."""
        mixture = np.zeros((len(refits.target.codes), len(refits.target.classes)))
        for place in np.flatnonzero(self.weights):
            _, Y = refits.fit(int(place))
            if self._is_blind:  # temperatures say nothing either: members vote
                Y = winner_take_all(Y)
            mixture += self.weights[place] * Y
        space = self._board.candidates[0].space  # of the table itself, or standardized
        bench, gamma = refits.bench(space), BANDWIDTH * refits.searched[space].gamma
        map_ = KernelSSRLPL(
            gamma=gamma,
            labeler=GivenLabels(mixture),
            constraint="whitened",
            rho=RHO,
            random_state=refits.seed,
        )
        fitted = read_markers(SSRLPLClassifier(map_, "least_squares"), refits.unlabeled)
        scores = fitted.fit_scores(bench.X, refits.target, bench.shared)
        fitted.temperature = closest_temperature(scores, mixture)
        return bench.behind_steps(fitted), probabilities(scores, fitted.temperature)
