"""Leave-one-out scores of all candidates, and the errors and losses that follow from them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from .._core.readout import left_out_temperature, probabilities
from .._utils.types import Array, Floats, Ints, Mask
from .candidates import Candidate, ForestLabels, LogisticLabels, PlainMap

LOGISTIC = "logistic regression"

_UNJUDGED_CLASSES = 0.25
"""Share of classes with one label from which only preferred candidates are mixed."""


@dataclass(frozen=True)
class Scoreboard:
    """Leave-one-out scores of all candidates, in order of preference."""

    candidates: list[Candidate]
    scores: list[Floats]
    codes: Ints
    weight: Floats

    @property
    def is_blind(self) -> bool:
        """Whether leave-one-out says nothing: a class without its only label is never right."""
        return bool(np.bincount(self.codes).max() == 1)

    @cached_property
    def judged(self) -> Mask:
        """Rows at which candidates are judged: all but those with the only label of their class.

        Without that label no candidate is right, and the least wrong one is the least certain.
        """
        alone = np.bincount(self.codes)[self.codes] == 1
        return np.ones(len(self.codes), dtype=bool) if self.is_blind else ~alone

    @property
    def n_judged(self) -> int:
        """Number of these rows."""
        return int(np.count_nonzero(self.judged))

    @property
    def is_hardly_judged(self) -> bool:
        """Whether so many classes have one label that candidates are judged by the others only."""
        counts = np.bincount(self.codes)
        return bool(np.mean(counts[counts > 0] == 1) >= _UNJUDGED_CLASSES)

    @cached_property
    def share(self) -> Floats:
        """The weight of each row in means, zero where candidates are not judged."""
        weight = np.where(self.judged, self.weight, 0.0)
        if not weight.any():
            weight[self.judged] = 1.0
        return np.asarray(weight / weight.sum())

    def mean(self, values: Array) -> Any:
        """Return the weighted mean over labeled rows (last axis)."""
        return values @ self.share

    @cached_property
    def temperatures(self) -> list[float]:
        """The scale of the probabilities of each candidate, the same for all rows."""
        return [left_out_temperature(found, self.codes) for found in self.scores]

    @cached_property
    def wrong(self) -> Mask:
        """Whether a candidate (row) misclassifies a labeled row (column) whose label is hidden."""
        return np.array([found.argmax(axis=1) != self.codes for found in self.scores])

    @cached_property
    def chances(self) -> Floats:
        """Class probabilities (last axis) by each candidate for each labeled row."""
        return np.array(
            [probabilities(*one) for one in zip(self.scores, self.temperatures, strict=True)]
        )

    @cached_property
    def losses(self) -> Floats:
        """Brier score (squared loss) of each candidate for each labeled row."""
        return self.brier(self.chances)

    def brier(self, chances: Floats) -> Floats:
        """Return the squared distance of probabilities (last axis) from the given labels."""
        return np.asarray(np.sum((chances - self.truth) ** 2, axis=-1))

    @cached_property
    def truth(self) -> Floats:
        """The given labels as vectors."""
        return np.eye(self.scores[0].shape[1])[self.codes]

    @property
    def tiers(self) -> Ints:
        """The tier of each candidate."""
        return np.array([candidate.tier for candidate in self.candidates])

    @property
    def labeled_only(self) -> Ints:
        """Positions of the labeled-only candidates."""
        return np.flatnonzero(~self.uses_unlabeled)

    @property
    def uses_unlabeled(self) -> Mask:
        """Whether each candidate uses unlabeled rows."""
        return np.array([candidate.uses_unlabeled for candidate in self.candidates])

    def compared(self, named: dict[str, Mask]) -> list[dict[str, Any]]:
        """Return left-out errors beside each other, lowest first.

        ``named`` tells which rows are wrong by name; added are the best of some kinds of
        candidates, chosen without the row that is tested, and the largest class.
        """
        n, rows = self.n_judged, np.arange(len(self.codes))
        kinds = {LOGISTIC: LogisticLabels, "random forest": ForestLabels, "plain SSRL-PL": PlainMap}
        for name, kind in kinds.items():
            places = np.flatnonzero([isinstance(c, kind) for c in self.candidates])
            if len(places):
                losses = self.losses[places]
                best = (losses @ self.share - losses.T * self.share[:, None]).argmin(axis=1)
                named = {**named, name: self.wrong[places[best], rows]}
        of_class = np.bincount(self.codes, self.weight)
        # Leaving one of two equal classes out would make the other one larger: not left out.
        errors = {"largest class": float(1 - of_class.max() / of_class.sum())}
        if not self.is_blind:
            errors |= {name: float(self.mean(wrong)) for name, wrong in named.items()}
        board = [
            {"name": name, "loo_error": error, "standard_error": float(standard_error(error, n))}
            for name, error in sorted(errors.items(), key=lambda one: one[1])
        ]
        nothing = {"loo_error": None, "standard_error": None}
        return board + [{"name": name, **nothing} for name in named if name not in errors]

    def results(self, weights: Floats) -> dict[str, Array]:
        """Return ``cv_results_``: what is known of each candidate, and its weight in the result."""
        errors = self.mean(self.wrong)
        roles = np.full(len(errors), "", dtype=object)
        for role, belongs in (
            ("plain", lambda c: isinstance(c, PlainMap)),
            ("labeled-only", lambda c: not c.uses_unlabeled),
            (LOGISTIC, lambda c: isinstance(c, LogisticLabels)),
        ):
            places = np.flatnonzero([belongs(c) for c in self.candidates])
            if len(places):
                roles[places[np.argmin(errors[places])]] = role
        roles[weights.argmax()] = "winner"
        return {
            "candidate": np.array([c.words() for c in self.candidates], dtype=object),
            "loo_error": errors,
            "standard_error": standard_error(errors, self.n_judged),
            "squared_loss": self.mean(self.losses),
            "tier": self.tiers,
            "uses_unlabeled": self.uses_unlabeled,
            "weight": weights,
            "role": roles,
        }


def standard_error(error: Any, n_labeled: int) -> Any:
    """Return the standard error of an error rate, never zero (Laplace's rule of succession)."""
    rate = (error * n_labeled + 1) / (n_labeled + 2)
    return np.sqrt(rate * (1 - rate) / n_labeled)
