"""Apply a model from a file to new tables."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from .. import certify, label_next
from .._utils import limits
from .._utils.types import Array, Ints
from .._utils.user_warnings import warn_user
from ..persistence import ModelFile, ModelFileError, load_file
from ..tables import RawTable, TableError, TableTransformer, Target, read_target
from ..tables.class_names import counting_order
from .estimators import map_to_certify, represent
from .filled_table import beside_labels
from .options import ReadOptions
from .output import component_columns
from .stream import large_table


@dataclass(frozen=True)
class TableModel:
    """A model that was fitted to a table by 'ssrlpl fit'."""

    file: ModelFile
    path: Path

    @property
    def estimator(self) -> Any:
        """The last step of the model."""
        return self.file.model["model"]

    def encode(self, frame: Any) -> Array:
        """Treat rows as those of the first table were; a warning says which categories are new."""
        return np.asarray(self.file.model["columns"].transform(frame))


class Part(NamedTuple):
    """Rows to write: columns by name, and the marks of CSV that opens where the table came from.

    Without marks it is the CSV that scripts read.
    """

    columns: dict[str, Any]
    marks: Mapping[str, str] | None = None


def open_model(path: str | Path) -> TableModel:
    """Load a model that 'ssrlpl fit' wrote."""
    file = load_file(path)
    if "target" not in file.about:
        raise ModelFileError(
            f"{path} holds a model that was not fitted to a table by 'ssrlpl fit': load it in"
            " Python with ssrlpl.load."
        )
    if not isinstance(file.model["columns"], TableTransformer):
        raise ModelFileError(
            f"{path} was written by an older version of 'ssrlpl fit', which treated columns in"
            " another way: fit the table again."
        )
    return TableModel(file, Path(path))


def transform_rows(model: str | Path, read: ReadOptions) -> Iterator[Part]:
    """Yield the representation of a table, chunk by chunk."""
    opened = open_model(model)
    for ids, raw in _chunks(opened, read):
        Z = represent(opened.estimator, opened.encode(raw.frame))
        yield Part({"row": ids} | component_columns(Z))


def predict_rows(
    model: str | Path, read: ReadOptions, *, all_classes: bool = False, with_table: bool = False
) -> Iterator[Part]:
    """Yield the predicted labels of a table, chunk by chunk.

    ``with_table`` yields the columns of the table as well, and no names of rows.
    """
    opened = open_model(model)
    target, is_cut = opened.file.about["target"], opened.file.about["edges"] is not None
    classes = opened.estimator.classes_
    for ids, raw in _chunks(opened, read):
        P = opened.estimator.predict_proba(opened.encode(raw.frame))
        found = {"label": classes[P.argmax(axis=1)], "probability": _top(P)}
        if all_classes:
            names = opened.file.about["classes"]
            found |= {f"p({names[c]})": P[:, c].round(6) for c in counting_order(names)}
        if with_table:
            filled = beside_labels(raw.frame, found, target, is_cut=is_cut)
            yield Part(filled, raw.for_spreadsheet)
        else:
            yield Part({"row": ids} | found)


def _top(P: Array) -> Array:
    return P.max(axis=1).round(6)


def _chunks(model: TableModel, read: ReadOptions) -> Iterator[tuple[Array, RawTable]]:
    """Yield ids and rows: large tables and several files in chunks, others at once."""
    with large_table(read, model.file.about["target"]) as large:
        if large is None:
            raw = read.read(target=model.file.about["target"])
            yield raw.row_names(read.id), raw
            return
        start = 0
        for chunk in large.chunks():
            raw = RawTable(large.name, chunk, decimal=large.decimal, sep=large.sep)
            yield raw.row_names(read.id, start), raw
            start += len(chunk)


def labeled_table(
    model: TableModel, read: ReadOptions, target: str | None, unlabeled: str | None
) -> tuple[RawTable, Target]:
    """Read a table and its labels, as when the model was fitted."""
    name = target or model.file.about["target"]
    raw = read.read(target=name)
    column, edges = raw.column(name, "--target"), model.file.about["edges"]
    # What was a class when the model was fitted is one now: bins=0 asks no questions.
    return raw, read_target(column, name, unlabeled=unlabeled, bins=0, edges=edges)


def certify_table(
    model: str | Path,
    read: ReadOptions,
    *,
    target: str | None = None,
    unlabeled: str | None = None,
    method: str = "calibration",
    confidence: float = 0.95,
    seed: int = 0,
) -> tuple[Any, str | None]:
    """Certify the map of a model on a partially labeled table.

    A sentence comes with the certificate if that is about another map than the model's.
    """
    opened = open_model(model)
    raw, labels = labeled_table(opened, read, target, unlabeled)
    unfitted, reason = map_to_certify(opened.estimator)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what voids a certificate is written in it
        found = certify(
            unfitted,
            opened.encode(raw.frame),
            labels.labels,
            method=method,
            confidence=confidence,
            random_state=seed,
        )
    return found, reason


def rows_to_label(
    model: str | Path,
    read: ReadOptions,
    n: int,
    *,
    target: str | None = None,
    unlabeled: str | None = None,
    seed: int = 0,
) -> Part:
    """Return the rows of a table worth labeling next, best first."""
    opened = open_model(model)
    raw, labels = labeled_table(opened, read, target, unlabeled)
    if labels.is_labeled.all():
        raise TableError(f"Every row has a label in {labels.name!r}: none is left to label.")
    X, y = opened.encode(raw.frame), labels.labels
    considered = _considered(labels, seed)
    unfitted, _ = map_to_certify(opened.estimator)
    rows = considered[label_next(unfitted, X[considered], y[considered], n, random_state=seed)]
    P = opened.estimator.predict_proba(X[rows])
    guess = opened.estimator.classes_[P.argmax(axis=1)]
    found = {"row": raw.row_names(read.id)[rows], "guess": guess, "probability": _top(P)}
    return Part(with_cells(found, raw.frame.iloc[rows]), raw.for_spreadsheet)


def with_cells(columns: dict[str, Any], frame: Any) -> dict[str, Any]:
    """Add the cells of a table to columns by name; if a name is taken, "(table)" is added."""
    return columns | {
        f"{name} (table)" if str(name) in columns else str(name): frame[name].to_numpy()
        for name in frame.columns
    }


def _considered(labels: Target, seed: int) -> Ints:
    """Return all labeled rows and at most ``limits.NEXT_ROWS`` others."""
    others = np.flatnonzero(~labels.is_labeled)
    if len(others) > limits.NEXT_ROWS:
        warn_user(
            f"Of {len(others):,} unlabeled rows a random sample of {limits.NEXT_ROWS:,} was"
            " considered."
        )
    others = np.random.default_rng(seed).permutation(others)[: limits.NEXT_ROWS]
    return np.sort(np.concatenate([np.flatnonzero(labels.is_labeled), others]))
