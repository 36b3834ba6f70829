"""Progress, without a word about how it is shown."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Protocol

Advance = Callable[[float], None]


class Steps(Protocol):
    """Shows what is being done; ``advance`` is called with the amount finished since the last."""

    def step(self, label: str, total: float | None = None) -> AbstractContextManager[Advance]:
        """Begin a step; a total of None means that its length is not known."""


class Silent:
    """Shows nothing."""

    @contextmanager
    def step(self, label: str, total: float | None = None) -> Iterator[Advance]:  # noqa: ARG002
        """Do the work."""
        yield _ignore


def _ignore(_: float) -> None:
    return
