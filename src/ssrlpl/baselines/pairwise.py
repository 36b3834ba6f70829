"""Label propagation over pairs of rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from .._core.reconstruction import reconstructed_distributions, rows_to_one
from .._core.shared import SharedRows
from .._utils.types import Floats
from .._utils.validation import check_count, check_share
from ..labels import PartialLabels
from ._coding import SparseCodingBaseline
from .sparse_neighborhood import SparseNeighborhoodPropagation


class PairwisePropagation(SparseCodingBaseline):
    r"""Label propagation over pairs of rows, in the style of Zhang, Zhao and Chow (2015).

    Labels spread over a sparse neighborhood W, see :class:`SparseNeighborhoodPropagation`. The soft
    labels f then say of each pair of neighbors, labeled or not, how likely both are of one class,
    :math:`p_{ij} = f_i^\top f_j`. Weights are mixed with it, and labels spread again:

    .. math::

        W_{ij} \;\leftarrow\; \frac{S_{ij}}{\sum_{j'} S_{ij'}}, \qquad
        S_{ij} = W^{(0)}_{ij} \, \big( (1 - \mu) + \mu\, p_{ij} \big).

    Parameters
    ----------
    penalty : float, default=0.1
        λ in (0, 1) of the sparse neighborhood.
    n_neighbors : int, default=50
        Nearest rows (by cosine) among which a row finds its neighbors.
    mixing : float, default=0.9
        μ in [0, 1); with 0 pairs have no effect.
    n_rounds : int, default=3
        How often pairs are formed from the labels.
    class_mass : bool, default=False
        Scale soft labels so that the mass of each class is proportional to the number of its labels
        plus one, as for harmonic functions. It helps where labels are very few.
    unlabeled : "auto", None, a value or a list, default="auto"
        What marks an unlabeled row, see :func:`ssrlpl.encode_labels`.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes in sorted order.
    weights_ : sparse matrix of shape (n_samples, n_samples)
        :math:`W^{(0)}`, before any pair is formed.
    pair_weights_ : sparse matrix of shape (n_samples, n_samples)
        W after the last round.
    label_distributions_ : ndarray of shape (n_samples, n_classes)
        A probability vector for each row of the training table; one-hot for labeled rows. Rows
        that no label reaches have the class shares of the labels.
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
    The text of SSRL-PL names a method of 2015 "which tries to propagate the labels over pairs of
    data points"; its list of references was not available, and the paper below is our reading of
    it. Only its abstract was seen. From there: pairs of one class and of two classes, enriched by
    the soft labels of a propagation over a neighborhood found by sparse coding, and a similarity
    of pairs that mixes codes and soft labels. Ours are: the formulas above, labels as the outcome
    (the paper learns a representation), one stage of sparse coding without a learned dictionary,
    and pairs of neighbors only, so that nothing of size n×n is formed.

    References
    ----------
    Z. Zhang, M. Zhao, T. W. S. Chow: Graph based constrained semi-supervised learning framework
    via label propagation over adaptive neighborhood. IEEE Transactions on Knowledge and Data
    Engineering 27(9), 2015.

    Examples
    --------
    >>> from ssrlpl.baselines import PairwisePropagation
    >>> X = [[3.0, 0.0], [3.0, 1.0], [2.0, 1.0], [1.0, 2.0], [0.0, 3.0]]
    >>> y = ["flat", None, None, None, "steep"]
    >>> PairwisePropagation().fit(X, y).predict([[5.0, 1.0], [1.0, 5.0]])
    array(['flat', 'steep'], dtype=object)
    """

    def __init__(
        self,
        penalty: float = 0.1,
        *,
        n_neighbors: int = 50,
        mixing: float = 0.9,
        n_rounds: int = 3,
        class_mass: bool = False,
        unlabeled: Any = "auto",
    ):
        self.penalty = penalty
        self.n_neighbors = n_neighbors
        self.mixing = mixing
        self.n_rounds = n_rounds
        self.class_mass = class_mass
        self.unlabeled = unlabeled

    def _prepare(self, X: Any, shared: SharedRows) -> None:
        check_share("mixing", self.mixing, zero=True)
        check_count("n_rounds", self.n_rounds)
        super()._prepare(X, shared)

    def choice_scores(
        self, X: Any, target: PartialLabels, shared: SharedRows | None = None
    ) -> Floats:
        """Return the left-out label vectors of the first propagation.

        The rounds after it would have to be computed again for each label.
        """
        first = SparseNeighborhoodPropagation(
            self.penalty, n_neighbors=self.n_neighbors, class_mass=self.class_mass
        )
        return first.loo_scores(X, target, shared)

    def _label(self, target: PartialLabels) -> Floats:
        F = self._propagate(self.weights_, target)
        edges = self.weights_.tocoo()
        for _ in range(self.n_rounds):
            agree = np.einsum("ij,ij->i", F[edges.row], F[edges.col])
            mixed = self.weights_.copy()
            mixed.data *= 1 - self.mixing + self.mixing * agree
            self.pair_weights_ = rows_to_one(mixed)
            F = self._propagate(self.pair_weights_, target)
        return F

    def _propagate(self, W: sparse.csr_matrix, target: PartialLabels) -> Floats:
        labeled, given = target.labeled, target.one_hot()
        F = reconstructed_distributions(W, labeled, given, balance=bool(self.class_mass))
        F[labeled] = given
        return F
