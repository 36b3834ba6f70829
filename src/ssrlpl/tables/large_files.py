"""Tables that are read in chunks: Parquet and Arrow files, one or many, and large CSV files."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from glob import glob
from pathlib import Path
from typing import Any

from .._utils import limits
from .cell_values import without_cells
from .errors import TableError
from .naming import unique_names
from .nested_cells import flat
from .table_files import format_of, told_plainly
from .text_formats import TextFormat
from .text_stream import TextStream
from .typed_files import plain_frame

ENDINGS = (".parquet", ".pq", ".arrow", ".feather", ".ipc")


def files_of(source: str) -> list[Path]:
    """Return the files that a pattern or a folder names, in order, or the one file."""
    path = Path(source)
    if path.is_file():  # also one whose name looks like a pattern
        return [path]
    if path.is_dir():  # without such files it may be a folder of pictures
        return sorted(p for p in path.rglob("*") if p.suffix.lower() in ENDINGS) or [path]
    if any(mark in source for mark in "*?["):
        found = sorted(Path(name) for name in glob(source, recursive=True))
    else:
        return [path]
    if not found:
        raise TableError(
            f"{source} names no file: quote the pattern, as in 'folder/*.parquet', and check the"
            f" folder. The files must end with {', '.join(ENDINGS)}."
        )
    return found


@dataclass(frozen=True)
class ChunkLoader:
    """Reads consecutive rows of a file, wherever it is called.

    Chunks of a group are read one after the other without decoding the group again: the batches
    of the last group stay open in each thread.
    """

    path: Path
    group: int
    number: int
    n_rows: int
    stored: tuple[str, ...] | None
    """The columns as the file calls them, None for all."""
    names: tuple[str, ...]
    """What they are called in the table, in the order of the file."""
    wanted: tuple[str, ...]
    missing: tuple[str, ...] = ()
    target: str | None = None

    def __call__(self) -> Any:
        """Return the rows as a data frame."""
        rows = _open.batch(self)
        if rows.num_rows != self.n_rows:
            raise TableError(f"{self.path.name} was changed while it was read: start again.")
        frame = plain_frame(rows.rename_columns(list(self.names)))
        return without_cells(frame[list(self.wanted)], self.missing, self.target)


class _OpenGroup(threading.local):
    """The batches of the group that this thread reads."""

    key: Any = None
    batches: Iterator[Any] = iter(())
    number = 0

    def batch(self, loader: ChunkLoader) -> Any:
        key = (loader.path, loader.group, loader.stored)
        if key != self.key or loader.number < self.number:
            self.key, self.number = key, 0
            self.batches = _batches(loader.path, loader.group, loader.stored)
        while self.number < loader.number:
            next(self.batches)
            self.number += 1
        self.number += 1
        return next(self.batches)


_open = _OpenGroup()


def _batches(path: Path, group: int, stored: tuple[str, ...] | None) -> Iterator[Any]:
    """Yield consecutive rows of a group as Arrow tables; the parts of objects are columns."""
    import pyarrow as pa

    if format_of(path) == "parquet":
        import pyarrow.parquet as pq

        with pq.ParquetFile(path) as file:
            for batch in file.iter_batches(
                limits.CHUNK_ROWS, row_groups=[group], columns=None if stored is None else [*stored]
            ):
                rows = flat(pa.Table.from_batches([batch]))
                yield rows if stored is None else rows.select([*stored])
        return
    with pa.memory_map(str(path)) as mapped:
        rows = flat(pa.Table.from_batches([pa.ipc.open_file(mapped).get_batch(group)]))
        rows = rows if stored is None else rows.select([*stored])
        for start in range(0, rows.num_rows, limits.CHUNK_ROWS):
            yield rows.slice(start, limits.CHUNK_ROWS)


def _groups(path: Path) -> tuple[list[str], list[int]]:
    """Return the columns of a file, and the rows of its groups."""
    if format_of(path) == "parquet":
        import pyarrow.parquet as pq

        with pq.ParquetFile(path) as file:
            about = file.metadata
            lengths = [about.row_group(i).num_rows for i in range(about.num_row_groups)]
            return flat(file.schema_arrow.empty_table()).column_names, lengths
    import pyarrow as pa

    with pa.memory_map(str(path)) as mapped:
        opened = pa.ipc.open_file(mapped)
        lengths = [opened.get_batch(i).num_rows for i in range(opened.num_record_batches)]
        return flat(opened.schema.empty_table()).column_names, lengths


class LargeTable:
    """Rows in Parquet or Arrow files, walked through in chunks as often as needed.

    Parameters
    ----------
    files : sequence of Path
        One or more files with the same columns.
    name : str, optional
        What the table is called, by default the name of the first file.
    missing : tuple of str
        Cells that are missing, in all columns but the target.
    target : str, optional
        The target column.

    Attributes
    ----------
    names : list of str
        The columns; names that repeat are numbered.
    notes : list of str
        What to know about them.
    lengths : list of int
        Rows of each chunk, at most ``limits.CHUNK_ROWS``.
    n_rows : int
        Rows of all files.
    decimal : str
        The decimal character of numbers in texts, if it is known.
    sep : str or None
        What was between cells, if it was a text file.

    Examples
    --------
    >>> import tempfile
    >>> import pandas as pd
    >>> from ssrlpl.tables import LargeTable
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "t.parquet")
    ...     pd.DataFrame({"a": [1, 2], "b": ["x", "y"]}).to_parquet(path)
    ...     table = LargeTable([path])
    ...     [chunk.shape for chunk in table.chunks(["b"])], table.n_rows
    ([(2, 1)], 2)
    """

    def __init__(
        self,
        files: Sequence[Path],
        name: str | None = None,
        *,
        missing: tuple[str, ...] = (),
        target: str | None = None,
    ):
        self.files, self.decimal = [Path(file) for file in files], "auto"
        self.sep: str | None = None
        self._gaps = (missing, target)
        self.name = name or self.files[0].name
        self._places: list[tuple[Path, int, int, int]] = []
        self._stored: list[str] = []
        for path in self.files:
            stored, groups = _described(path)
            if not self._stored:
                self._stored = stored
            elif stored != self._stored:
                other = next(iter({*stored} ^ {*self._stored}), "their order")
                raise TableError(
                    f"{path.name} and {self.files[0].name} must have the same columns. They differ"
                    f" in {other!r}: name files of one table only."
                )
            for group, rows in enumerate(groups):
                for number, start in enumerate(range(0, rows, limits.CHUNK_ROWS)):
                    length = min(limits.CHUNK_ROWS, rows - start)
                    self._places.append((path, group, number, length))
        self.names, self.notes = unique_names(self._stored)
        self._repeats = bool(self.notes)
        self.lengths = [place[-1] for place in self._places]
        self.n_rows = sum(self.lengths)
        if not self.n_rows:
            raise TableError(f"{self.name} has no rows: it must hold a row for each sample.")

    def loaders(self, columns: list[str] | None = None) -> list[Callable[[], Any]]:
        """Return a function for each chunk that reads all of its columns or some."""
        wanted = self.names if columns is None else columns
        stored: tuple[str, ...] | None = None
        names = self.names
        if columns is not None and not self._repeats:  # files may repeat names: all are read then
            asked = set(wanted)
            pairs = [p for p in zip(self._stored, self.names, strict=True) if p[1] in asked]
            stored, names = tuple(name for name, _ in pairs), [name for _, name in pairs]
        missing, target = self._gaps
        return [
            ChunkLoader(*place, stored, tuple(names), tuple(wanted), missing, target)
            for place in self._places
        ]

    def chunks(self, columns: list[str] | None = None) -> Iterator[Any]:
        """Yield data frames of consecutive rows, of all columns or of some."""
        for load in self.loaders(columns):
            yield load()


def _described(path: Path) -> tuple[list[str], list[int]]:
    with told_plainly(path, format_of(path)):
        return _groups(path)


def text_as_parquet(
    path: Path, how: TextFormat, target: str | None, missing: tuple[str, ...], folder: Path
) -> LargeTable:
    """Return a CSV file as a large table, written once as a Parquet file to a folder.

    Every later walk over the rows is then several times as fast, and needs no text in memory.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    text, copy = TextStream(path, how, target, missing), folder / "table.parquet"
    of_kind = {str: pa.string(), bool: pa.bool_(), int: pa.int64(), float: pa.float64()}
    schema = pa.schema([(name, of_kind[kind]) for name, kind in text.kinds.items()])
    with pq.ParquetWriter(copy, schema) as writer:
        for frame in text.chunks():
            writer.write_table(pa.Table.from_pandas(frame, schema=schema, preserve_index=False))
    found = LargeTable([copy], path.name)
    found.notes, found.decimal, found.sep = text.notes, text.decimal, text.sep
    return found
