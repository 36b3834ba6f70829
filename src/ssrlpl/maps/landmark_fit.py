"""The kernel map of rows that come in chunks: on landmarks, from sums."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np

from .._core.kernels import Kernel
from .._core.landmark_sums import (
    feature_sums,
    landmark_moment,
    orthonormal_landmarks,
    whitened_from_sums,
)
from .._core.landmarks import landmark_features
from .._core.moments import RowSums
from .._core.products import cross_product
from .._core.spectrum import fix_signs
from .._utils import limits
from .._utils.arrays import cast, is_foreign, like, to_numpy
from .._utils.types import Array, Floats, VectorLike
from ._base import BaseMap, LabeledRows, Sample


class LandmarkFit(BaseMap):
    """What :class:`KernelSSRLPL` does with chunks: a random sample of rows are the landmarks."""

    kernel: str | Callable[..., Any]
    landmarks: VectorLike | None
    random_state: Any

    @abstractmethod
    def kernel_on(self, X: Any, weight: Array | None = None) -> Kernel:
        """Return the kernel with its parameters for checked rows."""

    def sample_for_chunks(self) -> int:
        """Return how many rows are landmarks."""
        return limits.LANDMARKS

    def start_chunks(self, n_features: int, classes: Array, sample: Sample = None) -> None:
        """Take the sample as landmarks, see :class:`BaseMap`."""
        self._check_parameters()
        if self.kernel == "precomputed":
            raise ValueError(
                "kernel='precomputed' needs the whole kernel matrix, but X comes in chunks: pass"
                " rows and a kernel by name, or a matrix in memory."
            )
        if self.landmarks is not None:
            raise ValueError(
                "landmarks are numbers of rows in memory, but X comes in chunks, where random rows"
                " are landmarks: leave landmarks out, or pass rows in memory."
            )
        self._check_whitened_components(len(classes))
        self.classes_, self.n_features_in_ = classes, n_features
        self.n_components_ = self.n_components or len(classes) - 1
        assert sample is not None
        rows, weight = sample
        self._kernel = self.kernel_on(rows, weight)
        self.gamma_ = self._kernel.gamma
        self._landmarks = landmark_features(self._kernel, rows)
        self.X_fit_ = self._landmarks.rows

    def chunk_sums(self, X: Any, table: LabeledRows) -> RowSums:
        """Return sums of kernels with the landmarks, see :class:`BaseMap`."""
        if self.constraint == "whitened":
            return feature_sums(self._landmarks, X, *table)
        if self.n_components_ >= len(self.classes_):
            return feature_sums(self._landmarks, X, table.Y, table.weight, table.weight)
        return RowSums(landmark_moment(self._landmarks, X, table.Y, table.weight), None)

    def solve_sums(self, sums: RowSums, dtype: Any) -> None:
        """Set the coefficients of the landmarks from the sums, see :class:`BaseMap`."""
        assert sums.moment is not None
        features, eps = self._landmarks, np.finfo(dtype).eps
        beta, values = (
            whitened_from_sums(features, sums, self._ridge, eps)
            if self.constraint == "whitened"
            else orthonormal_landmarks(features, sums, self.n_components_, eps)
        )
        beta = self._padded(beta)
        # By the landmarks alone: all rows would cost another pass.
        signs = fix_signs(cross_product(self._kernel, self.X_fit_, self.X_fit_, beta))
        self._keep_solution(beta * signs, values, sums.moment.weight, np.empty(0, dtype))

    def end_chunks(self) -> None:
        """Forget the features of the landmarks: representing rows does not need them."""
        del self._landmarks

    def _keep_solution(self, beta: Any, eigenvalues: Any, total_weight: float, X: Any) -> None:
        """Keep coefficients and eigenvalues in arrays like those of the rows X."""
        self._drop_unused_rho()
        p = self.n_components_
        self.dual_coef_ = cast(beta if is_foreign(beta) else np.ascontiguousarray(beta), X.dtype)
        sizes = np.pad(to_numpy(eigenvalues)[:p], (0, max(p - eigenvalues.shape[0], 0)))
        self.eigenvalues_ = like(sizes, X)
        self.objective_ = float(sizes.sum() / (total_weight - 1) ** 2)

    def _padded(self, beta: Floats) -> Floats:
        """Return beta with ``n_components_`` columns, truncated or padded with zeros."""
        beta = beta[:, : self.n_components_]
        return np.pad(beta, ((0, 0), (0, self.n_components_ - beta.shape[1])))
