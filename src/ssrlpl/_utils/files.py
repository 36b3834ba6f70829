"""Files that are written whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """Give the path of a temporary file to write to, then rename it (atomic replace).

    Both lie in one folder, so the last step is a rename, which either happens or does not. The
    name begins with a dot and carries the process, so that two runs do not collide. Nothing is
    replaced, and the temporary file is removed, if the body raises.
    """
    partial = path.with_name(f".{path.name}.{os.getpid()}.partial")
    try:
        yield partial
        with partial.open("rb+") as written:
            os.fsync(written.fileno())  # the name must not reach the disk before the contents
        os.replace(partial, path)
    finally:
        partial.unlink(missing_ok=True)
