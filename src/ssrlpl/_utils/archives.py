"""Zip archives of unknown origin: their sizes are checked before anything is unpacked."""

from __future__ import annotations

import io
from math import prod
from typing import IO
from zipfile import ZipFile

import numpy as np


class ArchiveError(ValueError):
    """An archive that would need more memory than is allowed, or that states false sizes."""


def checked_bytes(content: bytes, allowed: float) -> int:
    """Return how many bytes an archive has when it is unpacked; raise if more than are allowed.

    Archives inside of it count as well. An array must be as large as its header says, because NumPy
    reserves memory for what the header says.
    """
    with ZipFile(io.BytesIO(content)) as archive:
        members = archive.infolist()
        # zipfile unpacks no more of a member than its directory says.
        total = sum(member.file_size for member in members)
        if total > allowed:
            raise ArchiveError(
                f"{len(content):,} bytes would become {total:,} when they are unpacked"
            )
        for member in members:
            if member.filename.endswith(".npz"):
                total += checked_bytes(archive.read(member), allowed - total)
            elif member.filename.endswith(".npy"):
                with archive.open(member) as file:
                    _check_array(file, member.filename, member.file_size)
    return total


def _check_array(file: IO[bytes], name: str, size: int) -> None:
    readers = {
        (1, 0): np.lib.format.read_array_header_1_0,
        (2, 0): np.lib.format.read_array_header_2_0,
    }
    version = np.lib.format.read_magic(file)
    if version not in readers:
        raise ArchiveError(f"the array {name} is of the unknown format {version}")
    shape, _, dtype = readers[version](file)
    claimed, there = prod(shape) * dtype.itemsize, size - file.tell()
    if claimed != there and not dtype.hasobject:
        raise ArchiveError(f"the array {name} says that it has {claimed:,} bytes and has {there:,}")
