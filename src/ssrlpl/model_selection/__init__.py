"""Choose and judge models when most rows have no label: splitters, hiding, scorers."""

from ._budget import LabelBudgetSplit
from ._scoring import labeled_scorer
from ._splitters import (
    LabeledKFold,
    LeaveOneLabelOut,
    StratifiedLabeledKFold,
    hide_labels,
)

__all__ = [
    "LabelBudgetSplit",
    "LabeledKFold",
    "LeaveOneLabelOut",
    "StratifiedLabeledKFold",
    "hide_labels",
    "labeled_scorer",
]
