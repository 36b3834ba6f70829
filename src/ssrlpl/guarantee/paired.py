"""Paired comparison of two classifiers on the same held-out rows."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.stats import binomtest, norm
from scipy.stats import t as student

from .._utils.types import Floats, Ints, Mask

SIGNIFICANT = 0.05
"""Two-sided significance level of a gain."""

SURE_OF_SIGN = 0.1
"""Two-sided level with a third opinion: the sign is right with posterior probability 95 %."""

OPINION_BIAS = 1.5
"""The constant c of :func:`compare_with_opinion`, chosen on tables that are not used to evaluate
verdicts (:mod:`ssrlpl.experiments.development`)."""

OVERSTATED, FEWEST_LABELS, FEWEST_OF_A_CLASS = 1.2, 50, 5
"""Constants of :func:`compare_left_out`, settled on the development tables; the second also keeps
:func:`compare_with_opinion` from saying that unlabeled rows hurt."""

_VERDICTS = {
    "helps": "Using the unlabeled rows helps",
    "hurts": "Using the unlabeled rows hurts",
    "undecided": "Whether the unlabeled rows help is undecided",
}


@dataclass(frozen=True)
class Comparison:
    """Held-out errors on the same rows, with and without the unlabeled rows.

    ``only_without`` counts rows that are wrong only without the unlabeled rows, ``only_with``
    rows that are wrong only with them. ``gain`` is the expected decrease of the error on the
    unlabeled rows and ``standard_error`` its uncertainty; ``p_value`` tests a gain of zero, and
    the verdict is decided if it is at most ``level``.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from ssrlpl import SSRLPL
    >>> from ssrlpl.guarantee import verdict
    >>> X, y = load_digits(return_X_y=True)
    >>> y[100:] = -1  # the first 100 rows keep their label
    >>> found = verdict(SSRLPL(), X[:500], y[:500])
    >>> found.trials, found.verdict in ("helps", "undecided", "hurts")
    (100, True)
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

        The gain is printed in addition to the errors, because with a third opinion it is not
        their difference.
        """
        return (
            f"{_VERDICTS[self.verdict]}: {measure} is {self.without_unlabeled:.1%} without and"
            f" {self.with_unlabeled:.1%} with them ({self.trials} labeled rows; gain"
            f" {self.gain_in_words()})."
        )

    def gain_in_words(self) -> str:
        """Return the gain with its uncertainty, and what decided if it was not the mistakes."""
        said = f"{100 * self.gain:+.1f} ± {100 * self.standard_error:.1f} points"
        if self.verdict == "undecided" or abs(self.gain) > 1.5 * self.standard_error:
            return said
        return f"{said}; the probabilities decide, p = {self.p_value:.2g}"


def compare(right_with: Mask, right_without: Mask) -> Comparison:
    """Return a comparison by a paired t-test on held-out rows."""
    z = _ahead(right_with, right_without)
    error = np.sqrt(_variance_of_mean(z))
    p_value = 2 * student.sf(abs(z.mean()) / error, max(len(z) - 1, 1))
    return _comparison(right_with, right_without, float(z.mean()), float(error), float(p_value))


def compare_left_out(
    right_with: Mask, right_without: Mask, loss_gain: Floats, n_classes: int
) -> Comparison:
    """Return a comparison on rows that were left out one at a time.

    Losses of probabilities tell more than mistakes, so the p-value tests their mean decrease
    ``loss_gain``; there is a verdict only if mistakes point the same way. Hiding one of few labels
    of a class harms a classifier of the labeled rows alone more than one that knows all rows, so
    the gain is overstated. With m labels a class 1.2/m² is subtracted: what it was on the
    development tables before hidden labels left their weight to their class, and cautious now.
    With fewer than 5 labels a class or 50 in all, there is no verdict.
    """
    n = len(right_with)
    found = compare(right_with, right_without)
    labels = n / n_classes
    gain = found.gain if found.gain <= 0 else max(found.gain - OVERSTATED / labels**2, 0.0)
    # A variance of zero comes from two classifiers that are the same.
    error = np.sqrt(np.var(loss_gain) / n) + 1e-3 / n
    p_value = float(2 * student.sf(abs(loss_gain.mean()) / error, max(n - 1, 1)))
    few = n < FEWEST_LABELS or labels < FEWEST_OF_A_CLASS
    if few or found.gain * loss_gain.mean() <= 0 or gain == 0:
        p_value = 1.0
    return replace(found, gain=gain, p_value=p_value)


@dataclass(frozen=True)
class Opinion:
    r"""The gain that a third classifier expects on some rows.

    If the two classifiers predict classes a and b for a row, the third classifier with
    probabilities q expects the gain :math:`p = q_a - q_b` with variance :math:`q_a + q_b - p^2`;
    both are zero if a = b. ``differ`` is the share of rows with a ≠ b.
    """

    expected: Floats
    variance: Floats
    differ: float

    @classmethod
    def of(
        cls, q: Floats, with_: Ints, without: Ints
    ) -> Opinion:  # fmt: skip
        """Return the opinion from probabilities q and the two predicted codes of each row."""
        rows, differ = np.arange(len(q)), with_ != without
        ours, theirs = q[rows, with_], q[rows, without]
        expected = ours - theirs
        variance = np.where(differ, np.maximum(ours + theirs - expected**2, 0), 0.0)
        return cls(expected, variance, float(differ.mean()))


def compare_with_opinion(
    right_with: Mask, right_without: Mask, seen: Opinion, hidden: Opinion
) -> Comparison:
    r"""Return a comparison whose gain is expected by an opinion and corrected by known labels.

    The opinion on hidden rows has a bias δ, for which we assume
    :math:`\delta \sim N(0, (cS)^2/l)`, where S is the mean standard deviation of the opinion and
    l the number of held-out rows. The held-out rows give an estimate of δ with a known variance,
    and the gain uses the posterior mean of δ. If the estimate contradicts the assumed variance,
    the variance is increased to agree with it. The gain cannot exceed the share of hidden rows
    for which the two classifiers differ. With fewer than 50 labels a loss is never certain: of
    eleven that this model was sure of with ten labels, four were gains (results of 43eb0ae).
    """
    z = _ahead(right_with, right_without)
    off = z - seen.expected
    bias = (OPINION_BIAS * np.sqrt(hidden.variance).mean()) ** 2 / len(z)
    measured = _variance_of_mean(off)
    if off.mean() ** 2 > 4 * (bias + measured):  # more than two standard deviations
        bias = off.mean() ** 2 - measured
    gain = hidden.expected.mean() + bias / (bias + measured) * off.mean()
    gain = np.clip(gain, -hidden.differ, hidden.differ)
    chance = hidden.variance.mean() / len(hidden.variance)
    error = np.sqrt(bias * measured / (bias + measured) + chance)
    is_unsure = hidden.differ == 0 or (gain < 0 and len(z) < FEWEST_LABELS)
    p_value = 1.0 if is_unsure else 2 * norm.sf(abs(gain) / error)
    return _comparison(
        right_with, right_without, float(gain), float(error), float(p_value), level=SURE_OF_SIGN
    )


def _ahead(
    right_with: Mask, right_without: Mask
) -> Floats:  # fmt: skip
    return right_with.astype(float) - right_without


def _variance_of_mean(z: Floats) -> float:
    """Return the variance of the mean with one worst-case row added, so that it is never zero."""
    return (float(np.var(z)) + 1 / len(z)) / len(z)


def _comparison(
    right_with: Mask,
    right_without: Mask,
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


@dataclass(frozen=True)
class AgainstBaseline:
    """A classifier and a simple one on the same audited rows.

    ``gain`` is the error of the simple one minus ours; ``only_ours`` counts rows that are right
    only with our classifier, ``only_theirs`` rows that are right only with the simple one. The
    p-value is exact (McNemar): with equal errors, a row of either kind is like a coin toss.

    Examples
    --------
    >>> import numpy as np
    >>> from ssrlpl.guarantee import AgainstBaseline
    >>> ours, theirs = np.arange(40) < 36, np.arange(40) < 24
    >>> found = AgainstBaseline.of(ours, theirs)
    >>> found.only_ours, found.only_theirs, found.p_value < 0.01
    (12, 0, True)
    """

    error: float
    gain: float
    only_ours: int
    only_theirs: int
    p_value: float

    @classmethod
    def of(cls, right: Mask, right_theirs: Mask) -> AgainstBaseline:
        """Return the comparison from which rows are right."""
        ours = int(np.count_nonzero(right & ~right_theirs))
        theirs = int(np.count_nonzero(right_theirs & ~right))
        differ = ours + theirs
        p_value = float(binomtest(ours, differ).pvalue) if differ else 1.0
        gain = (ours - theirs) / len(right)
        return cls(float(np.mean(~right_theirs)), gain, ours, theirs, p_value)

    @property
    def verdict(self) -> str:
        """One of "better", "worse" and "undecided"."""
        if self.p_value > SIGNIFICANT:
            return "undecided"
        return "better" if self.gain > 0 else "worse"
