"""Tables from files: read them, judge their columns, turn them into numbers."""

from .cell_values import model_inputs
from .columns import Columns, Evidence, choose_columns
from .errors import TableError
from .table_files import ParquetTable, RawTable, read_table
from .target import Target, read_target
from .treatment import feature_names, make_treatment, treatment_from_evidence

__all__ = [
    "Columns",
    "Evidence",
    "ParquetTable",
    "RawTable",
    "TableError",
    "Target",
    "choose_columns",
    "feature_names",
    "make_treatment",
    "model_inputs",
    "read_table",
    "read_target",
    "treatment_from_evidence",
]
