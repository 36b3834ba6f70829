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

    vars(either)["takes_chunks"] = True
    return cast(Method, either)


def fits_chunks(estimator: Any) -> bool:
    """Tell whether an estimator can be fitted to rows in chunks."""
    return hasattr(getattr(type(estimator), "fit", None), "takes_chunks")
