"""Bounds, certificates and verdicts for maps that are fitted with partly unknown labels.

The bound of the paper is :func:`theorem_bound`. :func:`certify` gives a bound that is not vacuous
on real data; ``docs/guarantee.md`` derives it.
"""

from .bounds import (
    cross_mean_bound,
    epsilon_by_row_norms,
    epsilon_by_singular_value,
    first_order_bound,
    generalization_term,
    label_mean_bound,
    lemma_objective,
    nearest_neighbor_bound,
    second_order_gap,
    theorem_bound,
)
from .certificate import Certificate, ErrorRate
from .certifying import GuaranteeWarning, certify, wta_error
from .paired import Comparison
from .planning import LabelsNeeded, labels_needed
from .verdicts import verdict

__all__ = [
    "Certificate",
    "Comparison",
    "ErrorRate",
    "GuaranteeWarning",
    "LabelsNeeded",
    "certify",
    "cross_mean_bound",
    "epsilon_by_row_norms",
    "epsilon_by_singular_value",
    "first_order_bound",
    "generalization_term",
    "label_mean_bound",
    "labels_needed",
    "lemma_objective",
    "nearest_neighbor_bound",
    "second_order_gap",
    "theorem_bound",
    "verdict",
    "wta_error",
]
