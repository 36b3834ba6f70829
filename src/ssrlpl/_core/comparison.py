"""Two classifiers on the same held-out rows: which one errs less, and whether by luck."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import t as student

SIGNIFICANT = 0.05
"""Two-sided level at which a gain counts."""

NOTHING = np.zeros(0)

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
    unlabeled rows, which may have a say in it, ``standard_error`` its uncertainty; the t-test of a
    gain of zero gives ``p_value``.
    """

    with_unlabeled: float
    without_unlabeled: float
    only_with: int
    only_without: int
    trials: int
    p_value: float
    gain: float = 0.0
    standard_error: float = float("inf")

    @property
    def verdict(self) -> str:
        """One of "helps", "hurts" and "undecided"."""
        if self.p_value > SIGNIFICANT:
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


def compare(
    right_with: NDArray[np.bool_],
    right_without: NDArray[np.bool_],
    expected: NDArray[np.float64] | None = None,
    everywhere: NDArray[np.float64] = NOTHING,
) -> Comparison:
    """Compare who is right on held-out rows; the last two are for :func:`powered_mean`."""
    z = right_with.astype(float) - right_without
    gain, error = powered_mean(z, np.zeros(len(z)) if expected is None else expected, everywhere)
    p_value = float(2 * student.sf(abs(gain) / error, max(len(z) - 1, 1)))
    return Comparison(
        float(np.mean(~right_with)),
        float(np.mean(~right_without)),
        int(np.count_nonzero(z < 0)),
        int(np.count_nonzero(z > 0)),
        len(z),
        p_value,
        gain,
        error,
    )


def powered_mean(
    z: NDArray[np.float64], expected: NDArray[np.float64], everywhere: NDArray[np.float64]
) -> tuple[float, float]:
    """Return the mean of z with the help of what was expected, and its standard error.

    ``expected`` belongs to the rows of z, ``everywhere`` to rows whose z is not known. One row as
    bad as can be is added to the variance: it may come though none was seen.
    """
    m, u = len(z), max(len(everywhere), 1)
    spread = float(np.var(np.concatenate([expected, everywhere])))
    shared = float(np.mean((z - z.mean()) * (expected - expected.mean())))
    weight = 0.0
    if spread > 0 and len(everywhere):
        weight = float(np.clip(shared / spread / (1 + m / u), 0, 1))
    rest = z - weight * expected
    shift = weight * float(everywhere.mean()) if weight else 0.0
    variance = (float(np.var(rest)) + 1 / m) / m
    if weight:
        variance += weight**2 * float(np.var(everywhere)) / u
    return shift + float(rest.mean()), float(np.sqrt(variance))
