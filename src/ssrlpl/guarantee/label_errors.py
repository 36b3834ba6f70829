r"""Estimates of the deviation ε of a map from the label errors of sampled rows.

A row i has the label error e_i = y_i - y_{p,i} and contributes the vector
:math:`\xi_i = (\phi(x_i) - \mu) e_i^\top` to ε. With the mean ξ̄ over the N rows whose labels were
not used, :math:`\epsilon = \frac{N}{n-1}\,\bar\xi`, so estimates of ξ̄ are estimates of ε.

**Control variate.** Errors may be measured from any other label vectors Q that do not depend on the
sampled labels, and that are right for the labels that were used: e_i = y_i - q_i. Then
:math:`A(Y) = A(Q) + \frac{N}{n-1}\bar\xi`, where A(Q) is known. The better Q is, the shorter
are the vectors ξ_i, of which only a sample is known. Outside the span of the map remains
:math:`(I-P^\dagger)A(Q)`, the *offset*, which is zero for Q = Y_p.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from .._core.geometry import MapGeometry
from .._core.loo_maps import Products
from .._utils.types import Floats, Ints


@dataclass(frozen=True)
class LabelErrors:
    """Label errors of sampled rows, and the population they are a sample of.

    Parameters
    ----------
    geometry : MapGeometry
        The map and all rows.
    rows : ndarray of shape (m,)
        The sampled rows, in the order drawn.
    errors : ndarray of shape (m, C)
        e = y - y_p of these rows, or y - q.
    used : ndarray of shape (n, C)
        Label vectors y_p of all rows, or those of a control variate.
    population : ndarray of shape (N,)
        The rows whose labels were not used.
    offset : ndarray of shape (n, C), optional
        ⟨φ(x_i) - μ, (I-P†)A(Q)⟩ of each row for a control variate Q.
    planned : int, optional
        Size of the sample for which bounds are tuned, if it must not depend on when one looks; by
        default the size of the sample.
    """

    geometry: MapGeometry
    rows: Ints
    errors: Floats
    used: Floats
    population: Ints
    offset: Floats | None = None
    planned: int | None = None

    @property
    def scale(self) -> float:
        """N/(n-1), the factor from a mean over the population to ε."""
        return len(self.population) / (self.geometry.n - 1)

    @property
    def objective_root(self) -> float:
        """‖V†ᵀA(Y_p)‖, which is √f(V†, Y_p)."""
        return float(np.sqrt(self.geometry.objective(self.used)))

    def measured_from(self, Q: Floats, products: Products) -> LabelErrors:
        """Return the same sample with errors measured from the label vectors of a control variate.

        ``products`` are those of the map for all rows; they cost one pass over the rows.
        """
        truth = self.errors + self.used[self.rows]
        inner = products((Q - Q.mean(axis=0))[None])[1][0] / (self.geometry.n - 1)
        outside = inner - inner.mean(axis=0) - self.geometry.Z @ self.geometry.coordinates(Q)
        return replace(self, errors=truth - Q[self.rows], used=Q, offset=outside)

    def of_components(self, count: int) -> LabelErrors:
        """Return the sample for the map of the first components only."""
        return replace(self, geometry=replace(self.geometry, Z=self.geometry.Z[:, :count]))

    def slopes(self) -> Floats:
        """Return ⟨φ(x_i) - μ, D⟩, n×C, where D is A(Y_p) scaled to norm one."""
        A = self.geometry.coordinates(self.used)
        return np.asarray(self.geometry.Z @ (A / np.linalg.norm(A)))

    def along_the_objective(self) -> Floats:
        """Return ⟨ξ_i, D⟩ of the sampled rows.

        The mean of these numbers is the change of √f by label errors, to first order.
        """
        return np.asarray(np.sum(self.slopes()[self.rows] * self.errors, axis=1))

    def along_for_any_label(self) -> Floats:
        """Return ⟨ξ_i, D⟩ of each row of the population for each possible label."""
        everyone = self.slopes()[self.population]
        used = self.used[self.population]
        return np.asarray(everyone - np.sum(everyone * used, axis=1, keepdims=True))

    def residual_norm_for_any_label(self) -> Floats:
        """Return ‖(I-P†)ξ_i‖ of each row of the population for each possible label."""
        lengths = np.sqrt(self.geometry.residual_squared[self.population])
        return np.asarray(lengths[:, None] * self.error_norms())

    def error_norms(self) -> Floats:
        """Return ‖e_i‖ of each row of the population for each possible label."""
        Y = self.used[self.population]
        squares = 1 + np.sum(Y**2, axis=1, keepdims=True) - 2 * Y
        return np.asarray(np.sqrt(np.maximum(squares, 0)))

    def rehearsal(self) -> LabelErrors:
        """Return a simulated sample of the planned size, with labels drawn from label vectors.

        It does not depend on the sampled labels, so parameters of the bounds may be chosen on it.
        Labelers are overconfident, so labels are drawn from 0.98·Y + 0.02/C.
        """
        rng = np.random.RandomState(0)
        rows = rng.permutation(self.population)[: self.planned or len(self.rows)]
        used = self.used[rows]
        n_classes = used.shape[1]
        chances = np.cumsum(0.98 * used + 0.02 / n_classes, axis=1)
        codes = np.minimum(np.sum(rng.rand(len(rows), 1) > chances, axis=1), n_classes - 1)
        return replace(self, rows=rows, errors=np.eye(n_classes)[codes] - used)


@dataclass(frozen=True)
class VectorSample:
    """Inner products of the sampled vectors ξ_i, or of their parts outside the span of the map.

    ``norms`` are the largest norms that the vectors of the population can have. A known vector r,
    the offset, is added to each of them: ``toward`` are the products ⟨r, ξ_i⟩ and ``square`` is
    ‖r‖².
    """

    gram: Floats
    norms: Floats
    toward: Floats
    square: float = 0.0

    def unbiased_square(self) -> float:
        """Return the unbiased estimate of ‖r + ξ̄‖², by the mean of ⟨ξ_i, ξ_j⟩ over i ≠ j."""
        m = len(self.gram)
        own = (self.gram.sum() - np.trace(self.gram)) / (m * (m - 1))
        return float(own + 2 * self.toward.mean() + self.square)

    def standard_error_of_square(self) -> float:
        r"""Return the standard error of :meth:`unbiased_square`.

        The variance has two terms: :math:`4\operatorname{Var}\langle\xi, \bar\xi\rangle/m` and
        the degenerate one :math:`2\|\Sigma\|^2/m^2`. One vector of the largest norm, orthogonal
        to all others, is added to the sample, to account for errors that were not observed.
        """
        m = len(self.gram)
        row_means = (self.gram.sum(axis=1) - np.diag(self.gram)) / (m - 1)
        linear = 4 * np.var(row_means) / m
        off_diagonal = np.sum(self.gram**2) - np.sum(np.diag(self.gram) ** 2)
        degenerate = 2 * (off_diagonal / (m * (m - 1)) + self.norms.max() ** 4 / m**2) / m**2
        return float(np.sqrt(linear + degenerate))


def residual_vectors(sample: LabelErrors) -> VectorSample:
    """Return the sampled vectors (I - P†)ξ_i, with the offset divided by N/(n-1) like ε."""
    geometry = sample.geometry
    inner = geometry.residual_inner(sample.rows)
    found = _vectors(sample, inner, geometry.residual_squared)
    if sample.offset is None:
        return found
    toward = np.sum(sample.offset[sample.rows] * sample.errors, axis=1) / sample.scale
    square = float(np.sum(sample.offset * sample.used)) / (geometry.n - 1) / sample.scale**2
    return replace(found, toward=toward, square=max(square, 0.0))


def whole_vectors(sample: LabelErrors) -> VectorSample:
    """Return the sampled vectors ξ_i."""
    return _vectors(sample, sample.geometry.inner(sample.rows), sample.geometry.squared)


def _vectors(sample: LabelErrors, inner: Floats, squared: Floats) -> VectorSample:
    everyone = np.sqrt(squared[sample.population])
    norms = everyone * sample.error_norms().max(axis=1)
    nothing = np.zeros(len(sample.rows))
    return VectorSample(inner * (sample.errors @ sample.errors.T), norms, nothing)
