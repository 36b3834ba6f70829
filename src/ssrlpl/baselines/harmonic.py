"""Harmonic functions with class-mass normalization."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._core import diffusion
from .._core.shared import SharedRows
from .._utils import limits
from .._utils.types import Array, Floats
from ..labels import PartialLabels
from ._base import GraphBaseline


class HarmonicFunctions(GraphBaseline):
    r"""Label propagation by harmonic functions (Zhu, Ghahramani and Lafferty 2003).

    .. math::

        \min_F \tfrac12 \sum_{ij} w_{ij} |F_i - F_j|^2 \;\text{ with }\; F_L = Y_L
        \quad\Rightarrow\quad F_U = (D - W)_{UU}^{-1} W_{UL} Y_L.

    The value of each unlabeled row is the weighted mean of its neighbors. Class-mass normalization
    multiplies column c by :math:`q_c / \sum_{i \in U} F_{ic}`, where :math:`q_c` is the number of
    labels of class c plus one.

    Parameters
    ----------
    n_neighbors : int, default=10
        Number of neighbors that each row is connected to.
    weights : {"heat", "self_tuning", "binary", "cosine"}, default="heat"
        Weights of the edges: exp(-β d²/t²) with t the mean distance of neighbors; exp(-β d²/(s s'))
        with s the distance of a row to the last of its neighbors; 1; the cosine of the rows.
    sharpness : float, default=1
        β > 0 of the first two.
    mutual : bool, default=False
        Keep an edge only if each of its rows is a neighbor of the other one.
    metric : {"euclidean", "cosine"}, default="euclidean"
        Distance between rows; cosine weights need cosine.
    class_mass : bool, default=True
        Use class-mass normalization.
    unlabeled : "auto", None, a value or a list, default="auto"
        What marks an unlabeled row, see :func:`ssrlpl.encode_labels`.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes in sorted order.
    harmonic_ : ndarray of shape (n_samples, n_classes)
        F, before class-mass normalization; zero where no label reaches.
    label_distributions_ : ndarray of shape (n_samples, n_classes)
        A probability vector for each row of the training table; one-hot for labeled rows. Rows
        that no label reaches have the class shares of the labels.
    transduction_ : ndarray of shape (n_samples,)
        The most probable label of each row of the training table.
    n_neighbors_ : int
        Number of neighbors that was used.
    limits_hit_ : tuple of str
        Size limits of ``docs/limits.md`` that the table exceeds.
    n_features_in_ : int
        Number of columns of X.

    Notes
    -----
    Known to differ from the paper: its graph joins all pairs of rows with one σ for each column,
    learned by entropy minimization; here rows are joined to their nearest neighbors, and the width
    follows from their distances. The paper leaves new rows open: here a new row gets the weighted
    mean of F over its neighbors, the value it would have if it were added as an unlabeled row that
    changes no other. :class:`ssrlpl.GraphLabeler` with ``method="harmonic"`` is the same idea with
    other defaults; its class masses count the labeled rows, too.

    References
    ----------
    X. Zhu, Z. Ghahramani, J. Lafferty: Semi-supervised learning using Gaussian fields and harmonic
    functions. ICML 2003.

    Examples
    --------
    >>> from ssrlpl.baselines import HarmonicFunctions
    >>> X, y = [[0.0], [1.0], [2.0], [7.0], [8.0]], ["low", None, None, None, "high"]
    >>> HarmonicFunctions(2).fit(X, y).predict([[1.5], [6.0]])
    array(['low', 'high'], dtype=object)
    """

    def __init__(
        self,
        n_neighbors: int = 10,
        *,
        weights: str = "heat",
        sharpness: float = 1.0,
        mutual: bool = False,
        metric: str = "euclidean",
        class_mass: bool = True,
        unlabeled: Any = "auto",
    ):
        self.n_neighbors = n_neighbors
        self.weights = weights
        self.sharpness = sharpness
        self.mutual = mutual
        self.metric = metric
        self.class_mass = class_mass
        self.unlabeled = unlabeled

    def _label(self, target: PartialLabels) -> Floats:
        given = target.one_hot()
        self.limits_hit_ = limits.hit(self, DENSE_GRAPH_ROWS=self._graph.n_rows)
        self.harmonic_ = diffusion.harmonic(self._graph, target.labeled, given)
        self._counts = given.sum(axis=0)
        free = self.harmonic_[~target.is_labeled]
        self._factors = self._mass_factors(free.sum(axis=0), self._counts)
        return self._distributions(self.harmonic_)

    def _mass_factors(self, mass: Floats, counts: Floats) -> Floats:
        if not self.class_mass:
            return np.ones_like(mass)
        factors = diffusion.mass_factors(mass, counts)
        # A class that reaches no unlabeled row may still be the class of a new row.
        return np.where(mass > 0, factors, 1)

    def _distributions(self, F: Array) -> Floats:
        return diffusion.label_distributions(F * self._factors, self._counts, balance=False)[0]

    def _label_new(self, X: Any) -> Array:
        F = self._mean_of_neighbors(X, self.harmonic_)
        return self._distributions(F).astype(X.dtype, copy=False)

    def loo_scores(self, X: Any, target: PartialLabels, shared: SharedRows | None = None) -> Floats:
        """Return the label vector of each labeled row by the fit without its label.

        All are computed from one solution with a column for each label, see
        :mod:`ssrlpl._core.diffusion`.
        """
        fresh = self._prepared(X, target, shared)
        labeled, given = target.labeled, target.one_hot()
        P = diffusion.harmonic(fresh._graph, labeled, np.eye(len(labeled)))
        values = diffusion.hidden_value(fresh._graph, labeled, P, given)
        reach = P[~target.is_labeled].sum(axis=0)
        # Without label i, F changes by column i of P times (value - label); row i joins the rest.
        mass = reach @ given + reach[:, None] * (values - given) + values
        counts = given.sum(axis=0) - given
        scores = values * fresh._mass_factors(mass, counts)
        return diffusion.hidden_distributions(scores, counts, scores.max())
