"""Further rivals of the league: what a person would pick for an ordinary table.

As in ``peers.py`` each chooses its parameters on the labeled rows alone, and of equally good values
the most ordinary, which stands first. A file of its own, so that the numbers of the other peers do
not depend on it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline
from sklearn.semi_supervised import LabelSpreading, SelfTrainingClassifier

from .._core.bandwidth import median_gamma
from ..labels import UNLABELED
from ..model_selection.splitters import StratifiedLabeledKFold
from . import peers
from .peers import Trained, peer
from .spreading import Codes, Params, Splits, best_spreading

COSTS = (1.0, 10.0, 100.0, 1000.0)
"""C of logistic regression, for rows of mean squared norm one."""
SELF_TRAINING_COST, SURE = 100.0, 0.9
"""C of self-training, and the probability from which on it accepts its own labels. Chosen C are
often so small that no row is sure, or so large that rows of one class flood the others."""
SHRINKAGES = (0.3, "auto", 0.05, 0.6, 0.9)
"""Of the scatter in LDA. With two rows of a class the rule "auto" does not shrink at all."""
UMAP_STEPS = 200
"""Epochs; with 100 in place of UMAP's 500, letter and magic changed by a point at most."""
TREES = 300
BOOSTING = {"max_iter": 100, "min_samples_leaf": 2, "max_leaf_nodes": 8, "learning_rate": 0.1}
"""Few rows: small trees that may end in two of them."""
ROUNDS_OF_MANY_CLASSES = 30
"""Each round of boosting fits a tree for each class: fewer rounds with more than ten classes."""
FEW_NEIGHBORS, FEW_WIDTHS, FEW_ALPHAS = (7, 15), (4.0, 32.0), (0.95, 0.8, 0.4)
"""A part of the grid in ``peers.py``, with which a cell of 26 classes takes a minute."""


def _folds(X: Any, codes: Codes) -> Splits:
    """Return five stratified folds, or as many as the rarest class has labels; none with one.

    With two labels a class ``peers.py`` leaves one out: a hundred fits for each candidate.
    """
    folds = min(peers.MOST_FOLDS, int(np.bincount(codes[codes != UNLABELED]).min()))
    if folds < 2:
        return []
    splitter = StratifiedLabeledKFold(folds, shuffle=True, random_state=0, unlabeled=UNLABELED)
    return list(splitter.split(X, codes))


def _chosen(model: Any, name: str, values: Sequence[Any], X: Any, labels: Codes) -> Params:
    """Return the best value of one parameter by cross-validation of labeled rows."""
    splits = _folds(X, labels)
    if not splits:
        return {name: values[0]}
    search = GridSearchCV(model, {name: list(values)}, cv=splits, refit=False, error_score="raise")
    return dict(search.fit(X, labels).best_params_)


def _logistic(**params: Any) -> LogisticRegression:
    return LogisticRegression(max_iter=500, **params)


@peer
def tuned_logistic_regression(X: Any, codes: Codes) -> Trained:
    """Train multinomial logistic regression, C chosen by cross-validation.

    Examples
    --------
    >>> from ssrlpl.experiments.league_rivals import tuned_logistic_regression
    >>> model = tuned_logistic_regression().fit([[0.0], [1.0], [5.0], [6.0]], [0, -1, -1, 1])
    >>> model.predict([[1.0], [5.0]]), model.chosen_params_
    (array([0, 1]), {'C': 1.0})
    """
    X, labels = peers.labeled_part(X, codes)
    chosen = _chosen(_logistic(), "C", COSTS, X, labels)
    return Trained(_logistic(**chosen).fit(X, labels), chosen)


@peer
def logistic_self_training(X: Any, codes: Codes) -> Trained:
    """Let logistic regression train itself."""
    model = SelfTrainingClassifier(_logistic(C=SELF_TRAINING_COST), threshold=SURE)
    return Trained(model.fit(X, codes), {})


@peer
def tuned_svm(X: Any, codes: Codes) -> Trained:
    """Train the RBF-SVM of ``peers.py``, tuned on fewer splits."""
    return peers.train_svm(X, codes, _folds)


@peer
def svm_self_training(X: Any, codes: Codes) -> Trained:
    """Train as the self-training of ``peers.py`` does, tuned on fewer splits."""
    return peers.train_svm_self_training(X, codes, _folds)


@peer
def shrunk_lda(X: Any, codes: Codes) -> Trained:
    """Train linear discriminant analysis, the covariance shrunk by a rule or as chosen."""
    X, labels = peers.labeled_part(X, codes)
    # Means and scatter lie in the span of the labeled rows: a projection onto it
    # loses nothing and saves much time with thousands of columns.
    turn = PCA(min(len(labels) - 1, X.shape[1])).fit(X)
    model, turned = LinearDiscriminantAnalysis(solver="lsqr"), turn.transform(X)
    # A fold of two labels a class would leave one: no scatter within classes to shrink.
    chosen: Params = {"shrinkage": SHRINKAGES[0]}
    if np.bincount(labels).min() > 2:
        chosen = _chosen(model, "shrinkage", SHRINKAGES, turned, labels)
    model.set_params(**chosen).fit(turned, labels)
    return Trained(Pipeline([("turn", turn), ("lda", model)]), chosen)


@peer
def random_forest(X: Any, codes: Codes) -> Trained:
    """Train a random forest with the usual parameters; there is nothing to tune."""
    forest = RandomForestClassifier(TREES, random_state=0)
    return Trained(forest.fit(*peers.labeled_part(X, codes)), {})


@peer
def gradient_boosting(X: Any, codes: Codes) -> Trained:
    """Train gradient boosting of small trees; tuning it would take minutes a cell."""
    params = dict(BOOSTING)
    if codes.max() >= 10:
        params["max_iter"] = ROUNDS_OF_MANY_CLASSES
    model = HistGradientBoostingClassifier(**params, early_stopping=False, random_state=0)
    return Trained(model.fit(*peers.labeled_part(X, codes)), {})


@peer
def spread_labels_of_few_graphs(X: Any, codes: Codes) -> Trained:
    """Train LabelSpreading with the best of a few graphs and α."""
    graphs: list[Params] = [
        *({"kernel": "knn", "n_neighbors": k} for k in FEW_NEIGHBORS),
        *({"kernel": "rbf", "gamma": w * median_gamma(X)} for w in FEW_WIDTHS),
    ]
    chosen = best_spreading(X, codes, graphs, FEW_ALPHAS, _folds(X, codes))
    model = LabelSpreading(**chosen, max_iter=1000, tol=1e-3).fit(X, codes)
    return Trained(model, chosen, model.transduction_)


@peer
def umap_of_index_1nn(X: Any, codes: Codes) -> Trained:
    """Train semi-supervised UMAP, then 1-NN on the labeled rows.

    Neighbors come from UMAP's index: below 4,096 rows it would compare new rows one by one in
    Python, twenty seconds a cell.
    """
    return peers.train_umap(X, codes, force_approximation_algorithm=True, n_epochs=UMAP_STEPS)
