"""Our two searches in the league: the chosen candidate and the combined one."""

from __future__ import annotations

from typing import Any

from ..model_selection.search import SSRLPLCV
from .problems import Hints


def chosen(hints: Hints) -> Any:
    """Return the search that takes one candidate."""
    return SSRLPLCV(choose="one", random_state=hints.seed)


def combined(hints: Hints) -> Any:
    """Return the search that combines all candidates."""
    return SSRLPLCV(choose="all", random_state=hints.seed)
