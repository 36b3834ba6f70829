"""Tables from files: read them, judge their columns, turn them into numbers."""

from .columns import Judge, candidates
from .errors import TableError
from .evidence import Evidence
from .large_files import LargeTable
from .table_files import RawTable, read
from .target import Target, read_target
from .transformer import TableTransformer

__all__ = [
    "Evidence",
    "Judge",
    "LargeTable",
    "RawTable",
    "TableError",
    "TableTransformer",
    "Target",
    "candidates",
    "read",
    "read_target",
]
