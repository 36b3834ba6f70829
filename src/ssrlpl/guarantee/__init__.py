"""Bounds, certificates and verdicts for maps that are fitted with partly unknown labels.

:func:`certify_labels` says how many of the labels that a classifier filled in are right, and
:class:`AuditTrail` does while a person checks them. The bound of the paper is
:func:`theorem_bound`. :func:`certify` gives a bound that is not vacuous on real data;
``docs/guarantee.md`` derives it.
"""

from .baselines import BestGuess
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
from .certifying_labels import certify_labels
from .label_certificate import ClassQuality, LabelCertificate
from .paired import AgainstBaseline, Comparison
from .planning import LabelsNeeded, audit_curve, audits_needed, labels_needed, teach_or_audit
from .proportions import Share
from .trail import AuditTrail, audit_order
from .verdicts import verdict

__all__ = [
    "AgainstBaseline",
    "AuditTrail",
    "BestGuess",
    "Certificate",
    "ClassQuality",
    "Comparison",
    "ErrorRate",
    "GuaranteeWarning",
    "LabelCertificate",
    "LabelsNeeded",
    "Share",
    "audit_curve",
    "audit_order",
    "audits_needed",
    "certify",
    "certify_labels",
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
    "teach_or_audit",
    "theorem_bound",
    "verdict",
    "wta_error",
]
