"""Decision trees as plain arrays, which a model file may hold and a reader can check."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._utils.types import Floats, Ints
from .blocks import block_rows, row_slices

_LEAF = -1


@dataclass(frozen=True)
class Trees:
    """The nodes of all trees of a forest, one after the other; children follow their parents.

    A row goes from a node to ``left`` if its ``feature`` is at most ``threshold``, and to ``right``
    otherwise; -1 in ``left`` marks a leaf, whose ``shares`` are those of the classes in it.
    """

    roots: Ints
    feature: Ints
    threshold: Floats
    left: Ints
    right: Ints
    shares: Floats

    @classmethod
    def of(cls, forest: Any) -> Trees:
        """Return the trees of a fitted forest of scikit-learn."""
        trees = [one.tree_ for one in forest.estimators_]
        roots = np.cumsum([0, *(tree.node_count for tree in trees)])[:-1]

        def children(name: str) -> Ints:
            found = [getattr(tree, name) for tree in trees]
            moved = [np.where(c == _LEAF, _LEAF, c + r) for c, r in zip(found, roots, strict=True)]
            return np.concatenate(moved).astype(np.intp)

        shares = np.concatenate([tree.value[:, 0, :] for tree in trees])
        return cls(
            roots,
            np.concatenate([tree.feature for tree in trees]).astype(np.intp),
            np.concatenate([tree.threshold for tree in trees]),
            children("children_left"),
            children("children_right"),
            shares / shares.sum(axis=1, keepdims=True),
        )

    def __call__(self, X: Any) -> Floats:
        """Return the mean shares of the classes in the leaves of each row."""
        is_inner = self.left != _LEAF
        used = np.unique(self.feature[is_inner])
        column = np.searchsorted(used, self.feature)
        n_trees, n_classes = len(self.roots), self.shares.shape[1]
        votes = np.empty((X.shape[0], n_classes))
        for part in row_slices(len(votes), block_rows(8 * (len(used) + n_trees * n_classes))):
            rows = X[part][:, used]
            rows = rows.toarray() if hasattr(rows, "tocsr") else rows
            # In single precision, as scikit-learn compares them.
            leaves = self._leaves(np.ascontiguousarray(rows, dtype=np.float32), column)
            votes[part] = self.shares[leaves].mean(axis=1)
        return votes

    def _leaves(self, X: NDArray[np.float32], column: Ints) -> Ints:
        """Return the leaf of each row in each tree (column)."""
        leaves = np.tile(self.roots, len(X))
        places = np.arange(len(leaves))  # that are not in a leaf yet
        while True:
            places = places[self.left[leaves[places]] != _LEAF]
            if not len(places):
                return leaves.reshape(len(X), -1)
            at = leaves[places]
            goes_left = X[places // len(self.roots), column[at]] <= self.threshold[at]
            following = np.where(goes_left, self.left[at], self.right[at])
            if (following <= at).any():  # in a manipulated file; it would never end
                raise ValueError("The trees of this model are damaged: fit it again.")
            leaves[places] = following
