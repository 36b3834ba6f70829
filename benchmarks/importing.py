"""What an import costs."""

import subprocess
import sys

from ssrlpl._utils.printing import Table

from .tools import seconds

_NAMES = ("sklearn.decomposition", "ssrlpl")


def import_time() -> Table:
    """Time of a fresh interpreter that imports us, beside sklearn.decomposition; in turns."""
    turns = [{name: _fresh_import(name) for name in _NAMES} for _ in range(9)]
    spent = {name: min(turn[name] for turn in turns) for name in _NAMES}
    ratio = spent["ssrlpl"] / spent["sklearn.decomposition"]
    rows = [(name, value, "") for name, value in spent.items()]
    return Table(("import", "seconds", ""), (*rows, ("ratio (goal: below 1.2)", ratio, "")))


def _fresh_import(name):
    return seconds(lambda: subprocess.run([sys.executable, "-c", f"import {name}"], check=True), 1)
