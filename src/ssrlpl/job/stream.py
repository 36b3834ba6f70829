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
from ..tables import ParquetTable, RawTable, TableTransformer, Target
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
    with steps.step("Reading the labels"):
        ids = _read_ids(options, table)
        labels = _whole_column(table, options.target, "--target")
        labels, merged = options.merged_labels(labels, ids)
        target = options.read_target(labels)
    columns, labeled = _first_pass(options, table, target, steps)
    X = columns.transform(labeled)
    with collected_warnings(notes):
        map_ = _second_pass(options, table, target, (columns, X), steps)
        estimator = SSRLPLClassifier(make_pipeline(FrozenEstimator(map_)), unlabeled=None)
        with steps.step("Fitting the classifier"):
            estimator.fit(X, target.labels[target.is_labeled])
    model = Pipeline([("columns", columns), ("model", estimator)])
    Z, predictions, sample = _third_pass(options, table, target, model, steps)
    return Fitted(
        name=table.path.name,
        model=model,
        columns=columns,
        dropped=[*options.drop, *columns.left_out_],
        target=target,
        ids=ids,
        id_name=options.read.id,
        representation=Z,
        predictions=predictions,
        sample=sample,
        X=None,
        notes=[*notes, *merged, *columns.notes_, *target.notes],
    )


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
) -> tuple[TableTransformer, Any]:
    """Return what turns rows into numbers, fitted, and the labeled rows."""
    import pandas as pd

    names = options.candidates(table.names)
    transformer = options.transformer()
    evidence, labeled, start = transformer.new_evidence(names), [], 0
    with steps.step("Looking at the columns", table.n_rows) as advance:
        for chunk in table.chunks(names):
            given = target.is_labeled[start : start + len(chunk)]
            evidence.add(chunk)
            labeled.append(chunk[given])
            start += len(chunk)
            advance(len(chunk))
    return transformer.fit_evidence(evidence), pd.concat(labeled, ignore_index=True)


def _second_pass(
    options: FitOptions,
    table: ParquetTable,
    target: Target,
    found: tuple[TableTransformer, NDArray[Any]],
    steps: Steps,
) -> Any:
    """Return the fitted map."""
    columns, X = found
    # The map is given codes, as inside SSRLPLClassifier.
    map_ = read_codes_only(make_map(options, "linear"))
    map_.partial_fit(X, target.codes[target.is_labeled])
    start = 0
    with steps.step("Fitting the map", table.n_rows) as advance:
        for chunk in table.chunks([column.name for column in columns.columns_]):
            unlabeled = ~target.is_labeled[start : start + len(chunk)]
            if unlabeled.any():
                map_.partial_fit(columns.transform(chunk[unlabeled]))
            start += len(chunk)
            advance(len(chunk))
    return map_


def _third_pass(
    options: FitOptions,
    table: ParquetTable,
    target: Target,
    model: Pipeline,
    steps: Steps,
) -> tuple[NDArray[np.float32], Predictions, Sample]:
    """Return the representation and the predictions of all rows, and the rows to draw."""
    import pandas as pd

    shown = rows_to_show(target.codes, options.seed)
    parts, predictions, frames, encoded, start = [], [], [], [], 0
    with steps.step("Predicting the rows", table.n_rows) as advance:
        for chunk in table.chunks():
            X = model["columns"].transform(chunk)
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
