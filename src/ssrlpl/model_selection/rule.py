"""Choice of a candidate by leave-one-out errors with the one-standard-error rule."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._core.readout import best_temperature, probabilities
from ..labels import PartialLabels, read_markers
from .candidates import Bench, Candidate, Space, TableFacts


@dataclass(frozen=True)
class Scoreboard:
    """Leave-one-out scores of all candidates, in order of preference."""

    candidates: list[Candidate]
    scores: list[NDArray[np.float64]]
    codes: NDArray[np.intp]

    @cached_property
    def wrong(self) -> NDArray[np.bool_]:
        """Whether a candidate (row) misclassifies a labeled row (column) whose label is hidden."""
        return np.array([found.argmax(axis=1) != self.codes for found in self.scores])

    @cached_property
    def chances(self) -> NDArray[np.float64]:
        """Class probabilities (last axis) by each candidate for each labeled row.

        Each candidate has one temperature for all rows.
        """
        return np.array(
            [probabilities(found, best_temperature(found, self.codes)) for found in self.scores]
        )

    @cached_property
    def losses(self) -> NDArray[np.float64]:
        """Brier score (squared loss) of each candidate for each labeled row.

        Its mean breaks ties between equal error rates.
        """
        truth = np.eye(self.scores[0].shape[1])[self.codes]
        return np.asarray(np.sum((self.chances - truth) ** 2, axis=2))

    @property
    def tiers(self) -> NDArray[np.intp]:
        """The tier of each candidate."""
        return np.array([candidate.tier for candidate in self.candidates])

    @property
    def labeled_only(self) -> NDArray[np.intp]:
        """Positions of the labeled-only candidates."""
        return np.flatnonzero(~self.uses_unlabeled)

    @property
    def uses_unlabeled(self) -> NDArray[np.bool_]:
        """Whether each candidate uses unlabeled rows."""
        return np.array([candidate.uses_unlabeled for candidate in self.candidates])

    def choose(self, among: NDArray[np.intp] | None = None) -> int:
        """Return the position of the winner among all candidates, or among some."""
        places = np.arange(len(self.candidates)) if among is None else among
        found = choose(self.wrong[places], self.losses[places], self.tiers[places])
        return int(places[found])

    def nested(self, among: NDArray[np.intp] | None = None) -> NDArray[np.intp]:
        """Return for each labeled row the position of the winner chosen by all other rows."""
        places = np.arange(len(self.candidates)) if among is None else among
        return places[nested_choice(self.wrong[places], self.losses[places], self.tiers[places])]


def standard_error(error: Any, n_labeled: int) -> Any:
    """Return the standard error of an error rate, never zero (Laplace's rule of succession)."""
    rate = (error * n_labeled + 1) / (n_labeled + 2)
    return np.sqrt(rate * (1 - rate) / n_labeled)


def choose(wrong: NDArray[np.bool_], losses: NDArray[np.float64], tiers: NDArray[np.intp]) -> int:
    """Return the position of the winner: the one-standard-error rule.

    Rows of ``wrong`` and ``losses`` are candidates, columns are labeled rows. The winner is in
    the most preferred tier with a candidate within one standard error of the lowest error; in
    that tier the lowest error wins, then the lowest squared loss.
    """
    errors = wrong.mean(axis=1)
    lowest = errors.min()
    # 1e-12 so that rounding does not exclude an error exactly one standard error above.
    close = errors <= lowest + standard_error(lowest, wrong.shape[1]) + 1e-12
    tier = tiers[close].min()
    places = np.flatnonzero(tiers == tier)
    return int(places[np.lexsort((losses[places].mean(axis=1), errors[places]))[0]])


def nested_choice(
    wrong: NDArray[np.bool_], losses: NDArray[np.float64], tiers: NDArray[np.intp]
) -> NDArray[np.intp]:
    """Return for each labeled row the candidate that the other rows would choose.

    The error of the winner is too optimistic, because the winner was chosen for its low error.
    The error of these candidates on their own rows includes the effect of the choice.
    """
    others = ~np.eye(wrong.shape[1], dtype=bool)
    return np.array([choose(wrong[:, rest], losses[:, rest], tiers) for rest in others])


class Refits:
    """Fits candidates to all rows, with what the search has computed where it saw all of them.

    Parameters
    ----------
    board : Scoreboard
        What the search found.
    searched : dict
        The benches of the search, by space.
    X, target, seed
        All rows, their labels, and the seed of the search.
    is_whole : bool
        Whether the search saw all rows.
    unlabeled
        What marks an unlabeled row, for later targets.
    """

    def __init__(
        self,
        board: Scoreboard,
        searched: dict[Space, Bench],
        X: Any,
        target: PartialLabels,
        seed: int,
        *,
        is_whole: bool,
        unlabeled: Any = "auto",
    ):
        self.board, self.searched, self.target, self.seed = board, searched, target, seed
        self.unlabeled = unlabeled
        self._X, self._benches = X, dict(searched) if is_whole else {}

    def bench(self, space: Space) -> Bench:
        """Return all rows in a space."""
        if space not in self._benches:
            self._benches[space] = Bench(space, self._X, self.target, self.seed)
        return self._benches[space]

    def fit(self, place: int) -> tuple[Any, NDArray[np.float64]]:
        """Return the fitted estimator of a candidate, and the probabilities of all rows."""
        candidate = self.board.candidates[place]
        temperature = best_temperature(self.board.scores[place], self.board.codes)
        gamma = candidate.gamma(self.searched[candidate.space])
        fitted = candidate.build(TableFacts(gamma, self.seed, self.target.n_labeled, temperature))
        read_markers(fitted, self.unlabeled)
        bench = self.bench(candidate.space)
        scores = fitted.fit_scores(bench.X, self.target, bench.shared)
        return bench.behind_steps(fitted), probabilities(scores, temperature)


class Winner:
    """The one candidate that the rule chooses.

    Attributes
    ----------
    weights : ndarray of shape (n_candidates,)
        How much each candidate has to say.
    loo_probabilities : ndarray of shape (n_labeled, n_classes)
        Probabilities of the labeled rows left out.
    wrong, nested_wrong, alone_wrong : ndarray of shape (n_labeled,)
        Which labeled rows are wrong when left out: as chosen; if the choice is made without the
        row, too; and for the same choice among candidates of the labeled rows alone.
    """

    def __init__(self, board: Scoreboard):
        self._board, self.place = board, board.choose()
        self.weights = np.eye(len(board.candidates))[self.place]
        self.loo_probabilities = board.chances[self.place]
        self.wrong = board.wrong[self.place]
        self.nested_wrong = board.wrong[board.nested(), np.arange(len(board.codes))]
        self.alone_wrong = board.wrong[board.choose(board.labeled_only)]

    def words(self) -> str:
        """Return the candidate in words."""
        return self._board.candidates[self.place].words()
