"""The person's own table with its labels filled in, to be opened in a spreadsheet."""

from __future__ import annotations

from typing import Any

from .._utils import limits
from ..tables.file_kinds import EXCEL
from ..tables.naming import unique_names
from ..tables.table_files import RawTable
from ..tables.table_writing import SHEET_COLUMNS
from .result import Fitted

FILLED = {"csv": "filled.csv", "xlsx": "filled.xlsx"}
"""Names of the file by its kind."""


def filled_table(fitted: Fitted) -> dict[str, Any] | None:
    """Return the columns of the table, as it was read, with a label in every row.

    What is known of the labels stands behind them. None if the table was read in chunks, or is too
    large for a spreadsheet.
    """
    if fitted.table is None or fitted.table.frame.size > limits.FILLED_CELLS:
        return None
    is_cut = fitted.target.edges is not None
    return beside_labels(
        fitted.table.frame, about_labels(fitted), fitted.target.name, is_cut=is_cut
    )


def beside_labels(
    frame: Any, about: dict[str, Any], target: str, *, is_cut: bool
) -> dict[str, Any]:
    """Return the columns of a table with labels in the target's column, then what is known of them.

    Numbers that were cut into classes stay, and the classes get a column of their own.
    """
    columns = {name: _written(cells) for name, cells in frame.items()}
    known = {name: values for name, values in about.items() if name != "label"}
    if is_cut:
        known = {f"{target}, class": about["label"]} | known
    else:
        columns[target] = about["label"]
    names, _ = unique_names([*columns, *known])
    return dict(zip(names, [*columns.values(), *known.values()], strict=True))


def about_labels(fitted: Fitted) -> dict[str, Any]:
    """Return what is said about each row: its label, the model's probability of it, who gave it."""
    known = {
        "label": fitted.labels,
        "probability": fitted.label_probability.astype(float).round(6),
        "given": fitted.target.is_labeled,
    }
    return known if fitted.accepted is None else known | {"accepted": fitted.accepted}


def kind_of_filled(table: RawTable, n_columns: int) -> str:
    """Return how the file is written: as a workbook if the table came as one, and if it fits."""
    return "xlsx" if table.kind == EXCEL and n_columns <= SHEET_COLUMNS else "csv"


def _written(cells: Any) -> Any:
    """Return a column as a person wrote it: whole numbers beside empty cells became decimal."""
    if cells.dtype.kind == "f" and cells.isna().any() and (cells.dropna() % 1 == 0).all():
        return cells.astype("Int64") if cells.abs().max() < 2**53 else cells
    return cells
