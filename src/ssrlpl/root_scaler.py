"""Columns halfway between their own scales and one common scale."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from ._utils.types import Array, MatrixLike
from ._utils.validation import DTYPES, check_magnitude, check_table


class RootScaler(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    r"""Divide each column by the square root of its standard deviation.

    A column of standard deviation s then has :math:`\sqrt s`. After principal components this is
    half of a whitening: in images the first components are light and pose and may hide the classes,
    the last ones are noise, which full whitening would make as large as the rest. ``SSRLPLCV``
    searches neighbors for some of its graphs in such components.

    Attributes
    ----------
    scale_ : ndarray of shape (n_features,)
        What each column is divided by; one for constant columns.
    n_features_in_ : int
        Number of columns of X.

    Examples
    --------
    >>> from ssrlpl import RootScaler
    >>> RootScaler().fit_transform([[0.0, 1.0], [8.0, 1.0]])  # standard deviations 4 and 0
    array([[0., 1.],
           [4., 1.]])
    """

    def fit(self, X: MatrixLike, y: Any = None) -> RootScaler:  # noqa: ARG002
        """Learn the scales of the columns.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.
        y : ignored

        Returns
        -------
        self
        """
        X = check_table(self, X, dtype=DTYPES)
        check_magnitude(X, only_squared=True)
        deviation = np.std(X, axis=0, dtype=np.float64)
        # Not deviation > 0: the mean of equal numbers is often not that number to the last digit.
        varies = X.max(axis=0) > X.min(axis=0)
        self.scale_ = np.sqrt(np.where(varies & (deviation > 0), deviation, 1.0))
        return self

    def transform(self, X: MatrixLike) -> Array:
        """Return the scaled rows.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (n_rows, n_features)
        """
        check_is_fitted(self)
        X = check_table(self, X, dtype=DTYPES, reset=False)
        return np.asarray(X / self.scale_.astype(X.dtype))
