r"""From the label errors of some rows to the deviation of a map: estimates and their errors.

A row i has the label error e_i = y_i - y_{p,i} and contributes the vector
:math:`\xi_i = (\phi(x_i) - \mu) e_i^\top` to ε. Over the N rows whose labels were not used,
:math:`\epsilon = \frac{N}{n-1}\,\bar\xi`, so what a sample of these rows says of ξ̄ it says of ε.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .geometry import MapGeometry


@dataclass(frozen=True)
class LabelErrors:
    """Label errors of sampled rows, and of what they are a sample.

    Parameters
    ----------
    geometry : MapGeometry
        The map and all rows.
    rows : ndarray of shape (m,)
        The sampled rows, in the order drawn.
    errors : ndarray of shape (m, C)
        e = y - y_p of these rows.
    used : ndarray of shape (n, C)
        Label vectors y_p of all rows.
    population : ndarray of shape (N,)
        The rows whose labels were not used.
    """

    geometry: MapGeometry
    rows: NDArray[np.intp]
    errors: NDArray[np.float64]
    used: NDArray[np.float64]
    population: NDArray[np.intp]

    @property
    def scale(self) -> float:
        """N/(n-1): from a mean over the population to ε."""
        return len(self.population) / (self.geometry.n - 1)

    @property
    def objective_root(self) -> float:
        """‖V†ᵀA(Y_p)‖, which is √f(V†, Y_p)."""
        return float(np.sqrt(self.geometry.objective(self.used)))

    def largest_error_norms(self) -> NDArray[np.float64]:
        """Return the largest ‖e_i‖ that a label could bring, for each row of the population."""
        Y = self.used[self.population]
        squares: NDArray[np.float64] = 1 + np.sum(Y**2, axis=1) - 2 * Y.min(axis=1)
        return np.sqrt(squares)

    def expected_error_squares(self) -> NDArray[np.float64]:
        """Return E‖e_i‖² for each row of the population, if its label vector were its law."""
        return 1 - np.sum(self.used[self.population] ** 2, axis=1)

    def along_the_objective(self) -> tuple[NDArray[np.float64], float]:
        """Return ⟨ξ_i, D⟩ of the sampled rows and the least it could be for any row.

        D is A(Y_p) scaled to norm one: the mean of these numbers is what label errors take from
        (or add to) √f, to first order.
        """
        A = self.geometry.coordinates(self.used)
        slopes = self.geometry.Z @ (A / np.linalg.norm(A))
        values = np.sum(slopes[self.rows] * self.errors, axis=1)
        everyone = slopes[self.population]
        baseline = np.sum(everyone * self.used[self.population], axis=1)
        return values, float(np.min(everyone.min(axis=1) - baseline))


@dataclass(frozen=True)
class VectorSample:
    """Norms and inner products of the sampled vectors ξ_i, whole or outside the map's span."""

    gram: NDArray[np.float64]
    largest_norm: float
    guess: float

    @property
    def norms(self) -> NDArray[np.float64]:
        """‖ξ_i‖."""
        return np.sqrt(np.maximum(np.diag(self.gram), 0))

    def norm_of_mean(self, weights: NDArray[np.float64]) -> float:
        """Return the norm of the weighted sum of the sampled vectors."""
        return float(np.sqrt(max(float(weights @ self.gram @ weights), 0.0)))

    def unbiased_square(self) -> float:
        """Return the unbiased estimate of ‖ξ̄‖²: the mean of ⟨ξ_i, ξ_j⟩ over i ≠ j."""
        m = len(self.gram)
        return float((self.gram.sum() - np.trace(self.gram)) / (m * (m - 1)))

    def standard_error_of_square(self) -> float:
        r"""Return the standard error of :meth:`unbiased_square`.

        Two terms: :math:`4\operatorname{Var}\langle\xi, \bar\xi\rangle/m` and the degenerate one
        :math:`2\|\Sigma\|^2/m^2`. One vector of the largest norm, orthogonal to all others, is
        added to the sample, because an error that has not been seen yet may still come.
        """
        m = len(self.gram)
        row_means = (self.gram.sum(axis=1) - np.diag(self.gram)) / (m - 1)
        linear = 4 * np.var(row_means) / m
        off_diagonal = np.sum(self.gram**2) - np.sum(np.diag(self.gram) ** 2)
        degenerate = 2 * (off_diagonal / (m * (m - 1)) + self.largest_norm**4 / m**2) / m**2
        return float(np.sqrt(linear + degenerate))


def residual_vectors(sample: LabelErrors) -> VectorSample:
    """Return the sampled vectors (I - P†)ξ_i."""
    geometry = sample.geometry
    inner = geometry.residual_inner(sample.rows)
    return _vectors(sample, inner, geometry.residual_squared)


def whole_vectors(sample: LabelErrors) -> VectorSample:
    """Return the sampled vectors ξ_i."""
    return _vectors(sample, sample.geometry.inner(sample.rows), sample.geometry.squared)


def _vectors(
    sample: LabelErrors, inner: NDArray[np.float64], squared: NDArray[np.float64]
) -> VectorSample:
    everyone: NDArray[np.float64] = squared[sample.population]
    largest = float((np.sqrt(everyone) * sample.largest_error_norms()).max())
    expected = float(np.mean(everyone * sample.expected_error_squares()))
    # Labelers are too sure of themselves; one row in fifty may be wrong whatever they say.
    guess = np.sqrt(max(expected, 0.04 * float(np.mean(everyone))))
    gram = inner * (sample.errors @ sample.errors.T)
    return VectorSample(gram, largest, float(guess))
