"""Label propagation through sparse neighborhoods."""

from __future__ import annotations

from typing import Any

from .._core.reconstruction import left_out_distributions, reconstructed_distributions
from .._core.shared import SharedRows
from .._utils.types import Floats
from ..labels import PartialLabels
from ._coding import SparseCodingBaseline


class SparseNeighborhoodPropagation(SparseCodingBaseline):
    r"""Label propagation through sparse neighborhoods (Zang and Zhang 2012).

    Sparse coding of each row by other rows chooses its neighbors and their weights at once; then
    the label of each unlabeled row is the same combination of labels:

    .. math::

        \min_{w_i \ge 0} \tfrac12 \Big| x_i - \sum_{j \ne i} w_{ij} x_j \Big|^2
        + \lambda q_i \sum_j w_{ij}, \qquad F_U = (I - W_{UU})^{-1} W_{UL} Y_L,

    with rows of length one, :math:`q_i = \max_j x_j^\top x_i`, and rows of W scaled to sum to one.

    Parameters
    ----------
    penalty : float, default=0.1
        λ in (0, 1): with larger values a row has fewer neighbors.
    n_neighbors : int, default=50
        Nearest rows (by cosine) among which a row finds its neighbors.
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
        W; a row of zeros for a row that is similar to no other.
    label_distributions_ : ndarray of shape (n_samples, n_classes)
        Rows of F scaled to sum to one; one-hot for labeled rows. Rows that no label reaches have
        the class shares of the labels.
    transduction_ : ndarray of shape (n_samples,)
        The most probable label of each row of the training table.
    n_neighbors_ : int
        Number of candidates that was used.
    limits_hit_ : tuple of str
        Size limits of ``docs/limits.md`` that the table exceeds.
    n_features_in_ : int
        Number of columns of X.

    Notes
    -----
    Only the abstract of the original was seen: l1 coding for neighbors and weights, labels by
    linear reconstruction, an extension to new rows. Ours are: weights of at least zero, so that
    labels stay between the given ones; rows of W that sum to one; the scale of λ; candidates among
    the nearest rows only; a ridge of 1e-6 that makes codes unique; the closed form of F; and
    ``class_mass``.

    References
    ----------
    F. Zang, J.-S. Zhang: Label propagation through sparse neighborhood and its applications.
    Neurocomputing 97, 2012.

    Examples
    --------
    >>> from ssrlpl.baselines import SparseNeighborhoodPropagation
    >>> X = [[3.0, 0.0], [3.0, 1.0], [2.0, 1.0], [1.0, 2.0], [0.0, 3.0]]
    >>> y = ["flat", None, None, None, "steep"]
    >>> SparseNeighborhoodPropagation().fit(X, y).predict([[5.0, 1.0], [1.0, 5.0]])
    array(['flat', 'steep'], dtype=object)
    """

    def __init__(
        self,
        penalty: float = 0.1,
        *,
        n_neighbors: int = 50,
        class_mass: bool = False,
        unlabeled: Any = "auto",
    ):
        self.penalty = penalty
        self.n_neighbors = n_neighbors
        self.class_mass = class_mass
        self.unlabeled = unlabeled

    def _label(self, target: PartialLabels) -> Floats:
        given = target.one_hot()
        balance = bool(self.class_mass)
        return reconstructed_distributions(self.weights_, target.labeled, given, balance=balance)

    def loo_scores(self, X: Any, target: PartialLabels, shared: SharedRows | None = None) -> Floats:
        """Return the label vector of each labeled row by the fit without its label.

        All are computed from one solution with a column for each label.
        """
        fresh = self._prepared(X, target, shared)
        given, balance = target.one_hot(), bool(self.class_mass)
        return left_out_distributions(fresh.weights_, target.labeled, given, balance=balance)
