"""Atomic writing of files: a file is either complete or absent."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """Yield the path of a temporary file to write to, then rename it (atomic replace).

    The temporary file is in the same folder, because a rename is atomic only within one file
    system. Its name begins with a dot and contains the process id, so that two runs do not
    collide. If the body raises, nothing is replaced and the temporary file is removed. A link is
    followed, and a pipe or a device, such as /dev/null, is written to as it is: to replace it would
    take it from everybody.
    """
    if path.exists() and not path.is_file():
        yield path
        return
    path = Path(os.path.realpath(path))
    partial = path.with_name(f".{path.name}.{os.getpid()}.partial")
    try:
        yield partial
        with partial.open("rb+") as written:
            os.fsync(written.fileno())  # the contents must be on disk before the new name is
        os.replace(partial, path)
    finally:
        partial.unlink(missing_ok=True)


def why_not_written(
    path: Path, error: OSError, needed: int | None = None, *, what: str | None = None
) -> str:
    """Return a sentence for an error of the operating system; a full disk gets the figures."""
    what = what or str(path)
    if error.errno not in (errno.ENOSPC, errno.EDQUOT):
        return f"{what} cannot be written: {error.strerror or error}."
    if what == "standard output":  # its disk is not known
        return f"{what} cannot be written: the disk is full. Make room, or write to another one."
    home = next(folder for folder in path.absolute().parents if folder.exists())
    free = f"{shutil.disk_usage(home).free / 1e6:,.1f} MB are free"
    size = "" if needed is None else f", {needed / 1e6:,.1f} MB are needed"
    return (
        f"{what} cannot be written: the disk that holds {home} is full ({free}{size}). Make room"
        " there, or write to another disk."
    )
