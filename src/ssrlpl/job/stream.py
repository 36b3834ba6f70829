"""The job on a table that is read in chunks, never in memory as a whole; here or on a cluster.

Labels and the names of rows are read first, and stay in memory, as the results of all rows do. A
pass over the table collects what the treatment of the columns needs. Then the estimator is fitted
to the encoded chunks, see :mod:`ssrlpl.distributed`, and a last pass predicts.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline

from .._utils import limits
from .._utils.types import Array, Floats, Ints
from ..baselines.registry import BASELINES
from ..distributed import Chunks, collected, each, table_of
from ..tables import LargeTable, RawTable, TableError, TableTransformer, Target
from ..tables.errors import unknown_column
from ..tables.large_files import files_of, text_as_parquet
from ..tables.table_files import format_of
from ..tables.unpacking import packing_of, unpacked_size
from .auditing import marked_rows, teaching_labels
from .estimators import fit_estimator, represent, settle_method
from .options import FitOptions, ReadOptions, Steps
from .result import Fitted, Predictions, Sample, collected_warnings, rows_to_show


@contextmanager
def large_table(
    read: ReadOptions, target: str | None, *, always: bool = False
) -> Iterator[LargeTable | None]:
    """Yield a table to read in chunks, None if it is one to read at once.

    Several files, and with ``always`` any file that can be, are read in chunks. A large CSV file
    is written as a Parquet file to a temporary folder, which is removed afterwards.
    """
    files = [] if read.table == "-" else files_of(read.table)
    kinds = {format_of(path) for path in files if path.is_file()}
    if kinds and kinds <= {"parquet", "arrow"}:
        name = None if len(files) == 1 else read.table
        table = LargeTable(files, name, missing=read.missing, target=target)
        is_large = table.n_rows > limits.STREAM_ROWS
        yield table if always or len(files) > 1 or is_large else None
    elif always or len(files) > 1:
        raise TableError(
            f"Several files, and --dask, need Parquet or Arrow files. Got {read.table!r}: convert"
            " them first, as pyarrow.dataset.write_dataset does."
        )
    elif kinds & {"CSV", "TSV"} and _is_long_text(files[0]):
        with TemporaryDirectory(prefix="ssrlpl-") as folder:
            how = read.text_format()
            yield text_as_parquet(files[0], how, target, read.missing, Path(folder))
    else:
        yield None


def _is_long_text(path: Path) -> bool:
    if packing_of(path) in ("zip", "zst"):  # pandas reads them as a whole
        return False
    return unpacked_size(path, limits.STREAM_BYTES) > limits.STREAM_BYTES


def fit_stream(options: FitOptions, table: LargeTable, steps: Steps) -> tuple[Fitted, Any]:
    """Fit a model to a table in chunks and predict every row; return the encoded chunks, too."""
    if options.method in BASELINES:
        raise TableError(
            f"--method {options.method} needs the whole table in memory. Got one that is read in"
            " chunks: pass a sample of its rows as one file, or --method auto."
        )
    method, notes = settle_method(options)
    searched = " Settings were searched in a seeded sample of them." if method == "auto" else ""
    notes += [
        *table.notes,
        f"The table was read in {len(table.lengths):,} chunks of at most {limits.CHUNK_ROWS:,}"
        f" rows.{searched}",
    ]
    with steps.step("Reading the labels"):
        ids = _read_ids(options, table)
        labels = _whole_column(table, options.target, "--target")
        labels, merged = options.merged_labels(labels, ids)
        target = options.read_target(labels)
        audit = marked_rows(
            options, table.names, lambda name: _whole_column(table, name, "--audit"), target
        )
    columns = _look_at_columns(options, table, steps)
    X = _encoded(options, table, columns)
    with collected_warnings(notes):
        labels = teaching_labels(target, audit)
        estimator = fit_estimator(options, method, X, labels, steps)
    with steps.step("Predicting the rows"):
        Z, predictions, sample = _predicted(options, table, target, columns, estimator)
    fitted = Fitted(
        name=table.name,
        model=Pipeline([("columns", columns), ("model", estimator)]),
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
        audit=audit,
    )
    return fitted, X


def _read_ids(options: FitOptions, table: LargeTable) -> Array:
    if options.read.id is None:
        return np.arange(table.n_rows)
    column = _whole_column(table, options.read.id, "--id")
    return RawTable(table.name, column.to_frame()).row_names(options.read.id)


def _whole_column(table: LargeTable, name: str, option: str) -> Any:
    import pandas as pd

    if name not in table.names:
        raise unknown_column(name, table.names, option)
    return pd.concat([chunk[name] for chunk in table.chunks([name])], ignore_index=True)


def _look_at_columns(options: FitOptions, table: LargeTable, steps: Steps) -> TableTransformer:
    """Return what turns rows into numbers, fitted."""
    names = options.candidates(table.names)
    transformer = options.transformer(table.decimal)
    evidence = transformer.new_evidence(names)
    with steps.step("Looking at the columns", table.n_rows) as advance:
        for chunk in table.chunks(names):
            evidence.add(chunk)
            advance(len(chunk))
    return transformer.fit_evidence(evidence)


def _raw_parts(options: FitOptions, table: LargeTable, names: list[str] | None) -> list[Any]:
    """Return the chunks of a table, to be read where they are used."""
    loaders = table.loaders(names)
    if options.dask is None:
        return Chunks(loaders).chunk_parts
    from dask import delayed

    return [delayed(load, pure=False, traverse=False)() for load in loaders]


def _encoded(options: FitOptions, table: LargeTable, columns: TableTransformer) -> Any:
    """Return the table as numbers, in chunks that are read where they are used."""
    used = [column.name for column in columns.columns_]
    encoded = each(_encode, _raw_parts(options, table, used), shared=(columns,))
    return table_of(encoded, table.lengths, len(columns.get_feature_names_out()), np.float64)


def _encode(chunk: Any, columns: TableTransformer) -> Floats:
    return columns.transform(chunk)


class _Said(NamedTuple):
    """What is known of the rows of a chunk, and the cells and numbers of rows to draw."""

    Z: NDArray[np.float32]
    predictions: Predictions
    frame: Any
    X: Array


def _predicted(
    options: FitOptions,
    table: LargeTable,
    target: Target,
    columns: TableTransformer,
    estimator: Any,
) -> tuple[NDArray[np.float32], Predictions, Sample]:
    """Return the representation and the predictions of all rows, and the rows to draw."""
    import pandas as pd

    shown, ends = rows_to_show(target.codes, options.seed), np.cumsum(table.lengths)
    drawn = np.split(shown, np.searchsorted(shown, ends[:-1]))
    here = [rows - start for rows, start in zip(drawn, ends - table.lengths, strict=True)]
    parts = each(
        _say,
        _raw_parts(options, table, None),
        np.split(target.codes, ends[:-1]),
        here,
        shared=(columns, estimator),
    )
    said = collected(parts)
    frame = pd.concat([one.frame for one in said], ignore_index=True)
    sample = Sample(shown, frame, np.concatenate([one.X for one in said]))
    Z = np.concatenate([one.Z for one in said])
    return Z, Predictions.join([one.predictions for one in said]), sample


def _say(chunk: Any, codes: Ints, rows: Ints, columns: TableTransformer, estimator: Any) -> _Said:
    X = columns.transform(chunk)
    predictions = Predictions.of(estimator.predict_proba(X), codes)
    return _Said(represent(estimator, X), predictions, chunk.iloc[rows], X[rows])
