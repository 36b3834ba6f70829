"""The job on a large Parquet table: linear map, read in chunks, never in memory as a whole.

The labels are read first. A pass over the table collects what the treatment of the columns needs
and the labeled rows; a second one gives the other rows to ``SSRLPL.partial_fit``, which needs the
labeled rows before them; a third one predicts.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import Pipeline, make_pipeline

from .. import SSRLPLClassifier
from .._utils import limits
from ..labels import read_codes_only
from ..tables import (
    Columns,
    Evidence,
    ParquetTable,
    RawTable,
    Target,
    feature_names,
    model_inputs,
    read_target,
    treatment_from_evidence,
)
from ..tables.errors import unknown_column
from .estimators import make_map, represent
from .options import FitOptions, Steps
from .result import Fitted, Predictions, Sample, collected_warnings, rows_to_show


def fit_stream(options: FitOptions, table: ParquetTable, steps: Steps) -> Fitted:
    """Fit the linear map to a table in chunks and predict every row."""
    notes = [
        *table.notes,
        f"The table was read in chunks of {limits.CHUNK_ROWS:,} rows and given to the linear map.",
    ]
    target = _read_labels(options, table)
    columns, labeled, treatment = _first_pass(options, table, target, steps)
    with collected_warnings(notes):
        map_ = _second_pass(options, table, target, (columns, labeled, treatment), steps)
        estimator = SSRLPLClassifier(make_pipeline(FrozenEstimator(map_)), unlabeled=None)
        estimator.fit(_encode(treatment, labeled, columns), target.labels[target.is_labeled])
    model = Pipeline([("columns", treatment), ("model", estimator)])
    Z, predictions, sample = _third_pass(options, table, target, (columns, model), steps)
    return Fitted(
        name=table.path.name,
        model=model,
        columns=columns,
        target=target,
        ids=_read_ids(options, table),
        id_name=options.read.id,
        feature_names=feature_names(treatment),
        representation=Z,
        predictions=predictions,
        sample=sample,
        X=None,
        notes=[*notes, *columns.notes, *target.notes],
    )


def _read_labels(options: FitOptions, table: ParquetTable) -> Target:
    column = _whole_column(table, options.target, "--target")
    return read_target(column, options.target, unlabeled=options.unlabeled)


def _read_ids(options: FitOptions, table: ParquetTable) -> NDArray[Any]:
    if options.read.id is None:
        return np.arange(table.n_rows)
    column = _whole_column(table, options.read.id, "--id")
    return RawTable(table.path.name, column.to_frame()).row_names(options.read.id)


def _whole_column(table: ParquetTable, name: str, option: str) -> Any:
    import pandas as pd

    if name not in table.names:
        raise unknown_column(name, table.names, option)
    return pd.concat([chunk[name] for chunk in table.chunks([name])], ignore_index=True)


def _first_pass(
    options: FitOptions, table: ParquetTable, target: Target, steps: Steps
) -> tuple[Columns, Any, Any]:
    """Return the columns to use, the labeled rows and the fitted treatment."""
    import pandas as pd

    names = options.candidates(table.names)
    evidence, labeled, start = Evidence(names), [], 0
    with steps.step("Looking at the columns", table.n_rows) as advance:
        for chunk in table.chunks(names):
            given = target.is_labeled[start : start + len(chunk)]
            evidence.add(chunk)
            labeled.append(chunk[given])
            start += len(chunk)
            advance(len(chunk))
    columns = options.columns(evidence)
    treatment = treatment_from_evidence(columns, evidence, scale=options.scale)
    return columns, pd.concat(labeled, ignore_index=True), treatment


def _second_pass(
    options: FitOptions,
    table: ParquetTable,
    target: Target,
    found: tuple[Columns, Any, Any],
    steps: Steps,
) -> Any:
    """Return the fitted map."""
    columns, labeled, treatment = found
    # The map is given codes, as inside SSRLPLClassifier.
    map_ = read_codes_only(make_map(options, "linear"))
    map_.partial_fit(_encode(treatment, labeled, columns), target.codes[target.is_labeled])
    start = 0
    with steps.step("Fitting the map", table.n_rows) as advance:
        for chunk in table.chunks(columns.used):
            unlabeled = ~target.is_labeled[start : start + len(chunk)]
            if unlabeled.any():
                map_.partial_fit(_encode(treatment, chunk[unlabeled], columns))
            start += len(chunk)
            advance(len(chunk))
    return map_


def _third_pass(
    options: FitOptions,
    table: ParquetTable,
    target: Target,
    fitted: tuple[Columns, Any],
    steps: Steps,
) -> tuple[NDArray[np.float32], Predictions, Sample]:
    """Return the representation and the predictions of all rows, and the rows to draw."""
    import pandas as pd

    columns, model = fitted
    shown = rows_to_show(target.codes, options.seed)
    parts, predictions, frames, encoded, start = [], [], [], [], 0
    with steps.step("Predicting the rows", table.n_rows) as advance:
        for chunk in table.chunks():
            X = _encode(model["columns"], chunk, columns)
            codes = target.codes[start : start + len(chunk)]
            parts.append(represent(model["model"], X))
            predictions.append(Predictions.of(model["model"].predict_proba(X), codes))
            here = shown[(shown >= start) & (shown < start + len(chunk))] - start
            frames.append(chunk.iloc[here])
            encoded.append(X[here])
            start += len(chunk)
            advance(len(chunk))
    sample = Sample(shown, pd.concat(frames, ignore_index=True), np.concatenate(encoded))
    return np.concatenate(parts), Predictions.join(predictions), sample


def _encode(treatment: Any, frame: Any, columns: Columns) -> NDArray[Any]:
    return treatment.transform(model_inputs(frame, columns.numbers, columns.texts))
