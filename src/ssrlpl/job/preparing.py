"""What both ways through a table, whole or in chunks, do before a model is fitted."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..tables import Columns, Evidence, RawTable, choose_columns, read_table
from ..tables.cells import as_text
from ..tables.choice import candidates
from .options import FitOptions, ReadOptions


def read_raw(options: ReadOptions, *, target: str | None) -> RawTable:
    """Read a table as the options say."""
    return read_table(
        options.table,
        target=target,
        missing=options.missing,
        sheet=options.sheet,
        array=options.array,
    )


def feature_candidates(names: Any, options: FitOptions) -> list[str]:
    """Return the columns that may be features."""
    reserved = {"--target": options.target}
    if options.read.id is not None:
        reserved["--id"] = options.read.id
    return candidates(
        names, features=list(options.features), drop=list(options.drop), reserved=reserved
    )


def settle_columns(evidence: Evidence, options: FitOptions) -> Columns:
    """Judge the columns as the options say; those left out by hand are listed as dropped."""
    chosen = choose_columns(
        evidence, explicit=bool(options.features), max_categories=options.max_categories
    )
    dropped = [*options.drop, *chosen.dropped]
    return Columns(chosen.numbers, chosen.texts, dropped, chosen.notes)


def row_ids(raw: RawTable, id_column: str | None) -> NDArray[Any]:
    """Return what names the rows: a column, or their numbers from 0 as in pandas."""
    if id_column is None:
        return np.arange(len(raw.frame))
    return ids_of(raw.column(id_column, "--id"))


def ids_of(column: Any) -> NDArray[Any]:
    """Return the cells of a column as text."""
    return np.array([as_text(value) for value in column.tolist()], dtype=object)


@contextmanager
def collected_warnings(notes: list[str]) -> Iterator[None]:
    """Turn the warnings of the libraries into notes, each once."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    for warning in caught:
        sentence = " ".join(str(warning.message).split())
        if issubclass(warning.category, UserWarning) and sentence not in notes:
            notes.append(sentence)
