"""Cells of a column, whatever library read them, as numbers or as text."""

from __future__ import annotations

import datetime
import shlex
from decimal import Decimal
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..labels import is_empty
from .errors import TableError

NUMBER, TEXT, DATE, OTHER = "number", "text", "date", "other"


class Cells(NamedTuple):
    """What a column holds: floats with NaN, or strings with None, or neither."""

    kind: str
    values: NDArray[Any]
    is_bool: bool = False


def read_cells(column: Any) -> Cells:
    """Return the cells of a pandas column; booleans are numbers, blank strings are missing."""
    dtype = column.dtype
    if str(dtype) == "category":
        return read_cells(column.astype(dtype.categories.dtype))
    kind = getattr(dtype, "kind", "O")
    if kind in "biuf":
        values = column.to_numpy(dtype=np.float64, na_value=np.nan)
        return Cells(NUMBER, values, is_bool=kind == "b")
    if kind in "mM" or "period" in str(dtype):
        return Cells(DATE, column.astype(object).to_numpy())
    values = column.to_numpy(dtype=object, na_value=None)
    return _read_objects(values)


def _read_objects(values: NDArray[Any]) -> Cells:
    present = [v for v in values if not is_missing(v)]
    if all(isinstance(v, str) for v in present):
        return Cells(TEXT, _texts(values))
    if all(isinstance(v, bool | np.bool_) for v in present):
        return Cells(NUMBER, _floats(values), is_bool=True)
    if all(isinstance(v, Real | Decimal) for v in present):
        return Cells(NUMBER, _floats(values))
    if any(isinstance(v, datetime.date | datetime.time | datetime.timedelta) for v in present):
        return Cells(DATE, values)
    if all(isinstance(v, str | Real | Decimal) for v in present):
        return Cells(TEXT, _texts(values))
    return Cells(OTHER, values)


def is_missing(value: Any) -> bool:
    """Tell whether a cell is empty; a blank one is, too."""
    return is_empty(value.strip() if isinstance(value, str) else value)


def as_text(value: Any) -> str:
    """Write a cell; whole floats as ints, because a missing cell makes floats of a column."""
    if isinstance(value, float | np.floating) and float(value).is_integer():
        return str(int(value))
    return str(value)


def _texts(values: NDArray[Any]) -> NDArray[Any]:
    texts = np.empty(len(values), dtype=object)
    texts[:] = [None if is_missing(v) else as_text(v) for v in values]
    return texts


def _floats(values: NDArray[Any]) -> NDArray[np.float64]:
    return np.array([np.nan if is_missing(v) else float(v) for v in values], dtype=np.float64)


def model_inputs(frame: Any, numbers: list[str], texts: list[str]) -> Any:
    """Return the columns a model was fitted on, as floats and as strings, or say what is wrong.

    Other columns of the frame are left aside.
    """
    import pandas as pd

    absent = [name for name in (*numbers, *texts) if name not in frame.columns]
    if absent:
        raise TableError(
            f"The model was fitted with a column {absent[0]!r}, which the table does not have"
            f" ({len(absent)} of {len(numbers) + len(texts)} columns are missing): pass a table"
            " with the columns of the first one."
        )
    columns = {name: _as_numbers(frame[name], name) for name in numbers}
    # As objects, so that pandas leaves the strings and scikit-learn finds the gaps as NaN.
    columns |= {name: pd.Series(_as_categories(frame[name]), dtype=object) for name in texts}
    return pd.DataFrame(columns, index=range(len(frame)), copy=False)


def _as_numbers(column: Any, name: str) -> NDArray[np.float64]:
    cells = read_cells(column)
    if cells.kind == TEXT and all(v is None for v in cells.values):
        return np.full(len(cells.values), np.nan)
    if cells.kind != NUMBER:
        row, odd = next(
            (i, v) for i, v in enumerate(cells.values) if not is_missing(v) and not _is_number(v)
        )
        raise TableError(
            f"Column {name!r} must hold numbers, as in the table the model was fitted on. Got"
            f" {odd!r} in row {row}: correct the cell, or leave it empty."
        )
    check_finite(cells.values, name)
    return cells.values


def _is_number(value: Any) -> bool:
    try:
        float(value)
    except (TypeError, ValueError):
        return False
    return True


def check_finite(values: NDArray[np.float64], name: str, first_row: int = 0) -> None:
    """Refuse infinite numbers: no scaling repairs them."""
    infinite = np.isinf(values)
    if infinite.any():
        raise TableError(
            f"Column {name!r} holds an infinite number in row {first_row + int(infinite.argmax())}:"
            " correct the cell or leave it empty, or leave the column out with --drop"
            f" {shell(name)}."
        )


def _as_categories(column: Any) -> NDArray[Any]:
    texts = _texts(column.to_numpy(dtype=object, na_value=None))
    texts[[text is None for text in texts]] = np.nan
    return texts


def shell(name: str) -> str:
    """Write a column name as it must be typed in a shell."""
    return shlex.quote(name)
