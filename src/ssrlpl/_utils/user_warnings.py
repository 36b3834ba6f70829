"""Warnings that point at the user's own line."""

from __future__ import annotations

import os
import sys
import warnings
from pathlib import Path

import joblib
import sklearn

_PASSED_OVER = tuple(
    f"{folder}{os.sep}"
    for folder in (
        Path(__file__).parents[1],
        Path(sklearn.__file__).parent,
        Path(joblib.__file__).parent,
    )
)
"""Folders whose frames lie between the user's call and the warning."""


def warn_user(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn at the innermost line that belongs neither to us nor to scikit-learn.

    How many frames lie between differs: a loader may call another one, and a labeler may be called
    by the user, by a map, or by a search over maps in a pipeline.
    """
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_PASSED_OVER):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)
