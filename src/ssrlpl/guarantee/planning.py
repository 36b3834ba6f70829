"""How many labels a statement needs: of a map's certificate, and of an audit."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import bisect
from scipy.stats import hypergeom

from .._utils import limits
from .._utils.printing import Table, exact_percent
from .._utils.validation import check_count, check_share
from .bounds import retained_from_second_order
from .certificate import Certificate
from .proportions import chance_of_so_few, most_wrong, most_wrong_at_any_time, unchecked_share

_MOST = 1e4
"""Largest factor on the present number of labels for which the extrapolation is used."""


class LabelsNeeded(NamedTuple):
    """Number of additional labels that would certify a target; ``inf`` if no number would.

    ``low`` and ``high`` show the uncertainty: ``low`` assumes that the map loses nothing,
    ``high`` that the root of the loss exceeds its estimate by a quarter of the margin.

    Examples
    --------
    >>> from ssrlpl.guarantee import LabelsNeeded
    >>> needed = LabelsNeeded(estimate=120.0, low=80.0, high=200.0, target=0.9)
    >>> needed.estimate
    120.0
    """

    estimate: float
    low: float
    high: float
    target: float

    def __str__(self) -> str:
        if not np.isfinite(self.estimate):
            return f"No number of labels would certify {exact_percent(self.target)} of this map."
        high = f"{self.high:,.0f}" if np.isfinite(self.high) else "no bound"
        return (
            f"About {self.estimate:,.0f} labels more would certify {exact_percent(self.target)}"
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


def audits_needed(
    max_error: float,
    *,
    expected_error: float = 0.0,
    n_rows: int,
    confidence: float = 0.95,
    share: float = 1.0,
    any_time: bool = False,
) -> float:
    """Return how many rows must be audited to certify an error, if it is what one expects.

    Parameters
    ----------
    max_error : float
        The largest share of wrong labels to certify among the rows that are not audited.
    expected_error : float, default=0.0
        The share that one expects: the number suffices if no larger share of the audited rows
        is wrong.
    n_rows : int
        Rows that do not teach, audited or not.
    confidence : float, default=0.95
        Probability with which the statement holds.
    share : float, default=1.0
        The share of the rows that the statement is about: below 1, the surest ones, for
        ``accept``. The errors are then those of these rows.
    any_time : bool, default=False
        Whether to look after every label (:class:`AuditTrail`) instead of once at the end.

    Returns
    -------
    float
        At most 2 % above the smallest that suffices; ``inf`` if none does, or if one does not
        expect fewer errors than are to be certified.

    Examples
    --------
    >>> from ssrlpl.guarantee import audits_needed
    >>> audits_needed(0.05, n_rows=10_000), audits_needed(0.05, n_rows=10_000, any_time=True)
    (59.0, 65.0)
    """
    check_share("max_error", max_error)
    check_share("expected_error", expected_error, open_=False)
    check_share("confidence", confidence)
    check_share("share", share, open_=False)
    population = round(check_count("n_rows", n_rows) * share)
    # If as many errors are expected, nearly all rows would have to be audited.
    if expected_error >= max_error or not population:
        return float("inf")
    plan = max_error, expected_error, population, 1 - confidence
    found = _fewest_for_one_look(*plan)
    enough = _enough_at_any_time(found, *plan) if any_time else found
    return float(np.ceil(enough / share - 1e-9))


def _errors_expected(expected_error: float, checked: Any) -> Any:
    """Return how many of some audited rows are wrong, rounded up. A number or an array."""
    # 1e-9 because 0.07 * 100 may be stored as 7.000...01.
    return np.ceil(expected_error * checked - 1e-9)


def _fewest_for_one_look(
    max_error: float, expected_error: float, population: int, delta: float
) -> float:
    """Return a number of audited rows that suffices, infinite if none does.

    The bound is at most ``max_error`` if the smallest number of wrong rows above it is rejected.
    It is not monotone in the number of audited rows, so all numbers are tried, and beyond
    ``PLANNED_AUDITS`` some, such that what is found is at most 1 % above the smallest.
    """
    counts = np.arange(1, min(population, limits.PLANNED_AUDITS))
    if population > limits.PLANNED_AUDITS:
        n_more = int(np.log(population / limits.PLANNED_AUDITS) / np.log(1.01)) + 1
        more = np.geomspace(limits.PLANNED_AUDITS, population - 1, n_more + 1)
        counts = np.append(counts, more.astype(np.intp))
    for first in range(0, len(counts), 200):  # later ones take longer, and are seldom needed
        checked = counts[first : first + 200]
        wrong = _errors_expected(expected_error, checked)
        # 1e-9 because 0.05 * 100 may be stored as 4.99...
        too_many = np.floor(max_error * (population - checked) + 1e-9) + wrong + 1
        possible = too_many <= population - (checked - wrong)
        chance = chance_of_so_few(wrong, checked, population, np.minimum(too_many, population))
        enough = np.flatnonzero(~possible | (chance <= delta))
        if len(enough):
            return float(checked[enough[0]])
    return float("inf")


def _enough_at_any_time(
    least: float, max_error: float, expected_error: float, population: int, delta: float
) -> float:
    """Return a number of audited rows that suffices, at most about 2 % above the smallest.

    ``least`` rows suffice for one look. Fewer never do for many looks: a number of wrong rows that
    is rejected at any time is rejected at one look as well.
    """
    checked = least
    while checked < population:
        m = int(checked)
        wrong = int(_errors_expected(expected_error, m))
        too_many = int(max_error * (population - m) + 1e-9) + wrong + 1
        # Larger numbers of wrong rows are rejected if this one is.
        if most_wrong_at_any_time(wrong, m, population, delta, too_many) < too_many:
            return checked
        # All but one may suffice where fewer do not, so they are not passed over.
        checked += max(1, min(m // 50, population - 1 - m))
    return float("inf")


def audit_curve(
    n_rows: int, *, expected_error: float = 0.0, confidence: float = 0.95, counts: Any = None
) -> Table:
    """Return what a number of audited rows certifies, as a table: one row for each number.

    Parameters
    ----------
    n_rows : int
        Rows that do not teach, audited or not.
    expected_error : float, default=0.0
        The share of wrong labels that one expects.
    confidence : float, default=0.95
        Probability with which each bound holds.
    counts : sequence of int, optional
        Numbers of audited rows; by default from 10 to 2,000.

    Returns
    -------
    Table
        Columns "audited rows", "error, one look" and "error, at any time".

    Examples
    --------
    >>> from ssrlpl.guarantee import audit_curve
    >>> print(audit_curve(10_000, expected_error=0.02, counts=[50, 200, 1000]))
    audited rows  error, one look  error, at any time
    ------------  ---------------  ------------------
              50          0.09156              0.1327
             200          0.04541             0.06694
            1000          0.02933             0.03922
    """
    check_count("n_rows", n_rows)
    check_share("expected_error", expected_error, open_=False)
    check_share("confidence", confidence)
    wanted = (10, 20, 50, 100, 200, 500, 1000, 2000) if counts is None else counts
    wanted = [check_count("counts", count) for count in wanted]
    rows = []
    for checked in [count for count in wanted if count < n_rows]:
        seen = int(_errors_expected(expected_error, checked)), checked, n_rows
        once, always = (
            unchecked_share(most(*seen, 1 - confidence), *seen)
            for most in (most_wrong, most_wrong_at_any_time)
        )
        rows.append((checked, once, always))
    return Table(("audited rows", "error, one look", "error, at any time"), tuple(rows))


def teach_or_audit(
    n_labels: int, errors: Mapping[int, float], *, n_rows: int, confidence: float = 0.95
) -> Table:
    """Return what each division of a number of labels into teaching and audit would certify.

    A label that audits is lost to teaching: with few of them the model is good and the bound wide,
    with many the model is worse. The row with the smallest bound pays best.

    Parameters
    ----------
    n_labels : int
        Labels in all, of rows that are drawn at random.
    errors : mapping of int to float
        The error that one expects of a model by the number of its teaching labels, such as the
        left-out error now and that with half of the labels. Between them the error is
        interpolated, as a power of the number; outside it stays the same.
    n_rows : int
        Rows of the table.
    confidence : float, default=0.95
        Probability with which the bound holds.

    Returns
    -------
    Table
        Columns "teaching", "audited", "error expected" and "bound expected", its mean over draws
        of the audited rows, for audits of 10 % to 90 % of the labels.

    Examples
    --------
    >>> from ssrlpl.guarantee import teach_or_audit
    >>> print(teach_or_audit(100, {20: 0.24, 40: 0.08, 60: 0.06, 90: 0.04}, n_rows=1797))
    teaching  audited  error expected  bound expected
    --------  -------  --------------  --------------
          90       10            0.04          0.3117
          80       20           0.045          0.2054
          70       30         0.05143          0.1722
          60       40            0.06          0.1612
          50       50         0.06829          0.1578
          40       60            0.08          0.1633
          30       70          0.1262          0.2113
          20       80            0.24          0.3324
          10       90            0.24          0.3271
    """
    check_count("n_labels", n_labels, low=10)
    check_count("n_rows", n_rows, low=n_labels + 1)
    check_share("confidence", confidence)
    known = sorted(errors)
    if not known:
        raise ValueError("errors must name one number of teaching labels or more. Got none.")
    for count in known:
        check_count("a number of teaching labels in errors", count)
        check_share(f"errors[{count}]", errors[count], open_=False)
    # The logarithm needs a number above zero: less than half a row is none.
    logs = np.log([max(errors[count], 0.5 / n_rows) for count in known])
    rows = []
    for share in np.linspace(0.1, 0.9, 9):
        audited = round(share * n_labels)
        teaching, population = n_labels - audited, n_rows - (n_labels - audited)
        error = float(np.exp(np.interp(np.log(teaching), np.log(known), logs)))
        wrong = np.arange(audited + 1)
        chance = hypergeom.pmf(wrong, population, round(error * population), audited)
        bound = sum(
            chance[k] * unchecked_share(most_wrong(k, *drawn, 1 - confidence), k, *drawn)
            for k, drawn in ((int(k), (audited, population)) for k in wrong[chance > 1e-6])
        )
        rows.append((teaching, audited, error, float(bound)))
    return Table(("teaching", "audited", "error expected", "bound expected"), tuple(rows))
