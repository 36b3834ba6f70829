"""Is there a group of rows in which nobody labeled one? Found without looking at the labels."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.stats import hypergeom
from sklearn.cluster import KMeans
from sklearn.neighbors import NearestNeighbors

from .._utils import limits
from .._utils.types import Array, Ints, Mask

LEVEL = 0.05
"""Probability that some group is named although rows to label were drawn at random, at most."""

REACHED = 0.1
"""Labeled neighbors of a group that lies apart, of as many as rows have elsewhere, at most."""

MOST_GROUPS = 30
"""Groups that are looked at; with more each is too small to tell."""

_NEIGHBORS = 10


@dataclass(frozen=True)
class UnlabeledGroup:
    """Rows that lie apart, none of which has a label."""

    rows: Ints
    """The rows, the most typical ones first."""
    p_value: float
    """Probability that a random sample of as many rows has none of them, times the groups."""


def group_without_label(X: Array, is_labeled: Mask, n_classes: int) -> UnlabeledGroup | None:
    r"""Return the largest group of rows that lies apart and has no label, None if there is none.

    Groups are found by k-means, from the rows alone, with one, two and three groups a class and one
    more. Let a group hold m of n rows. If the l labeled rows are a random sample, none of them is
    in it with probability :math:`\binom{n-m}{l} / \binom{n}{l}`; times the number of all groups
    it must be below :data:`LEVEL`. Labels must also be rare around it: its rows have at most a
    tenth of the labeled neighbors that rows have elsewhere.

    Measured on the 27 tables of the development collection, 12 draws each, with 5 or 20 labels a
    class: silent in all 576 draws in which every class had labels, and in 575 of 576 with as many
    labels drawn at random. A class whose labels were all hidden was noticed in 8 of 192 draws with
    5 labels a class, which are too few to tell, and in 51 of 120 with 20.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        All rows, with columns that can be compared.
    is_labeled : ndarray of shape (n_samples,)
        Which rows have a label.
    n_classes : int
        Classes among the labels.

    Returns
    -------
    UnlabeledGroup or None
    """
    n_rows, n_labeled = len(X), int(is_labeled.sum())
    seen = np.sort(np.random.RandomState(0).permutation(n_rows)[: limits.GROUP_ROWS])
    tried = [n_classes + 1, 2 * n_classes + 1, 3 * n_classes + 1]
    tried = [n for n in tried if n <= MOST_GROUPS and 2 * max(n, _NEIGHBORS) < len(seen)]
    suspects: list[UnlabeledGroup] = []
    for n_groups in tried:
        found = KMeans(n_groups, n_init=3, random_state=0).fit(X[seen])
        group = found.predict(X)
        sizes = np.bincount(group, minlength=n_groups)
        labels = np.bincount(group[is_labeled], minlength=n_groups)
        p_values = sum(tried) * hypergeom.pmf(0, n_rows, sizes, n_labeled)
        for number in np.flatnonzero((labels == 0) & (p_values < LEVEL)):
            if _reached(X[seen], group[seen] == number, is_labeled[seen]) <= REACHED:
                rows = np.flatnonzero(group == number)
                far = np.linalg.norm(X[rows] - found.cluster_centers_[number], axis=1)
                typical_first = rows[np.argsort(far, kind="stable")]
                suspects.append(UnlabeledGroup(typical_first, float(p_values[number])))
    return max(suspects, key=lambda found: len(found.rows), default=None)


def _reached(X: Array, inside: Mask, is_labeled: Mask) -> float:
    """Return how many neighbors of a group's rows have a label, of as many as elsewhere."""
    if inside.sum() <= _NEIGHBORS:
        return np.inf
    search = NearestNeighbors(n_neighbors=_NEIGHBORS).fit(X)
    near = search.kneighbors(X[inside], _NEIGHBORS + 1, return_distance=False)[:, 1:]
    return float(is_labeled[near].mean() / is_labeled.mean())
