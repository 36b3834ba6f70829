"""Warnings that report the line of the user's own code."""

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
"""Folders whose frames are skipped when the user's call is searched for."""


_LIBRARIES = ("sklearn", "scipy", "numpy", "pandas", "openpyxl", "pyarrow", "PIL", "joblib")


def warn_user(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn at the innermost line that belongs neither to this package nor to scikit-learn.

    A fixed ``stacklevel`` would not do: a labeler may be called by the user, by a map, or by a
    search over maps in a pipeline.
    """
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_PASSED_OVER):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)


def is_of_a_library(filename: str) -> bool:
    """Tell whether a warning was raised in a library, by the file it names, and is not for users.

    Ours name the line of whoever called us; openpyxl's say that a drop-down list is not read.
    """
    return any(f"{os.sep}{name}{os.sep}" in filename for name in _LIBRARIES)
