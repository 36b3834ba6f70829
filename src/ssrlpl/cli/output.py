"""Tables to standard output or to a file."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from .._utils.files import whole_file
from ..job import OutputError
from ..tables.writing import WRITABLE, write_chunks


def write_out(chunks: Iterable[dict[str, Any]], out: str) -> None:
    """Write chunks of columns to a file, whole or not at all, or to standard output (-)."""
    if out == "-":
        write_chunks(chunks, sys.stdout.buffer, "csv")
        sys.stdout.buffer.flush()
        return
    path = Path(out)
    kind = path.suffix.lower().lstrip(".")
    if kind not in WRITABLE:
        raise OutputError(f"--out must end in .csv or .parquet, or be -. Got {out!r}.")
    try:
        with whole_file(path) as partial, partial.open("wb") as sink:
            write_chunks(chunks, sink, kind)
    except OSError as error:
        raise OutputError(f"{path} cannot be written: {error.strerror}.") from error
