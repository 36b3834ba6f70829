"""Estimate of the number of additional labels that a certificate needs."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.optimize import bisect

from .bounds import retained_from_second_order
from .certificate import Certificate

_MOST = 1e4
"""Largest factor on the present number of labels for which the extrapolation is used."""


class LabelsNeeded(NamedTuple):
    """Number of additional labels that would certify a target; ``inf`` if no number would.

    ``low`` and ``high`` show the uncertainty: ``low`` assumes that the map loses nothing,
    ``high`` that the root of the loss exceeds its estimate by a quarter of the margin.
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
    r"""Return an estimate of the additional labels needed to certify ``target`` for the map.

    Both margins of a certificate decrease like :math:`1/\sqrt{m}` in the number m of held-out
    labels. The estimate keeps the point estimates of the certificate and reduces its margins. It
    ignores that the map itself improves with more labels.

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
    """Return the number of labels to add, from the factor by which the margins must decrease.

    The separate bounds on gap and objective certify a little less than the certificate does, so
    the factor is relative to what they need for the certificate's own value.
    """
    if certificate.retained_lower >= target:
        return 0.0
    today = _factor(certificate, certificate.retained_lower, residual, margin)
    needed = _factor(certificate, target, residual, margin)
    return float(np.ceil(certificate.n_labeled * (needed / today - 1)))


def _factor(certificate: Certificate, target: float, residual: float, margin: float) -> float:
    """Return the factor on the present number of labels that certifies a target."""
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
