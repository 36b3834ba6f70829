"""Published 1-NN figures of data sets, and whether a loaded data set reproduces them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import normalize
from sklearn.utils import Bunch

from .._utils.types import Array, Ints

FIGURES = {"MNIST": 96.9, "USPS": 94.8, "COIL-20": 97.8, "UMIST": 98.0, "Reuters-21578": 88.0}
"""Accuracy of 1-NN in percent: MNIST from training to test part, others over random halves."""

SSL_BOOK_ERRORS = {
    10: {"g241c": 44.05, "g241d": 43.22, "Digit1": 23.47, "USPS": 19.82, "COIL": 65.91,
         "BCI": 48.74, "Text": 39.44},
    100: {"g241c": 40.28, "g241d": 37.49, "Digit1": 6.12, "USPS": 7.64, "COIL": 23.27,
          "BCI": 44.83, "Text": 30.77},
}  # fmt: skip
"""Error of 1-NN on the unlabeled rows in percent, mean over the book's twelve splits."""

_PRINTED_TO = {"MNIST": 0.05, "SSL book": 0.005}
"""Half a unit of the last digit that is printed."""
_HALVES = 5
_TOLERANCE_OF_HALVES = 1.0  # which halves the figures were made with is not known


@dataclass(frozen=True)
class Figure:
    """A figure of 1-NN, found and expected.

    Parameters
    ----------
    name : str
        The data set.
    found, expected : float
        Percent.
    tolerance : float
        Half a unit of the last printed digit where the split is given, a point where it is drawn.
    """

    name: str
    found: float
    expected: float
    tolerance: float

    @property
    def agrees(self) -> bool:
        """Whether what was found is what was expected."""
        return abs(self.found - self.expected) <= self.tolerance + 1e-9


def check_1nn(dataset: Bunch) -> Figure:
    """Compare a loaded data set with the 1-NN figure it is known for.

    Parameters
    ----------
    dataset : Bunch
        What a loader returned: all of MNIST, USPS, COIL-20, UMIST, all of Reuters-21578 as
        counts, or a set of the SSL book with 10 or 100 labels.

    Returns
    -------
    Figure
        Accuracy, or the error for the SSL book; ``agrees`` says whether it is the known one.

    Examples
    --------
    >>> from ssrlpl.datasets import check_1nn, load_coil20
    >>> check_1nn(load_coil20()).agrees  # doctest: +SKIP
    True
    """
    y = dataset.y
    if "splits" in dataset:
        errors = SSL_BOOK_ERRORS.get(dataset.splits.shape[1], {})
        expected = _known(errors, dataset.name.removeprefix("SSL book "), dataset)
        found = float(np.mean([100 - _accuracy(dataset.X, y, rows) for rows in dataset.splits]))
        return Figure(dataset.name, found, expected, _PRINTED_TO["SSL book"])
    expected = _known(FIGURES, dataset.name, dataset)
    # Counts of words are compared by their direction.
    X = normalize(dataset.X) if sparse.issparse(dataset.X) else dataset.X
    if "n_train" in dataset:
        found = _accuracy(X, y, np.arange(dataset.n_train))
        return Figure(dataset.name, found, expected, _PRINTED_TO["MNIST"])
    halves = [
        np.random.default_rng(seed).permutation(len(y))[: len(y) // 2] for seed in range(_HALVES)
    ]
    found = float(np.mean([_accuracy(X, y, half) for half in halves]))
    return Figure(dataset.name, found, expected, _TOLERANCE_OF_HALVES)


def _known(figures: dict[str, float], name: str, dataset: Bunch) -> float:
    if name not in figures:
        raise ValueError(
            f"dataset must be one with a known 1-NN figure ({', '.join(figures) or 'none here'})."
            f" Got {dataset.name!r} of shape {dataset.X.shape}: load a set as its loader's"
            " defaults give it, SSL-book sets with 10 or 100 labels."
        )
    return figures[name]


def _accuracy(X: Any, y: Array, train: Ints) -> float:
    """Return the accuracy of 1-NN in percent on all rows that are not in ``train``."""
    test = np.setdiff1d(np.arange(len(y)), train)
    nearest = KNeighborsClassifier(1, algorithm="brute").fit(X[train], y[train])
    return 100 * float(np.mean(nearest.predict(X[test]) == y[test]))
