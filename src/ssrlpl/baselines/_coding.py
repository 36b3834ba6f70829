"""Base class of methods that write each row, and its label, as a combination of other rows."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np

from .._core.neighbor_graph import as_searched
from .._core.reconstruction import one_way, rows_to_one, sparse_codes
from .._core.shared import SharedRows
from .._utils import limits
from .._utils.types import Array, Floats, Ints
from .._utils.validation import check_count, check_share
from ._base import LabelingBaseline


class CodingBaseline(LabelingBaseline):
    """A baseline with codes of rows over their nearest rows.

    Subclasses offer ``_code``; the matrix of codes of the training table is ``weights_``. A new
    row gets the combination of label vectors that its own code says.
    """

    n_neighbors: int
    metric = "euclidean"

    @abstractmethod
    def _code_settings(self) -> tuple[Any, ...]:
        """Return what codes depend on, beside the rows."""

    @abstractmethod
    def _code(self, X: Any, rows: Any, columns: Ints) -> Floats:
        """Return the codes of the rows of X over ``rows[columns]``; none is negative."""

    def _prepare(self, X: Any, shared: SharedRows) -> None:
        check_count("n_neighbors", self.n_neighbors)
        self.n_neighbors_ = min(self.n_neighbors, X.shape[0] - 1)
        self._search = shared.neighbor_search(self.metric)
        self.limits_hit_ = limits.hit(self._search, DENSE_GRAPH_ROWS=X.shape[0])
        distances, columns = shared.neighbors(self.metric, self.n_neighbors_)
        rows = self._search.rows
        self.weights_ = shared.once(
            ("codes", self.metric, self.n_neighbors_, self._code_settings()),
            lambda: rows_to_one(one_way(self._code(rows, rows, columns), columns, len(columns))),
            12 * columns.size,
        )
        self._typical = float(distances.mean()) or 1.0

    def _label_new(self, X: Any) -> Array:
        new = as_searched(X, self.metric)
        distances, columns = self._search.nearest(self.n_neighbors_, new)
        codes = self._code(new, self._search.rows, columns)
        same = distances <= 1e-6 * self._typical  # zero up to rounding
        codes = np.where(same.any(axis=1, keepdims=True), same, codes)
        # A row without a code is as far from all rows as from the nearest of them.
        codes[codes.sum(axis=1) == 0, 0] = 1
        W = rows_to_one(one_way(codes, columns, len(self.label_distributions_)))
        return np.asarray(W @ self.label_distributions_).astype(X.dtype, copy=False)


class SparseCodingBaseline(CodingBaseline):
    """A baseline with sparse codes of unit rows; ``penalty`` is the λ of these codes."""

    penalty: float
    metric = "cosine"

    def _prepare(self, X: Any, shared: SharedRows) -> None:
        check_share("penalty", self.penalty)
        super()._prepare(X, shared)

    def _code_settings(self) -> tuple[Any, ...]:
        return "sparse", float(self.penalty)

    def _code(self, X: Any, rows: Any, columns: Ints) -> Floats:
        return sparse_codes(X, rows, columns, self.penalty)
