"""How many more labels a certificate would take."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.optimize import bisect

from .bounds import retained_from_second_order
from .certificate import Certificate

_MOST = 1e4
"""Beyond this many times the labels of today nobody should believe an extrapolation."""


class LabelsNeeded(NamedTuple):
    """How many labels more would certify a target; ``inf`` where no number would.

    ``low`` and ``high`` say how far off the estimate can be: ``low`` if the map loses nothing
    that was not seen, ``high`` if its true loss is as large as the certificate allows at one
    standard radius above the estimate.
    """

    estimate: float
    low: float
    high: float
    target: float

    def __str__(self) -> str:
        if not np.isfinite(self.estimate):
            return f"No number of labels would certify {self.target:.0%} of this map."
        high = f"{self.high:,.0f}" if np.isfinite(self.high) else "no bound"
        return (
            f"About {self.estimate:,.0f} labels more would certify {self.target:.0%}"
            f" ({self.low:,.0f} to {high})."
        )


def labels_needed(certificate: Certificate, target: float = 0.9) -> LabelsNeeded:
    r"""Estimate how many labels more would certify that the map retains ``target``.

    Both margins of a certificate shrink like :math:`1/\sqrt{m}` in the number m of held-out
    labels. The estimate keeps the point estimates of the certificate and shrinks its margins; it
    does not count on the map getting better, which it will.

    Parameters
    ----------
    certificate : Certificate
        From :func:`ssrlpl.certify`.
    target : float, default=0.9
        The retained objective to certify.

    Returns
    -------
    LabelsNeeded

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from ssrlpl import SSRLPL, certify, labels_needed
    >>> from ssrlpl.datasets import hide_labels
    >>> X, truth = load_iris(return_X_y=True)
    >>> certificate = certify(SSRLPL(), X, hide_labels(truth, keep=60, random_state=0))
    >>> needed = labels_needed(certificate, target=0.99)
    >>> bool(needed.low <= needed.estimate <= needed.high)
    True
    """
    if not 0 < target < 1:
        raise ValueError(f"target must be a number in (0, 1). Got {target!r}.")
    estimate = certificate.residual_estimate
    margin = certificate.residual_upper - estimate
    guesses = (estimate, 0.0, estimate + 0.25 * margin)
    counts = [_more_labels(certificate, target, residual, margin) for residual in guesses]
    return LabelsNeeded(counts[0], counts[1], counts[2], target)


def _more_labels(certificate: Certificate, target: float, residual: float, margin: float) -> float:
    """Return the labels to add, by how much the margins would have to shrink from today's.

    The bounds on gap and objective taken one by one certify a little less than the certificate
    does: what they would need for its own figure is where counting begins.
    """
    if certificate.retained_lower >= target:
        return 0.0
    today = _factor(certificate, certificate.retained_lower, residual, margin)
    needed = _factor(certificate, target, residual, margin)
    return float(np.ceil(certificate.n_labeled * (needed / today - 1)))


def _factor(certificate: Certificate, target: float, residual: float, margin: float) -> float:
    """Return how many times the labels of today the margins need to certify a target."""
    root = certificate.objective_root_estimate
    root_margin = root - certificate.objective_root_lower

    def excess(log_factor: float) -> float:
        shrink = float(np.exp(-log_factor / 2))
        lower = root - shrink * root_margin
        return retained_from_second_order(lower, residual + shrink * margin) - target

    if excess(0.0) >= 0:
        return 1.0
    if excess(np.log(_MOST)) < 0:
        return float("inf")
    return float(np.exp(bisect(excess, 0.0, np.log(_MOST))))
