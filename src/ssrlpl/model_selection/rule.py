"""Choice of a candidate by leave-one-out errors with the one-standard-error rule."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._core.readout import best_temperature, probabilities
from .candidates import Candidate


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
