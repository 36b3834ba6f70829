"""The Laplacian support vector machine, trained in the dual."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy.optimize import minimize
from sklearn.svm import SVC

from .._core.shared import SharedRows
from .._utils.types import Floats, Ints
from .._utils.validation import check_share
from ..labels import PartialLabels
from .kernel_machine import Deformed, one_or_each
from .laplacian_machine import LaplacianMachine


class LapSVM(LaplacianMachine):
    r"""Laplacian support vector machine in the dual (Belkin, Niyogi and Sindhwani 2006).

    .. math::

        \min_{f, b} \frac1l \sum_{i \in L} \max(0, 1 - y_i (f_i + b))
        + \gamma_A \|f\|_K^2 + \frac{\gamma_I}{n^2} f^\top \mathcal{L} f

    with l labeled rows of n and :math:`\mathcal{L}` the Laplacian of the graph of all rows. The
    representer is :math:`\alpha = M^{-1} J^\top c` with
    :math:`M = I + \frac{\gamma_I}{\gamma_A n^2} \mathcal{L} K` and J picking the labeled rows.
    Then c solves the dual of an ordinary support vector machine on the labeled rows, with the
    *deformed kernel* matrix :math:`G = J K M^{-1} J^\top` and
    :math:`C = 1/(2 \gamma_A l)`: scikit-learn's ``SVC`` finds it. With :math:`\gamma_I = 0` it is
    that ``SVC``. More than two classes: one machine for each class against the rest.

    Parameters
    ----------
    kernel : {"rbf", "laplacian", "linear", "cosine"}, default="rbf"
        exp(-γ‖x-x'‖²), exp(-γ‖x-x'‖₁), x·x' or the cosine of x and x'.
    gamma : "median" or float, default="median"
        γ of the kernel; "median" is 1/(2σ²) with σ the median distance.
    sharpness : float, default=1
        Factor on γ, so that a grid need not know the scale of the data.
    gamma_A : "auto" or float, default="auto"
        Weight of the norm, > 0; "auto" is 0.005/l, that is C = 100.
    gamma_I : "auto" or float, default="auto"
        Weight of the graph, ≥ 0; "auto" is γ_A n².
    n_neighbors : int, default=6
        Number of neighbors that each row is connected to.
    normalized : bool, default=False
        Use the normalized Laplacian :math:`I - D^{-1/2} W D^{-1/2}`.
    fit_intercept : bool, default=True
        Add b.
    tol : float, default=1e-6
        Tolerance of ``SVC``.
    weights : {"heat", "self_tuning", "binary", "cosine"}, default="heat"
        Weights of the edges; "heat" is exp(-d²/(2t²)) with t the mean distance of neighbors.
    unlabeled : "auto", None, a value or a list, default="auto"
        What marks an unlabeled row, see :func:`ssrlpl.encode_labels`.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes in sorted order; with two of them y = 1 stands for the second.
    objective_ : float, or ndarray of shape (n_classes,) for more than two classes
        The function above at the solution.
    dual_coef_ : ndarray of shape (n_samples, 1 or n_classes)
        α: the weight of each row in the answer.
    intercept_ : ndarray of shape (1 or n_classes,)
        The constant b of the answer.
    gamma_, n_neighbors_ : float, int
        What was used: γ with the factor, number of neighbors.
    limits_hit_ : tuple of str
        Size limits of ``docs/limits.md`` that the table exceeds.
    n_features_in_ : int
        Number of columns of X.

    Notes
    -----
    Known to differ from the paper: nothing in the problem; the paper solves the same dual with
    another program. γ_A="auto" and γ_I="auto" are not the paper's; γ_I was chosen on development
    tables.
    Memory: 16 n² bytes, 1.6 GB for 10,000 rows.

    References
    ----------
    M. Belkin, P. Niyogi, V. Sindhwani: Manifold regularization: a geometric framework for learning
    from labeled and unlabeled examples. Journal of Machine Learning Research 7, 2006.

    Examples
    --------
    >>> from ssrlpl.baselines import LapSVM
    >>> X, y = [[0.0], [1.0], [2.0], [7.0], [8.0]], ["low", None, None, None, "high"]
    >>> LapSVM(n_neighbors=2).fit(X, y).predict([[1.5], [6.0]])
    array(['low', 'high'], dtype=object)
    """

    def __init__(
        self,
        kernel: str = "rbf",
        gamma: str | float = "median",
        *,
        sharpness: float = 1.0,
        gamma_A: str | float = "auto",
        gamma_I: str | float = "auto",
        n_neighbors: int = 6,
        normalized: bool = False,
        fit_intercept: bool = True,
        tol: float = 1e-6,
        weights: str = "heat",
        unlabeled: Any = "auto",
    ):
        self.kernel = kernel
        self.gamma = gamma
        self.sharpness = sharpness
        self.gamma_A = gamma_A
        self.gamma_I = gamma_I
        self.n_neighbors = n_neighbors
        self.normalized = normalized
        self.fit_intercept = fit_intercept
        self.tol = tol
        self.weights = weights
        self.unlabeled = unlabeled

    def _check_parameters(self) -> None:
        check_share("tol", self.tol)
        check_share("gamma_A", self.gamma_A, high=np.inf, or_auto=True)
        check_share("gamma_I", self.gamma_I, high=np.inf, zero=True, or_auto=True)
        self._check_graph()

    def _weight_of_norm(self, n_labeled: int) -> float:
        return 0.005 / n_labeled if isinstance(self.gamma_A, str) else float(self.gamma_A)

    def _deform(self, shared: SharedRows, labeled: Ints) -> Deformed:
        ratio = 1.0
        if not isinstance(self.gamma_I, str):
            norm = self._weight_of_norm(len(labeled))
            ratio = float(self.gamma_I) / (norm * shared.X.shape[0] ** 2)
        return self._system(shared, ratio).deformed(labeled, 1.0)

    def _machine(self, G: Floats, Y: Floats) -> tuple[Floats, Floats]:
        C = 1 / (2 * self._weight_of_norm(len(G)) * len(G))
        c, b = np.zeros(Y.shape), np.zeros(Y.shape[1])
        for column, y in enumerate(Y.T):
            if self.fit_intercept:
                svc = SVC(C=C, kernel="precomputed", tol=self.tol).fit(G, y)
                c[svc.support_, column], b[column] = svc.dual_coef_[0], svc.intercept_[0]
            else:
                c[:, column] = _without_intercept(G, y, C)
        return c, b

    def _report(self, values: Floats, penalty: Floats, Y: Floats) -> None:
        errors = np.mean(np.maximum(0, 1 - Y * values), axis=0)
        self.objective_ = one_or_each(errors + self._weight_of_norm(len(Y)) * penalty)

    def loo_codes(self, X: Any, target: PartialLabels) -> Iterator[tuple[slice, Ints]] | None:
        """Yield the predicted code of each labeled row when its label is hidden.

        None if the deformed kernel depends on the number of labels, so that fits have to be made.
        """
        depends = isinstance(self.gamma_A, str) and not isinstance(self.gamma_I, str)
        return None if depends and self.gamma_I else super().loo_codes(X, target)


def _without_intercept(G: Floats, y: Floats, C: float) -> Any:
    """Return yβ with β the maximum of Σβ - ½βᵀQβ in the box [0, C], Q = y G y."""
    Q = y[:, None] * G * y

    def dual(beta: Floats) -> tuple[float, Floats]:
        image = Q @ beta
        return float(beta @ image / 2 - beta.sum()), image - 1

    options = {"maxiter": 15_000, "maxfun": 100_000, "ftol": 1e-15, "gtol": 1e-10}
    box = [(0, C)] * len(y)
    found = minimize(dual, np.zeros(len(y)), jac=True, bounds=box, options=options)
    return y * found.x
