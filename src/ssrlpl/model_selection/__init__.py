"""Choose and judge models when most rows have no label: splitters, scorers, leave-one-out."""

from ._budget import LabelBudgetSplit
from ._leave_one_out import loo_predict
from ._scoring import labeled_scorer
from ._search import SSRLPLCV
from ._splitters import (
    LabeledKFold,
    LeaveOneLabelOut,
    StratifiedLabeledKFold,
    hide_labels,
)

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
