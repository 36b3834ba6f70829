"""A progress bar on stderr for work that takes longer than two seconds."""

from __future__ import annotations

import sys
import time
from types import TracebackType

PATIENCE_SECONDS = 2.0
_REDRAW_SECONDS = 0.2


class Progress:
    """Count steps of work and, if ``verbose``, show the share done and the time left.

    Nothing is shown for work that ends within two seconds.
    """

    def __init__(self, label: str, total: float, *, verbose: bool):
        self._label = label
        self._total = total
        self._verbose = verbose
        self._done = 0.0
        self._start = time.monotonic()
        self._drawn = 0.0

    def __enter__(self) -> Progress:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._drawn:
            end = "\n" if kind is None else " stopped\n"
            sys.stderr.write(end)
            sys.stderr.flush()

    def advance(self, steps: float = 1) -> None:
        """Count finished steps."""
        self._done += steps
        now = time.monotonic()
        elapsed = now - self._start
        if not self._verbose or elapsed < PATIENCE_SECONDS:
            return
        if now - self._drawn >= _REDRAW_SECONDS or self._done >= self._total:
            self._draw(elapsed)
            self._drawn = now

    def _draw(self, elapsed: float) -> None:
        share = min(self._done / self._total, 1.0)
        left = elapsed / share - elapsed
        bar = "#" * round(20 * share)
        sys.stderr.write(f"\r{self._label} [{bar:<20}] {share:4.0%}, {left:.0f} s left ")
        sys.stderr.flush()
