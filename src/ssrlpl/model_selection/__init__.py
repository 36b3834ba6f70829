"""Model selection with few labels: search, splitters, scorers, leave-one-out."""

from .budget import LabelBudgetSplit
from .loo import loo_predict
from .scorers import labeled_scorer
from .search import SSRLPLCV
from .splitters import LabeledKFold, LeaveOneLabelOut, StratifiedLabeledKFold, hide_labels

__all__ = [
    "SSRLPLCV",
    "LabelBudgetSplit",
    "LabeledKFold",
    "LeaveOneLabelOut",
    "StratifiedLabeledKFold",
    "hide_labels",
    "labeled_scorer",
    "loo_predict",
]
