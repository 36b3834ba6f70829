"""The labeled-only limit of the whitened map: kernel least squares on the labeled rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import linalg
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from .._core.bandwidth import median_gamma
from .._core.blocks import middle_of
from .._core.kernels import Kernel
from .._core.least_squares import centered, least_squares, ridge_kernel
from .._core.products import cross_product
from .._core.shared import SharedRows
from .._core.spectrum import fix_signs
from .._utils import limits
from .._utils.types import Array, Floats, MatrixLike
from .._utils.validation import check_choice, check_gamma, check_share
from ..labels import PartialLabels
from ..learners._base import LabeledRowsClassifier

KERNELS = ("rbf", "linear")


class LabeledRidge(ClassNamePrefixFeaturesOutMixin, TransformerMixin, LabeledRowsClassifier):
    r"""Kernel least-squares classifier that is fitted to the labeled rows only.

    .. math::

        \min_{f, b} \sum_{i \in L} |y_i - f(x_i) - b|^2 + \rho \|f\|_K^2

    with one-hot :math:`y_i`. It is the limit of the whitened map without unlabeled rows, is
    similar to a support vector machine, and has exact leave-one-out predictions in closed form.

    Parameters
    ----------
    kernel : {"rbf", "linear"}, default="rbf"
        exp(-γ‖x-x'‖²) or γ x·x'.
    gamma : "median" or float, default="median"
        γ; "median" is 1/(2σ²) with σ the median distance between all rows, labeled or not.
    ridge : float, default=0.1
        ρ > 0.
    temperature : "auto" or float, default="auto"
        Scale of the probabilities softmax(scores/τ); "auto" fits it to the leave-one-out scores.
    unlabeled : "auto", None, a value or a list, default="auto"
        What marks an unlabeled row, see :func:`ssrlpl.encode_labels`.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes in sorted order.
    loo_scores_ : ndarray of shape (n_labeled, n_classes)
        Scores of each labeled row by the fit without that row.
    gamma_ : float
        The γ that was used.
    temperature_ : float
        Scale of the probabilities that was used.
    limits_hit_ : tuple of str
        Size limits of ``docs/limits.md`` that the table exceeds.
    n_features_in_ : int
        Number of columns of X.

    Examples
    --------
    >>> from ssrlpl import LabeledRidge
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], ["low", None, None, "high"]
    >>> LabeledRidge().fit(X, y).predict([[0.5], [2.5]])
    array(['low', 'high'], dtype=object)
    """

    def __init__(
        self,
        kernel: str = "rbf",
        gamma: str | float = "median",
        *,
        ridge: float = 0.1,
        temperature: str | float = "auto",
        unlabeled: Any = "auto",
    ):
        self.kernel = kernel
        self.gamma = gamma
        self.ridge = ridge
        self.temperature = temperature
        self.unlabeled = unlabeled

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__({"temperature": "auto", **state})  # model files of format 1 have none

    def fit_checked(
        self, X: Any, target: PartialLabels, sample_weight: Floats | None = None
    ) -> None:
        """Fit to checked rows and a decoded target; weights are those of the labeled rows."""
        check_choice("kernel", self.kernel, KERNELS, or_callable=False)
        check_gamma(self.gamma)
        check_share("ridge", self.ridge, high=np.inf)
        self._check_temperature()
        self.n_features_in_ = X.shape[1]
        self.classes_ = target.classes
        fixed = not isinstance(self.gamma, str)
        self.gamma_ = float(self.gamma) if fixed else median_gamma(X)
        rows = target.labeled
        self.limits_hit_ = limits.hit(MEDIAN_ROWS=0 if fixed else X.shape[0])
        self._middle = middle_of(X[rows])
        self.X_fit_ = centered(X[rows], self._middle)
        K = self._kernel().square(self.X_fit_)
        found = least_squares(K, target.one_hot(), self.ridge, sample_weight)
        self.dual_coef_, self.intercept_, self.loo_scores_ = found
        self._settle_temperature(target.codes[rows])
        # The scores of a row sum to a constant, so C-1 axes (largest variance first) span them.
        scores = K @ self.dual_coef_
        scores = scores - scores.mean(axis=0)
        _, vectors = linalg.eigh(scores.T @ scores)
        axes = vectors[:, ::-1][:, : len(self.classes_) - 1]
        self.axes_ = axes * fix_signs(axes)

    def fit_scores(
        self,
        X: Any,
        target: PartialLabels,
        shared: SharedRows | None = None,  # noqa: ARG002
        sample_weight: Floats | None = None,
    ) -> Floats:
        """Fit to checked rows and return their label scores; ``shared`` is not used."""
        self.fit_checked(X, target, sample_weight)
        return self._fitted_values(X) + self.intercept_

    def _kernel(self) -> Kernel:
        return ridge_kernel(self.kernel, self.gamma_)

    def label_scores(self, X: MatrixLike) -> Floats:
        """Return the fitted label vector of each row, one column for each class."""
        check_is_fitted(self)
        return self._fitted_values(self.check_rows(X, reset=False)) + self.intercept_

    def _fitted_values(self, X: Any) -> Floats:
        X = centered(X, self._middle)
        values = cross_product(self._kernel(), X, self.X_fit_, self.dual_coef_)
        return np.asarray(values, dtype=np.float64)

    def transform(self, X: MatrixLike) -> Array:
        """Return the scores, projected onto their C-1 axes.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)
            Training rows or new rows.

        Returns
        -------
        ndarray of shape (n_rows, n_classes - 1)
        """
        check_is_fitted(self)
        return self.represent(self.check_rows(X, reset=False))

    def represent(self, X: Any) -> Floats:
        """Return the representation of checked rows, as maps do."""
        return self._fitted_values(X) @ self.axes_

    @property
    def _n_features_out(self) -> int:
        return int(self.axes_.shape[1])
