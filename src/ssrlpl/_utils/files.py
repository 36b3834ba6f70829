"""Files that are written whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """Write to a temporary file, then rename it to ``path`` (atomic replace).

    Both are in one folder, because only a rename within a file system is atomic. The temporary
    name begins with a dot and contains the process id, so that two runs do not write to one file.
    """
    partial = path.with_name(f".{path.name}.{os.getpid()}.partial")
    try:
        yield partial
        os.replace(partial, path)
    finally:
        partial.unlink(missing_ok=True)
