"""A Parquet file read in chunks, for tables that should not be in memory as a whole."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .errors import TableError
from .reading import plain_frame, unique_names

CHUNK_ROWS = 50_000


class ParquetTable:
    """A Parquet file, walked through as often as needed."""

    def __init__(self, path: Path, chunk_rows: int = CHUNK_ROWS):
        import pyarrow.parquet as pq

        try:
            with pq.ParquetFile(path) as file:
                self.n_rows = file.metadata.num_rows
                self._stored = list(file.schema_arrow.names)
                self.names, self.notes = unique_names(self._stored)
        except (OSError, ValueError) as error:
            reason = " ".join(str(error).split()).rstrip(".")
            raise TableError(f"{path.name} cannot be read as parquet: {reason}.") from error
        self.path = path
        self._chunk_rows = chunk_rows

    def chunks(self, columns: list[str] | None = None) -> Iterator[Any]:
        """Yield data frames of consecutive rows, of all columns or of some."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        with pq.ParquetFile(self.path) as file:
            for batch in file.iter_batches(batch_size=self._chunk_rows, columns=self._ask(columns)):
                table = pa.Table.from_batches([batch])
                frame = plain_frame(table.rename_columns(self._names_of(table.column_names)))
                yield frame if columns is None else frame[columns]

    def _ask(self, columns: list[str] | None) -> list[str] | None:
        """Return what the columns are called in the file; None, all, if names there repeat."""
        if columns is None or self.notes:
            return None
        return [self._stored[self.names.index(name)] for name in columns]

    def _names_of(self, stored: list[str]) -> list[str]:
        """Return our names of columns that were read, in whatever order they came."""
        if self.notes:
            return self.names
        return [self.names[self._stored.index(name)] for name in stored]
