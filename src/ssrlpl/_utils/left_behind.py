"""What estimators leave behind when they are written: rows that predictions do not need."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, cast

from . import limits
from .chunked import is_chunked

_to_a_model_file = ContextVar("_to_a_model_file", default=False)


@contextmanager
def for_a_model_file() -> Iterator[None]:
    """Within it, states are those of model files; pickles, which may be fitted again, hold all."""
    token = _to_a_model_file.set(True)
    try:
        yield
    finally:
        _to_a_model_file.reset(token)


class LeavesRowsBehind:
    """Leaves out attributes that have an entry for each training row.

    Neither pickles nor model files hold a table in chunks, which is computed when asked for from
    rows that are not part of the model. Model files hold no label vectors of very many rows.
    """

    _only_of_training_rows: tuple[str, ...] = ()
    """Attributes that predictions do not need."""

    def __getstate__(self) -> dict[str, Any]:
        state = cast("dict[str, Any]", super().__getstate__())
        state = {name: value for name, value in state.items() if not is_chunked(value)}
        if not _to_a_model_file.get():
            return state
        return {name: value for name, value in state.items() if not self._is_left(name, value)}

    def _is_left(self, name: str, value: Any) -> bool:
        is_large = getattr(value, "size", 0) > limits.MODEL_LABEL_NUMBERS
        return is_large and name in self._only_of_training_rows
