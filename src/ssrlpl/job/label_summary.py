"""The certificate of the filled-in labels: the first line of a job, and plain numbers."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np

from .._utils import limits
from ..guarantee import LabelCertificate
from ..guarantee.label_certificate import TAKEN_ERROR
from ..tables.class_names import counting_order
from .listed_rows import doubt
from .result import Fitted

LISTED = 20
"""Rows to look at that the summary lists; ``labels.csv`` marks all of them."""


def first_line(fitted: Fitted) -> str:
    """Return the sentence that a job opens with: how many labels are right, and which to take."""
    found = fitted.certified
    return fitted.not_certified if found is None else f"{found.summary()} {_whose(found, fitted)}"


def _whose(found: LabelCertificate, fitted: Fitted) -> str:
    """Say which model the figures are about."""
    checked = f"{found.n_audited:,} audited rows, whose labels it did not see"
    if fitted.delivers_certified:
        return f"This was measured on {checked}."
    taken = " (rows to take have its label)" if np.any(fitted.accepted) else ""
    return (
        f"This is the bound of a model that saw {found.n_teaching:,} of the"
        f" {found.n_teaching + found.n_audited:,} labels and was checked with the others{taken};"
        " the delivered model saw all of them, and no bound covers it."
    )


def label_certificate(fitted: Fitted) -> dict[str, Any] | None:
    """Return the certificate as plain JSON, None if there is none."""
    found = fitted.certified
    if found is None:
        return None
    to_check = found.to_check()
    order = counting_order([str(label) for label in found.classes.tolist()])
    return {
        "confidence": found.confidence,
        "error_upper": found.error_upper,
        "error_estimate": found.error_estimate,
        "new_rows_error_upper": found.new_rows_error_upper,
        "baselines": {name: _number(error) for name, error in found.baselines.items()},
        "largest_class": str(found.largest_class),
        "n_teaching": found.n_teaching,
        "n_audited": found.n_audited,
        "n_wrong": found.n_wrong,
        "n_filled_in": found.n_filled_in,
        "max_error_of_accepted": TAKEN_ERROR,
        "n_accepted": found.n_filled_in - len(to_check),
        "is_about_delivered_model": fitted.delivers_certified,
        "whose": _whose(found, fitted),
        "labels_needed": {name: _number(n) for name, n in found.labels_needed().items()},
        "notes": list(found.notes),
        "quality": [
            {"label": str(q.label), "precision": _share(q.precision), "recall": _share(q.recall)}
            for q in (found.quality[code] for code in order)
        ],
        "confusion": _confusion(found, order),
        "to_check": [doubt(fitted, row) for row in to_check[:LISTED].tolist()],
    }


def _confusion(found: LabelCertificate, order: list[int]) -> list[list[dict[str, Any]]] | None:
    """Return the matrix, true class by predicted class; None if it is too large to read."""
    if len(found.classes) > limits.MANY_CLASSES:
        return None
    shares = found.confusion_shares()
    return [[_share(shares[true][said]) for said in order] for true in order]


def _share(share: Any) -> dict[str, Any]:
    return {name: _number(value) for name, value in asdict(share).items()}


def _number(value: float) -> float | None:
    """Return a number that JSON can hold."""
    return value if np.isfinite(value) else None
