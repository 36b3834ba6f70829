"""Label propagation through linear neighborhoods."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._core.diffusion import hidden_distributions, label_distributions, mass_factors
from .._core.reconstruction import simplex_codes, walk_solution
from .._core.shared import SharedRows
from .._utils.types import Floats, Ints
from .._utils.validation import check_share
from ..labels import PartialLabels
from ._coding import CodingBaseline


class LinearNeighborhoodPropagation(CodingBaseline):
    r"""Label propagation through linear neighborhoods (Wang and Zhang 2008).

    Each row is written as a convex combination of its neighbors, as in locally linear embedding,
    and labels spread with the same weights:

    .. math::

        \min_{w_i} \Big| x_i - \sum_j w_{ij} x_j \Big|^2 + \epsilon\, \bar q_i |w_i|^2, \quad
        w_{ij} \ge 0,\; \sum_j w_{ij} = 1; \\
        F = (1 - \alpha)(I - \alpha W)^{-1} Y.

    Parameters
    ----------
    n_neighbors : int, default=7
        Number of neighbors that a row is a combination of.
    alpha : float, default=0.99
        How far labels spread, in (0, 1).
    ridge : float, default=1e-3
        ε, in units of the mean squared distance of a row to its neighbors. It makes the weights
        unique where there are more neighbors than columns; 0 is allowed.
    class_mass : bool, default=False
        Scale columns of F so that the mass of each class is proportional to the number of its
        labels plus one, as for harmonic functions. It helps where labels are very few.
    unlabeled : "auto", None, a value or a list, default="auto"
        What marks an unlabeled row, see :func:`ssrlpl.encode_labels`.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes in sorted order.
    weights_ : sparse matrix of shape (n_samples, n_samples)
        W; each row is on the simplex.
    label_distributions_ : ndarray of shape (n_samples, n_classes)
        Rows of F scaled to sum to one; one-hot for labeled rows. Rows that no label reaches have
        the class shares of the labels.
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
    Known to differ from the original: F is the limit of its iteration, not the result of some
    steps; rows of F are scaled to probabilities before a new row combines them; the small ridge;
    ``class_mass``.

    References
    ----------
    F. Wang, C. Zhang: Label propagation through linear neighborhoods. IEEE Transactions on
    Knowledge and Data Engineering 20, 2008 (ICML 2006).

    Examples
    --------
    >>> from ssrlpl.baselines import LinearNeighborhoodPropagation
    >>> X, y = [[0.0], [1.0], [2.0], [7.0], [8.0]], ["low", None, None, None, "high"]
    >>> LinearNeighborhoodPropagation(2).fit(X, y).predict([[1.5], [7.5]])
    array(['low', 'high'], dtype=object)
    """

    def __init__(
        self,
        n_neighbors: int = 7,
        *,
        alpha: float = 0.99,
        ridge: float = 1e-3,
        class_mass: bool = False,
        unlabeled: Any = "auto",
    ):
        self.n_neighbors = n_neighbors
        self.alpha = alpha
        self.ridge = ridge
        self.class_mass = class_mass
        self.unlabeled = unlabeled

    def _prepare(self, X: Any, shared: SharedRows) -> None:
        check_share("alpha", self.alpha)
        check_share("ridge", self.ridge, high=np.inf, zero=True)
        super()._prepare(X, shared)

    def _code_settings(self) -> tuple[Any, ...]:
        return "simplex", float(self.ridge)

    def _code(self, X: Any, rows: Any, columns: Ints) -> Floats:
        return simplex_codes(X, rows, columns, self.ridge)

    def _label(self, target: PartialLabels) -> Floats:
        given = np.zeros((len(target.codes), len(target.classes)))
        given[target.labeled] = target.one_hot()
        F = (1 - self.alpha) * walk_solution(self.alpha * self.weights_, given)
        return label_distributions(F, given.sum(axis=0), balance=bool(self.class_mass))[0]

    def loo_scores(self, X: Any, target: PartialLabels, shared: SharedRows | None = None) -> Floats:
        """Return the label vector of each labeled row by the fit without its label.

        F is linear in the labels: what its own label adds to a row is left out.
        """
        fresh = self._prepared(X, target, shared)
        labeled, given = target.labeled, target.one_hot()
        unit = np.zeros((len(target.codes), len(labeled)))
        unit[labeled, np.arange(len(labeled))] = 1
        P = walk_solution(self.alpha * fresh.weights_, unit)
        reach, P = P.sum(axis=0), P[labeled]
        largest = P.max()
        np.fill_diagonal(P, 0)
        values, counts = P @ given, given.sum(axis=0) - given
        if self.class_mass:
            factors = mass_factors(reach @ given - reach[:, None] * given, counts)
            values, largest = values * factors, largest * factors.max()
        return hidden_distributions(values, counts, largest)
