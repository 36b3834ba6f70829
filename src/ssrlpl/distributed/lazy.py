"""What fitted estimators say of tables in chunks, computed when asked for."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from .._utils.types import Array
from .chunks import Source, open_source
from .engine import aligned, each


def transform(estimator: Any, X: Any) -> Any:
    """Return the representation of rows in chunks, as a table in chunks."""
    return _said(estimator, "transform", X)


def predict(estimator: Any, X: Any) -> Any:
    """Return the labels of rows in chunks, as a column in chunks."""
    return _said(estimator, "predict", X)


def predict_proba(estimator: Any, X: Any) -> Any:
    """Return the probabilities of rows in chunks, as a table in chunks."""
    return _said(estimator, "predict_proba", X)


def decision_function(estimator: Any, X: Any) -> Any:
    """Return the decision function of rows in chunks, as a table in chunks."""
    return _said(estimator, "decision_function", X)


def _said(estimator: Any, method: str, X: Any) -> Any:
    check_is_fitted(estimator)
    source = open_source(X)
    # A row of zeros shows the width and the type of the answer, and whether the columns fit.
    shape = getattr(estimator, method)(_zeros(source))
    nothing = shape[:0]
    parts = each(_on_rows, source.parts, shared=(estimator, method, nothing))
    return source.wrapped(parts, shape.shape[1] if shape.ndim > 1 else None, shape.dtype)


def _zeros(source: Source) -> Any:
    row = np.zeros((1, source.names.shape[1]), dtype=source.dtype)
    if not hasattr(source.names, "iloc"):
        return row
    return type(source.names)(row, columns=source.names.columns)


def _on_rows(chunk: Any, estimator: Any, method: str, nothing: Array) -> Array:
    if not chunk.shape[0]:
        return nothing
    return np.asarray(getattr(estimator, method)(aligned(chunk)))
