"""From a table in a file to a folder with the representation, the labels and the report."""

from .apply import certify_table, predict_rows, rows_to_label, transform_rows
from .fitting import fit_table
from .folder import OutputError, check_folder, write_folder
from .options import FitOptions, ReadOptions
from .results import Fitted
from .steps import Silent, Steps
from .summary import report_arrays, summarize
from .writing import write_results

__all__ = [
    "FitOptions",
    "Fitted",
    "OutputError",
    "ReadOptions",
    "Silent",
    "Steps",
    "certify_table",
    "check_folder",
    "fit_table",
    "predict_rows",
    "report_arrays",
    "rows_to_label",
    "summarize",
    "transform_rows",
    "write_folder",
    "write_results",
]
