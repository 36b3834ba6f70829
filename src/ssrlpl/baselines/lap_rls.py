"""Laplacian regularized least squares."""

from __future__ import annotations

import numpy as np

from .._core.squared_hinge import squared_error_machine
from .._utils.types import Floats
from .kernel_machine import one_or_each
from .laplacian_machine import PrimalMachine


class LapRLS(PrimalMachine):
    r"""Laplacian regularized least squares (Belkin, Niyogi and Sindhwani 2006).

    .. math::

        \min_{\alpha, b} \tfrac12 \Big[ \sum_{i \in L} (y_i - f_i)^2
        + \gamma_A \alpha^\top K \alpha + \gamma_I f^\top \mathcal{L} f \Big],
        \qquad f = K\alpha + b

    with labels :math:`y_i = \pm 1` and :math:`\mathcal{L}` the Laplacian of the graph of all rows.
    Without an intercept
    :math:`(\gamma_A I + J^\top J K + \gamma_I \mathcal{L} K)\alpha = J^\top y`, where J picks the
    labeled rows. More than two classes: one machine for each class against the rest.

    Parameters
    ----------
    kernel : {"rbf", "laplacian", "linear", "cosine"}, default="rbf"
        exp(-γ‖x-x'‖²), exp(-γ‖x-x'‖₁), x·x' or the cosine of x and x'.
    gamma : "median" or float, default="median"
        γ of the kernel; "median" is 1/(2σ²) with σ the median distance.
    sharpness : float, default=1
        Factor on γ, so that a grid need not know the scale of the data.
    gamma_A : float, default=0.01
        Weight of the norm, > 0.
    gamma_I : float, default=0.01
        Weight of the graph, ≥ 0.
    n_neighbors : int, default=6
        Number of neighbors that each row is connected to.
    normalized : bool, default=False
        Use the normalized Laplacian :math:`I - D^{-1/2} W D^{-1/2}`.
    fit_intercept : bool, default=False
        Add b; needs ``normalized=False``.
    solver : {"newton", "cg"}, default="newton"
        "newton" is the closed form; both are described in :class:`LapSVMPrimal`.
    stability : float, default=0.015
        Share of decisions for unlabeled rows that may change in √n/2 steps of "cg" when it stops;
        0 lets only a vanishing gradient stop it.
    max_iter : int, default=200
        Largest number of steps of "cg".
    weights : {"heat", "self_tuning", "binary", "cosine"}, default="heat"
        Weights of the edges; "heat" is exp(-d²/(2t²)) with t the mean distance of neighbors.
    unlabeled : "auto", None, a value or a list, default="auto"
        What marks an unlabeled row, see :func:`ssrlpl.encode_labels`.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes in sorted order; with two of them y = 1 stands for the second.
    minimum_ : float, or ndarray of shape (n_classes,) for more than two classes
        The function above at the solution.
    objective_ : float, or ndarray of shape (n_classes,) for more than two classes
        The function of :class:`LapSVMPrimal` at this solution: a labeled row beyond its margin
        has no loss. It compares the two methods.
    dual_coef_ : ndarray of shape (n_samples, 1 or n_classes)
        α: the weight of each row in the answer.
    intercept_ : ndarray of shape (1 or n_classes,)
        The constant b of the answer.
    n_iter_ : int
        Largest number of steps that a class needed; 1 for the closed form.
    gamma_, n_neighbors_ : float, int
        What was used: γ with the factor, number of neighbors.
    limits_hit_ : tuple of str
        Size limits of ``docs/limits.md`` that the table exceeds.
    n_features_in_ : int
        Number of columns of X.

    Notes
    -----
    Known to differ from the paper: it divides the loss by l and the graph's part by n². Here the
    weights are those of Melacci and Belkin's program, so that the same values mean the same in
    :class:`LapSVMPrimal`: the paper's :math:`\gamma_A` is ours divided by l, its
    :math:`\gamma_I` ours times n²/l.

    References
    ----------
    M. Belkin, P. Niyogi, V. Sindhwani: Manifold regularization: a geometric framework for learning
    from labeled and unlabeled examples. Journal of Machine Learning Research 7, 2006.

    Examples
    --------
    >>> from ssrlpl.baselines import LapRLS
    >>> X, y = [[0.0], [1.0], [2.0], [7.0], [8.0]], ["low", None, None, None, "high"]
    >>> LapRLS(n_neighbors=2).fit(X, y).predict([[1.5], [6.0]])
    array(['low', 'high'], dtype=object)
    """

    _hinge = False
    _linear = True

    def _machine(self, G: Floats, Y: Floats) -> tuple[Floats, Floats]:
        self.n_iter_ = 1
        return squared_error_machine(G, Y, intercept=bool(self.fit_intercept))

    def _report(self, values: Floats, penalty: Floats, Y: Floats) -> None:
        super()._report(values, penalty, Y)
        self.minimum_ = one_or_each((np.sum((Y - values) ** 2, axis=0) + penalty) / 2)
