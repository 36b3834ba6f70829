"""What depends on the rows alone and serves several fits: neighbors and kernel matrices."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from .diffusion import NeighborSearch, find_neighbors
from .kernels import Kernel
from .whitening import centered_gram

Thing = TypeVar("Thing")


class SharedRows:
    """Rows, and what was computed from them so far."""

    def __init__(self, X: Any):
        self.X = X
        self._known: dict[Any, Any] = {}

    def _once(self, key: Any, compute: Callable[[], Thing]) -> Thing:
        if key not in self._known:
            self._known[key] = compute()
        return self._known[key]

    def neighbor_search(self, metric: str) -> NeighborSearch:
        """Return the structure that finds neighbors."""
        return self._once(("search", metric), lambda: find_neighbors(self.X, metric))

    def neighbors(
        self, metric: str, n_neighbors: int
    ) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
        """Return the distances to the nearest other rows of each row, and their numbers."""
        search = self.neighbor_search(metric)
        return self._once(("nearest", metric, n_neighbors), lambda: search.nearest(n_neighbors))

    def centered_gram(self, kernel: Kernel) -> NDArray[np.float64]:
        """Return HKH, to be read only."""
        key = ("gram", kernel.name, kernel.gamma, kernel.degree, kernel.coef0)
        return self._once(key, lambda: centered_gram(kernel.square(self.X), None))
