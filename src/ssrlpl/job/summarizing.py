"""What a job found as plain JSON, and the arrays the report draws."""

from __future__ import annotations

import warnings
from dataclasses import asdict
from datetime import UTC, datetime
from functools import partial
from typing import Any

import numpy as np

from .. import SSRLPLCV, certify
from .._utils import limits
from .._utils.types import Array, Floats
from ..labels import UNLABELED
from ..persistence import library_versions
from .estimators import as_json, describe, linear_weights, map_to_certify
from .first_words import no_better_than_guessing
from .label_summary import first_line, label_certificate, rows_to_audit
from .listed_rows import LISTED, cell_text, doubt, left_out_codes, next_rows, preview, suspects
from .options import FitOptions, Steps
from .published_model import PublishedModel
from .result import Fitted

DOUBTFUL = 10
STRONGEST = 15

TOO_FEW_TO_CALIBRATE = (
    "The labels are too few to set some of every class aside, so the certificate is by"
    " leave-one-out, which is a heuristic: label more rows for a rigorous one."
)


def summarize(fitted: Fitted, options: FitOptions, steps: Steps) -> dict[str, Any]:
    """Return the summary of a job with its certificate: plain JSON, described in docs/cli.md."""
    estimator = fitted.model["model"]
    with steps.step("Certifying the map"):
        certificate, reason = _certificate(fitted, options)
    with steps.step("Choosing rows to label next"):
        to_label = next_rows(fitted, options.seed)
    warned = [caution.warning for caution in fitted.cautions]
    return {
        "format": 1,
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "command": options.command,
        "seed": options.seed,
        "versions": library_versions(),
        "data": _data(fitted),
        "warnings": warned,
        "first_line": first_line(fitted),
        "headline": _headline(fitted, certificate, warned),
        "verdict": None
        if warned or fitted.delivers_certified
        else _verdict(estimator, certificate),
        "method": {**describe(estimator), "n_components": fitted.representation.shape[1]},
        "selection": _selection(estimator),
        "label_certificate": label_certificate(fitted),
        "n_to_audit": rows_to_audit(fitted),
        "certificate": None if certificate is None else certificate.to_dict(),
        "certificate_reason": reason,
        "features": _features(fitted),
        "labels": _labels(fitted),
        "suspects": _suspects(fitted),
        "next_rows": to_label,
    }


def _data(fitted: Fitted) -> dict[str, Any]:
    target, n_rows = fitted.target, len(fitted.ids)
    n_labeled = int(target.is_labeled.sum())
    notes = list(fitted.notes)
    if len(fitted.sample.rows) < n_rows:
        notes.append(
            f"The pictures show {len(fitted.sample.rows):,} of {n_rows:,} rows: labeled rows, and"
            " a random sample of the others."
        )
    return {
        "name": fitted.name,
        "n_rows": n_rows,
        "n_features": len(fitted.feature_names),
        "n_labeled": n_labeled,
        "n_unlabeled": n_rows - n_labeled,
        "target": target.name,
        "classes": [target.class_names[code] for code in target.shown_order],
        "labels_per_class": [target.labels_per_class[code] for code in target.shown_order],
        "columns_used": fitted.used,
        "columns_dropped": fitted.dropped,
        "notes": notes,
        "preview": preview(fitted),
    }


def _certificate(fitted: Fitted, options: FitOptions) -> tuple[Any, str | None]:
    """Return a certificate of the map and what to know about it, or None and the reason."""
    reason = _why_no_certificate(fitted, options)
    if reason is not None:
        return None, reason
    if isinstance(fitted.model["model"], PublishedModel):
        return None, (
            "It is about maps, and the labels come from another method. The certificate of the"
            " labels is for every method."
        )
    unfitted, reason = map_to_certify(fitted.model["model"])
    certified = partial(_certified, unfitted, fitted, options.seed)
    try:
        found = certified("calibration")
    except (ValueError, IndexError) as error:
        if fitted.audit is not None:
            return None, f"There are too few labels for one: {error}"
        found = None  # too few labels to set some aside
    if fitted.audit is None and (found is None or found.voids):
        # Leave-one-out sets no label aside, so fewer labels of a class may be enough. Of labels
        # that may have been chosen it says nothing.
        try:
            heuristic = certified("loo")
        except (ValueError, IndexError) as error:
            return found, f"There are too few labels for one: {error}" if found is None else reason
        if found is None or len(heuristic.voids) < len(found.voids):
            return heuristic, " ".join(filter(None, [reason, TOO_FEW_TO_CALIBRATE]))
    return found, reason


def _why_no_certificate(fitted: Fitted, options: FitOptions) -> str | None:
    """Return why no certificate of the map is to be computed, None if one is."""
    if options.certify is False:
        return "It was switched off with --no-certify."
    if fitted.X is None:
        return (
            "It is not computed for tables read in chunks: run 'ssrlpl certify' on a random sample"
            " of the rows."
        )
    if len(fitted.X) > limits.CERTIFY_ROWS and not options.certify:
        return (
            f"It takes long for more than {limits.CERTIFY_ROWS:,} rows and was left out: ask for"
            " it with --certify."
        )
    if fitted.target.is_labeled.all():
        return "Every row has a label: nothing was guessed that could be certified."
    return None


def _certified(unfitted: Any, fitted: Fitted, seed: int, method: str) -> Any:
    model = fitted.model["model"]
    knows_all_labels = isinstance(model, SSRLPLCV) and not fitted.delivers_certified
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what voids a certificate is written in it
        return certify(
            unfitted,
            fitted.X,
            fitted.target.labels,
            method=method,
            audit=fitted.audit,
            third_opinion=model if knows_all_labels else None,
            random_state=seed,
        )


def _headline(fitted: Fitted, certificate: Any, warned: list[str]) -> str:
    unlabeled = ~fitted.target.is_labeled
    if not unlabeled.any():
        return f"Every row has a label; the map has {fitted.representation.shape[1]} components."
    found = (
        f"{int(unlabeled.sum()):,} of {len(unlabeled):,} rows had no label in"
        f" {fitted.target.name!r} and got one"
    )
    if warned:  # no figure that a warning takes back
        return f"{found}."
    if fitted.delivers_certified:  # rows that teach may be easy ones, and so may those left out
        return f"{found}; rows that audit were not learned from."
    found = f"{found}, with {_how_sure(fitted)}."
    if certificate is not None and certificate.voids:  # no verdict
        return found
    if isinstance(fitted.model["model"], SSRLPLCV):
        return f"{found} {fitted.model['model'].compared_in_words()}"
    return found if certificate is None else f"{found} {certificate.headline().splitlines()[1]}"


def _verdict(estimator: Any, certificate: Any) -> str | None:
    """Return whether the unlabeled rows help: the search compares for itself.

    What voids a certificate (too few labels, labels of other rows than chance would pick) voids
    any comparison on labeled rows.
    """
    if certificate is not None and certificate.voids:
        return None
    if isinstance(estimator, SSRLPLCV):
        return estimator.verdict_
    return None if certificate is None else str(certificate.verdict)


def _how_sure(fitted: Fitted) -> str:
    """Return the error that was measured, or the probability the model claims."""
    model = fitted.model["model"]
    if getattr(model, "nested_error_", None) is not None:
        beside = ", ".join(
            f"{row['name']} {row['loo_error']:.1%}"
            for row in model.score_board_
            if row["name"] in ("logistic regression", "largest class")
        )
        return f"a left-out error of {model.nested_error_:.1%} ({beside})"
    mean = float(fitted.predictions.probability[~fitted.target.is_labeled].mean())
    return f"a mean probability of {'more than 99%' if mean > 0.99 else f'{mean:.0%}'}"


def _selection(estimator: Any) -> dict[str, Any] | None:
    """Return what a search compared, None if there was none."""
    if not isinstance(estimator, SSRLPLCV):
        return None
    results = {name: np.asarray(values).tolist() for name, values in estimator.cv_results_.items()}
    rows = [dict(zip(results, row, strict=True)) for row in zip(*results.values(), strict=True)]
    return {
        "rows": [{name: as_json(value) for name, value in row.items()} for row in rows],
        "loo_error": as_json(estimator.loo_error_),
        "nested_error": as_json(estimator.nested_error_),
        "score_board": estimator.score_board_,
        "uses_unlabeled": bool(estimator.uses_unlabeled_),
        "comparison": None if estimator.comparison_ is None else asdict(estimator.comparison_),
    }


def _features(fitted: Fitted) -> dict[str, Any]:
    """Return which columns matter: weights of a linear map, correlations for a kernel map."""
    kind, weights = "coefficients", linear_weights(fitted.model["model"])
    if weights is None:
        kind = "correlation"
        weights = _correlations(fitted.representation[fitted.sample.rows], fitted.sample.X)
    components = [
        {"component": number, "features": _strongest(row, fitted.feature_names)}
        for number, row in enumerate(weights[: fitted.representation.shape[1]], start=1)
    ]
    return {"kind": kind, "components": components}


def _correlations(Z: Array, X: Array) -> Floats:
    """Return the correlation of each component with each column, 0 where one does not vary."""
    Z, X = (np.asarray(A, dtype=np.float64) - A.mean(axis=0) for A in (Z, X))
    scale = np.outer(np.linalg.norm(Z, axis=0), np.linalg.norm(X, axis=0))
    return np.divide(Z.T @ X, scale, out=np.zeros_like(scale), where=scale > 0)


def _strongest(weights: Array, names: list[str]) -> list[dict[str, Any]]:
    order = np.argsort(-np.abs(weights), kind="stable")[:STRONGEST]
    return [{"name": names[j], "weight": float(weights[j])} for j in order]


def _labels(fitted: Fitted) -> dict[str, Any]:
    unlabeled = np.flatnonzero(~fitted.target.is_labeled)
    found = fitted.predictions
    top = found.probability[unlabeled]
    counts, edges = np.histogram(top, bins=20, range=(0, 1))
    per_class = np.bincount(found.code[unlabeled], minlength=len(fitted.target.classes))
    doubtful = unlabeled[np.argsort(top, kind="stable")[:DOUBTFUL]]
    return {
        "mean_probability": float(top.mean()) if len(top) else None,
        "predicted_per_class": per_class[fitted.target.shown_order].tolist(),
        "histogram": {"edges": edges.round(4).tolist(), "counts": counts.tolist()},
        "doubtful": [doubt(fitted, row) for row in doubtful],
    }


def _suspects(fitted: Fitted) -> dict[str, Any]:
    """Return the given labels that look wrong, or the sentence why there is no such list."""
    found, reason = suspects(fitted), None
    if found is None:
        reason = "It takes the search (--method auto), and a class with two labels."
        return {"reason": reason, "n_found": None, "n_checked": None, "rows": []}
    guessed = no_better_than_guessing(fitted)
    if guessed:
        reason = (
            "Labels that were hidden were found no better than by guessing, so that right ones look"
            " as wrong as wrong ones."
        )
    model = fitted.model["model"]
    checked = len(model.loo_rows_) - model.n_single_  # the only label of a class cannot be judged
    listed = [] if guessed else found[:LISTED]
    return {"reason": reason, "n_found": len(found), "n_checked": checked, "rows": listed}


def report_arrays(fitted: Fitted) -> dict[str, Any]:
    """Return the rows the report draws; their codes are places in the summary's classes."""
    rows, found = fitted.sample.rows, fitted.predictions
    place = np.append(np.argsort(fitted.target.shown_order), UNLABELED)  # of -1: the last one
    return {
        "representation": fitted.representation[rows],
        "given": place[fitted.target.codes[rows]],
        "predicted": place[found.code[rows]],
        "left_out": place[left_out_codes(fitted)[rows]],
        "probability": found.probability[rows],
        "row": [str(name) for name in fitted.ids[rows]],
        "hover": {
            name: [cell_text(value) for value in fitted.sample.frame[name].tolist()]
            for name in fitted.naming_columns
        },
    }
