"""Random splits with a given number of labels for training."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from .._utils.validation import check_count
from ..labels import PartialLabels
from .splitters import LabeledSplitter, Rows


class LabelBudgetSplit(LabeledSplitter):
    """Random splits to estimate how good a method is with ``n_labeled`` labels.

    The training side keeps ``n_labeled`` labels, at least one of each class, and all unlabeled
    rows; the other labeled rows are the test side.

    Parameters
    ----------
    n_labeled : int
        How many labels the training side keeps: at least the number of classes, at most the
        number of labels minus one.
    n_splits : int, default=10
        Number of random draws.
    stratify : bool, default=False
        Keep labels in proportion to the number of labels of each class. By default one label of
        each class is kept, and the others are drawn uniformly from all labeled rows.
    random_state : int, RandomState or None
        Seed of the draws.
    unlabeled : "auto", None, a value or a list, default="auto"
        What marks an unlabeled row, see :func:`ssrlpl.encode_labels`.

    Examples
    --------
    >>> from ssrlpl.model_selection import LabelBudgetSplit
    >>> y = ["a", "b", "a", "b", "a", None]
    >>> for train, test in LabelBudgetSplit(2, n_splits=2, random_state=0).split(y, y):
    ...     print([y[row] for row in train], [y[row] for row in test])
    ['b', 'a', None] ['a', 'b', 'a']
    ['a', 'b', None] ['a', 'b', 'a']
    """

    def __init__(
        self,
        n_labeled: int,
        *,
        n_splits: int = 10,
        stratify: bool = False,
        random_state: Any = None,
        unlabeled: Any = "auto",
    ):
        check_count("n_labeled", n_labeled, low=2)
        check_count("n_splits", n_splits)
        self.n_labeled = n_labeled
        self.n_splits = n_splits
        self.stratify = stratify
        self.random_state = random_state
        self.unlabeled = unlabeled

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:  # noqa: ARG002
        """Return the number of splits; the arguments are ignored (scikit-learn's interface)."""
        return int(self.n_splits)

    def _test_sides(self, target: PartialLabels) -> Iterator[Rows]:
        n_classes, most = len(target.classes), target.n_labeled - 1
        if not n_classes <= self.n_labeled <= most:
            raise ValueError(
                f"n_labeled must be an int in [{n_classes}, {most}], so that each class keeps a"
                f" label and one is left to test. Got {self.n_labeled} with {target.n_labeled}"
                " labeled rows: change n_labeled or label more rows."
            )
        rows, rng = np.flatnonzero(target.is_labeled), check_random_state(self.random_state)
        quota = np.ones(n_classes, dtype=np.intp)
        if self.stratify:
            quota = _quota(target.codes[rows], self.n_labeled)
        for _ in range(self.n_splits):
            order = rng.permutation(rows)
            codes = target.codes[order]
            first = place_in_class(codes) < quota[codes]
            ahead = np.argsort(~first, kind="stable")  # the quota of each class, then the others
            yield order[ahead[self.n_labeled :]]


def place_in_class(codes: Rows) -> Rows:
    """Return for each entry the number of earlier entries of the same class."""
    order = np.argsort(codes, kind="stable")
    counts = np.bincount(codes)
    places = np.empty_like(codes)
    places[order] = np.arange(len(codes)) - np.repeat(np.cumsum(counts) - counts, counts)
    return places


def _quota(codes: Rows, total: int) -> Rows:
    """Return ``total`` divided among the classes by size (largest remainder, at least one each)."""
    counts = np.bincount(codes)
    wanted = counts * total / counts.sum()
    quota = np.maximum(wanted.astype(np.intp), 1)
    while quota.sum() < total:
        quota[np.argmax(np.where(quota < counts, wanted - quota, -np.inf))] += 1
    while quota.sum() > total:
        quota[np.argmin(np.where(quota > 1, wanted - quota, np.inf))] -= 1
    return quota
