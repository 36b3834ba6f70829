"""The development collection: tables of many kinds, a few labels of each class, and new rows.

The files lie in the folder ``dev`` of ``SSRLPL_DATA``; its README.md has the protocol. What
centers, scales or compresses columns is learned from training rows, without labels, the same for
all methods.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.decomposition import TruncatedSVD
from sklearn.preprocessing import StandardScaler, normalize

from .._utils.types import Floats, Ints
from ..datasets.layout import check, matrix, read_npz
from ..datasets.sources import places
from .harness.skipping import SkippedCellError
from .problems import Problem

TABLES = (
    "australian", "binalpha", "g50c", "heart", "ionosphere", "isolet", "letter", "magic", "mfeat",
    "newsgroups20", "optdigits", "orl", "pendigits", "phoneme", "pie1166", "pima", "ring",
    "satimage", "segment", "sonar", "spambase", "tdt2", "tox171", "twonorm", "vowel", "wine",
    "yale",
)  # fmt: skip
WITH_UNITS = frozenset(
    {"australian", "heart", "letter", "magic", "mfeat", "pendigits", "phoneme", "pima", "ring",
     "satimage", "segment", "sonar", "spambase", "twonorm", "vowel", "wine"}
)  # fmt: skip
"""Tables whose columns have units; these are standardized."""
WITH_RARE_CLASSES = frozenset({"tdt2"})
"""Tables in which all training rows of a class are labeled if it has too few of them."""
MOST_ROWS = 3000
"""Training rows at most, and as many test rows."""
SPARSE_COMPONENTS = 200


@dataclass(frozen=True)
class LabelsOfEachClass:
    """The first training rows of each class are labeled, in the order that the seed gives them."""

    count: int

    def __str__(self) -> str:
        return f"{self.count} labels a class"


def load_collected(dataset: str, protocol: LabelsOfEachClass, seed: int) -> Problem:
    """Return the problem of a table of the collection ("dev NAME"), a protocol and a seed.

    Raises
    ------
    FileNotFoundError
        The collection is not on this machine.
    SkippedCellError
        More than half of the training rows would be labeled, or a class has too few of them.
    """
    name = dataset.removeprefix("dev ")
    X, truth, n_train = _permuted(name, seed)
    return label_each_class(X, truth, n_train, protocol, short=name in WITH_RARE_CLASSES)


def label_each_class(
    X: Any, truth: Ints, n_train: int, protocol: LabelsOfEachClass, *, short: bool = False
) -> Problem:
    """Return rows, training rows first, with the first of each class labeled.

    A class with too few training rows is an error unless ``short`` allows it.
    """
    n_classes = int(truth.max()) + 1
    train = truth[:n_train]
    per_class = [np.flatnonzero(train == code)[: protocol.count] for code in range(n_classes)]
    if protocol.count * n_classes > n_train / 2:
        raise SkippedCellError(f"{protocol} would be more than half of the training rows.")
    if min(map(len, per_class)) < protocol.count and not short:
        raise SkippedCellError(f"Some class has too few training rows for {protocol}.")
    labeled = np.sort(np.concatenate(per_class))
    unlabeled = np.setdiff1d(np.arange(n_train), labeled)
    return Problem(X, truth, labeled, unlabeled, np.arange(n_train, len(truth)))


@lru_cache(maxsize=2)
def _permuted(name: str, seed: int) -> tuple[Floats, Ints, int]:
    """Return rows in the order of a seed, training rows first, their classes, and how many train.

    Half of the rows are for training, and at most :data:`MOST_ROWS`.
    """
    X, y = _read(name)
    order = np.random.default_rng(seed).permutation(len(y))[: 2 * MOST_ROWS]
    n_train = len(order) // 2
    return _prepared(X[order], n_train, name in WITH_UNITS), y[order], n_train


@lru_cache(maxsize=1)
def _read(name: str) -> tuple[Any, Ints]:
    """Return all rows of a table and their classes as 0..C-1."""
    if name not in TABLES:
        raise ValueError(f"dataset must be dev and one of {', '.join(TABLES)}. Got {name!r}.")
    for place in places():
        path = place / "dev" / f"{name}.npz"
        if path.is_file():
            contents = check(read_npz(path))
            return matrix(contents), np.unique(contents["y"], return_inverse=True)[1]
    raise FileNotFoundError(
        f"The table {name} of the development collection is missing: set SSRLPL_DATA to a folder"
        f" that holds dev/{name}.npz; there is no public download."
    )


def _prepared(X: Any, n_train: int, has_units: bool) -> Floats:
    """Return rows without their units: centered, of mean squared norm one in training."""
    if sparse.issparse(X):
        X = normalize(X)
        X = normalize(TruncatedSVD(SPARSE_COMPONENTS, random_state=0).fit(X[:n_train]).transform(X))
    scaler = StandardScaler(with_std=has_units).fit(X[:n_train].astype(np.float64))
    X = scaler.transform(X.astype(np.float64))
    return np.asarray(X / np.sqrt(np.mean(np.sum(X[:n_train] ** 2, axis=1))))
