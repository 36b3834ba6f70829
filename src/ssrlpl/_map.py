"""What the linear and the kernel map have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin

from ._core.blocks import block_rows
from ._core.types import VectorLike
from ._core.validation import check_count, check_weights
from .labeling import KNNLabeler, fit_labeler
from .labels import PartialLabels, encode_labels

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


class LabeledTable(NamedTuple):
    """Label vectors of all rows, and how often each row counts (None: once)."""

    Y: NDArray[Any]
    weight: NDArray[np.float64] | None

    @property
    def total_weight(self) -> float:
        """Number of rows, repetitions included."""
        return float(len(self.Y) if self.weight is None else self.weight.sum())


class BaseMap(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator, ABC):
    """Labels the rows and keeps the attributes every map offers."""

    n_components: int | None
    labeler: Any
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
        if self.n_components is not None:
            check_count("n_components", self.n_components)
        target = encode_labels(y, unlabeled=self.unlabeled, n_samples=X.shape[0])
        weight = check_weights(sample_weight, X)
        return (target if weight is None else target.without(weight == 0)), weight

    def _label(
        self, X: Any, target: PartialLabels, weight: NDArray[np.float64] | None
    ) -> LabeledTable:
        labeler = self._default_labeler() if self.labeler is None else self.labeler
        self.labeler_, Y = fit_labeler(labeler, X, target, weight)
        self.classes_ = target.classes
        self._keep_labels(Y)
        return LabeledTable(Y, weight)

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
