"""Tables from files: read them, judge their columns, turn them into numbers."""

from .columns import Judge, candidates
from .errors import TableError
from .evidence import Evidence
from .table_files import ParquetTable, RawTable, read
from .target import Target, read_target
from .transformer import TableTransformer

__all__ = [
    "Evidence",
    "Judge",
    "ParquetTable",
    "RawTable",
    "TableError",
    "TableTransformer",
    "Target",
    "candidates",
    "read",
    "read_target",
]
