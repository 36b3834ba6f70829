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
                self.names, self.notes = unique_names(file.schema_arrow.names)
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
            stored = dict(zip(self.names, file.schema_arrow.names, strict=True))
            asked = None if columns is None else [stored[name] for name in columns]
            for batch in file.iter_batches(batch_size=self._chunk_rows, columns=asked):
                table = pa.Table.from_batches([batch])
                yield plain_frame(table.rename_columns(columns or self.names))
