"""Choice of one candidate by leave-one-out errors: the one-standard-error rule."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._utils.types import Array, Floats, Ints, Mask
from .refits import Refits
from .scoreboard import Scoreboard, standard_error


def choose(wrong: Mask, losses: Floats, tiers: Ints, weight: Floats | None = None) -> int:
    """Return the position of the winner: the one-standard-error rule.

    Rows of ``wrong`` and ``losses`` are candidates, columns are labeled rows. The winner is in
    the most preferred tier with a candidate within one standard error of the lowest error; in
    that tier the lowest error wins, then the lowest squared loss. Rows of weight zero do not count.
    """
    share = np.full(wrong.shape[1], 1.0) if weight is None else weight
    share = share / share.sum()
    errors = wrong @ share
    lowest = errors.min()
    # 1e-12 so that rounding does not exclude an error exactly one standard error above.
    close = errors <= lowest + standard_error(lowest, int(np.count_nonzero(share))) + 1e-12
    tier = tiers[close].min()
    places = np.flatnonzero(tiers == tier)
    return int(places[np.lexsort((losses[places] @ share, errors[places]))[0]])


def nested_choice(wrong: Mask, losses: Floats, tiers: Ints, weight: Floats | None = None) -> Ints:
    """Return for each labeled row the candidate that the other rows would choose.

    The error of the winner is too optimistic, because the winner was chosen for its low error.
    The error of these candidates on their own rows includes the effect of the choice.
    """
    weight = np.ones(wrong.shape[1]) if weight is None else weight
    others = ~np.eye(wrong.shape[1], dtype=bool)
    return np.array(
        [choose(wrong[:, rest], losses[:, rest], tiers, weight[rest]) for rest in others]
    )


class Winner:
    """The one candidate that the rule chooses.

    Parameters
    ----------
    board : Scoreboard
        What the search found.
    alone : bool
        Whether to choose among the candidates of the labeled rows alone.

    Attributes
    ----------
    weights : ndarray of shape (n_candidates,)
        How much each candidate has to say.
    loo_probabilities : ndarray of shape (n_labeled, n_classes)
        Probabilities of the labeled rows left out.
    wrong, nested_wrong, alone_wrong : ndarray of shape (n_labeled,)
        Which labeled rows are wrong when left out: as chosen; if the choice is made without the
        row, too; and for that choice among candidates of the labeled rows alone.
    loss_gain : ndarray of shape (n_labeled,)
        How much the latter's loss is larger than that of the former.
    """

    def __init__(self, board: Scoreboard, *, alone: bool = False):
        self._board = board
        some = board.labeled_only
        every = some if alone else np.arange(len(board.candidates))

        def parts(places: Ints) -> tuple[Array, ...]:
            return board.wrong[places], board.losses[places], board.tiers[places], board.share

        self.place = int(every[choose(*parts(every))])
        self.weights = np.eye(len(board.candidates))[self.place]
        self.loo_probabilities = board.chances[self.place]
        self.wrong = board.wrong[self.place]
        rows = np.arange(len(board.codes))
        chosen, among = every[nested_choice(*parts(every))], some[nested_choice(*parts(some))]
        self.nested_wrong, self.alone_wrong = board.wrong[chosen, rows], board.wrong[among, rows]
        self.loss_gain = board.losses[among, rows] - board.losses[chosen, rows]

    def words(self) -> str:
        """Return the candidate in words."""
        return self._board.candidates[self.place].words()

    def fit(self, refits: Refits, _prior: Any = None) -> tuple[Any, Floats]:
        """Fit the candidate; return its estimator and all rows' probabilities."""
        candidate, labels = self._board.candidates[self.place], refits.labels(self.place)
        refits.advance(0.3)
        if refits.is_large and candidate.is_read_by_map:
            fitted, Y = refits.fit_sample(candidate.space, labels)
        else:
            estimator = candidate.build(refits.bench(candidate.space), labels)
            fitted, Y = refits.fit(estimator, candidate.space, labels)
        return refits.mixed(fitted, Y, self.weights)
