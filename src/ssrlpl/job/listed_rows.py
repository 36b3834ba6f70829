"""Rows that a person should look at, with cells of the table beside them."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from .._utils import limits
from .._utils.types import Ints
from ..active import label_next
from ..labels import UNLABELED
from ..model_selection import SSRLPLCV, suspect_labels
from ..tables.cell_values import as_text, is_missing
from .estimators import map_to_certify
from .result import Fitted

NEXT = 10
"""Rows to label next."""

LISTED = 50
"""Suspect labels that the summary lists; ``suspects.csv`` has all of them."""

PREVIEW_ROWS, PREVIEW_COLUMNS = 5, 12


def doubt(fitted: Fitted, row: int) -> dict[str, Any]:
    """Return a row that a person should look at: its label, and the second best one."""
    names, found = fitted.target.class_names, fitted.predictions
    return {
        "row": str(fitted.ids[row]),
        "label": names[found.code[row]],
        "probability": round(float(found.probability[row]), 4),
        "second": names[found.second[row]],
        "second_probability": round(float(found.second_probability[row]), 4),
        "cells": cells_of(fitted, row),
    }


def cells_of(fitted: Fitted, row: int) -> dict[str, str]:
    """Return the cells that name a row best, as texts; none if it was read and not kept."""
    if fitted.table is not None:
        frame, place = fitted.table.frame, row
    else:
        frame, place = fitted.sample.frame, int(np.searchsorted(fitted.sample.rows, row))
        if place == len(fitted.sample.rows) or fitted.sample.rows[place] != row:
            return {}
    return {name: cell_text(frame[name].iloc[place]) for name in fitted.naming_columns}


def cell_text(value: Any) -> str:
    """Return what a page shows of a cell."""
    if is_missing(value):
        return ""
    text = f"{value:.4g}" if isinstance(value, float) else as_text(value)
    return text if len(text) <= 60 else text[:59] + "…"


def suspects(fitted: Fitted) -> list[dict[str, Any]] | None:
    """Return the given labels that look wrong, None if leave-one-out was not made."""
    model = fitted.model["model"]
    if not isinstance(model, SSRLPLCV) or model.nested_error_ is None:
        return None
    codes = np.searchsorted(fitted.target.classes, model.classes_)
    names = [fitted.target.class_names[code] for code in codes]
    name_of = dict(zip(model.classes_.tolist(), names, strict=True))
    return [
        {
            "row": str(fitted.ids[one["row"]]),
            "given": name_of[one["given"]],
            "likely": name_of[one["likely"]],
            "probability": round(one["probability"], 4),
            "given_probability": round(one["given_probability"], 4),
            "cells": cells_of(fitted, one["row"]),
        }
        for one in suspect_labels(model).to_dict()
    ]


def left_out_codes(fitted: Fitted) -> Ints:
    """Return the class that leave-one-out gives each labeled row, -1 where it was not made."""
    codes, model = np.full(len(fitted.ids), UNLABELED), fitted.model["model"]
    if isinstance(model, SSRLPLCV) and model.nested_error_ is not None:
        codes[model.loo_rows_] = fitted.target.codes[model.loo_rows_]
        for one in suspect_labels(model).to_dict():
            codes[one["row"]] = np.searchsorted(fitted.target.classes, one["likely"])
    return codes


def next_rows(fitted: Fitted, seed: int) -> list[dict[str, Any]]:
    """Return the rows worth labeling next, best first; none if the table is large."""
    if fitted.X is None or len(fitted.X) > limits.CERTIFY_ROWS or fitted.target.is_labeled.all():
        return []
    unfitted, _ = map_to_certify(fitted.model["model"])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # few labels are what this is about
        rows = label_next(unfitted, fitted.X, fitted.target.labels, NEXT, random_state=seed)
    return [doubt(fitted, int(row)) for row in rows]


def preview(fitted: Fitted) -> dict[str, Any]:
    """Return a few rows of the table as texts."""
    frame = fitted.sample.frame.iloc[:PREVIEW_ROWS, :PREVIEW_COLUMNS]
    cells = [[cell_text(v) for v in frame[name].tolist()] for name in frame.columns]
    return {
        "columns": [str(name) for name in frame.columns],
        "n_columns": fitted.sample.frame.shape[1],
        "row": [str(name) for name in fitted.ids[fitted.sample.rows[:PREVIEW_ROWS]]],
        "rows": [list(row) for row in zip(*cells, strict=True)],
    }
