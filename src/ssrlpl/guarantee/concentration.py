r"""Confidence bounds on the mean of a finite population from a random sample.

Rows are drawn at random without replacement from N rows. Nothing is assumed about the rows
themselves: only the draw is random.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import bisect

from .._utils.types import Floats

# Bets as shares of the largest allowed bet. Their capitals are averaged, because for any data one
# of them is near the best bet, and an average of martingales is a martingale.
_BETS = np.geomspace(0.01, 0.99, 40)


def mean_lower(values: Floats, low: float, population: int, delta: float) -> float:
    r"""Return a lower confidence bound on the population mean of values that are at least ``low``.

    To test the hypothesis "the mean is μ", a capital of one is multiplied by
    :math:`1 + \lambda_t (z_t - m_t)` for each value, where :math:`z_t \ge 0` are the values minus
    ``low``, in the order drawn, and :math:`m_t = (N\mu - \sum_{s<t} z_s)/(N-t+1)` is the mean of
    the remaining values if the hypothesis is true. Then the capital is a nonnegative martingale,
    and by Ville's inequality it reaches 1/δ with probability at most δ. The bound is the largest
    μ that is rejected (Waudby-Smith and Ramdas 2023, with capitals averaged over several bets).
    """
    z = np.asarray(values, dtype=np.float64) - low
    top = float(z.mean())
    if top <= 0:
        return low

    def excess(mu: float) -> float:
        return _log_capital(z, mu, population) - np.log(1 / delta)

    tiny = top * 1e-9
    if excess(tiny) <= 0:
        return low
    # At the largest value every bet loses, so the root is below it. Large first values may reject
    # even the sample mean; the bound is then lowered to that mean, which keeps it valid.
    root = bisect(excess, tiny, float(z.max()), xtol=top * 1e-6)
    return low + min(float(root), top)


def _log_capital(z: Floats, mu: float, population: int) -> float:
    """Return the logarithm of the largest capital reached in testing the mean mu."""
    drawn = np.arange(len(z))
    left = (population * mu - (np.cumsum(z) - z)) / (population - drawn)
    # If the values seen sum to more than N·mu, the hypothesis is impossible.
    if np.any(left <= 0):
        return np.inf
    growth = np.log1p(_BETS[:, None] * (z / left - 1))
    paths = np.cumsum(growth, axis=1)
    return float(np.max(np.logaddexp.reduce(paths, axis=0)) - np.log(len(_BETS)))


def sampled_mean_weights(m: int, population: int) -> Floats:
    r"""Return weights a for which :math:`\sum_t a_t X_t` estimates the population mean.

    When drawn without replacement, the t-th vector has the conditional mean
    :math:`\mu_t = (N\bar X - \sum_{s<t} X_s)/(N-t+1)`, so
    :math:`\sum_t (X_t - \mu_t) = \sum_t (1 + \sum_{r>t} 1/(N-r+1)) X_t - W \bar X` with
    :math:`W = \sum_t N/(N-t+1) \ge m`. The last entry of the result is W.
    """
    left = population - np.arange(m)
    after = np.cumsum((1 / left)[::-1])[::-1] - 1 / left
    total = float(np.sum(population / left))
    return np.append((1 + after) / total, total)
