"""The job on a table that is in memory."""

from __future__ import annotations

from contextlib import nullcontext

from sklearn.pipeline import Pipeline

from .._utils import limits
from ..distributed import connected
from ..tables.column_notes import about_left_out
from ..tables.errors import all_or_complaints
from ..tables.target_leaks import about_telling, filled_with_label
from .auditing import marked_rows, teaching_labels, with_certificate
from .estimators import approximated, fit_estimator, how_long, in_blocks, represent, settle_method
from .options import FitOptions, Steps
from .result import Fitted, Predictions, Sample, collected_warnings, rows_to_show
from .stream import fit_stream, large_table


def fit_table(options: FitOptions, steps: Steps) -> Fitted:
    """Read a table, choose and fit a model, and predict every row."""
    with large_table(options.read, options.target, always=options.dask is not None) as large:
        if large is not None:
            with connected(options.dask) if options.dask else nullcontext():
                fitted, encoded = fit_stream(options, large, steps)
                return with_certificate(fitted, encoded, options, steps)
    with steps.step("Reading the table"):
        raw = options.read.read(target=options.target)
        table = raw.frame[options.candidates(raw.frame.columns)]
        ids = raw.row_names(options.read.id)
        labels, merged = options.merged_labels(raw.column(options.target, "--target"), ids)
        kept = [name for name in raw.images if name in table]
        transformer = options.transformer(raw.decimal, tuple(kept))
        target, columns = all_or_complaints(
            lambda: options.read_target(labels), lambda: transformer.fit(table)
        )
        came_along = {} if options.features else filled_with_label(table, target)
        if came_along:
            table = table.drop(columns=list(came_along))
            columns = options.transformer(raw.decimal, tuple(kept)).fit(table)
        audit = marked_rows(
            options, raw.frame.columns, lambda name: raw.column(name, "--audit"), target
        )
        X = columns.transform(table)
    method, notes = settle_method(options)
    if method == "auto" and len(target.classes) > limits.TOLD_CLASSES:
        steps.say(how_long(len(target.classes), options.n_certifying))
    with collected_warnings(notes):
        estimator = fit_estimator(options, method, X, teaching_labels(target, audit), steps)
        notes += approximated(estimator, len(X))
    with steps.step("Predicting the rows"):
        Z = represent(estimator, X)
        predictions = Predictions.of(in_blocks(estimator.predict_proba, X), target.codes)
    shown = rows_to_show(target.codes, options.seed)
    dropped = [*options.drop, *came_along, *columns.left_out_]
    used = [column.name for column in columns.columns_]
    fitted = Fitted(
        name=raw.name,
        model=Pipeline([("columns", columns), ("model", estimator)]),
        columns=columns,
        dropped=dropped,
        target=target,
        ids=ids,
        id_name=options.read.id,
        representation=Z,
        predictions=predictions,
        sample=Sample(shown, raw.frame.iloc[shown], X[shown]),
        X=X,
        table=raw,
        notes=[
            *raw.notes,
            *merged,
            *about_left_out(came_along),
            *columns.notes_,
            *target.notes,
            *about_telling(table[used], target),
            *notes,
        ],
        audit=audit,
    )
    return with_certificate(fitted, X, options, steps)
