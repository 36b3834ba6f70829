"""What a method is told of a problem when it is built."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Hints:
    """What a method may know of a problem before it sees rows.

    Parameters
    ----------
    seed : int
        For methods that draw.
    n_classes, n_labeled : int
        Sizes of the problem.
    p, k : int, optional
        The paper's dimensionality and number of neighbors for this data set.
    """

    seed: int = 0
    n_classes: int = 2
    n_labeled: int = 2
    p: int | None = None
    k: int | None = None
