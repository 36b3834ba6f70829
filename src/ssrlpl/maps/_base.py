"""What the linear and the kernel map have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
    clone,
)
from sklearn.utils.validation import validate_data

from .._core.blocks import block_rows
from .._core.whitening import ridge_of_share, shrinkage_share
from .._utils.types import VectorLike
from .._utils.validation import check_choice, check_count, check_share, check_weights
from ..labelers._base import fit_labeler
from ..labelers.knn import KNNLabeler
from ..labels import PartialLabels, encode_labels

DTYPES = [np.float64, np.float32]


def labeling_bytes(n: int, d: int, n_classes: int, n_labeled: int, itemsize: int) -> int:
    """Return the peak bytes of labeling n rows with :class:`KNNLabeler`, label vectors included.

    One block of distances and of rows, each with a copy while neighbors are sought; the labeled
    rows as they are and shifted; label vectors found, and put in order.
    """
    rows = min(n, block_rows((n_labeled + d) * itemsize))
    block = rows * (2 * n_labeled + 2 * d) * itemsize
    voters = 2 * n_labeled * (d + 1) * itemsize
    return block + voters + n * (2 * n_classes * itemsize + 24)


CONSTRAINTS = ("orthonormal", "whitened")


class LabeledTable(NamedTuple):
    """Label vectors of all rows, and how often each row counts (None: once).

    ``weight`` is what a row counts in the dependence on the labels, ``row_weight`` what it counts
    in the scatter of the rows: ``unlabeled_weight`` lowers the former only.
    """

    Y: NDArray[Any]
    weight: NDArray[np.float64] | None
    row_weight: NDArray[np.float64] | None = None

    @property
    def total_weight(self) -> float:
        """Number of rows, repetitions included."""
        return float(len(self.Y) if self.weight is None else self.weight.sum())


class BaseMap(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator, ABC):
    """Labels the rows and keeps the attributes every map offers."""

    n_components: int | None
    labeler: Any
    constraint: str
    rho: str | float
    unlabeled_weight: float
    relabel_rounds: int
    unlabeled: Any

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    def _default_labeler(self) -> Any:
        return KNNLabeler()

    def _read_target(
        self, X: Any, y: VectorLike, sample_weight: VectorLike | None
    ) -> tuple[PartialLabels, NDArray[np.float64] | None]:
        self._check_shared_parameters()
        target = encode_labels(y, unlabeled=self.unlabeled, n_samples=X.shape[0])
        weight = check_weights(sample_weight, X)
        return (target if weight is None else target.without(weight == 0)), weight

    def _check_shared_parameters(self) -> None:
        if self.n_components is not None:
            check_count("n_components", self.n_components)
        check_choice("constraint", self.constraint, CONSTRAINTS, or_callable=False)
        if not (isinstance(self.rho, str) and self.rho == "auto"):
            check_share("rho", self.rho, high=np.inf)
        check_share("unlabeled_weight", self.unlabeled_weight, open_=False)
        check_count("relabel_rounds", self.relabel_rounds, low=0)

    def _label(
        self, X: Any, target: PartialLabels, weight: NDArray[np.float64] | None
    ) -> LabeledTable:
        labeler = self._default_labeler() if self.labeler is None else self.labeler
        return self._label_with(labeler, X, target, weight)

    def _label_with(
        self, labeler: Any, X: Any, target: PartialLabels, weight: NDArray[np.float64] | None
    ) -> LabeledTable:
        self.labeler_, Y = fit_labeler(labeler, X, target, weight)
        self.classes_ = target.classes
        self._keep_labels(Y)
        return self._weighted(Y, target, weight)

    def _weighted(
        self, Y: NDArray[Any], target: PartialLabels, weight: NDArray[np.float64] | None
    ) -> LabeledTable:
        if self.unlabeled_weight == 1:
            return LabeledTable(Y, weight, weight)
        counts = np.ones(len(Y)) if weight is None else weight
        lowered = np.where(target.is_labeled, counts, self.unlabeled_weight * counts)
        return LabeledTable(Y, lowered, weight)

    def _relabel(
        self, Z: NDArray[Any], target: PartialLabels, weight: NDArray[np.float64] | None
    ) -> LabeledTable:
        """Label the rows again, by their neighbors in the representation."""
        labeler = self.labeler
        if labeler is None or getattr(labeler, "similarity", None) == "precomputed":
            labeler = KNNLabeler()
        return self._label_with(labeler, Z, target, weight)

    def _ridge(self, trace: float, squared_norm: float, dim: float, n_rows: float) -> float:
        """Return the ρ of the whitened constraint and keep its share as ``rho_``."""
        chosen = self.rho
        if isinstance(chosen, str):
            chosen = shrinkage_share(trace, squared_norm, dim, n_rows)
        self.rho_ = float(chosen)
        return ridge_of_share(self.rho_, trace)

    def _check_whitened_components(self, n_classes: int) -> None:
        if self.constraint == "whitened" and (self.n_components or 0) > n_classes - 1:
            raise ValueError(
                "n_components must be an int in [1, n_classes - 1] with constraint='whitened'. Got"
                f" {self.n_components} with {n_classes} classes: lower it, or use"
                " constraint='orthonormal'."
            )

    def _keep_labels(self, Y: NDArray[Any]) -> None:
        self.label_distributions_ = Y
        self.transduction_ = self.classes_[Y.argmax(axis=1)]

    def estimate_memory(
        self,
        n_samples: int,
        n_features: int,
        n_classes: int,
        *,
        n_labeled: int = 1000,
        dtype: Any = np.float64,
    ) -> int:
        """Return the peak bytes ``fit`` needs above X, with the default labeler.

        Parameters
        ----------
        n_samples, n_features, n_classes : int
            Size of the problem.
        n_labeled : int, default=1000
            Number of labeled rows.
        dtype : dtype, default=float64
            Type of X.

        Returns
        -------
        int
        """
        itemsize = np.dtype(dtype).itemsize
        return int(self._peak_bytes(n_samples, n_features, n_classes, n_labeled, itemsize))

    @abstractmethod
    def _peak_bytes(
        self, n_samples: int, n_features: int, n_classes: int, n_labeled: int, itemsize: int
    ) -> float:
        """Return what ``estimate_memory`` announces."""

    @property
    def _n_features_out(self) -> int:
        """Number of components, for the names of the output columns."""
        return self.n_components_

    n_components_: int


def read_rows(estimator: Any, X: Any) -> Any:
    """Check the rows as the estimator would, without fitting it."""
    sparse_ok = getattr(estimator, "kernel", None) != "precomputed" and "csr"
    return validate_data(clone(estimator), X, accept_sparse=sparse_ok, dtype=DTYPES)
