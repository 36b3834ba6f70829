"""Estimators pass tables in chunks on to ``ssrlpl.distributed``.

That package imports the estimators, so they cannot import it in turn: it is imported by its name
when such a table arrives.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from importlib import import_module
from typing import Any, TypeVar, cast

Method = TypeVar("Method", bound=Callable[..., Any])


def is_chunked(X: Any) -> bool:
    """Tell whether rows come in chunks: a dask collection, or ``ssrlpl.distributed.Chunks``."""
    return hasattr(X, "__dask_graph__") or hasattr(X, "chunk_parts")


def takes_chunks(method: Method) -> Method:
    """Pass rows in chunks on to the function of the same name in ``ssrlpl.distributed``."""

    @wraps(method)
    def either(self: Any, X: Any, *args: Any, **kwargs: Any) -> Any:
        if not is_chunked(X):
            return method(self, X, *args, **kwargs)
        room = import_module("ssrlpl.distributed")
        return getattr(room, method.__name__)(self, X, *args, **kwargs)

    return cast(Method, either)


class LeavesRowsBehind:
    """Pickles and model files hold no attribute that is a table in chunks.

    Such an attribute (the label vectors of the training rows) is computed when asked for, from
    rows that are not part of the model.
    """

    def __getstate__(self) -> dict[str, Any]:
        state = cast("dict[str, Any]", super().__getstate__())
        return {name: value for name, value in state.items() if not is_chunked(value)}
