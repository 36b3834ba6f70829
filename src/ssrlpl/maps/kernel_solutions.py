"""How the kernel map of rows in memory is computed, with either constraint."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from .._core.completion import complete_kernel
from .._core.kernels import Kernel, diagonal
from .._core.landmarks import drawn_landmarks, landmark_moments, whitened_landmarks
from .._core.products import cross_product, gram_product
from .._core.spectrum import fix_signs, positive_eigen
from .._core.whitening import centered_gram, whitened_dual
from .._utils import limits
from .._utils.arrays import cast, like, namespace, to_numpy, widest_float
from .._utils.progress import Progress
from .._utils.types import Array, Floats
from .._utils.user_warnings import warn_user
from ._base import LabeledRows
from .landmark_fit import LandmarkFit

_Solution: TypeAlias = tuple[Floats, Floats, Floats]
"""Dual coefficients, eigenvalues, and the representation of the training rows."""

NOT_FINITE = (
    "The kernel must give finite numbers. Got NaN or infinity: scale the columns, lower gamma or"
    " degree, or check what your callable or precomputed kernel holds."
)

_ROWS_FOR_CONSTANT = 64
"""Rows by which the constant between two representations is measured, against rounding errors."""


class KernelSolutions(LandmarkFit):
    """What :class:`KernelSSRLPL` computes from labeled rows, by the formulas of ``_core``."""

    _kernel: Kernel

    def _fit_map(self, X: Any, table: LabeledRows) -> Floats:
        """Set the dual coefficients and return the representation of the training rows."""
        w = np.ones(X.shape[0]) if table.weight is None else table.weight
        weight, Y = like(w, X), cast(table.Y, widest_float(X))
        B = weight[:, None] * (Y - weight @ Y / float(w.sum()))
        if self.constraint == "whitened":
            found = self._whitened(to_numpy(X), to_numpy(B), table.row_weight)
            beta, eigenvalues, Z = (like(part, X) for part in found)
            if self.kernel != "precomputed":
                self.X_fit_ = like(self.X_fit_, X)
        else:
            beta, eigenvalues, Z = self._orthonormal(X, B, w)
        signs = fix_signs(Z[like(w > 0, Z)])
        self._keep_solution(beta * signs, eigenvalues, float(w.sum()), X)
        return Z * signs

    def _gram_product(self, X: Any, B: Array) -> Floats:
        if self.kernel == "precomputed":
            return cast(X @ cast(B, X.dtype), widest_float(X))
        with Progress("kernel", X.shape[0] ** 2) as progress:
            return gram_product(self._kernel, X, B, progress=progress)

    def _orthonormal(self, X: Any, B: Array, w: Floats) -> _Solution:
        xp, KB = namespace(X), self._gram_product(X, B)
        if not xp.all(xp.isfinite(KB)):
            raise ValueError(NOT_FINITE)
        eps = xp.finfo(X.dtype).eps
        kxx = np.diag(to_numpy(X)) if self.kernel == "precomputed" else diagonal(self._kernel, X)
        # Rounding error of a sum of n kernel entries, which are at most max k(x, x).
        noise = eps * np.sqrt(X.shape[0]) * float(np.abs(kxx).max())
        a, eigenvalues = positive_eigen(B.T @ KB, noise * float(xp.sum(B**2)), eps)
        p = self.n_components_
        known = min(p, a.shape[1])
        scaled = a[:, :known] / xp.sqrt(eigenvalues[:known])
        beta, Z = B @ scaled, KB @ scaled
        if known < p:
            # Rounding moves eigenvalues by eps times the largest one, which is at most the trace.
            error = 10 * eps * float(w @ np.abs(kxx))
            beta, Z = self._complete(X, beta, Z, w, error, np.sqrt(eps))
        return beta, eigenvalues, Z

    def _whitened(self, X: Any, B: Array, weight: Floats | None) -> _Solution:
        B = B.astype(np.float64)
        eps = np.finfo(X.dtype).eps
        if self._is_exact(X.shape[0]):
            K = self._gram(X)
            first_rows = K[:_ROWS_FOR_CONSTANT].copy()  # K is overwritten
            centered = centered_gram(K, weight)
            beta, values, centered_Z = whitened_dual(centered, B, weight, self._ridge, eps)
            if centered_Z is None:
                beta = self._padded(beta)
                return beta, values, self._gram_product(X, beta)
            # Coefficients sum to zero, so Kβ and HKHβ differ by a constant, which a few rows are
            # enough to measure.
            Z = centered_Z + np.mean(first_rows @ beta - centered_Z[: len(first_rows)], axis=0)
            return self._padded(beta), values, self._padded(Z)
        chosen = self.landmarks
        if chosen is None:
            chosen = drawn_landmarks(X.shape[0], self.random_state)
        self.X_fit_ = X[np.asarray(chosen)]
        moments = landmark_moments(self._kernel, self.X_fit_, X, B, weight)
        beta, values = whitened_landmarks(moments, self._ridge, eps)
        beta = self._padded(beta)
        Z = cross_product(self._kernel, X, self.X_fit_, beta)
        return beta, values, np.asarray(Z, dtype=np.float64)

    def _gram(self, X: Any) -> Floats:
        """Return the kernel matrix in float64, as an array that may be overwritten."""
        is_matrix = self.kernel == "precomputed"
        K = X if is_matrix else self._kernel.square(X)
        if is_matrix or callable(self.kernel):
            K = np.array(K, dtype=np.float64)  # a copy: the user's matrix must not change
        if not np.isfinite(K).all():
            raise ValueError(NOT_FINITE)
        return K.astype(np.float64, copy=False)

    def _complete(
        self, X: Any, beta: Array, Z: Array, w: Array, noise: float, tol: float
    ) -> tuple[Floats, Floats]:
        """Return both with further components, found in NumPy except for the products with K."""
        missing = self.n_components_ - beta.shape[1]
        beta, Z = to_numpy(beta), to_numpy(Z)

        def product(V: Array) -> Array:
            return to_numpy(self._gram_product(X, like(V, X)))

        added, _ = complete_kernel(
            beta, Z, w, min(missing, X.shape[0] - 1), product, tol=tol, noise=noise
        )
        absent = missing - added.shape[1]
        if absent:
            warn_user(
                f"The rows have only {beta.shape[1] + added.shape[1]} directions that differ;"
                f" the last {absent} of {self.n_components_} components are zero. Lower"
                " n_components, or change the kernel."
            )
        zeros = np.zeros((X.shape[0], absent))
        completed = np.hstack([beta, added, zeros]), np.hstack([Z, product(added), zeros])
        return like(completed[0], X), like(completed[1], X)

    def _is_exact(self, n_rows: int) -> bool:
        """Whether the whitened map needs no landmarks."""
        if self.kernel == "precomputed":
            return True
        return self.landmarks is None and n_rows <= limits.EXACT_KERNEL_ROWS
