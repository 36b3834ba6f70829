"""Cells of a column, whatever library read them, as numbers, as dates or as text."""

from __future__ import annotations

import datetime
import unicodedata
from collections.abc import Collection
from decimal import Decimal
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._utils.advice import dropped
from ..labels import is_empty
from .errors import TableError

NUMBER, NUMBERS, TEXT, DATE, OTHER = "number", "numbers", "text", "date", "other"


_INVISIBLE = "\u200b\u2060\ufeff\u200e\u200f\u00ad"
"""Characters without a width, which come along from web pages: nobody sees that they are there."""


class Cells(NamedTuple):
    """What a column holds: floats with NaN, strings with None, dates with NaT, or neither.

    Several numbers in each cell are a row of floats for each.
    """

    kind: str
    values: NDArray[Any]
    is_bool: bool = False
    is_category: bool = False
    """The person said so by the type of the column: its texts are never read as numbers."""


def read_cells(column: Any) -> Cells:
    """Return the cells of a pandas column or an array of one dimension.

    Booleans are numbers, blank strings are missing, durations are days.
    """
    dtype = column.dtype
    if str(dtype) == "category":
        return Cells(TEXT, as_texts(_objects(column)), is_category=True)
    kind = getattr(dtype, "kind", "O")
    if kind in "biuf":
        return Cells(NUMBER, _plain(column, np.float64), is_bool=kind == "b")
    if kind == "m":
        return Cells(NUMBER, _days(_plain(column, "timedelta64[ns]")))
    if kind == "M" or str(dtype).startswith(("datetime", "period")):
        return Cells(DATE, _dates(column))
    return _read_objects(_objects(column))


def texts_of(column: Any) -> NDArray[Any]:
    """Return the cells of a column as texts, whatever its type, None where one is missing."""
    return as_texts(_objects(column))


def without_cells(frame: Any, cells: Collection[str], target: str | None) -> Any:
    """Return a table in which the cells that a person calls missing are so, but in the target.

    Examples
    --------
    >>> import pandas as pd
    >>> from ssrlpl.tables.cell_values import without_cells
    >>> frame = pd.DataFrame({"a": [1, -999], "b": ["x", " ?"], "kind": ["?", "?"]})
    >>> without_cells(frame, ["-999", "?"], "kind").isna().sum().tolist()
    [1, 1, 0]
    """
    numbers = [number for cell in cells if (number := _number(cell)) is not None]
    changed = {}
    for name in [name for name in frame.columns if name != target and cells]:
        column = frame[name]
        if column.dtype.kind in "iuf":
            gone = column.isin(numbers)
        elif column.dtype.kind == "O":
            gone = np.array([text in cells for text in texts_of(column)], dtype=bool)
        else:
            continue
        if gone.any():
            changed[name] = column.mask(gone)
    return frame.assign(**changed)


def _number(cell: str) -> float | None:
    try:
        return float(cell)
    except ValueError:
        return None


def _objects(column: Any) -> NDArray[Any]:
    if isinstance(column, np.ndarray):
        return column.astype(object)
    return np.asarray(column.to_numpy(dtype=object, na_value=None))


def _plain(column: Any, dtype: Any) -> NDArray[Any]:
    """Return a column as an array of a type; nullable columns of pandas need the value of a gap."""
    if isinstance(column, np.ndarray):
        return column.astype(dtype)
    if dtype is np.float64:
        return np.asarray(column.to_numpy(dtype=dtype, na_value=np.nan))
    return np.asarray(column.to_numpy(dtype=dtype))


def _days(durations: NDArray[Any]) -> NDArray[np.float64]:
    return np.asarray(durations / np.timedelta64(1, "D"), dtype=np.float64)


def _dates(column: Any) -> NDArray[np.datetime64]:
    """Return dates to the second, as the clock at their place showed them."""
    if isinstance(column, np.ndarray):
        return column.astype("datetime64[s]")
    if str(column.dtype).startswith("period"):
        column = column.dt.to_timestamp()
    elif getattr(column.dtype, "tz", None) is not None:
        column = column.dt.tz_localize(None)
    return np.asarray(column.to_numpy(dtype="datetime64[s]"))


def _read_objects(values: NDArray[Any]) -> Cells:
    present = [v for v in values if not is_missing(v)]
    if all(isinstance(v, str) for v in present):
        return Cells(TEXT, as_texts(values))
    if all(isinstance(v, bool | np.bool_) for v in present):
        return Cells(NUMBER, _floats(values), is_bool=True)
    if all(isinstance(v, Real | Decimal) for v in present):
        return Cells(NUMBER, _floats(values))
    if all(isinstance(v, datetime.date) for v in present):
        return Cells(DATE, _dates_of_objects(values))
    if all(isinstance(v, str | Real | Decimal | datetime.date | datetime.time) for v in present):
        return Cells(TEXT, as_texts(values))
    return Cells(OTHER, values)


def _dates_of_objects(values: NDArray[Any]) -> NDArray[np.datetime64]:
    plain = [
        v.replace(tzinfo=None) if isinstance(v, datetime.datetime) else v for v in values.tolist()
    ]
    return np.array([None if is_missing(v) else v for v in plain], dtype="datetime64[s]")


def is_missing(value: Any) -> bool:
    """Tell whether a cell is empty; a blank one is, too."""
    return is_empty(value.strip() if isinstance(value, str) else value)


def as_text(value: Any) -> str:
    """Write a cell; whole floats as ints, because a missing cell makes floats of a column.

    Days that a spreadsheet keeps as a time of day, midnight, are written as days.
    """
    if isinstance(value, datetime.datetime) and value.time() == datetime.time():
        return str(value.date())
    if isinstance(value, float | np.floating) and float(value).is_integer():
        return str(int(value))
    return str(value)


def as_texts(values: NDArray[Any]) -> NDArray[Any]:
    """Write cells, None where one is missing; texts that look the same are the same."""
    texts = np.empty(len(values), dtype=object)
    texts[:] = [None if is_missing(v) else tidy(as_text(v)) for v in values]
    return texts


def tidy(text: str) -> str:
    r"""Return a text without blanks around it and characters that nobody sees.

    Letters with an accent are one character, however they were typed.

    Examples
    --------
    >>> from ssrlpl.tables.cell_values import tidy
    >>> tidy("cafe\u0301\u200b "), len(tidy("cafe\u0301"))
    ('café', 4)
    """
    if not text.isascii():
        text = unicodedata.normalize("NFC", text.strip().strip(_INVISIBLE))
    return text.strip()


def _floats(values: NDArray[Any]) -> NDArray[np.float64]:
    return np.array([np.nan if is_missing(v) else float(v) for v in values], dtype=np.float64)


def check_finite(values: NDArray[np.float64], name: str) -> None:
    """Refuse infinite numbers: no scaling repairs them."""
    infinite = np.isinf(values)
    if infinite.any():
        raise TableError(infinite_cell(name, int(infinite.argmax())))


def infinite_cell(name: str, row: int) -> str:
    """Return the sentence about an infinite number."""
    return (
        f"Column {name!r} holds an infinite number in row {row}: correct the cell or leave it"
        f" empty, or leave the column out with {dropped([name])}."
    )
