"""What the person asked for."""

from __future__ import annotations

from dataclasses import dataclass

from ..tables.choice import MAX_CATEGORIES
from ..tables.streaming import CHUNK_ROWS

METHODS = ("auto", "linear", "kernel")


@dataclass(frozen=True)
class ReadOptions:
    """How a table is read."""

    table: str
    id: str | None = None
    missing: tuple[str, ...] = ()
    sheet: str | None = None
    array: str = "X"


@dataclass(frozen=True)
class FitOptions:
    """A whole job; the names are those of the command line."""

    read: ReadOptions
    target: str
    unlabeled: str | None = None
    features: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    scale: bool = True
    max_categories: int = MAX_CATEGORIES
    method: str = "auto"
    components: int | None = None
    neighbors: int | None = None
    sigma: float | None = None
    certify: bool | None = None
    seed: int = 0
    command: str = ""
    chunk_rows: int = CHUNK_ROWS
    stream_rows: int = 100_000
    """Parquet tables with more rows go through the linear map in chunks."""

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            raise ValueError(f"--method must be one of {', '.join(METHODS)}. Got {self.method!r}.")
        for name in ("components", "neighbors", "sigma"):
            value = getattr(self, name)
            if value is not None and value <= 0:
                raise ValueError(f"--{name} must be larger than zero. Got {value}.")
