"""The certificate of the filled-in labels: the first line of a job, and plain numbers."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np

from .._utils import limits
from ..guarantee import BestGuess, LabelCertificate, audits_needed
from ..guarantee.label_certificate import TAKEN_ERROR
from ..labels import shown
from ..tables.class_names import counting_order
from .estimators import as_json
from .listed_rows import doubt
from .result import Fitted

NAMED = 3
"""Classes without a teaching label that are named."""

LISTED = 20
"""Rows to look at that the summary lists; ``labels.csv`` marks all of them."""


def first_line(fitted: Fitted) -> str:
    """Return the sentence that a job opens with: how many labels are right, and which to take.

    It is about the labels that are delivered, those of ``labels.csv``.
    """
    found = fitted.certified
    if found is None:
        return fitted.not_certified
    return found.summary(fitted.labels[found.rows], _left_out_guess(found, fitted))


def _n_other(found: LabelCertificate, fitted: Fitted) -> int:
    """Return the number of rows whose label is not that of the certified model."""
    return int(np.count_nonzero(fitted.labels[found.rows] != found.labels))


def _left_out_guess(found: LabelCertificate, fitted: Fitted) -> BestGuess | None:
    """Return the best guess for labels of a model of all labels, None if there is none.

    They are better than those that were audited. The left-out errors say by how much if the labels
    were drawn at random, as they are unless some are marked to audit. They are what else is said
    of the same model, and count every label.
    """
    model = fitted.model["model"]
    error = getattr(model, "nested_error_", None)
    if error is None or fitted.audit is not None:
        return None
    left_out = {row["name"]: row["loo_error"] for row in model.score_board_}
    counts = fitted.target.labels_per_class
    return BestGuess(
        min(error, found.error_upper_of(fitted.labels[found.rows])),
        {name: left_out.get(name, np.nan) for name in found.baselines},
        fitted.target.classes[counts.index(max(counts))],
        sum(counts),
    )


def _how_measured(found: LabelCertificate, fitted: Fitted) -> str:
    """Say which model was checked, whose labels were filled in, and what that says about them."""
    n_other, n_labels = _n_other(found, fitted), found.n_teaching + found.n_audited
    wrong = f"{found.n_wrong:,}" if found.n_wrong else "none"
    said = (
        f"{found.n_audited:,} of the {n_labels:,} labels were hidden from a model of the other"
        f" {found.n_teaching:,}, which was wrong about {wrong} of them.{_caveats(found)}"
    )
    left_out = _left_out_guess(found, fitted)
    supposed = ""
    if not (left_out or found.best_guess).error:
        supposed = (
            " As no label came out wrong, the best guess supposes that one of two more would."
        )
    if fitted.delivers_certified:
        return f"{said} The labels are those of this model.{supposed}"
    differing = ", which says the same in every row without a label"
    if n_other:
        which = "one row where it says something else counts"
        if n_other > 1:
            which = f"{n_other:,} rows where it says something else count"
        differing = f": the {which} as wrong, and must be looked at"
    said = f"{said} The labels come from a second model, of all {n_labels:,}{differing}."
    how = "is about the first model" if left_out is None else "leaves out one label at a time"
    return f"{said} The best guess {how}.{supposed}"


def _caveats(found: LabelCertificate) -> str:
    """Say what else to know about the model that was checked; empty if there is nothing."""
    said, n_splits = "", len(found.wrong_by_split)
    if n_splits > 1:
        said = f" It is the best of {n_splits} such models; the “at least” pays for that choice."
    if found.untaught:
        names = [shown(label) for label in found.untaught[:NAMED]]
        more = len(found.untaught) - NAMED
        names += [f"one of {more} others"] * (more > 0)
        said += (
            f" None of these {found.n_teaching:,} is {' or '.join(names)}, so that such rows count"
            " as wrong: more labels, drawn at random, would help."
        )
    return said


def label_certificate(fitted: Fitted) -> dict[str, Any] | None:
    """Return the certificate as plain JSON, None if there is none."""
    found = fitted.certified
    if found is None:
        return None
    # The least sure first, by the probabilities that stand beside them.
    to_check = found.to_check(labels=fitted.labels[found.rows])
    to_check = to_check[np.argsort(fitted.label_probability[to_check], kind="stable")]
    guess = _left_out_guess(found, fitted) or found.best_guess
    order = counting_order([str(label) for label in found.classes.tolist()])
    quality = found.quality
    return {
        "confidence": found.confidence,
        "error_upper": found.error_upper_of(fitted.labels[found.rows]),
        "error_estimate": guess.error,
        "best_guess": guess.right(found.right_of_100(fitted.labels[found.rows])),
        "baselines": {name: as_json(error) for name, error in guess.baselines.items()},
        "largest_class": str(guess.largest_class),
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
            for q in (quality[code] for code in order)
        ],
        "confusion": _confusion(found, order),
        "to_check": [doubt(fitted, row) for row in to_check[:LISTED].tolist()],
    }


def rows_to_audit(fitted: Fitted) -> int | None:
    """Return how many rows a person must check without finding an error, None if none suffice.

    They certify the delivered labels themselves, wherever those come from, by 'ssrlpl audit'.
    """
    n_rows = int(np.count_nonzero(~fitted.target.is_labeled))
    needed = audits_needed(TAKEN_ERROR, n_rows=n_rows, any_time=True) if n_rows else np.inf
    return int(needed) if np.isfinite(needed) else None


def _confusion(found: LabelCertificate, order: list[int]) -> list[list[dict[str, Any]]] | None:
    """Return the matrix, true class by predicted class; None if it is too large to read."""
    if len(found.classes) > limits.MANY_CLASSES:
        return None
    shares = found.confusion_shares()
    return [[_share(shares[true][said]) for said in order] for true in order]


def _share(share: Any) -> dict[str, Any]:
    return {name: as_json(value) for name, value in asdict(share).items()}
