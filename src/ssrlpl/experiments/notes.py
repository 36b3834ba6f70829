"""What was tried where our number and the paper's differ; the figures are in ``variants.md``."""

from __future__ import annotations

_UNKNOWN = "Nothing was tried yet beyond the settings of the table."

NOTES: dict[str, str] = {}


def why_different(dataset: str) -> str:
    """Return a sentence on what was tried for a data set."""
    return NOTES.get(dataset, _UNKNOWN)
