"""From a table in a file to a folder with the representation, the labels and the report."""

from .audit_round import AuditRound, audit_round
from .delivered import LABELS
from .filled_table import FILLED
from .fit import fit_table
from .inspection import inspect_table
from .options import FitOptions, ReadOptions, Silent, Steps
from .output import OutputError, check_folder, write_folder, write_results
from .result import Fitted
from .summarizing import report_arrays, summarize
from .use import Part, certify_table, predict_rows, rows_to_label, transform_rows

__all__ = [
    "FILLED",
    "LABELS",
    "AuditRound",
    "FitOptions",
    "Fitted",
    "OutputError",
    "Part",
    "ReadOptions",
    "Silent",
    "Steps",
    "audit_round",
    "certify_table",
    "check_folder",
    "fit_table",
    "inspect_table",
    "predict_rows",
    "report_arrays",
    "rows_to_label",
    "summarize",
    "transform_rows",
    "write_folder",
    "write_results",
]
