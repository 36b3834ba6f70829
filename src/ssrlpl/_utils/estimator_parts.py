"""Find the part of an estimator that does not pass a check."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def blamed_part(model: Any, is_fine: Callable[[Any], bool]) -> str:
    """Return in words which part of a model does not pass a check, outermost part first.

    Examples
    --------
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import MinMaxScaler, StandardScaler
    >>> from ssrlpl._utils.estimator_parts import blamed_part
    >>> both = make_pipeline(StandardScaler(), MinMaxScaler())
    >>> blamed_part(both, lambda part: not isinstance(part, MinMaxScaler))
    "Pipeline with the step 'minmaxscaler', MinMaxScaler,"
    """
    words = type(model).__name__
    kind = "step" if hasattr(model, "steps") else "part"
    for name, part in _parts(model):
        if not is_fine(part):
            return f"{words} with the {kind} {name!r}, {blamed_part(part, is_fine).rstrip(',')},"
    return words


def _parts(model: Any) -> list[tuple[str, Any]]:
    """Return the estimators that an estimator holds: steps of a pipeline, or attributes."""
    held = model.steps if hasattr(model, "steps") else vars(model).items()
    return [(name, part) for name, part in held if hasattr(part, "get_params")]
