"""The command line. Thin: parses, calls :mod:`ssrlpl.job`, prints."""

from __future__ import annotations

import sys

__all__ = ["main"]


def main() -> None:
    """Run the command line, or say which extra it needs."""
    try:
        from .app import app
    except ModuleNotFoundError as error:
        if error.name not in ("typer", "rich", "click"):
            raise
        sys.stderr.write(
            f"ssrlpl: the command line needs {error.name}: pip install 'ssrlpl[cli]'.\n"
        )
        sys.exit(2)
    app()
