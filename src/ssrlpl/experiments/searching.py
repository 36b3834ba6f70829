"""SSRLPLCV as a method, and its verdicts beside the truth.

A file of its own, so that other methods do not depend on the search.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .._utils.types import Ints
from ..labels import UNLABELED
from ..model_selection.candidates import Candidate, family
from ..model_selection.search import SSRLPLCV
from .problems import Hints, Problem

TIE = 0.01
"""Smaller changes of the error count as none."""


def searched(hints: Hints) -> Any:
    """Return the search over the whole family of maps, by exact leave-one-out."""
    return SSRLPLCV(random_state=hints.seed)


def chosen(hints: Hints) -> Any:
    """Return the search that takes one candidate instead of a mixture."""
    return SSRLPLCV(choose="one", random_state=hints.seed)


class LabeledRowsSearch(SSRLPLCV):
    """The search among candidates of the labeled rows alone."""

    def candidates(self, X: Any) -> list[Candidate]:
        """Return the candidates that use no unlabeled row."""
        everything = family(X, len(self.classes_))
        return [candidate for candidate in everything if not candidate.uses_unlabeled]


def measure_search_verdict(problem: Problem, _: Any) -> dict[str, Any] | str:
    """Return the verdict of the search beside the truth, see :func:`judge_search`."""
    if len(np.unique(problem.truth[problem.labeled])) < 2:
        return "All labeled rows are of one class."
    return judge_search(problem.X, problem.truth, problem.labeled)


def judge_search(X: Any, truth: Ints, rows: Ints) -> dict[str, Any]:
    """Return the true gain of the unlabeled rows and what the search says of it.

    The true gain is the difference in the error on the unlabeled rows between the mixture of
    candidates of the labeled rows alone and the mixture of all, before a map is fitted to them.
    """
    y = np.full(X.shape[0], UNLABELED)
    y[rows] = truth[rows]
    hidden = y == UNLABELED
    searches = SSRLPLCV().fit(X, y), LabeledRowsSearch().fit(X, y)
    labels = (search.map_.labeler.label_vectors[hidden].argmax(axis=1) for search in searches)
    names = np.unique(truth[rows])
    with_all, alone = (np.mean(names[codes] != truth[hidden]) for codes in labels)
    comparison = searches[0].comparison_
    found = gain_and_verdict(float(alone - with_all), comparison)
    return found if searches[0].uses_unlabeled_ else found | {"verdict": "not used"}


def gain_and_verdict(gain: float, comparison: Any) -> dict[str, Any]:
    """Return the true gain of the unlabeled rows, its name, and what a comparison says of it."""
    return {
        "gain": gain,
        "truth": "tie" if abs(gain) < TIE else ("helps" if gain > 0 else "hurts"),
        "verdict": comparison.verdict,
        "estimate": comparison.gain,
        "standard_error": comparison.standard_error,
        "p_value": comparison.p_value,
    }
