"""Packed files: what is inside, and not more of it than a table has.

A file of a few kilobytes can hold gigabytes of zeros. What is unpacked is counted on the way.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import Any
from zipfile import BadZipFile, ZipFile

from .._utils import limits
from .._utils.printing import listed
from .errors import TableError

TEXT_ENDINGS = (".csv", ".tsv", ".tab", ".txt", ".dat", ".data")
"""Endings of text files, which may be packed; the first two are tables for sure."""

_MAGIC = {b"\x1f\x8b": "gz", b"BZh": "bz2", b"\xfd7zXZ\x00": "xz", b"PK\x03\x04": "zip",
          b"PK\x05\x06": "zip", b"\x28\xb5\x2f\xfd": "zst"}  # fmt: skip
_OPENERS: dict[str, Any] = {"gz": gzip.open, "bz2": bz2.open, "xz": lzma.open}
_PIECE = 1 << 20


def packing_of(path: Path) -> str:
    """Return how a file is packed, by its first bytes, "" if it is not."""
    with path.open("rb") as file:
        start = file.read(8)
    return next((kind for mark, kind in _MAGIC.items() if start.startswith(mark)), "")


def unpacked(path: Path, member: str | None = None) -> tuple[bytes, list[str]]:
    """Return the content of a text file, packed or not, and what to know about it."""
    kind = packing_of(path)
    if not kind:
        return path.read_bytes(), []
    with _damage_told(path), _opened(path, kind, member) as (stream, notes):
        pieces, size = [], 0
        while piece := stream.read(_PIECE):
            size += len(piece)
            check_growth(path, size)
            pieces.append(piece)
    return b"".join(pieces), notes


def first_bytes(path: Path, count: int) -> bytes:
    """Return the first bytes of a text file, packed or not."""
    kind = packing_of(path)
    if not kind:
        with path.open("rb") as file:
            return file.read(count)
    with _damage_told(path), _opened(path, kind, None) as (stream, _):
        return bytes(stream.read(count))


def unpacked_size(path: Path, most: float = float("inf")) -> int:
    """Return how many bytes a text file has once it is unpacked, counted up to a number."""
    kind = packing_of(path)
    if not kind:
        return path.stat().st_size
    size = 0
    with _damage_told(path), _opened(path, kind, None) as (stream, _):
        while size <= most and (piece := stream.read(_PIECE)):
            size += len(piece)
            check_growth(path, size)
    return size


def check_growth(path: Path, size: int) -> None:
    """Refuse a packed file that holds far more than its own size."""
    packed = path.stat().st_size
    if size > max(limits.UNPACKED_BYTES, limits.UNPACKED_RATIO * packed):
        raise TableError(
            f"{path.name} ({packed:,} bytes) holds more than {size:,} bytes, which no table does"
            f" that was packed: unpack it yourself, and pass what is inside if it is a table."
        )


def check_members(path: Path) -> None:
    """Refuse a zip file, such as .xlsx or .npz, whose members together grow beyond measure."""
    with ZipFile(path) as archive:
        # A member of another size than the one written here is not read to its end.
        check_growth(path, sum(info.file_size for info in archive.infolist()))


@contextmanager
def _opened(path: Path, kind: str, member: str | None) -> Iterator[tuple[Any, list[str]]]:
    if kind == "zip":
        with ZipFile(path) as archive:
            name, notes = _member(archive, path, member)
            check_growth(path, archive.getinfo(name).file_size)
            with archive.open(name) as stream:
                yield stream, notes
    elif kind == "zst":
        import pyarrow as pa

        with pa.input_stream(str(path), compression="zstd") as stream:
            yield stream, []
    else:
        with _OPENERS[kind](path, "rb") as stream:
            yield stream, []


@contextmanager
def _damage_told(path: Path) -> Iterator[None]:
    try:
        yield
    except (EOFError, OSError, zlib.error, lzma.LZMAError, BadZipFile, RuntimeError) as error:
        if isinstance(error, FileNotFoundError | PermissionError):
            raise
        locked = isinstance(error, RuntimeError) and "password" in str(error)
        why = "has a password: unpack it" if locked else "is damaged or cut off: copy it again"
        raise TableError(f"{path.name} {why}.") from error


def _member(archive: ZipFile, path: Path, wanted: str | None) -> tuple[str, list[str]]:
    """Return which file of an archive is the table: the only one, or the only CSV file."""
    names = [
        name
        for name in archive.namelist()
        if not name.endswith("/") and not name.startswith("__MACOSX") and not _is_hidden(name)
    ]
    sure = [name for name in names if name.lower().endswith(TEXT_ENDINGS[:2])]
    found = [n for n in names if n == wanted] if wanted else names if len(names) == 1 else sure
    if len(found) != 1:
        one = (sure or names or ["table.csv"])[0]
        raise TableError(
            f"{path.name} holds {listed(names) or 'nothing'}: name the table in it, as in"
            f" {path.name}::{one}."
        )
    (name,) = found
    if not name.lower().endswith(TEXT_ENDINGS):
        raise TableError(f"{path.name} holds {name}, which is not read as it is packed: unpack it.")
    others = len(names) - 1
    more = f" of {others + 1} files" if others else ""
    return name, [f"{name} in {path.name} was read{more}."] if others else []


def _is_hidden(name: str) -> bool:
    return PurePosixPath(name).name.startswith(".")
