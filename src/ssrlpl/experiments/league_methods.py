"""The methods of the league: ours and the rivals."""

from __future__ import annotations

from . import searching
from .candidate_oracle import measure_oracle
from .collection import load_collected
from .harness.measuring import Measurement, Workbench
from .method_registry import METHODS, Method, PublishedMethod, rival

RIVALS = (
    rival("1nn", "1-NN", "one_nearest_neighbor"),
    rival("logistic", "logistic regression", "tuned_logistic_regression", "league_rivals"),
    rival("lda", "shrunk LDA", "shrunk_lda", "league_rivals"),
    rival("forest", "random forest", "random_forest", "league_rivals"),
    rival("logistic_self", "self-training, logistic", "logistic_self_training", "league_rivals"),
    rival("svm@folds", "tuned RBF-SVM", "tuned_svm", "league_rivals"),
    rival("svm_self@folds", "self-training, SVC", "svm_self_training", "league_rivals"),
    rival("spreading@few", "LabelSpreading", "spread_labels_of_few_graphs", "league_rivals"),
    rival("harmonic", "harmonic functions", "harmonic_functions", "league_baselines"),
    rival("poisson", "Poisson learning", "poisson_learning", "league_baselines"),
    rival("boosting", "gradient boosting", "gradient_boosting", "league_rivals"),
    rival("umap@index", "UMAP + 1-NN", "umap_of_index_1nn", "league_rivals"),
)
"""Cheap ones first: a run stopped early has something to show."""

COMBINED, CHOSEN, PLAIN, ORACLE = "cv_all", "cv", "plain", "cv_oracle"
OURS = (
    Method(COMBINED, "SSRLPLCV, combined", searching.searched, searching.__name__),
    Method(CHOSEN, "SSRLPLCV, chosen", searching.chosen, searching.__name__),
    METHODS[PLAIN],
)
LEAGUE: dict[str, Method | PublishedMethod] = {method.name: method for method in (*OURS, *RIVALS)}
"""Those that are compared, ours first."""

BENCH = Workbench(
    {**LEAGUE, ORACLE: Measurement(ORACLE, "SSRLPLCV's candidates", measure_oracle)}, load_collected
)
"""The oracle is no method: it looks at test rows, to tell the cause of a loss."""
