"""What the representation is worth: 1-NN on labeled rows, before and after the map."""

import numpy as np
from sklearn.datasets import load_digits
from sklearn.neighbors import KNeighborsClassifier

from ssrlpl import KernelSSRLPL, KNNLabeler
from ssrlpl._utils.printing import Table
from ssrlpl.datasets import hide_labels

from .tools import mnist_part


def nearest_neighbor(repetitions=5) -> Table:
    """Accuracy on the unlabeled rows with 10 % of the labels; mean and deviation over draws."""
    rows = []
    for name, load in {"digits": _digits, "MNIST-10K": _mnist}.items():
        for k in (1, 5):
            scores = np.array([_scores(*load(seed), k) for seed in range(repetitions)]) * 100
            cells = [
                f"{m:.1f} ± {s:.1f}" for m, s in zip(scores.mean(0), scores.std(0), strict=True)
            ]
            rows.append((name, k, *cells))
    columns = (
        "data, 10 % labeled",
        "k",
        "1-NN, raw pixels",
        "1-NN, labeled-only map",
        "1-NN, SSRL-PL map",
    )
    return Table(columns, tuple(rows))


def _digits(seed):
    X, truth = load_digits(return_X_y=True)
    return X / 16, hide_labels(truth, keep=0.1, random_state=seed), truth


def _mnist(seed):
    return mnist_part(10_000, 1000, seed)


def _scores(X, y, truth, k):
    given = y >= 0
    few = KernelSSRLPL(labeler=KNNLabeler(k)).fit(X[given], y[given])
    everything = KernelSSRLPL(labeler=KNNLabeler(k)).fit(X, y)
    return [_one_nn(Z, y, truth) for Z in (X, few.transform(X), everything.transform(X))]


def _one_nn(Z, y, truth):
    given = y >= 0
    return KNeighborsClassifier(1).fit(Z[given], y[given]).score(Z[~given], truth[~given])
