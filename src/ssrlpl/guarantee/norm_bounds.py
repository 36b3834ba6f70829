r"""Upper confidence bound on the norm of a mean vector.

Vectors :math:`\xi_i` of N rows have the mean :math:`\bar\xi`, with norm g and direction u. The
direction is unknown but **fixed**: it depends on the N rows, not on the random draw. So no
concentration inequality for vectors is needed, only one for the numbers
:math:`\langle u, \xi_i\rangle`, whose mean is g. The Gram matrix of the sample gives a bound on
their sums for all u at once.

**Theorem.** Let :math:`s_i \le B` be fixed numbers with mean at least σ, drawn without
replacement, 0 < θ < 1 fixed and ψ(θ) = -log(1-θ) - θ. With probability at least 1-δ,

.. math:: W\sigma \le \sum_t a_t s_t
    + \frac B\theta \Big(\log\frac1\delta + \psi(\theta) \sum_t s_t^2/B^2\Big),

with the weights of :func:`ssrlpl.guarantee.concentration.sampled_mean_weights`.

*Proof.* Let B = 1. Fan's inequality :math:`\exp(-\theta s - \psi(\theta) s^2) \le 1 - \theta s`
for s ≤ 1 gives :math:`E[\exp(\theta(\sigma_t - s_t) - \psi(\theta)s_t^2) \mid \text{past}] \le 1`
with the conditional mean :math:`\sigma_t`: the product over t is a nonnegative supermartingale
with initial value one, so by Markov's inequality it is at most 1/δ with probability at
least 1-δ. Without replacement :math:`\sum_t \sigma_t \ge W\sigma - \sum_t (a_t - 1) s_t`. ∎

**Caps.** B may be smaller than the largest :math:`s_i`. Let :math:`r_i` be the largest value of
:math:`s_i` for any label and any u. The numbers :math:`\min(s_i, B)` have a mean of at least σ
minus the known excess :math:`x = \frac1N\sum_i (r_i - B)_+`, and the sums on the right only
increase when the numbers are not capped. So the bound depends on the worst few percent of the rows
instead of the single worst row: unobserved errors cannot all be in the same row.

**Ratio.** Numbers :math:`d_i` of the same rows have the mean :math:`\bar d`, and
:math:`g = \rho\,(\kappa + \bar d)` with a known κ. Then
:math:`s_i = \langle u, \xi_i\rangle - \rho d_i` has the mean ρκ: **one** application of the
theorem, with the whole δ, rejects a value of ρ.

**Offset.** A known vector r may be added to every :math:`\xi_i`, so that g is the norm of
:math:`r + \bar\xi`. With u the direction of that sum, the numbers :math:`s_i` have the mean
:math:`\rho\kappa - \langle u, r\rangle`: the term :math:`W\langle u, r\rangle` moves to the right
side, where it is one more linear function of u.

**At any time.** The product is a supermartingale in the order of the draw. By Ville's inequality
it *ever* exceeds 1/δ with probability at most δ, so the bounds hold after every drawn row, if θ, B
and r were fixed before the first.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import eigh

from .._utils.types import Floats
from .concentration import sampled_mean_weights
from .label_errors import VectorSample

_DIRECTIONS = 16
"""Number of leading eigenvectors that are used; the other directions are treated as one."""

_ROUNDING = 1e-10
"""Eigenvalues below this share of the largest one count as zero."""

_THETAS = np.linspace(0.06, 0.96, 16)
_ABOVE = np.geomspace(0.01, 1, 16)
"""Values of θ, and of (ν - kλ₁)/‖c‖, that are tried; every value gives a valid bound."""
_RATIOS = np.exp(-np.linspace(-3.5, 10, 1351))
"""Grid of ratios, largest first: squares from 1,000 down to 2e-9, in steps of 2 %."""
_KNOTS = np.exp(-np.linspace(-3.5, 10, 46))
"""Ratios at which θ and the cap are chosen; between them the cap is interpolated."""

_TAILS = np.array([0, 0.25, 0.5, 1, 2, 4])
"""Shares of the rows above a cap, in units of log(1/δ)/W, the share of errors that a sample can
fail to show."""

Reach = Callable[[float], Floats]
"""Function of ρ: for each row the largest ‖ξ_i‖ - ρ d_i for any label, which is convex in ρ."""


@dataclass(frozen=True)
class Spread:
    r"""Summary of a sample, from which sums of :math:`\langle u, \xi_t\rangle - \rho d_t` follow.

    Parameters
    ----------
    eigenvalues : ndarray of shape (r,)
        Largest eigenvalues of the Gram matrix, largest first; the bound needs that no other
        eigenvalue is larger.
    sums, products : ndarray of shape (r + 1,)
        Components of W·r + Σ a_t ξ_t and Σ d_t ξ_t along the eigenvectors; the last entry is the
        norm of the remainder, which is treated as one further direction.
    along_sum, along_squares : float
        Σ a_t d_t and Σ d_t².
    total : float
        W, the sum of the weights a_t.
    """

    eigenvalues: Floats
    sums: Floats
    products: Floats
    along_sum: float
    along_squares: float
    total: float

    def largest(
        self, rho: Floats, cap: Floats, excess: Floats, theta: Floats, delta: float
    ) -> Floats:
        r"""Return an upper bound over all u on the theorem's right side plus W times the excess.

        With k = ψ(θ)/(θB) it is a linear plus a quadratic function of u,
        :math:`\langle u, c\rangle + k\,u^\top C u`, which by Lagrange duality is at most
        :math:`\nu + \sum_j c_j^2 / 4(\nu - k\lambda_j)` for any ν > kλ₁; several ν are tried.
        Arguments and result are arrays with one entry for each case.
        """
        k = (-np.log1p(-theta) - theta) / (theta * cap)
        c = self.sums - (2 * rho * k)[:, None] * self.products
        # Only the norms of the remainders are known: in the worst case they add.
        c[:, -1] = self.sums[-1] + 2 * rho * k * self.products[-1]
        curvature = k[:, None] * np.append(self.eigenvalues, self.eigenvalues[-1])
        length = np.linalg.norm(c, axis=1) + 1e-300  # not zero, so that ν > kλ₁
        nu = curvature[:, :1] + _ABOVE * length[:, None]
        gaps = 4 * (nu[:, :, None] - curvature[:, None, :])
        vectors = np.min(nu + np.sum(c[:, None, :] ** 2 / gaps, axis=2), axis=1)
        numbers = k * rho**2 * self.along_squares - rho * self.along_sum
        known = self.total * excess + cap / theta * np.log(1 / delta)
        return np.asarray(vectors + numbers + known)

    def best_settings(self, rho: float, reach: Floats, delta: float) -> tuple[float, float, float]:
        """Return the cap, its excess and θ that minimize the right side."""
        caps, excess = _caps(reach, np.log(1 / delta) / self.total)
        cap, theta = np.repeat(caps, len(_THETAS)), np.tile(_THETAS, len(caps))
        cut = np.repeat(excess, len(_THETAS))
        best = self.largest(np.full(len(cap), rho), cap, cut, theta, delta).argmin()
        return float(cap[best]), float(cut[best]), float(theta[best])


def _caps(reach: Floats, unseen: float) -> tuple[Floats, Floats]:
    """Return caps at several quantiles of the reach, and the mean excess above each cap."""
    largest_first = np.sort(reach)[::-1]
    cut = np.minimum((_TAILS * unseen * len(reach)).astype(int), len(reach) - 1)
    # A cap of zero would give a division by zero in the bound.
    caps = np.maximum(largest_first[cut], max(1e-3 * largest_first[0], 1e-300))
    return caps, np.array([np.maximum(largest_first - cap, 0).mean() for cap in caps])


def spread_of(vectors: VectorSample, along: Floats, population: int) -> Spread:
    """Return the summary of a sample, given in the order drawn, for the bounds."""
    gram = vectors.gram
    m = len(gram)
    weights = sampled_mean_weights(m, population)
    total, a = float(weights[-1]), weights[:-1] * weights[-1]
    # A dense solver: Lanczos can miss a direction orthogonal to its start, or a second one of equal
    # length, and then those left out would be larger than the last one kept.
    count = m if m <= 4 * _DIRECTIONS else _DIRECTIONS
    values, basis = eigh(gram, subset_by_index=(m - count, m - 1))
    # Directions of no length are left to the remainder: nothing can be divided by their length.
    kept = max(1, np.count_nonzero(values > _ROUNDING * values[-1]))
    values, basis = np.maximum(values[::-1][:kept], 0), basis[:, ::-1][:, :kept]
    roots = np.sqrt(values)
    along_offset = np.divide(basis.T @ vectors.toward, roots, out=0 * roots, where=roots > 0)
    linear = a @ gram @ a + 2 * total * a @ vectors.toward + total**2 * vectors.square
    return Spread(
        values,
        _with_rest(linear, roots * (basis.T @ a) + total * along_offset),
        _with_rest(along @ gram @ along, roots * (basis.T @ along)),
        float(a @ along),
        float(along @ along),
        total,
    )


def _with_rest(square: Any, found: Floats) -> Floats:
    """Return components of a vector of which the square is known, and the norm of the rest."""
    return np.append(found, np.sqrt(max(float(square - found @ found), 0.0)))


def norm_upper(
    seen: Spread, rehearsed: Spread, norms: Floats, delta: float, offset: float = 0.0
) -> float:
    """Return an upper confidence bound on the norm of the mean of vectors.

    ``norms`` are the largest possible norms of the vectors, ``offset`` is ‖r‖. Cap and θ are the
    best ones for ``rehearsed``, a simulated sample that must not depend on the labels of ``seen``.
    """
    if not norms.any():
        return offset
    cap, cut, theta = (np.array([v]) for v in rehearsed.best_settings(0.0, norms, delta))
    found = seen.largest(np.zeros(1), cap, cut, theta, delta)
    return min(float(found[0]) / seen.total, offset + float(norms.mean()))


def ratio_upper(
    seen: Spread, rehearsed: Spread, reach: Reach, base: float, delta: float
) -> float:  # fmt: skip
    """Return an upper confidence bound on g/(κ + d̄), infinite if no ratio can be rejected.

    ``base`` is κ. The bound is the smallest ratio on the grid above which all are rejected. The
    grid point just below the true ratio is rejected with probability at most δ, because the mean
    of its numbers is even larger than the theorem requires. Between knots the cap and its excess
    are interpolated linearly: the excess is jointly convex in ρ and the cap, so the interpolated
    value is an upper bound on it.
    """
    settings = [rehearsed.best_settings(rho, reach(rho), delta) for rho in _KNOTS]
    caps, excess, theta = np.array(settings).T
    cap, cut = (np.interp(_RATIOS, _KNOTS[::-1], values[::-1]) for values in (caps, excess))
    nearest = np.rint(np.linspace(0, len(_KNOTS) - 1, len(_RATIOS))).astype(int)
    right_side = seen.largest(_RATIOS, cap, cut, theta[nearest], delta)
    stands = ~(right_side < seen.total * base * _RATIOS)  # written so that NaN rejects nothing
    refuted = int(stands.argmax()) if stands.any() else len(_RATIOS)
    return float(_RATIOS[refuted - 1]) if refuted else float("inf")
