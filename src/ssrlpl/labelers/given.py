"""Label vectors that are known already: from another model, from several people, from a mixture."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import check_array

from .._core.anchors import EuclideanAnchors, nearest_one
from .._core.shared import SharedRows
from .._utils.arrays import in_numpy
from .._utils.types import Array, Floats, MatrixLike
from .._utils.validation import DTYPES, check_table
from ..labels import PartialLabels
from ._base import BaseLabeler


class GivenLabels(BaseLabeler):
    """Label vectors of the training rows that the caller brings along.

    Parameters
    ----------
    label_vectors : array-like of shape (n_samples, n_classes)
        Probabilities of the training rows, columns in the order of the sorted classes. Labeled
        rows get the one-hot vector of their label whatever is written here.
    keep_rows : bool, default=True
        Keep the rows of X, which ``predict`` needs. A map that only asks for the label vectors of
        its rows does not need them, and its model file is smaller without.
    unlabeled : "auto", None, a value or a list, default="auto"
        What marks an unlabeled row, see :func:`ssrlpl.encode_labels`.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes in sorted order.
    label_distributions_ : ndarray of shape (n_samples, n_classes)
        The label vectors, each scaled to sum one.
    transduction_ : ndarray of shape (n_samples,)
        The most probable label of each row of the training table.
    n_features_in_ : int
        Number of columns of X.

    Notes
    -----
    A new row takes the vector of the training row nearest to it.

    Examples
    --------
    >>> from ssrlpl import SSRLPL, GivenLabels
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], ["low", None, None, "high"]
    >>> votes = [[1, 0], [3, 1], [1, 3], [0, 1]]  # four people looked at the rows in the middle
    >>> SSRLPL(labeler=GivenLabels(votes)).fit(X, y).label_distributions_[1]
    array([0.75, 0.25])
    """

    is_local = False

    def __init__(
        self, label_vectors: MatrixLike, *, keep_rows: bool = True, unlabeled: Any = "auto"
    ):
        self.label_vectors = label_vectors
        self.keep_rows = keep_rows
        self.unlabeled = unlabeled

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__({"keep_rows": True, **state})  # not in earlier model files

    @property
    def _only_of_training_rows(self) -> tuple[str, ...]:  # type: ignore[override]
        return () if self.keep_rows else ("label_vectors", "label_distributions_")

    def __getstate__(self) -> dict[str, Any]:
        return {"label_vectors": None, **super().__getstate__()}

    def check_rows(self, X: Any, *, reset: bool = True) -> Any:
        """Return rows as ``fit`` accepts them."""
        return check_table(self, in_numpy(X), accept_sparse="csr", dtype=DTYPES, reset=reset)

    def fit_checked(
        self,
        X: Any,
        target: PartialLabels,
        sample_weight: Floats | None = None,  # noqa: ARG002
        shared: SharedRows | None = None,  # noqa: ARG002
    ) -> GivenLabels:
        """Take the label vectors for checked rows, see :class:`BaseLabeler`.

        Weights of rows do not change them, and nothing is shared.
        """
        if self.label_vectors is None:
            raise ValueError(
                "label_vectors must hold a row of probabilities for each row of X. Got None: a"
                " model file does not hold those of very many rows, so fit the search again."
            )
        # Rows that are all labeled need no vectors; certify fits a map to the labeled rows alone.
        Y = target.one_hot(X.dtype) if target.is_labeled.all() else self._vectors(X, target)
        Y[target.is_labeled] = target.one_hot(X.dtype)
        self.n_features_in_ = X.shape[1]
        self._anchors = EuclideanAnchors(X) if self.keep_rows else None
        self._keep(target, Y)
        return self

    def _vectors(self, X: Any, target: PartialLabels) -> Array:
        Y = check_array(
            self.label_vectors, dtype=X.dtype, copy=True, ensure_all_finite=False, ensure_2d=False
        )
        expected = (X.shape[0], len(target.classes))
        kept = target.kept
        if kept is not None and not kept.all() and Y.shape == (X.shape[0], len(kept)):
            Y = Y[:, kept]  # classes that have lost their last label
            Y[~Y.any(axis=1)] = 1
        if Y.shape != expected:
            raise ValueError(
                "label_vectors must hold a row of probabilities for each row of X and a column for"
                f" each class, shape {expected}. Got shape {Y.shape}: leave no row out, and order"
                " the columns as the sorted classes; vectors of a search belong to the rows that"
                " it was fitted to, so for others fit the search again."
            )
        wrong = np.flatnonzero(~((Y >= 0) & (np.inf > Y)).all(axis=1) | ~Y.any(axis=1))
        if len(wrong):
            raise ValueError(
                "label_vectors must hold finite numbers >= 0, and no row of zeros. Got"
                f" {Y[wrong[0]].tolist()} for row {wrong[0]}: give a row of which nothing is known"
                " equal numbers."
            )
        return Y / Y.sum(axis=1, keepdims=True)

    def _label_new(self, X: Any) -> Array:
        if self._anchors is None:
            raise ValueError(
                "GivenLabels labels new rows by the rows of fit. Got keep_rows=False, so it has"
                " none: pass keep_rows=True."
            )
        return np.asarray(self.label_distributions_[nearest_one(self._anchors, X)])
