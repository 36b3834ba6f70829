"""The paper's problems: rows, their true classes, and who is labeled, unlabeled or held out.

A problem is a data set, a protocol and a seed. Everything random about it comes from the seed, so
every method is given the same rows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any

import numpy as np
from sklearn.datasets import load_digits

from .._utils.types import Array, Ints
from ..datasets import (
    hide_labels,
    load_coil20,
    load_mnist,
    load_reuters21578,
    load_sbdata,
    load_ssl_book,
    load_umist,
    load_usps,
    make_two_moons,
)
from ..labels import UNLABELED

Labeled = tuple[Any, Array]
"""Rows and all their labels."""


@dataclass(frozen=True)
class Problem:
    """Rows and what a method may know of them.

    ``truth`` has the class of each row, 0..C-1. The rows numbered in ``labeled``, ``unlabeled`` and
    ``test`` are disjoint: methods are fitted on the first two, and test rows stay unseen.
    """

    X: Any
    truth: Ints
    labeled: Ints
    unlabeled: Ints
    test: Ints

    @property
    def train(self) -> Ints:
        """Rows a method is fitted on."""
        return np.concatenate([self.labeled, self.unlabeled])

    @property
    def n_classes(self) -> int:
        """Number of classes, labeled or not."""
        return int(self.truth.max()) + 1

    def target(self) -> Ints:
        """Return the partially labeled target of the training rows, -1 for unlabeled."""
        y = self.truth[self.train].copy()
        y[len(self.labeled) :] = UNLABELED
        return y


@dataclass(frozen=True)
class Given:
    """A split that comes with the data set: no rows are held out. The seed is its number."""

    n_labeled: int

    def __str__(self) -> str:
        return f"{self.n_labeled} labels"


@dataclass(frozen=True)
class Halves:
    """Random halves, training and test; some of the training rows are labeled.

    Both are numbers (int) or shares (float) of rows; each class has one label at least.
    """

    labels: int | float
    train: int | float = 0.5

    def __str__(self) -> str:
        labels = f"{self.labels:.0%}" if isinstance(self.labels, float) else str(self.labels)
        part = "" if self.train == 0.5 else f" of {self.train} rows"
        return f"{labels} labels{part}"


Protocol = Given | Halves


def load_problem(dataset: str, protocol: Protocol, seed: int) -> Problem:
    """Return the problem of a data set, a protocol and a seed.

    Raises
    ------
    FileNotFoundError
        The data are not on this machine; the message says where they come from.

    Examples
    --------
    >>> from ssrlpl.experiments.problems import Given, load_problem
    >>> problem = load_problem("two moons", Given(8), seed=0)
    >>> len(problem.labeled), len(problem.unlabeled), len(problem.test), problem.n_classes
    (8, 192, 0, 2)
    """
    if dataset == "two moons":
        return _two_moons(protocol, seed)
    X, truth = load_rows(dataset)
    if isinstance(protocol, Given):
        labeled = _splits(dataset.removeprefix("book "), protocol.n_labeled)[seed]
        unlabeled = np.setdiff1d(np.arange(len(truth)), labeled)
        return Problem(X, truth, labeled, unlabeled, np.empty(0, np.intp))
    return _halves(X, truth, protocol, seed)


# The cells of a data set follow each other, and all sets together would not fit in memory.
@lru_cache(maxsize=2)
def load_rows(dataset: str) -> tuple[Any, Ints]:
    """Return all rows of a data set and their classes as 0..C-1."""
    if dataset not in DATASETS:
        raise ValueError(f"dataset must be one of {', '.join(DATASETS)}. Got {dataset!r}.")
    X, y = DATASETS[dataset]()
    return X, np.unique(y, return_inverse=True)[1]


@lru_cache(maxsize=16)
def _splits(name: str, n_labeled: int) -> Ints:
    """Return the labeled rows of each split of a set of the SSL book."""
    return np.asarray(load_ssl_book(name, n_labeled).splits)


def _halves(X: Any, truth: Ints, protocol: Halves, seed: int) -> Problem:
    rng = np.random.RandomState(seed)
    order = rng.permutation(len(truth))
    size = protocol.train if isinstance(protocol.train, int) else round(protocol.train * len(truth))
    train, test = order[:size], order[size:]
    shown = hide_labels(truth[train], keep=protocol.labels, random_state=rng) != UNLABELED
    return Problem(X, truth, train[shown], train[~shown], test)


def _two_moons(protocol: Protocol, seed: int) -> Problem:
    if not isinstance(protocol, Given):
        raise ValueError(f"The two moons are drawn, not split: pass Given(8). Got {protocol!r}.")
    X, y, truth = make_two_moons(labels_per_class=protocol.n_labeled // 2, random_state=seed)
    labeled, unlabeled = np.flatnonzero(y != UNLABELED), np.flatnonzero(y == UNLABELED)
    return Problem(X, truth, labeled, unlabeled, np.empty(0, np.intp))


def _local(load: Callable[..., Any], *arguments: Any) -> Callable[[], Labeled]:
    """Return what loads a data set that is on this machine: experiments download nothing."""
    return lambda: load(*arguments, download_if_missing=False, return_X_y=True)


def _digits() -> Labeled:
    X, y = load_digits(return_X_y=True)
    return (X / 16).astype(np.float32), y


DATASETS: dict[str, Callable[[], Labeled]] = {
    "digits": _digits,
    "MNIST-10K": _local(load_mnist, "10k"),
    "USPS": _local(load_usps),
    "COIL-20": _local(load_coil20),
    "Reuters": lambda: load_reuters21578(return_X_y=True),
    "UMIST": _local(load_umist),
    "SBData": lambda: load_sbdata(return_X_y=True),
    **{
        f"book {name}": partial(load_ssl_book, name, return_X_y=True)
        for name in ("g241c", "g241d", "Digit1", "USPS", "COIL", "BCI", "Text")
    },
}
"""One line for each data set. Those of the SSL book are called ``book NAME``."""


PAPER_SETTINGS: dict[str, tuple[int, int]] = {
    "MNIST-10K": (10, 5), "USPS": (12, 5), "COIL-20": (10, 5), "Reuters": (24, 9),
    "UMIST": (20, 5), "SBData": (10, 5),
}  # fmt: skip
"""The paper's p (dimensionality) and k (neighbors), Table 3. It gives none for Table 1."""


@dataclass(frozen=True)
class Hints:
    """What a method may know of a problem before it sees rows; p and k are the paper's."""

    seed: int = 0
    n_classes: int = 2
    n_labeled: int = 2
    p: int | None = None
    k: int | None = None
