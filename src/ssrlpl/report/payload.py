"""The points of the plot as JSON: numbers in base64, so that 20,000 rows stay a small page."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np

from .._utils import limits
from .._utils.types import Array, Ints
from .palette import SYMBOLS, color_index, symbol, symbol_3d

_LONGEST = 120  # characters of a cell that the hover card shows
_ALIGNED = ("given", "predicted", "probability", "row")


def drawn_rows(arrays: dict[str, Any]) -> Ints:
    """Return which rows are drawn: all, or the labeled ones and evenly spaced others.

    Examples
    --------
    >>> import numpy as np
    >>> from ssrlpl.report.payload import drawn_rows
    >>> drawn_rows({"given": np.array([0, -1, 1])})
    array([0, 1, 2])
    """
    given = np.asarray(arrays["given"])
    if len(given) <= limits.DRAWN_POINTS:
        return np.arange(len(given))
    labeled = _evenly(np.flatnonzero(given >= 0), limits.DRAWN_POINTS)
    others = _evenly(np.flatnonzero(given < 0), limits.DRAWN_POINTS - len(labeled))
    return np.sort(np.concatenate([labeled, others]))


def _evenly(rows: Ints, most: int) -> Ints:
    if len(rows) <= most:
        return rows
    return rows[np.arange(most) * len(rows) // most]


def plot_payload(classes: list[str], arrays: dict[str, Any], rows: Ints) -> dict[str, Any]:
    """Return what the page's script draws, as plain JSON."""
    representation = np.asarray(arrays["representation"], dtype="<f4")[rows]
    hover = arrays.get("hover") or {}
    return {
        "classes": [_short(name) for name in classes],
        "colors": [color_index(code) for code in range(len(classes))],
        "symbols": {
            "2d": [symbol(code) for code in range(len(classes))],
            "3d": [symbol_3d(code) for code in range(len(classes))],
        },
        "fallback_symbol": SYMBOLS[0],
        "n_components": representation.shape[1],
        "representation": [_base64(column) for column in representation.T],
        "given": _base64(np.asarray(arrays["given"])[rows].astype("<i4")),
        "predicted": _base64(np.asarray(arrays["predicted"])[rows].astype("<i4")),
        "left_out": _base64(_left_out(arrays)[rows].astype("<i4")),
        "probability": _base64(np.asarray(arrays["probability"])[rows].astype("<f4")),
        "row": _strings(arrays["row"], rows),
        "hover": [
            {"name": _short(name), "values": _strings(values, rows)}
            for name, values in hover.items()
        ],
    }


def _left_out(arrays: dict[str, Any]) -> Array:
    """Return the classes by leave-one-out, -1 where they are not known."""
    return np.asarray(arrays.get("left_out", np.full(len(arrays["given"]), -1)))


def _base64(values: Array) -> str:
    return base64.b64encode(np.ascontiguousarray(values).tobytes()).decode("ascii")


def _strings(values: Any, rows: Ints) -> list[str]:
    return [_short(values[row]) for row in rows.tolist()]


def _short(value: Any) -> str:
    text = str(value)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def check_arrays(arrays: dict[str, Any]) -> None:
    """Refuse arrays whose rows do not belong together."""
    shape = np.shape(arrays["representation"])
    if len(shape) != 2 or shape[1] < 1:
        raise ValueError(
            'arrays["representation"] must be a table of at least one component. Got shape'
            f" {shape}: pass what transform returned."
        )
    lengths = {name: len(arrays[name]) for name in _ALIGNED} | {"left_out": len(_left_out(arrays))}
    lengths |= {f"hover {name}": len(v) for name, v in (arrays.get("hover") or {}).items()}
    for name, length in lengths.items():
        if length != shape[0]:
            raise ValueError(
                f"arrays must hold one entry for each of the {shape[0]} rows of the"
                f" representation. Got {length} in {name}: pass the same rows in the same order."
            )
