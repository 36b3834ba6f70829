"""What must be said before any figure, because it takes the figures back."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..guarantee.certifying import sampling_p_value
from .result import Fitted

UNLIKE = 0.001
"""Level of the test for a random sample, as in certificates."""

SURE = 1.64
"""Standard errors by which an error must be below that of guessing to be called better."""


def first_words(fitted: Fitted) -> list[str]:
    """Return warnings that a reader must see first, the gravest first."""
    target = fitted.target
    if target.is_labeled.all():
        return []
    unlike = _labeled_unlike_others(fitted)
    if max(target.labels_per_class) == 1:
        return [*unlike, "Every class has a single label: the error of the labels that were filled"
                " in cannot be estimated."]  # fmt: skip
    return [*unlike, *_no_better_than_guessing(fitted)]


def _labeled_unlike_others(fitted: Fitted) -> list[str]:
    target, X = fitted.target, fitted.X
    if X is None:  # read in chunks
        return []
    p_value = sampling_p_value(X, target.is_labeled)
    if p_value >= UNLIKE:
        return []
    return [
        f"The labeled rows are not like the others ({_differences(X, fitted)}; two-sample test, p ="
        f" {p_value:.1g}): nothing that was measured on them holds for the others, and a class that"
        " none of them has is never found. Label rows drawn at random."
    ]


def _differences(X: NDArray[Any], fitted: Fitted) -> str:
    """Name the columns in which labeled rows differ most, in standard deviations."""
    labeled = fitted.target.is_labeled
    spread = X.std(axis=0)
    gap = (X[labeled].mean(axis=0) - X[~labeled].mean(axis=0)) / np.where(
        spread > 0, spread, np.inf
    )
    names = fitted.feature_names
    largest = np.argsort(-np.abs(gap), kind="stable")[:3]
    return "they have " + ", ".join(
        f"{names[j]!r} {'higher' if gap[j] > 0 else 'lower'} by {abs(gap[j]):.1f} sd"
        for j in largest
    )


def _no_better_than_guessing(fitted: Fitted) -> list[str]:
    error = getattr(fitted.model["model"], "nested_error_", None)
    if error is None:
        return []
    counts = fitted.target.labels_per_class
    most, total = max(counts), sum(counts)
    guess = 1 - most / total
    if error < guess - SURE * np.sqrt(guess * (1 - guess) / total):
        return []
    largest = fitted.target.class_names[counts.index(most)]
    return [
        f"This is no better than guessing, as far as {total:,} labels can tell: labeled rows left"
        f" out were wrong in {error:.1%}, and always saying {largest!r} is wrong in {guess:.1%}."
    ]
