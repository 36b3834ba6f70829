"""The certificate of the filled-in labels: the first line of a job, and plain numbers."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np

from .._utils import limits
from ..guarantee import LabelCertificate
from ..guarantee.label_certificate import TAKEN_ERROR
from ..tables.class_names import counting_order
from .estimators import as_json
from .listed_rows import doubt
from .result import Fitted

LISTED = 20
"""Rows to look at that the summary lists; ``labels.csv`` marks all of them."""


def first_line(fitted: Fitted) -> str:
    """Return the sentence that a job opens with: how many labels are right, and which to take.

    It is about the labels that are delivered, those of ``labels.csv``.
    """
    found = fitted.certified
    if found is None:
        return fitted.not_certified
    return f"{found.summary(fitted.labels[found.rows])} {_how_measured(found, fitted)}"


def _how_measured(found: LabelCertificate, fitted: Fitted) -> str:
    """Say which model was checked, and where the delivered labels are not its own."""
    said = (
        f"To measure this, {found.n_audited:,} labels were hidden from a model of the other"
        f" {found.n_teaching:,} and compared with what it says."
    )
    n_splits = len(found.wrong_by_split)
    if n_splits > 1:
        said += f" It is the best of {n_splits} such models, and the bound pays for that choice."
    n_other = int(np.count_nonzero(fitted.labels[found.rows] != found.labels))
    if not n_other:
        return f"{said} What it says was filled in."
    return (
        f"{said} In {_rows(n_other)} the final model, which learned from all labels, says something"
        " else, and that was filled in: the bound counts these as wrong."
    )


def _rows(n: int) -> str:
    return f"{n:,} rows" if n > 1 else "one row"


def label_certificate(fitted: Fitted) -> dict[str, Any] | None:
    """Return the certificate as plain JSON, None if there is none."""
    found = fitted.certified
    if found is None:
        return None
    to_check = found.to_check()
    order = counting_order([str(label) for label in found.classes.tolist()])
    return {
        "confidence": found.confidence,
        "error_upper": found.error_upper_of(fitted.labels[found.rows]),
        "error_estimate": found.error_estimate,
        "baselines": {name: as_json(error) for name, error in found.baselines.items()},
        "largest_class": str(found.largest_class),
        "n_teaching": found.n_teaching,
        "n_audited": found.n_audited,
        "n_wrong": found.n_wrong,
        "n_filled_in": found.n_filled_in,
        "max_error_of_accepted": TAKEN_ERROR,
        "n_accepted": found.n_filled_in - len(to_check),
        "is_about_delivered_model": fitted.delivers_certified,
        "how_measured": _how_measured(found, fitted),
        "labels_needed": {name: as_json(n) for name, n in found.labels_needed().items()},
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
    return {name: as_json(value) for name, value in asdict(share).items()}
