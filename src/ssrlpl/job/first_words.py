"""What must be said before any figure, because it takes the figures back."""

from __future__ import annotations

import numpy as np

from .._utils.types import Array, Ints, Mask
from ..guarantee.sampling import LEVEL, sampling_p_value
from ..guarantee.unlabeled_groups import group_without_label
from .result import Caution, Fitted

SURE = 1.64
"""Standard errors by which an error must be below that of guessing to be called better."""


def first_words(fitted: Fitted) -> list[Caution]:
    """Return what a reader must see first, the most serious first."""
    target = fitted.target
    if target.is_labeled.all():
        return []
    unlike = [*_sample_unlike_others(fitted), *_group_nobody_labeled(fitted)]
    if max(target.labels_per_class) == 1:
        return [*unlike, Caution(
            "Every class has a single label: the error of the labels that were filled in cannot be"
            " estimated.",
            "How many of the filled-in labels are right cannot be estimated from these labels:"
            " every class has a single one.",
        )]  # fmt: skip
    if fitted.audit is not None:  # audited rows are compared with guessing in the first line
        return unlike
    return [*unlike, *no_better_than_guessing(fitted)]


def _sample_unlike_others(fitted: Fitted) -> list[Caution]:
    """Compare the rows that measure with those without a label.

    All labeled rows measure, unless a column says which of them audit: then the others may have
    been chosen in any way.
    """
    X, numbers = _rows_to_look_at(fitted)
    is_labeled = fitted.target.is_labeled[numbers]
    sample = is_labeled if fitted.audit is None else fitted.audit[numbers]
    p_value = sampling_p_value(X, np.flatnonzero(sample), np.flatnonzero(~is_labeled))
    if p_value >= LEVEL:
        return []
    which = "labeled" if fitted.audit is None else "audited"
    return [
        Caution(
            f"The {which} rows are not like the others: nothing that was measured on them holds"
            " for the others, and a class that none of them has is never found. Label rows drawn"
            f" at random. (They have {_differences(X, sample, ~is_labeled, fitted)}; two-sample"
            f" test, p = {p_value:.1g}.)",
            f"The filled-in labels cannot be certified: the {which} rows are not like the others.",
        )
    ]


def _rows_to_look_at(fitted: Fitted) -> tuple[Array, Ints]:
    """Return encoded rows and their numbers: all, or of a table in chunks those that were kept."""
    if fitted.X is None:
        return fitted.sample.X, fitted.sample.rows
    return fitted.X, np.arange(len(fitted.X))


def _differences(X: Array, some: Mask, others: Mask, fitted: Fitted) -> str:
    """Name the columns in which some rows differ most from others, in sd; up to three."""
    spread = X.std(axis=0)
    gap = X[some].mean(axis=0) - X[others].mean(axis=0)
    gap = gap / np.where(spread > 0, spread, np.inf)
    names = fitted.feature_names
    largest = np.argsort(-np.abs(gap), kind="stable")[:3]
    return ", ".join(
        f"{names[j]!r} {'higher' if gap[j] > 0 else 'lower'} by {abs(gap[j]):.1f} sd"
        for j in largest
        if abs(gap[j]) >= abs(gap[largest[0]]) / 3  # those that tell the rows apart
    )


def _group_nobody_labeled(fitted: Fitted) -> list[Caution]:
    """Point out a group of rows that may be a class without a label: it would never be found."""
    X, numbers = _rows_to_look_at(fitted)
    target = fitted.target
    group = group_without_label(X, target.is_labeled[numbers], len(target.classes))
    if group is None:
        return []
    inside = np.zeros(len(X), dtype=bool)
    inside[group.rows] = True
    typical = ", ".join(str(fitted.ids[row]) for row in numbers[group.rows[:3]])
    size = f"a group of {len(group.rows):,} of {len(X):,} rows"
    none_of = f"Nobody labeled a row of {size}"
    if fitted.X is None:
        seen = np.count_nonzero(target.is_labeled[numbers])
        none_of = f"None of {seen:,} labeled rows is in {size} that were looked at"
    return [
        Caution(
            f"{none_of} (they have {_differences(X, inside, ~inside, fitted)}): a class that no"
            f" label names is never found. Label some of these rows, such as {typical}.",
            f"The filled-in labels cannot be certified: {none_of[0].lower()}{none_of[1:]}.",
        )
    ]


def no_better_than_guessing(fitted: Fitted) -> list[Caution]:
    """Return a caution if left-out labels are found no more often than by always saying one."""
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
        Caution(
            f"This is no better than guessing, as far as {total:,} labels can tell: labeled rows"
            f" left out were wrong in {error:.1%}, and always saying {largest!r} is wrong in"
            f" {guess:.1%}.",
            "The filled-in labels are not certified: they look no better than always saying"
            f" {largest!r}.",
        )
    ]
