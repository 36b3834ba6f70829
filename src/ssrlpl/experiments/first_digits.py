"""The protocol of a published comparison of semi-supervised dictionary methods on MNIST.

For each class the first 200 rows of the training part in file order, the very first row of the file
skipped; these are shuffled with the number of the run as seed, class after class. Of each class 20
rows are labeled, 80 unlabeled and 100 for testing. Rows are divided by their length. Source: the
program and the table of github.com/ktran1/SSDL.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np

from .._core.blocks import unit_rows
from .._utils.types import Floats, Ints
from ..datasets import load_mnist
from .problems import Problem

FIRST_DIGITS = "MNIST, first 200 rows a class"


@dataclass(frozen=True)
class RowsOfEachClass:
    """How many rows of each class are labeled, unlabeled and for testing."""

    labeled: int
    unlabeled: int
    test: int

    def __str__(self) -> str:
        return f"{self.labeled} + {self.unlabeled} + {self.test} a class"


def load_first_digits(_dataset: str, protocol: RowsOfEachClass, seed: int) -> Problem:
    """Return the problem of a run."""
    X, y = _training_part()
    drawn = drawn_rows(y, protocol, seed)
    rows = np.concatenate(drawn)
    ends = np.cumsum([0, *map(len, drawn)])
    labeled, unlabeled, test = (np.arange(a, b) for a, b in pairwise(ends))
    return Problem(unit_rows(X[rows]), y[rows], labeled, unlabeled, test)


def drawn_rows(y: Ints, protocol: RowsOfEachClass, seed: int) -> tuple[Ints, Ints, Ints]:
    """Return the numbers of labeled, unlabeled and test rows, class after class."""
    random = np.random.RandomState(seed)
    count = protocol.labeled + protocol.unlabeled + protocol.test
    ends = protocol.labeled, protocol.labeled + protocol.unlabeled
    parts: tuple[list[Any], list[Any], list[Any]] = ([], [], [])
    for c in range(int(y.max()) + 1):
        block = np.flatnonzero(y[1:] == c)[:count] + 1
        random.shuffle(block)
        for part, rows in zip(parts, np.split(block, ends), strict=True):
            part.append(rows)
    labeled, unlabeled, test = map(np.concatenate, parts)
    return labeled, unlabeled, test


@lru_cache(maxsize=1)
def _training_part() -> tuple[Floats, Ints]:
    X, y = load_mnist("train", download_if_missing=False, return_X_y=True)
    return X.astype(np.float64), y.astype(np.intp)
