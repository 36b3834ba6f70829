"""Two classifiers on the same held-out rows: which one errs less, and whether by luck."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm
from scipy.stats import t as student

SIGNIFICANT = 0.05
"""Two-sided level at which a gain counts."""

SURE_OF_SIGN = 0.1
"""The same where an opinion has a say: the sign is right with a probability of 95 %."""

OPINION_BIAS = 1.5
"""The constant c of :func:`compare_with_opinion`, found on tables that no verdict is judged on
(:mod:`ssrlpl.experiments.development`)."""

_VERDICTS = {
    "helps": "Using the unlabeled rows helps",
    "hurts": "Using the unlabeled rows hurts",
    "undecided": "Whether the unlabeled rows help is undecided",
}


@dataclass(frozen=True)
class Comparison:
    """Held-out errors on the same rows, with and without the unlabeled rows.

    ``only_without`` counts rows that are wrong only without the unlabeled rows, ``only_with``
    rows that are wrong only with them. ``gain`` is the fall of the error that is expected on the
    unlabeled rows, which may have a say in it, ``standard_error`` its uncertainty; ``p_value``
    belongs to a gain of zero, and values up to ``level`` decide.
    """

    with_unlabeled: float
    without_unlabeled: float
    only_with: int
    only_without: int
    trials: int
    p_value: float
    gain: float = 0.0
    standard_error: float = float("inf")
    level: float = SIGNIFICANT

    @property
    def verdict(self) -> str:
        """One of "helps", "hurts" and "undecided"."""
        if self.p_value > self.level:
            return "undecided"
        return "helps" if self.gain > 0 else "hurts"

    def in_words(self, measure: str) -> str:
        """Return the verdict as a sentence; ``measure`` names the error.

        The gain is said beside the errors: where unlabeled rows have a say in it, it need not be
        their difference.
        """
        return (
            f"{_VERDICTS[self.verdict]}: {measure} is {self.without_unlabeled:.1%} without and"
            f" {self.with_unlabeled:.1%} with them ({self.trials} labeled rows; gain"
            f" {100 * self.gain:+.1f} ± {100 * self.standard_error:.1f} points)."
        )


def compare(right_with: NDArray[np.bool_], right_without: NDArray[np.bool_]) -> Comparison:
    """Compare who is right on held-out rows by a paired t-test."""
    z = _ahead(right_with, right_without)
    error = np.sqrt(_variance_of_mean(z))
    p_value = 2 * student.sf(abs(z.mean()) / error, max(len(z) - 1, 1))
    return _comparison(right_with, right_without, float(z.mean()), float(error), float(p_value))


@dataclass(frozen=True)
class Opinion:
    r"""What a third party expects of two classifiers on some rows.

    Of a row that they put in classes a and b the opinion expects :math:`p = q_a - q_b`, with the
    variance :math:`q_a + q_b - p^2`; nothing where they agree. ``differ`` is the share of rows
    where they do not.
    """

    expected: NDArray[np.float64]
    variance: NDArray[np.float64]
    differ: float

    @classmethod
    def of(
        cls, q: NDArray[np.float64], with_: NDArray[np.intp], without: NDArray[np.intp]
    ) -> Opinion:  # fmt: skip
        """Read it off the probabilities q of rows and the two codes given to each."""
        rows, differ = np.arange(len(q)), with_ != without
        ours, theirs = q[rows, with_], q[rows, without]
        expected = ours - theirs
        variance = np.where(differ, np.maximum(ours + theirs - expected**2, 0), 0.0)
        return cls(expected, variance, float(differ.mean()))


def compare_with_opinion(
    right_with: NDArray[np.bool_], right_without: NDArray[np.bool_], seen: Opinion, hidden: Opinion
) -> Comparison:
    r"""Estimate the gain on hidden rows from an opinion, corrected by rows whose labels are known.

    The opinion on hidden rows is off by some δ, of which only its size is assumed:
    :math:`\delta \sim N(0, (cS)^2/l)`, S the mean standard deviation of the opinion and l the
    number of held-out rows. These measure δ with a known error; the posterior mean takes of that
    measurement what it is worth. Where they refute the size, δ is taken to be as large as they
    say. The gain cannot exceed the share of hidden rows on which the two differ.
    """
    z = _ahead(right_with, right_without)
    off = z - seen.expected
    bias = (OPINION_BIAS * np.sqrt(hidden.variance).mean()) ** 2 / len(z)
    measured = _variance_of_mean(off)
    if off.mean() ** 2 > 4 * (bias + measured):
        bias = off.mean() ** 2 - measured
    gain = hidden.expected.mean() + bias / (bias + measured) * off.mean()
    gain = np.clip(gain, -hidden.differ, hidden.differ)
    chance = hidden.variance.mean() / len(hidden.variance)
    error = np.sqrt(bias * measured / (bias + measured) + chance)
    p_value = 2 * norm.sf(abs(gain) / error) if hidden.differ > 0 else 1.0
    return _comparison(
        right_with, right_without, float(gain), float(error), float(p_value), level=SURE_OF_SIGN
    )


def _ahead(
    right_with: NDArray[np.bool_], right_without: NDArray[np.bool_]
) -> NDArray[np.float64]:  # fmt: skip
    return right_with.astype(float) - right_without


def _variance_of_mean(z: NDArray[np.float64]) -> float:
    """One row as bad as can be is added: it may come though none was seen."""
    return (float(np.var(z)) + 1 / len(z)) / len(z)


def _comparison(
    right_with: NDArray[np.bool_],
    right_without: NDArray[np.bool_],
    gain: float,
    error: float,
    p_value: float,
    level: float = SIGNIFICANT,
) -> Comparison:
    return Comparison(
        float(np.mean(~right_with)),
        float(np.mean(~right_without)),
        int(np.count_nonzero(right_without & ~right_with)),
        int(np.count_nonzero(right_with & ~right_without)),
        len(right_with),
        p_value,
        gain,
        error,
        level,
    )
