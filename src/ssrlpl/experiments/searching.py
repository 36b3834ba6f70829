"""SSRLPLCV as a method. A file of its own, so that other methods do not depend on the search."""

from __future__ import annotations

from typing import Any

from ..model_selection.search import SSRLPLCV
from .hints import Hints


def searched(hints: Hints) -> Any:
    """Return the search over the whole family of maps, by exact leave-one-out."""
    return SSRLPLCV(random_state=hints.seed)
