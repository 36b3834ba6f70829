r"""All candidates together: a mixture of their probabilities, weighted by leave-one-out.

Choosing one of several dozen candidates by a few labels is partly luck. A mixture needs no choice:
with the mean Brier score (squared loss) :math:`L_m` of candidate m at the l labeled rows left out,

.. math:: w_m \propto \exp(-l^g\,(L_m - \min_k L_k)),

of which the largest few are kept. Log losses as :math:`L_m` and g = 1 would be posterior weights
under a uniform prior, if the left-out rows were independent draws. They are not, which g < 1 allows
for; and a single row that a candidate is sure of and wrong about must not decide.

Half of the candidates draw curves (kernels and graphs), and with few labels one of many is always
lucky. So the same is done once more in two steps: first among the candidates that divide the
classes by straight lines, among those with the steps of trees, and among those with curves; then
the three mixtures are mixed by the same formula with their own losses. The weights are the mean of
both ways: the first is better where classes are clusters, the second on ordinary tables.

The mixture is a labeler: its probabilities are the label vectors of *one* whitened kernel map, so
that representation, probabilities and labels agree, and a new row costs one map. Forests are the
exception, because a smooth map cannot follow their steps: they read rows themselves, with the
weight they have in the mixture (:class:`ssrlpl.MixtureClassifier`).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .._core.votes import winner_take_all
from .._utils.types import Floats, Ints, Mask
from .candidates import Space
from .refits import LEAST_WEIGHT, Refits
from .scoreboard import Scoreboard

POWER = 0.7
"""g. On the development tables 0.5, 0.7 and 0.9 differed by 0.1 points."""

MOST_MEMBERS = 8
"""Candidates that are kept of each border; four and sixteen were no better there."""

_SAY = {"straight": 1.0, "steps": 1.0, "curved": 2.0}
"""Weights of the borders before a loss is known. Curves count twice, being of two kinds: kernels of
the labeled rows, and graphs of all. With 2 labels a class losses tell little, and graphs matter."""

_LEAST_WEIGHT = 0.003
"""Smaller weights are dropped. Of 391 development cells none changed by more than 0.15 points (with
0.01 one by 2.8)."""

_CLEARLY_LESS = 0.5
"""Share of the held-out error below which the map is made in principal components: where classes
are clusters in a few directions, a kernel of all columns cannot follow the labels."""


def mixture_weights(losses: Floats, n_rows: int, say: Any = 1.0) -> Floats:
    """Return the weights of candidates (last axis) by their mean loss over ``n_rows`` rows.

    ``say`` are their weights before a loss is known. Of candidates with the same loss the first
    ones are kept.
    """
    excess = losses - losses.min(axis=-1, keepdims=True)
    weights = np.multiply(say, np.exp(-(n_rows**POWER) * excess))
    order = np.argsort(-weights, axis=-1, kind="stable")
    np.put_along_axis(weights, order[..., MOST_MEMBERS:], 0.0, axis=-1)
    return np.asarray(weights / weights.sum(axis=-1, keepdims=True))


class _Part(NamedTuple):
    """The mixture of some candidates.

    ``chances`` are what it says of labeled rows left out, and ``loss`` its mean Brier score there.
    ``nested`` and ``nested_loss`` are made without a row: with weights, and over the other rows.
    """

    places: Ints
    weights: Floats
    chances: Floats
    loss: float
    nested: Floats
    nested_loss: Floats

    @classmethod
    def of(cls, board: Scoreboard, places: Ints) -> _Part:
        """Mix the candidates at these places of the scoreboard."""
        chances, n, share = board.chances[places], board.n_judged, board.share
        losses = board.losses[places].T
        if board.is_blind:  # all count the same
            losses = np.zeros_like(losses)
        weights = mixture_weights(share @ losses, n)
        mixed = np.einsum("m,mic->ic", weights, chances)

        # A row with all the weight leaves nothing to the others, but their mean must be a number.
        rest = np.maximum(1 - share, np.finfo(float).eps)
        others = (share @ losses - share[:, None] * losses) / rest[:, None]
        nested_weights = mixture_weights(others, max(n - 1, 1))
        nested = np.einsum("im,mic->ic", nested_weights, chances)
        # The loss of weights w at all rows is w'Qw, with the mean products of errors as Q.
        errors = (chances - board.truth) * np.sqrt(share)[:, None]
        flat = errors.reshape(len(places), -1)
        at_all = np.sum(nested_weights @ (flat @ flat.T) * nested_weights, axis=1)
        nested_loss = (at_all - share * board.brier(nested)) / rest
        return cls(places, weights, mixed, board.mean(board.brier(mixed)), nested, nested_loss)


def with_class_shares(Y: Floats, shares: Floats, fixed: Mask) -> Floats:
    """Return label vectors whose mean is the class shares; those of fixed rows stay as they are.

    Classes are scaled by factors, and rows to sum one, in turns (iterative proportional fitting).
    Where the fixed rows alone exceed the share of a class, the others get almost none of it.
    """
    if fixed.all():
        return Y.copy()
    free = np.maximum(Y[~fixed], 1e-12)
    wanted = np.maximum(shares * len(Y) - Y[fixed].sum(axis=0), 1e-6 * len(Y))
    wanted *= len(free) / wanted.sum()
    for _ in range(200):
        factors = wanted / free.sum(axis=0)
        free = free * factors
        free /= free.sum(axis=1, keepdims=True)
        if np.abs(factors - 1).max() < 1e-6:
            break
    result = Y.copy()
    result[~fixed] = free
    return result


class Consensus:
    """The mixture of all candidates, or of those of the labeled rows ``alone``.

    It has the attributes of :class:`Winner`.
    """

    def __init__(self, board: Scoreboard, *, alone: bool = False, is_large: bool = False):
        self._board = board
        every = board.labeled_only if alone else np.arange(len(board.candidates))
        self.weights, self.loo_probabilities, nested = self._mix(every)
        # A member of hardly any weight would be fitted to all rows for nothing.
        least = LEAST_WEIGHT if is_large else _LEAST_WEIGHT
        self.weights = np.where(self.weights >= least, self.weights, 0.0)
        self.weights /= self.weights.sum()
        _, _, others = self._mix(board.labeled_only)
        self.wrong, self.nested_wrong, self.alone_wrong = (
            found.argmax(axis=1) != board.codes
            for found in (self.loo_probabilities, nested, others)
        )
        self.loss_gain = board.brier(others) - board.brier(nested)

    def _mix(self, places: Ints) -> tuple[Floats, Floats, Floats]:
        """Return weights of all candidates, left-out probabilities, and these with nested weights.

        What the mixture says of a row must not depend on its label through the weights either.
        """
        board = self._board
        if board.is_blind or board.is_hardly_judged:
            tiers = board.tiers[places]
            places = places[tiers == tiers.min()]
        borders = np.array([board.candidates[place].border for place in places])
        parts = [_Part.of(board, places[borders == border]) for border in np.unique(borders)]
        n, known = board.n_judged, [_SAY[border] for border in np.unique(borders)]
        say = mixture_weights(np.array([part.loss for part in parts]), n, known)
        nested_losses = np.column_stack([part.nested_loss for part in parts])
        nested_say = mixture_weights(nested_losses, max(n - 1, 1), known)

        together = _Part.of(board, places)
        weights = np.zeros(len(board.candidates))
        weights[places] = together.weights / 2
        chances, nested = together.chances / 2, together.nested / 2
        for part, share, nested_share in zip(parts, say / 2, nested_say.T / 2, strict=True):
            weights[part.places] += share * part.weights
            chances += share * part.chances
            nested += nested_share[:, None] * part.nested
        return weights, chances, nested

    def words(self) -> str:
        """Return the mixture in words."""
        first = int(self.weights.argmax())
        return (
            f"mixture of {np.count_nonzero(self.weights)} candidates,"
            f" {self.weights[first]:.0%} of it {self._board.candidates[first].words()}"
        )

    def fit(self, refits: Refits, shares: Floats | None = None) -> tuple[Any, Floats]:
        """Fit the members, then one map to the mixture; return it and all rows' probabilities.

        ``shares`` are the class shares that the mixture shall have, if they are known.
        """
        target = refits.target
        mixture = np.zeros((len(target.codes), len(target.classes)))
        members = [int(place) for place in np.flatnonzero(self.weights)]
        for place, Y in refits.labels_of(members):
            # With one label a class temperatures say nothing either: members vote.
            vectors = winner_take_all(Y) if self._board.is_blind else Y
            mixture += self.weights[place] * vectors
            refits.advance(0.3 / len(members))
        mixture[target.is_labeled] = target.one_hot()
        if shares is not None:
            mixture = with_class_shares(mixture, shares, target.is_labeled)
        fitted, Y = self._fit_map(refits, mixture)
        # Candidates of their own would not follow the shares.
        return refits.mixed(fitted, Y, self.weights) if shares is None else (fitted, Y)

    def _fit_map(self, refits: Refits, mixture: Floats) -> tuple[Any, Floats]:
        """Fit one map to the mixture; return it and all rows' probabilities."""
        weights = self._weights_of_spaces()
        if refits.is_large:
            wide = [space for space in weights if not space.is_narrow]
            return refits.fit_sample(max(wide, key=weights.__getitem__), mixture)
        whole = max((s for s in weights if s.n_principal is None), key=weights.__getitem__)
        space, settings = whole, refits.bench(whole).settings_of_map(mixture)
        heaviest = max(weights, key=weights.__getitem__)
        if heaviest.n_principal is not None and not heaviest.rooted:
            reduced = refits.bench(heaviest).settings_of_map(mixture)
            if reduced.lowest_error < _CLEARLY_LESS * settings.lowest_error:
                space, settings = heaviest, reduced
        estimator = refits.bench(space).map_of_labels(mixture, settings=settings)
        return refits.fit(estimator, space, mixture)

    def _weights_of_spaces(self) -> dict[Space, float]:
        """Return how much weight the members in each space have together."""
        found: dict[Space, float] = {}
        for weight, candidate in zip(self.weights, self._board.candidates, strict=True):
            found[candidate.space] = found.get(candidate.space, 0.0) + float(weight)
        return found
