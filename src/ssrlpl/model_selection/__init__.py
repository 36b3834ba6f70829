"""Model selection with few labels: search, splitters, scorers, leave-one-out."""

from typing import Any

from .._utils.user_warnings import warn_user
from .budget import LabelBudgetSplit
from .loo import loo_predict
from .scorers import labeled_scorer
from .search import SSRLPLCV
from .splitters import LabeledKFold, LeaveOneLabelOut, StratifiedLabeledKFold, mask_labels
from .suspects import suspect_labels

__all__ = [
    "SSRLPLCV",
    "LabelBudgetSplit",
    "LabeledKFold",
    "LeaveOneLabelOut",
    "StratifiedLabeledKFold",
    "labeled_scorer",
    "loo_predict",
    "mask_labels",
    "suspect_labels",
]


def __getattr__(name: str) -> Any:
    """Serve the earlier name of ``mask_labels``, which ``ssrlpl.datasets`` has for another one."""
    if name != "hide_labels":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    warn_user("ssrlpl.model_selection.hide_labels is now called mask_labels.", FutureWarning)
    return mask_labels
