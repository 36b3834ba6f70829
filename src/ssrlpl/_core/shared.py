"""Cache for several fits to the same rows: neighbors, kernel matrices, factorizations."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from typing import Any, TypeVar

from .._utils import limits
from .._utils.types import Floats, Ints
from .cell_neighbors import recall
from .neighbor_graph import NeighborSearch, find_neighbors

Kept = TypeVar("Kept")


class SharedRows:
    """Rows and cached results that depend on them alone.

    Threads that ask for the same neighbors at the same time wait for the first of them.
    """

    def __init__(self, X: Any):
        self.X = X
        self._searching = threading.Lock()
        self._searches: dict[str, NeighborSearch] = {}
        self._nearest: dict[tuple[str, int], tuple[Floats, Ints]] = {}
        self._recalls: dict[tuple[str, int], float] = {}
        self._kept: dict[Hashable, Any] = {}
        self._kept_bytes = 0

    def neighbor_search(self, metric: str) -> NeighborSearch:
        """Return the index for nearest-neighbor queries."""
        if metric not in self._searches:
            self._searches[metric] = find_neighbors(self.X, metric)
        return self._searches[metric]

    def neighbors(self, metric: str, n_neighbors: int) -> tuple[Floats, Ints]:
        """Return the distances to the nearest other rows of each row, and their row numbers."""
        key = (metric, n_neighbors)
        with self._searching:
            if key not in self._nearest:
                self._nearest[key] = self.neighbor_search(metric).nearest(n_neighbors)
        return self._nearest[key]

    def neighbor_recall(self, metric: str, n_neighbors: int) -> float:
        """Return the share of the nearest rows that :meth:`neighbors` finds."""
        key = (metric, n_neighbors)
        if key not in self._recalls:
            search, (distances, _) = self.neighbor_search(metric), self.neighbors(*key)
            self._recalls[key] = 1.0 if search.is_exact else recall(search.rows, distances)
        return self._recalls[key]

    def once(self, key: Hashable, make: Callable[[], Kept], n_bytes: int = 0) -> Kept:
        """Return what ``make`` gives, computed once for a key; callers must not modify it.

        A result of ``n_bytes`` is kept while all of them take at most ``limits.SHARED_BYTES``.
        """
        if key in self._kept:
            found: Kept = self._kept[key]
            return found
        made = make()
        if self._kept_bytes + n_bytes <= limits.SHARED_BYTES:
            self._kept[key] = made
            self._kept_bytes += n_bytes
        return made

    @property
    def lowest_recall(self) -> float:
        """The lowest share of nearest rows found in the searches so far."""
        return min(self._recalls.values(), default=1.0)
