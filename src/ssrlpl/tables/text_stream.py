"""Text files that are too large to be read at once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .._utils import limits
from .._utils.advice import option
from .errors import TableError
from .naming import nameless
from .text_files import (
    about_names,
    cells_told,
    from_first_lines,
    missing_by_column,
    with_doubled_quotes,
)
from .text_formats import TextFormat
from .unpacking import first_bytes, packing_of, unpacked_size

_COMPRESSION = {"gz": "gzip", "bz2": "bz2", "xz": "xz"}

_HEAD_BYTES = 1 << 20
"""Bytes of the first lines, from which the format is found."""


class TextStream:
    """A CSV file, read in chunks.

    The first walk finds what each column holds in all of its rows: a column is one of numbers if
    it is in every chunk, and one of texts, as they are written, otherwise. Rows of units, totals or
    notes are not looked for: the whole file would have to be in memory. Codes such as 00123, and
    quotes after a backslash, are found if one stands in the first lines.

    Parameters
    ----------
    path : Path
        The file.
    given : TextFormat
        How it is written; what is not given is found from the first lines.
    target : str, optional
        The target column, in which only an empty cell is missing.
    missing : tuple of str
        Further cells that are missing.
    """

    def __init__(self, path: Path, given: TextFormat, target: str | None, missing: tuple[str, ...]):
        self.path = path
        unpacked_size(path)  # refuses what grows beyond measure
        head = first_bytes(path, _HEAD_BYTES)
        if len(head) == _HEAD_BYTES:
            head = head[: head.rfind(b"\n") + 1] or head
        hint = head.lstrip(b"\xef\xbb\xbf")[:4] == b"sep="
        head, escaped = with_doubled_quotes(head, path.name)
        _, form, names, notes, codes = from_first_lines(head, path.name, given, target)
        self.decimal, self.sep = form.decimal, form.sep
        about = [*escaped, *about_names(names, form, target)]
        self.notes = [*form.words(path.name), *about, *notes]
        self._how: dict[str, Any] = form.for_pandas() | {
            "encoding": form.encoding,
            "escapechar": "\\" if escaped else None,
            "compression": _COMPRESSION.get(packing_of(path)),
            "skiprows": (form.header_row or 0) + hint,
            "header": None,
            "names": names,
            "na_values": missing_by_column(names, target, missing, codes.of_letters),
            "chunksize": limits.CHUNK_ROWS,
        }
        self.kinds = self._kinds(names, codes.of_digits)

    def chunks(self) -> Iterator[Any]:
        """Yield data frames of consecutive rows."""
        for frame in self._read(dtype=self.kinds, usecols=list(self.kinds)):
            yield frame[list(self.kinds)]

    def _kinds(self, names: list[str], codes: list[str]) -> dict[str, type]:
        """Return str, bool, int or float for each column that has cells or a name."""
        seen: dict[str, set[str]] = {name: set() for name in names}
        has_gaps: set[str] = set()
        for frame in self._read(dtype=dict.fromkeys(codes, str)):
            for name in names:
                gaps = frame[name].isna()
                if gaps.any():
                    has_gaps.add(name)
                if not gaps.all():
                    seen[name].add(frame[name].dtype.kind)
        empty = [name for name in nameless(names) if not seen[name]]
        return {n: _kind(seen[n], n in has_gaps) for n in names if n not in empty}

    def _read(self, **how: Any) -> Iterator[Any]:
        import pandas as pd

        try:
            with pd.read_csv(self.path, **self._how, **how) as chunks:
                while True:
                    with cells_told(self.path.name):
                        chunk = next(chunks, None)
                    if chunk is None:
                        return
                    yield chunk
        except UnicodeError as error:
            raise TableError(
                f"{self.path.name} cannot be read as {self._how['encoding']}: name its encoding"
                f" with {option('encoding')}."
            ) from error


def _kind(seen: set[str], has_gaps: bool) -> type:
    if seen <= {"i", "f"}:
        return int if seen == {"i"} and not has_gaps else float
    return bool if seen == {"b"} and not has_gaps else str
