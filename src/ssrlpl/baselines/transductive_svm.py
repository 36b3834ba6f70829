"""The transductive support vector machine by gradient descent."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
from sklearn.base import clone

from .._core.blocks import dense_product, row_slices
from .._core.landmarks import drawn_landmarks, landmark_features
from .._core.low_density import default_cost, fit_low_density
from .._core.products import gram_block_rows
from .._core.shared import SharedRows
from .._utils import limits
from .._utils.types import Floats
from .._utils.validation import check_share
from ..labelers._base import Hidden
from ..labels import PartialLabels
from ._base import GroupedBaseline
from .kernel_machine import KernelMachine, both_classes, one_column, one_or_each, one_vs_rest


class LowDensityMachine(GroupedBaseline):
    """What ∇TSVM and low density separation share: the machine on features of the rows.

    Subclasses offer ``_features``, which do not depend on labels, and ``_store``.
    """

    C: str | float
    cost_factor: float
    unlabeled_cost: float
    balance: bool

    @abstractmethod
    def _features(self, shared: SharedRows) -> Any:
        """Check the settings and return the features of all rows."""

    @abstractmethod
    def _store(self, W: Floats) -> None:
        """Store w, one column for each machine, in the form that ``_decide`` needs."""

    def fit_checked(self, X: Any, target: PartialLabels, shared: SharedRows | None = None) -> Any:
        """Check the settings, then fit to checked rows and a decoded target.

        ``shared`` caches what other fits have computed from the same rows.
        """
        self.n_features_in_, self.classes_ = X.shape[1], target.classes
        self._check_costs()
        features = self._features(SharedRows(X) if shared is None else shared)
        self._store(self._separate(features, target))
        return self

    def _check_costs(self) -> None:
        check_share("C", self.C, high=np.inf, or_auto=True)
        check_share("cost_factor", self.cost_factor, high=np.inf)
        check_share("unlabeled_cost", self.unlabeled_cost, high=np.inf, zero=True)

    def _separate(self, features: Any, target: PartialLabels) -> Floats:
        """Return w of each column, and store b, C and the objective."""
        cost = default_cost(features) if isinstance(self.C, str) else float(self.C)
        self.C_ = self.cost_factor * cost
        W, self.intercept_, values = fit_low_density(
            features, target.labeled, one_vs_rest(target), self.C_,
            float(self.unlabeled_cost), balance=bool(self.balance),
        )  # fmt: skip
        self.objective_ = one_or_each(values)
        return W

    def _left_out(
        self, X: Any, target: PartialLabels, groups: Hidden, shared: SharedRows | None
    ) -> Floats:
        """Compute the features once, and fit the machine again for each group."""
        fresh = clone(self)
        fresh.n_features_in_, fresh.classes_ = X.shape[1], target.classes
        fresh._check_costs()
        features = fresh._features(SharedRows(X) if shared is None else shared)
        scores = np.full((X.shape[0], len(target.classes)), -np.inf)
        for rows in groups:
            rest = target.without(rows, min_classes=1)
            left = np.flatnonzero(np.isin(target.classes, rest.classes))
            if len(left) == 1:
                scores[rows, left] = 0
                continue
            values = features[rows] @ fresh._separate(features, rest) + fresh.intercept_
            scores[np.ix_(rows, left)] = both_classes(values)
        return scores[target.labeled]


class TransductiveSVM(LowDensityMachine, KernelMachine):
    r"""Transductive support vector machine by gradients, ∇TSVM (Chapelle and Zien 2005).

    .. math::

        \min_{w, b} \tfrac12 |w|^2 + C \sum_{i \in L} \max(0, 1 - y_i f_i)^2
        + C^* \sum_{i \in U} \exp(-3 f_i^2), \qquad f_i = w \cdot x_i + b,

    subject to the balance constraint
    :math:`\frac1u \sum_{i \in U} f_i = \frac1l \sum_{i \in L} y_i`: the boundary keeps away from
    unlabeled rows, and the classes keep their shares. The problem is not convex; :math:`C^*` grows
    from :math:`0.015\, C^*` to its value in eleven geometric steps, and each solution is the start
    of the next step. The first step begins at zero and at the machine of the labeled rows alone; of
    different ends the one with the lowest objective is taken. More than two classes: one machine
    for each class against the rest.

    Parameters
    ----------
    C : "auto" or float, default="auto"
        Weight of the labeled rows, > 0; "auto" is one over the sum of the variances of the
        columns (with a kernel: of its features).
    cost_factor : float, default=1
        Factor on C, so that a grid need not know the scale of the data.
    unlabeled_cost : float, default=1
        :math:`C^*/C` ≥ 0. With 0 it is a support vector machine with squared hinge.
    balance : bool, default=True
        Use the balance constraint.
    kernel : {"linear", "rbf", "laplacian", "cosine"}, default="linear"
        With another kernel than "linear" the rows are replaced by their kernel principal
        components: of all rows up to 2,000, beyond that of 2,000 landmarks.
    gamma : "median" or float, default="median"
        γ of the kernel; "median" is 1/(2σ²) with σ the median distance.
    sharpness : float, default=1
        Factor on γ, so that a grid need not know the scale of the data.
    random_state : int, RandomState or None, default=0
        Draws the landmarks.
    unlabeled : "auto", None, a value or a list, default="auto"
        What marks an unlabeled row, see :func:`ssrlpl.encode_labels`.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes in sorted order; with two of them y = 1 stands for the second.
    objective_ : float, or ndarray of shape (n_classes,) for more than two classes
        The function above at the solution.
    coef_ : ndarray of shape (n_features, 1 or n_classes)
        w; only with ``kernel="linear"``.
    dual_coef_, X_fit_ : ndarray of shape (n_landmarks, 1 or n_classes), rows
        w as a sum of kernel functions of these rows, with another kernel.
    intercept_ : ndarray of shape (1 or n_classes,)
        The constant b of the answer.
    C_ : float
        The C that was used, with the factor.
    gamma_ : float
        γ of the kernel, with the factor.
    limits_hit_ : tuple of str
        Size limits of ``docs/limits.md`` that the table exceeds.
    n_features_in_ : int
        Number of columns of X.

    Notes
    -----
    Known to differ from the authors' program: theirs fixes one coordinate of (w, b) after a
    rotation, in a line that is right only if both classes have as many labels or the columns sum
    to zero; here b is eliminated by the paper's constraint. The minimizer is L-BFGS, from several
    starts. The paper doubles :math:`C^*` in each step; the number of steps and their ratio are the
    program's. With C below 1 and equal numbers of labels both end in the same minimum; on
    breast cancer data and digits with 98 combinations of C and labels the objective was the same
    (to 1e-4) in 71 of them, ours was lower in 22, and higher in 5, with C = 1 or more.

    References
    ----------
    Chapelle, Zien: Semi-supervised classification by low density separation. AISTATS 2005.

    Examples
    --------
    >>> from ssrlpl.baselines import TransductiveSVM
    >>> X, y = [[0.0], [1.0], [2.0], [7.0], [8.0]], ["low", None, None, None, "high"]
    >>> TransductiveSVM().fit(X, y).predict([[1.5], [6.0]])
    array(['low', 'high'], dtype=object)
    """

    def __init__(
        self,
        C: str | float = "auto",
        *,
        cost_factor: float = 1.0,
        unlabeled_cost: float = 1.0,
        balance: bool = True,
        kernel: str = "linear",
        gamma: str | float = "median",
        sharpness: float = 1.0,
        random_state: Any = 0,
        unlabeled: Any = "auto",
    ):
        self.C = C
        self.cost_factor = cost_factor
        self.unlabeled_cost = unlabeled_cost
        self.balance = balance
        self.kernel = kernel
        self.gamma = gamma
        self.sharpness = sharpness
        self.random_state = random_state
        self.unlabeled = unlabeled

    def _features(self, shared: SharedRows) -> Any:
        X = shared.X
        self._start(X)
        if self.kernel == "linear":
            return X.astype(np.float64, copy=False)
        self.limits_hit_ += limits.hit(LANDMARKS=X.shape[0])
        rows = X[drawn_landmarks(X.shape[0], self.random_state)]
        self._landmarks = landmark_features(self._kernel, rows)
        slices = row_slices(X.shape[0], gram_block_rows(8))
        return np.concatenate([self._landmarks(X[rows]) for rows in slices])

    def _store(self, W: Floats) -> None:
        for name in ("coef_", "X_fit_", "dual_coef_"):  # left from an earlier fit
            self.__dict__.pop(name, None)
        if self.kernel == "linear":
            self.coef_ = W
        else:
            self.X_fit_, self.dual_coef_ = self._landmarks.rows, self._landmarks.dual(W)
            del self._landmarks  # its other matrix is large

    def _decide(self, X: Any) -> Floats:
        if not hasattr(self, "coef_"):
            return super()._decide(X)
        return one_column(dense_product(X, self.coef_) + self.intercept_)
