"""Cross-validation of partially labeled tables.

scikit-learn's splitters split all rows, so that test sides contain unlabeled rows, which cannot be
scored, and training sides lose unlabeled rows without need. Here only the labeled rows are split:
every training side keeps all unlabeled rows, and every test side contains only labeled rows.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.model_selection import BaseCrossValidator, KFold, StratifiedKFold
from sklearn.utils.validation import _num_samples

from .._utils.types import Array, Ints, MatrixLike, VectorLike
from .._utils.user_warnings import warn_user
from .._utils.validation import check_count
from ..labels import PartialLabels, encode_labels, shown, write_labels

Rows = Ints


class LabeledSplitter(BaseCrossValidator):
    """Base class of the splitters; a subclass yields the labeled rows of each test side."""

    unlabeled: Any
    _cure = "label more rows"

    @abstractmethod
    def _test_sides(self, target: PartialLabels) -> Iterator[Rows]:
        """Yield the row numbers of each test side."""

    def split(
        self, X: MatrixLike, y: VectorLike = None, groups: Any = None
    ) -> Iterator[tuple[Rows, Rows]]:
        """Yield the row numbers of the training side and of the test side of each split.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            All rows; only their number is used.
        y : array-like of shape (n_samples,)
            Labels, with a marker for unlabeled rows.
        groups : ignored
            Exists for scikit-learn's interface; a warning is given if it is not None.

        Yields
        ------
        train, test : ndarray of int
            In ascending order. ``train`` contains every unlabeled row, ``test`` none.
        """
        if groups is not None:
            warn_user(f"groups has no effect on {type(self).__name__}.")
        target = encode_labels(y, unlabeled=self.unlabeled, n_samples=_num_samples(X))
        for test in [np.sort(side) for side in self._test_sides(target)]:
            self._check_training_side(target, test)
            yield np.setdiff1d(np.arange(len(target.codes)), test, assume_unique=True), test

    def _check_training_side(self, target: PartialLabels, test: Rows) -> None:
        """Raise if a training side has labels of fewer than two classes."""
        kept = np.unique(np.delete(target.codes, test))
        kept = kept[kept >= 0]
        if len(kept) < 2:
            raise ValueError(
                "Every training side must have labels of at least 2 classes. Got a split with"
                f" labels of {shown(target.classes[kept[0]])} only: {self._cure}."
            )


class _LabeledFolds(LabeledSplitter):
    """Base class of the two k-fold splitters."""

    def __init__(
        self,
        n_splits: int = 5,
        *,
        shuffle: bool = False,
        random_state: Any = None,
        unlabeled: Any = "auto",
    ):
        check_count("n_splits", n_splits, low=2)
        if random_state is not None and not shuffle:
            raise ValueError(
                f"random_state must be None without shuffling. Got {random_state!r}: pass"
                " shuffle=True too."
            )
        self.n_splits = n_splits
        self.shuffle = shuffle
        self.random_state = random_state
        self.unlabeled = unlabeled

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:  # noqa: ARG002
        """Return the number of splits; the arguments are ignored (scikit-learn's interface)."""
        return int(self.n_splits)

    def _deal(self, folds: Any, target: PartialLabels) -> Iterator[Rows]:
        rows = np.flatnonzero(target.is_labeled)
        for _, test in folds.split(rows, target.codes[rows]):
            yield rows[test]


class LabeledKFold(_LabeledFolds):
    """K folds of the labeled rows; unlabeled rows are in every training side.

    Parameters
    ----------
    n_splits : int, default=5
        Number of folds, at least 2 and at most the number of labeled rows.
    shuffle : bool, default=False
        Assign the labeled rows to folds at random instead of in row order.
    random_state : int, RandomState or None
        Seed of the shuffling.
    unlabeled : "auto", None, a value or a list, default="auto"
        What marks an unlabeled row, see :func:`ssrlpl.encode_labels`.

    See Also
    --------
    StratifiedLabeledKFold : Keeps the class shares; preferable for few labels.

    Examples
    --------
    >>> from ssrlpl.model_selection import LabeledKFold
    >>> y = ["cat", None, "dog", "dog", None, "cat"]
    >>> for train, test in LabeledKFold(2).split(y, y):
    ...     print(train.tolist(), test.tolist())
    [1, 3, 4, 5] [0, 2]
    [0, 1, 2, 4] [3, 5]
    """

    _cure = "use StratifiedLabeledKFold, or pass shuffle=True if the rows are sorted by class"

    def _test_sides(self, target: PartialLabels) -> Iterator[Rows]:
        if self.n_splits > target.n_labeled:
            raise ValueError(
                f"n_splits must be an int in [2, {target.n_labeled}], the number of labeled rows."
                f" Got {self.n_splits}: lower n_splits or label more rows."
            )
        yield from self._deal(KFold(self.n_splits, **_shuffling(self)), target)


class StratifiedLabeledKFold(_LabeledFolds):
    """K folds of the labeled rows with about the same class shares.

    A class with fewer labels than folds is missing on some test sides; as in scikit-learn, this
    gives a warning.

    Parameters
    ----------
    n_splits : int, default=5
        Number of folds, at least 2 and at most the number of labels of the largest class.
    shuffle : bool, default=False
        Assign the labeled rows of each class to folds at random instead of in row order.
    random_state : int, RandomState or None
        Seed of the shuffling.
    unlabeled : "auto", None, a value or a list, default="auto"
        What marks an unlabeled row, see :func:`ssrlpl.encode_labels`.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from sklearn.model_selection import cross_val_score
    >>> from ssrlpl import SSRLPLClassifier
    >>> from ssrlpl.model_selection import StratifiedLabeledKFold
    >>> X, y = load_digits(return_X_y=True)
    >>> y[200:] = -1  # the first 200 rows keep their label
    >>> cross_val_score(SSRLPLClassifier(), X, y, cv=StratifiedLabeledKFold(4)).shape
    (4,)
    """

    _cure = "use LeaveOneLabelOut, or label a second row of every class"

    def _test_sides(self, target: PartialLabels) -> Iterator[Rows]:
        largest = int(np.bincount(target.codes[target.is_labeled]).max())
        if self.n_splits > largest:
            raise ValueError(
                f"n_splits must be an int in [2, {largest}], the number of labels of the largest"
                f" class. Got {self.n_splits}: lower n_splits, label more rows or use"
                " LeaveOneLabelOut."
            )
        yield from self._deal(StratifiedKFold(self.n_splits, **_shuffling(self)), target)


def _shuffling(folds: _LabeledFolds) -> dict[str, Any]:
    return {"shuffle": folds.shuffle, "random_state": folds.random_state}


class LeaveOneLabelOut(LabeledSplitter):
    """Each labeled row is the test side once; all other rows are the training side.

    If there are two classes and one of them has a single label, that label is never left out,
    because one class alone cannot be learned. With three or more classes every label is left out.

    Parameters
    ----------
    unlabeled : "auto", None, a value or a list, default="auto"
        What marks an unlabeled row, see :func:`ssrlpl.encode_labels`.

    Examples
    --------
    >>> from ssrlpl.model_selection import LeaveOneLabelOut
    >>> y = [0, -1, 0, 1, -1, 1]
    >>> [test.tolist() for _, test in LeaveOneLabelOut().split(y, y)]
    [[0], [2], [3], [5]]
    >>> LeaveOneLabelOut().get_n_splits(y=[0, -1, 0, 1, -1, -1])
    2
    """

    def __init__(self, *, unlabeled: Any = "auto"):
        self.unlabeled = unlabeled

    def get_n_splits(self, X: Any = None, y: VectorLike = None, groups: Any = None) -> int:  # noqa: ARG002
        """Return the number of labeled rows of y that can be left out."""
        return sum(1 for _ in self._test_sides(encode_labels(y, unlabeled=self.unlabeled)))

    def _test_sides(self, target: PartialLabels) -> Iterator[Rows]:
        rows = np.flatnonzero(target.is_labeled)
        if len(target.classes) == 2:
            alone = np.flatnonzero(np.bincount(target.codes[rows]) == 1)
            rows = rows[~np.isin(target.codes[rows], alone)]
        if not len(rows):
            raise ValueError(
                "At least one class must have 2 labels, so that one can be left out. Got one"
                " label of each of 2 classes: label another row."
            )
        yield from rows[:, None]


def mask_labels(y: VectorLike, rows: VectorLike, *, unlabeled: Any = "auto") -> Array:
    """Return y with the labels of some rows hidden, for training with test rows in the table.

    The splitters remove test rows from the table. To test a method that labels the rows it was
    fitted on (transduction), its test rows must stay in the table as unlabeled rows.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        Labels, with a marker for unlabeled rows.
    rows : array-like of int, or of bool with shape (n_samples,)
        The rows whose labels are hidden, such as a test side.
    unlabeled : "auto", None, a value or a list, default="auto"
        What marks an unlabeled row of ``y``, see :func:`ssrlpl.encode_labels`.

    Returns
    -------
    ndarray of shape (n_samples,)
        Integers >= 0 stay integers, with -1 for unlabeled rows. Other labels, and all labels if
        ``unlabeled`` is not "auto", become objects, with None for unlabeled rows. Pass the same
        ``unlabeled`` when you use the result.

    See Also
    --------
    ssrlpl.datasets.hide_labels : Draws the labels to hide at random.

    Examples
    --------
    >>> from ssrlpl.model_selection import LeaveOneLabelOut, mask_labels
    >>> y = [0, -1, 1, 0]
    >>> for _, test in LeaveOneLabelOut().split(y, y):
    ...     print(mask_labels(y, test))
    [-1 -1  1  0]
    [ 0 -1  1 -1]
    """
    target = encode_labels(y, unlabeled=unlabeled, min_classes=0)
    visible = target.is_labeled.copy()
    try:
        visible[np.asarray(rows, dtype=None if len(rows) else np.intp)] = False
    except IndexError as error:
        raise ValueError(
            f"rows must be row numbers below {len(visible)} or a mask of that length. Got"
            f" {rows!r}: pass the test side of a split of the same y."
        ) from error
    return write_labels(target, np.flatnonzero(visible), unlabeled=unlabeled)
