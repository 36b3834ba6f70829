"""The methods of the league: ours and the rivals."""

from __future__ import annotations

from functools import partial
from importlib import import_module
from typing import Any

from . import league_ours
from .candidate_oracle import measure_oracle
from .collection import load_collected
from .harness.measuring import Measurement, Workbench
from .method_registry import METHODS, Method, PublishedMethod
from .problems import Hints


def _build(module: str, function: str, _hints: Hints) -> Any:
    return getattr(import_module(f"{__package__}.{module}"), function)()


def _rival(name: str, title: str, function: str, module: str = "league_rivals") -> Method:
    """Return a rival that a function of a module builds; the module is imported when used."""
    build = partial(_build, module, function)
    return Method(name, title, build, f"{__package__}.{module}", is_rival=True)


RIVALS = (
    _rival("1nn", "1-NN", "one_nearest_neighbor", "peers"),
    _rival("logistic", "logistic regression", "tuned_logistic_regression"),
    _rival("lda", "shrunk LDA", "shrunk_lda"),
    _rival("forest", "random forest", "random_forest"),
    _rival("logistic_self", "self-training, logistic", "logistic_self_training"),
    _rival("svm@folds", "tuned RBF-SVM", "tuned_svm"),
    _rival("svm_self@folds", "self-training, SVC", "svm_self_training"),
    _rival("spreading@few", "LabelSpreading", "spread_labels_of_few_graphs"),
    _rival("harmonic", "harmonic functions", "harmonic_functions", "league_baselines"),
    _rival("poisson", "Poisson learning", "poisson_learning", "league_baselines"),
    _rival("boosting", "gradient boosting", "gradient_boosting"),
    _rival("umap@index", "UMAP + 1-NN", "umap_of_index_1nn"),
)
"""Cheap ones first: a run stopped early has something to show."""

COMBINED, CHOSEN, PLAIN, ORACLE = "cv_all", "cv", "plain", "cv_oracle"
OURS = (
    Method(COMBINED, "SSRLPLCV, combined", league_ours.combined, league_ours.__name__),
    Method(CHOSEN, "SSRLPLCV, chosen", league_ours.chosen, league_ours.__name__),
    METHODS[PLAIN],
)
LEAGUE: dict[str, Method | PublishedMethod] = {method.name: method for method in (*OURS, *RIVALS)}
"""Those that are compared, ours first."""

BENCH = Workbench(
    {**LEAGUE, ORACLE: Measurement(ORACLE, "SSRLPLCV's candidates", measure_oracle)},
    load_collected,
)
"""The oracle is no method: it looks at test rows, to tell the cause of a loss."""
