"""Columns that came with the labels: they know what no row without a label can know."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._utils.advice import dropped, either
from .._utils.printing import listed
from .cell_values import texts_of
from .target import Target

FEWEST = 10
"""Labeled rows, and unlabeled ones, from which on a column is judged."""

ALONE = 0.01
"""Share of the unlabeled rows that may have a cell in a column that came with the labels."""

ROWS_A_VALUE = 5
"""Labeled rows for each value of a column that is said to tell the label."""


def filled_with_label(table: Any, target: Target) -> dict[str, str]:
    """Return the columns that have cells only where the target has a label, with the reason.

    Such as who gave the label, and when, or a copy of it: rows without a label have none, so what
    a model learns from them is of no use there.
    """
    labeled = target.is_labeled
    if min(labeled.sum(), (~labeled).sum()) < FEWEST:
        return {}
    there = table.notna().to_numpy()
    came = (there[~labeled].mean(axis=0) <= ALONE) & (there[labeled].mean(axis=0) >= 0.5)
    reason = (
        f"has cells only where {target.name!r} has a label, so it came with the labels"
        f"{either(' (name it in --features to use it)', '')}"
    )
    return {str(name): reason for name in table.columns[came]}


def about_telling(table: Any, target: Target) -> list[str]:
    """Point out columns of which each value has one class only: they may be made of the labels."""
    labeled = np.flatnonzero(target.is_labeled)
    codes = target.codes[labeled]
    few = len(labeled) // ROWS_A_VALUE
    rows = table.iloc[labeled]
    telling = []
    for name in table.columns:
        column = rows[name]
        if column.dtype.kind == "f" and len(set(column.tolist())) > few:  # most columns: at once
            continue
        values = texts_of(column).tolist()
        distinct = len(set(values))
        if len(target.classes) <= distinct <= min(few, 3 * len(target.classes)):
            pairs = len(set(zip(values, codes.tolist(), strict=True)))
            telling += [str(name)] * (pairs == distinct)
    if not telling:
        return []
    which, one = listed(map(repr, telling), 5), len(telling) == 1
    return [
        f"{which} alone {'tells' if one else 'tell'} the label of every labeled row: pass"
        f" {dropped(telling[:5])} if {'it was' if one else 'they were'} made from the labels."
    ]
