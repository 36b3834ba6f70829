"""What choosing costs: leave-one-out, graph labels, SSRLPLCV."""

import warnings

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.semi_supervised import LabelSpreading

from ssrlpl import SSRLPL, SSRLPLCV, GraphLabeler, KernelSSRLPL, loo_predict
from ssrlpl._utils.printing import Table
from ssrlpl.experiments.peers import tuned_rbf_svm
from ssrlpl.model_selection import StratifiedLabeledKFold

from .tools import mnist_part, seconds


def leave_one_out() -> Table:
    """Exact leave-one-out against one fit for each label: n = 1,500, d = 241, 100 labels."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((1500, 241))
    y = np.full(1500, -1)
    labeled = rng.permutation(1500)[:100]
    y[labeled] = X[labeled, 0] > 0
    rows = []
    for map_ in (SSRLPL(), KernelSSRLPL()):
        quick = seconds(lambda map_=map_: loo_predict(map_, X, y), repeat=5)
        refits = seconds(lambda map_=map_: _refit_some(map_, X, y, labeled[:20])) * 5
        name = type(map_).__name__
        rows.append((name, round(refits, 3), round(quick, 4), round(refits / quick, 1)))
    return Table(("map", "100 refits, s (20 timed)", "loo_predict, s", "ratio"), tuple(rows))


def _refit_some(map_, X, y, rows) -> None:
    for row in rows:
        hidden = y.copy()
        hidden[row] = -1
        clone(map_).fit(X, hidden).transform(X[y >= 0])


def graph_labels() -> Table:
    """GraphLabeler and LabelSpreading(kernel="knn"), its α left at 0.2: MNIST, 1,000 labels.

    The first setting of ours is one that was settled with accuracies on MNIST in view.
    """
    rows = []
    for n in (10_000, 70_000):
        X, y, truth = mnist_part(n, 1000)
        unlabeled = y < 0
        for labeler in (
            GraphLabeler(10, alpha=0.97, sharpness=12.0),
            GraphLabeler(10, method="harmonic"),
            LabelSpreading(kernel="knn", n_neighbors=10),
        ):
            took = seconds(lambda labeler=labeler, X=X, y=y: _fit_quietly(labeler, X, y), repeat=1)
            right = np.mean(labeler.transduction_[unlabeled] == truth[unlabeled])
            rows.append((n, _short(labeler), round(took, 1), round(100 * right, 1)))
    return Table(("rows", "labeler", "seconds", "right, %"), tuple(rows))


def _short(labeler) -> str:
    return str(labeler).replace("\n", "").replace("  ", "")


def _fit_quietly(estimator, X, y) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        estimator.fit(X, y)


def _spreading_search() -> GridSearchCV:
    grid = {"n_neighbors": [5, 10, 20], "alpha": [0.5, 0.8, 0.95, 0.99]}
    return GridSearchCV(LabelSpreading(kernel="knn"), grid, cv=StratifiedLabeledKFold(5))


def search() -> Table:
    """SSRLPLCV (choosing on 3,000 rows) and the searches it replaces: n = 5,000, 500 labels."""
    X, y, _ = mnist_part(5000, 500)
    X = X.astype(np.float64)
    once = seconds(lambda: KernelSSRLPL().fit(X, y))
    work = {
        "KernelSSRLPL, one fit": lambda: KernelSSRLPL().fit(X, y),
        "SSRLPLCV": lambda: SSRLPLCV().fit(X, y),
        "tuned RBF-SVM": lambda: _fit_quietly(tuned_rbf_svm(), X, y),
        "LabelSpreading(knn), 12 settings x 5 folds": lambda: _fit_quietly(
            _spreading_search(), X, y
        ),
        "LabelSpreading(rbf), one fit of many": lambda: _fit_quietly(LabelSpreading(gamma=1), X, y),
    }
    rows = []
    for name, run in work.items():
        took = seconds(run, repeat=3 if "SSRLPL" in name else 1)
        rows.append((name, round(took, 2), round(took / once, 1)))
    return Table(("what", "seconds", "in fits"), tuple(rows))
