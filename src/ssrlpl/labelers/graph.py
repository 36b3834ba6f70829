"""A labeler that propagates labels over a neighborhood graph of all rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.base import clone

from .._core import diffusion
from .._core.blocks import row_slices
from .._core.discriminant_axes import discriminant_axes
from .._core.neighbor_graph import METRICS, as_searched, join, neighbor_graph
from .._core.shared import SharedRows
from .._core.votes import winner_take_all
from .._utils import limits
from .._utils.types import Array, Floats, Ints, Mask
from .._utils.validation import check_choice, check_count, check_share
from ..labels import PartialLabels
from ._base import BaseLabeler, GivenKeeper, Hidden, LeftOut, spread_columns

DISCRIMINANT = "discriminant"

_BATCH_BYTES = 1 << 26
"""Bytes of label vectors in one batch of hidden labels."""


class GraphLabeler(BaseLabeler):
    r"""Label probabilities by label propagation on a graph of nearest neighbors.

    Each row is connected to its nearest rows, labeled or not, with weights W that adapt to the
    local density. With D the row sums of W and Y the given labels (zero for unlabeled rows),

    .. math::

        \text{spreading:} \quad & F = (I - \alpha D^{-1/2} W D^{-1/2})^{-1} Y, \\
        \text{harmonic:} \quad & F_U = (D - W)_{UU}^{-1} W_{UL} Y_L,

    and rows of F are scaled to sum to one. The sparse systems are solved to convergence.

    Parameters
    ----------
    n_neighbors : int, default=10
        Number of neighbors that each row is connected to.
    method : {"spreading", "harmonic"}, default="spreading"
        Local and global consistency (Zhou et al. 2004), or harmonic functions (Zhu, Ghahramani
        and Lafferty 2003). Prefer "spreading" for very few labels in a large table.
    alpha : float, default=0.99
        How far labels spread, in (0, 1); not used by "harmonic".
    sharpness : float, default=1
        How fast weights decrease with distance: β in the weights exp(-β d²/(s s')), where s is
        the distance to the farthest neighbor of each row. Larger values follow thin structures.
    class_mass : bool, default=True
        Scale classes so that their total mass is proportional to the number of labels plus one
        (class-mass normalization).
    metric : {"euclidean", "cosine", "discriminant"}, default="euclidean"
        Distance between rows. "cosine" is suitable for word counts. "discriminant" is the
        Euclidean distance in the space of a linear discriminant analysis of the labeled rows
        (dense tables, about five labels for each class or more): it ignores columns that do not
        tell the classes apart.
    winner_take_all : bool, default=False
        Set the largest probability of each row of the table to one; new rows get the mean of such
        vectors.
    unlabeled : "auto", None, a value or a list, default="auto"
        What marks an unlabeled row, see :func:`ssrlpl.encode_labels`.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes in sorted order.
    label_distributions_ : ndarray of shape (n_samples, n_classes)
        A probability vector for each row of the training table; one-hot for labeled rows.
    transduction_ : ndarray of shape (n_samples,)
        The most probable label of each row of the training table.
    unreached_ : ndarray of shape (n_samples,)
        True for rows that no label reaches; their vector holds the class shares of the labels.
    n_neighbors_ : int
        Number of neighbors that was used.
    neighbor_recall_ : float
        Share of the nearest rows that the search found: 1 up to 20,000 rows, where it is exact;
        in larger dense tables it is approximate, and the share is measured on a sample of the rows.
    limits_hit_ : tuple of str
        Size limits of ``docs/limits.md`` that the table exceeds.
    n_features_in_ : int
        Number of columns of X.

    Notes
    -----
    Above 20,000 rows neighbors are searched in cells, and systems solved in single precision, see
    ``docs/limits.md``; the same rows always have the same neighbors. Memory is
    O(n_samples · (n_neighbors + n_classes)) above 3,000 rows; up to 3,000 rows a dense
    factorization is used, which is faster. A new row gets the mean label vector of its nearest
    training rows, weighted as in the graph.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from ssrlpl import GraphLabeler
    >>> X, y = load_digits(return_X_y=True)
    >>> partly = y.copy()
    >>> partly[100:] = -1  # the first 100 rows keep their label
    >>> labeler = GraphLabeler().fit(X, partly)
    >>> labeler.label_distributions_.shape
    (1797, 10)
    """

    is_local = False
    """Hiding a label changes every row that is connected to it in the graph."""

    def __init__(
        self,
        n_neighbors: int = 10,
        *,
        method: str = "spreading",
        alpha: float = 0.99,
        sharpness: float = 1.0,
        class_mass: bool = True,
        metric: str = "euclidean",
        winner_take_all: bool = False,
        unlabeled: Any = "auto",
    ):
        self.n_neighbors = n_neighbors
        self.method = method
        self.alpha = alpha
        self.sharpness = sharpness
        self.class_mass = class_mass
        self.metric = metric
        self.winner_take_all = winner_take_all
        self.unlabeled = unlabeled

    def fit_checked(
        self,
        X: Any,
        target: PartialLabels,
        sample_weight: Floats | None = None,
        shared: SharedRows | None = None,
    ) -> GraphLabeler:
        """Label every row of a checked table, see :class:`BaseLabeler`.

        ``shared`` caches the neighbors of the rows, which do not depend on the labels.
        """
        self._set_graph(X, target, shared)
        weight = None if sample_weight is None else sample_weight[target.labeled]
        Y, has_mass = self._label(target, weight, shared)
        self.unreached_ = ~has_mass
        self._keep(target, Y.astype(X.dtype, copy=False))
        # For a table in chunks label_distributions_ has more rows than the graph of its sample.
        self._graph_labels = self.label_distributions_
        return self

    def _set_graph(self, X: Any, target: PartialLabels, shared: SharedRows | None = None) -> None:
        check_count("n_neighbors", self.n_neighbors)
        check_choice("method", self.method, tuple(diffusion.WAYS), or_callable=False)
        check_choice("metric", self.metric, (*METRICS, DISCRIMINANT), or_callable=False)
        check_share("alpha", self.alpha)
        check_share("sharpness", self.sharpness, high=np.inf)
        self.n_features_in_ = X.shape[1]
        self.n_neighbors_ = min(self.n_neighbors, X.shape[0] - 1)
        if self.metric == DISCRIMINANT:
            if hasattr(X, "tocsr"):
                raise ValueError(
                    "metric='discriminant' needs a dense table. Got a sparse one: reduce it first,"
                    " for example with TruncatedSVD(100), or pass metric='cosine'."
                )
            rows = target.labeled
            self._axes = discriminant_axes(X[rows].astype(np.float64), target.codes[rows])
            shared = SharedRows(self._searched(X))
        shared = SharedRows(X) if shared is None else shared
        metric = "euclidean" if self.metric == DISCRIMINANT else self.metric
        self._search = shared.neighbor_search(metric)
        self.limits_hit_ = limits.hit(self._search, DENSE_GRAPH_ROWS=X.shape[0])
        found = shared.neighbors(metric, self.n_neighbors_)
        self.neighbor_recall_ = shared.neighbor_recall(metric, self.n_neighbors_)
        self._graph = neighbor_graph(*found, self.sharpness)

    def _searched(self, X: Any) -> Any:
        """Return rows in the space in which neighbors are searched."""
        return X @ self._axes if self.metric == DISCRIMINANT else as_searched(X, self.metric)

    def _label(
        self, target: PartialLabels, weight: Floats | None = None, shared: SharedRows | None = None
    ) -> tuple[Floats, Mask]:
        labeled, given = target.labeled, _weighted(target, weight)

        def spread() -> Floats:
            return diffusion.WAYS[self.method](self._graph, labeled, given, self.alpha)

        F = self._kept(shared, labeled, given, spread)
        Y, has_mass = self._finish(F, given.sum(axis=0))
        Y[labeled] = target.one_hot()
        return Y, has_mass

    def _kept(
        self, shared: SharedRows | None, labeled: Ints, given: Floats, spread: Callable[[], Floats]
    ) -> Floats:
        """Return propagated labels; for the graph of a large table they are computed once.

        They are kept for the same settings and labels, in the precision that they have there.
        """
        is_large = self._graph.n_rows > limits.EXACT_NEIGHBOR_ROWS
        if shared is None or not is_large or self.method != "spreading":
            return spread()
        settings = (self.metric, self.n_neighbors_, self.sharpness, self.alpha)
        key = (*settings, labeled.tobytes(), given.tobytes())
        n_bytes = 4 * self._graph.n_rows * given.shape[1]
        F = shared.once(key, lambda: spread().astype(np.float32), n_bytes)
        return F.astype(np.float64)

    def _finish(self, F: Floats, counts: Floats) -> tuple[Floats, Mask]:
        Y, has_mass = diffusion.label_distributions(F, counts, balance=self.class_mass)
        return (winner_take_all(Y) if self.winner_take_all else Y), has_mass

    def labels_without(
        self, X: Any, target: PartialLabels, hidden: Hidden, rows: Ints | None = None
    ) -> LeftOut:
        """Yield the label vectors without each hidden set, see :class:`BaseLabeler`.

        The graph does not depend on labels and is built once. For labels hidden one at a time,
        all results are computed from the same columns of P, see :mod:`ssrlpl._core.diffusion`.
        """
        if self.metric == DISCRIMINANT:  # the graph itself depends on the labels
            yield from super().labels_without(X, target, hidden, rows)
            return
        fresh = clone(self)
        fresh._set_graph(X, target)
        if any(len(one) != 1 for one in hidden):
            for position, one in enumerate(hidden):
                rest = target.without(one, min_classes=1)
                Y = spread_columns(fresh._label(rest)[0], rest, target, rows)
                yield slice(position, position + 1), Y[None]
            return
        labeled, given = target.labeled, target.one_hot()
        P, change = fresh._left_out(labeled, given)
        base = P @ given
        columns = np.ascontiguousarray(P.T)
        alone, keep = np.concatenate([*hidden]), GivenKeeper(target, rows)
        places = np.searchsorted(labeled, alone)
        for part in row_slices(len(hidden), max(1, _BATCH_BYTES // (8 * base.size))):
            chosen = places[part]
            F = base + columns[chosen, :, None] * change[chosen, None, :]
            Y, _ = fresh._finish(F, given.sum(axis=0) - given[chosen])
            yield part, keep(Y if rows is None else Y[:, rows], alone[part])

    def _left_out(self, labeled: Ints, given: Floats) -> tuple[Floats, Floats]:
        """Return P, and how the given labels change, each when it is hidden."""
        P = diffusion.WAYS[self.method](self._graph, labeled, np.eye(len(labeled)), self.alpha)
        change = -given
        if self.method == "harmonic":
            change = diffusion.hidden_value(self._graph, labeled, P, given) - given
        return P, change

    def loo_scores(
        self,
        X: Any,
        target: PartialLabels,
        shared: SharedRows | None = None,
        weight: Floats | None = None,
        *,
        keep_classes: bool = False,
        estimated: bool = False,
    ) -> Floats:
        """Return the label vector of each labeled row by the fit without its label.

        Of the label vectors of all rows only two parts are needed: the row itself, and the class
        masses, by which classes are scaled. ``weight`` are the weights of the labeled rows; with
        ``keep_classes`` the other labels of a class take the weight of the hidden one. The
        ``estimated`` result takes a few columns instead of one for each label (spreading only).
        """
        if self.metric == DISCRIMINANT:
            return super().loo_scores(X, target)
        fresh = clone(self)
        fresh._set_graph(X, target, shared)
        labeled, given = target.labeled, _weighted(target, weight)
        if self.method == "spreading":
            parts = diffusion.estimated_parts if estimated else diffusion.spread_parts
            diagonal, sums, base = parts(fresh._graph, labeled, given, self.alpha)
            if estimated:  # the fit to all rows will ask for them
                base = fresh._kept(shared, labeled, given, lambda: base)
            change = -given
        else:
            P, change = fresh._left_out(labeled, given)
            diagonal, sums, base = np.diag(P[labeled]), P.sum(axis=0), P @ given
        counts = given.sum(axis=0) - given
        if keep_classes:  # the row is not judged by the smaller share of its class
            counts = np.where(counts > 0, given.sum(axis=0), 0)
        own = np.maximum(base[labeled] + diagonal[:, None] * change, 0)
        largest: Any = base.max()
        if self.class_mass:
            mass = base.sum(axis=0) + sums[:, None] * change
            factors = diffusion.mass_factors(np.maximum(mass, 0), counts)
            own, largest = own * factors, largest * factors.max(axis=1, keepdims=True)
        Y = diffusion.hidden_distributions(own, counts, largest)
        return winner_take_all(Y) if self.winner_take_all else Y

    def _label_new(self, X: Any) -> Array:
        weights = join(self._graph, self._search, self._searched(X))
        older = not hasattr(self, "_graph_labels")  # in an older model file
        vectors = self.label_distributions_ if older else self._graph_labels
        return np.asarray(weights @ vectors).astype(X.dtype, copy=False)


def _weighted(target: PartialLabels, weight: Floats | None) -> Floats:
    """Return the given label vectors, each times the weight of its row."""
    return target.one_hot() if weight is None else target.one_hot() * weight[:, None]
