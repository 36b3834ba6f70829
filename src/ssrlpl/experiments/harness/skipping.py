"""How the loader of a problem refuses a cell.

A file of its own: loaders are part of fingerprints, and the machinery is not.
"""

from __future__ import annotations


class SkippedCellError(Exception):
    """A cell that its protocol leaves out; the message says why."""
