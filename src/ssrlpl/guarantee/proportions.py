r"""Exact bounds on a share, from rows that were checked at random.

Two populations are told apart. The *rows of a table*: m of N rows are drawn without replacement,
and the number of wrong ones among them is hypergeometric. *New rows from the same source*: every
row is wrong with the same probability, and the number is binomial. Both bounds invert the exact
tail, so they hold for any number of rows, and nothing is assumed about the rows themselves.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import gammaln
from scipy.stats import beta, hypergeom

from .._utils.printing import percent_at_least, percent_at_most
from .._utils.types import Floats, Ints

MOST_WRONG = 0.99
"""A bound above this one says nothing."""


def chance_of_so_few(wrong: Any, checked: Any, population: Any, supposed: Any) -> Any:
    """Return P(at most ``wrong`` of the checked rows are wrong) if ``supposed`` of all rows are.

    It is the p-value of the hypothesis that at least ``supposed`` of the rows are wrong, because
    the probability decreases in that number. Numbers or arrays.
    """
    return hypergeom.cdf(wrong, population, supposed, checked)


def most_wrong(wrong: int, checked: int, population: int, delta: float) -> int:
    r"""Return an upper bound on the number of wrong rows of a population.

    ``checked`` of its rows were drawn at random without replacement, and ``wrong`` of those are
    wrong. The bound is the largest K that is not rejected,
    :math:`\max\{K : P(\mathrm{Hyp}(N, K, m) \le k) > \delta\}`. The true K is above it only if
    K itself is rejected, which has a probability of at most δ.
    """
    low, high = wrong, population - (checked - wrong)
    while low < high:
        middle = (low + high + 1) // 2
        if chance_of_so_few(wrong, checked, population, middle) > delta:
            low = middle
        else:
            high = middle - 1
    return low


def unchecked_share(wrong_in_all: int, wrong: int, checked: int, population: int) -> float:
    """Return the share of wrong rows among those that nobody checked; 0 if all were checked."""
    return (wrong_in_all - wrong) / (population - checked) if checked < population else 0.0


def most_wrong_at_any_time(
    wrong: int, checked: int, population: int, delta: float, ceiling: int | None = None
) -> int:
    r"""Return an upper bound on the number of wrong rows that holds after every checked row.

    Let K of the N rows be wrong. If rows are drawn without replacement, a sequence of t answers
    with k wrong ones has the probability :math:`P_K = [K]_k [N-K]_{t-k} / [N]_t` with falling
    factorials :math:`[a]_j = a(a-1)\cdots(a-j+1)`. For any K' the ratio
    :math:`P_{K'}/P_K` is a nonnegative supermartingale that begins at one: its expectation after
    the next answer is the sum of the conditional probabilities under K' of the answers that are
    possible under K, hence at most its present value. An average of such ratios with weights
    that are fixed in advance,

    .. math:: M_t(K) = \sum_{K' < K} v_{K'} P_{K'} \Big/ \Big(P_K \sum_{K' < K} v_{K'}\Big),

    has the same property, so by Ville's inequality it *ever* reaches 1/δ with probability at most
    δ. The bound is the largest K with :math:`M_t(K) < 1/\delta`. The true K is above it at some
    time with probability at most δ, whenever one looks and for whatever reason one stops.

    The weights are 1/(K'+1): if no row is wrong, little is lost against a single look, and
    otherwise each order of magnitude of the error counts the same.

    ``ceiling`` is a bound that is known already, from an earlier look; larger K are not examined.
    """
    top = min(population if ceiling is None else ceiling, population - (checked - wrong))
    K = np.arange(wrong, top + 1)  # a smaller K is impossible and has no part in the sum
    log_chance = _log_falling(K, wrong) + _log_falling(population - K, checked - wrong)
    log_weights = np.logaddexp.accumulate(-np.log(np.arange(top + 1) + 1.0))
    log_mixed = np.logaddexp.accumulate(log_chance - np.log(K + 1.0))
    log_capital = log_mixed[:-1] - log_weights[wrong:-1] - log_chance[1:]
    kept = np.flatnonzero(log_capital < np.log(1 / delta))
    return wrong + (int(kept[-1]) + 1 if len(kept) else 0)


def _log_falling(values: Ints, count: int) -> Floats:
    """Return log(a(a-1)...(a-count+1)) for each value a >= count."""
    return np.asarray(gammaln(values + 1.0) - gammaln(values - count + 1.0))


def share_upper(count: int, trials: int, delta: float) -> float:
    """Return the one-sided Clopper-Pearson bound on a probability."""
    return 1.0 if count >= trials else float(beta.ppf(1 - delta, count + 1, trials - count))


@dataclass(frozen=True)
class Share:
    """A share with its two-sided exact (Clopper-Pearson) interval: ``count`` of ``trials`` rows.

    Without a trial the estimate is NaN and the interval is all of [0, 1].

    Examples
    --------
    >>> from ssrlpl.guarantee import Share
    >>> print(Share.of(18, 20, 0.95))
    90.0% (18 of 20; 68.3% to 98.8%)
    """

    estimate: float
    low: float
    high: float
    count: int
    trials: int

    @classmethod
    def of(cls, count: int, trials: int, confidence: float) -> Share:
        """Return the share with its interval at a two-sided confidence."""
        tail = (1 - confidence) / 2
        high = share_upper(count, trials, tail)
        low = 1 - share_upper(trials - count, trials, tail)
        return cls(count / trials if trials else np.nan, low, high, count, trials)

    def __str__(self) -> str:
        if not self.trials:
            return "no row"
        return (
            f"{self.estimate:.1%} ({self.count} of {self.trials};"
            f" {percent_at_least(self.low)} to {percent_at_most(self.high)})"
        )
