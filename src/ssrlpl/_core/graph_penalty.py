r"""Kernel machines whose values vary little along the edges of a graph.

.. math::

    \min_{\alpha, b} \tfrac12 \Big[ \sum_{i \in L} \ell(y_i, f_i)
    + \gamma_A \alpha^\top K \alpha + \gamma_I f^\top \mathcal{L} f \Big], \qquad f = K\alpha + b

with the squared hinge or the squared error as loss. Two ways to the minimum:

* *deformed kernel*: stationarity gives
  :math:`(\gamma_A I + \gamma_I \mathcal{L} K)\alpha = J^\top c` with :math:`c = y - f` on the
  active labeled rows. With :math:`Z = (\gamma_A I + \gamma_I \mathcal{L} K)^{-1} J^\top` one has
  α = Zc, the values of the labeled rows are :math:`Gc + b` with :math:`G = J K Z`, and the penalty
  is :math:`c^\top G c`: an ordinary kernel machine on the labeled rows with kernel matrix G. One
  factorization serves every class, every Newton step, every set of labels, and every pair of
  weights with the same ratio :math:`\gamma_I/\gamma_A`. For a large ratio the entries of G are
  large and nearly equal, so that digits are lost: one step of iterative refinement restores them;
* *conjugate gradients* in α with preconditioner K: one product with K for each step.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from scipy import linalg, sparse

from .._utils import limits
from .._utils.types import Floats, Ints, Mask
from .cholesky import positive_solver
from .kernels import Kernel
from .products import gram_product
from .squared_hinge import exact_step

Product = Callable[[Floats], Floats]
"""Function B ↦ K B."""

Factor = tuple[Floats, Ints]
"""What ``scipy.linalg.lu_factor`` returns."""

_ROUNDING = 1e-10
"""Relative difference of two values of the function that counts as none."""

_SMALL_GRADIENT = 1e-9
"""Norm of the gradient, relative to the first one, at which conjugate gradients stop."""


def factor_deformation(K: Floats, laplacian: sparse.csr_matrix, ratio: float) -> Factor:
    """Return the LU factors of (I + ratio 𝓛K)ᵀ; they need a second matrix of the size of K."""
    system = laplacian @ K
    system *= ratio
    system[np.arange(len(K)), np.arange(len(K))] += 1
    # LAPACK works in column order: it gets the transpose without a copy, and trans=1 undoes it.
    return linalg.lu_factor(system.T, overwrite_a=True, check_finite=False)


def deformed_kernel(
    K: Floats, factor: Factor | None, labeled: Ints, gamma_A: float
) -> tuple[Floats, Floats]:
    """Return Z and G of the module's docstring; without a factor γ_I is zero."""
    Z = np.zeros((len(K), len(labeled)))
    Z[labeled, np.arange(len(labeled))] = 1 / gamma_A
    if factor is not None:
        Z = linalg.lu_solve(factor, Z, trans=1, overwrite_b=True, check_finite=False)
    G = K[labeled] @ Z
    return Z, (G + G.T) / 2


def refined(
    loss: PenalizedLoss,
    factor: Factor | None,
    Z: Floats,
    G: Floats,
    alpha: Floats,
    b: Floats,
    Y: Floats,
) -> tuple[Floats, Floats]:
    """Return α and b after one step of iterative refinement, one column for each problem.

    The residual r of stationarity is computed without G. The correction δ solves
    (γ_A I + γ_I 𝓛K)δ = r + Jᵀq, where q = -(Kδ + δ_b) on the active rows: δ = u + Zq with u that
    of r alone, and (G + I)q = -Ku - δ_b. A column that does not get better keeps its values: there
    the system is too close to a singular one.
    """
    image = loss.product(alpha)
    r, residuals = loss.descent(alpha, b, image, Y)
    u = r / loss.of_norm
    if factor is not None:
        u = linalg.lu_solve(factor, u, trans=1, overwrite_b=True, check_finite=False)
    wanted = -loss.product(u)[loss.labeled]
    new, new_b = alpha + u, b.copy()
    for column in range(Y.shape[1]):
        rows = np.flatnonzero(residuals[:, column]) if loss.hinge else np.arange(len(G))
        if not len(rows):  # every margin is 1 to the last digit
            continue
        solve = positive_solver(G[np.ix_(rows, rows)] + np.eye(len(rows)))
        q = solve(wanted[rows, column])
        if loss.intercept:
            ones = solve(np.ones(len(rows)))
            change = (q.sum() - residuals[rows, column].sum()) / ones.sum()
            q, new_b[column] = q - change * ones, b[column] + change
        new[:, column] += Z[:, rows] @ q
    before = loss.value(alpha, b, image, Y)
    # The values of a good step may be equal up to rounding errors.
    is_better = loss.value(new, new_b, loss.product(new), Y) <= (1 + _ROUNDING) * before
    return np.where(is_better, new, alpha), np.where(is_better, new_b, b)


def kernel_product(kernel: Kernel, X: Any) -> Product:
    """Return B ↦ K B; K is kept in memory if it fits, in single precision if it is large."""
    n = X.shape[0]
    if n > limits.KERNEL_MEMORY_ROWS:
        return partial(gram_product, kernel, X)
    K = kernel.square(X if n <= limits.EXACT_KERNEL_ROWS else X.astype(np.float32))

    def product(B: Floats) -> Floats:
        return np.asarray(K @ B.astype(K.dtype, copy=False), dtype=np.float64)

    return product


@dataclass(frozen=True)
class PenalizedLoss:
    """The function of the module's docstring, for several columns of labels ±1 at once.

    ``of_norm`` is γ_A and ``of_graph`` γ_I.
    """

    product: Product
    laplacian: sparse.csr_matrix
    labeled: Ints
    of_norm: float
    of_graph: float
    hinge: bool
    intercept: bool

    def penalty(self, alpha: Floats, image: Floats) -> Floats:
        """Return both penalties at α for each column; ``image`` is Kα.

        The graph's part is computed from Kα, which differs from f by a constant: the Laplacian of
        a fit with an intercept does not see it.
        """
        rough = self.of_norm * alpha + self.of_graph * (self.laplacian @ image)
        return np.asarray(np.sum(image * rough, axis=0))

    def value(self, alpha: Floats, b: Floats, image: Floats, Y: Floats) -> Floats:
        """Return the function itself for each column; ``image`` is Kα."""
        _, residuals = self.descent(alpha, b, image, Y)
        return np.asarray(np.sum(residuals**2, axis=0) + self.penalty(alpha, image)) / 2

    def descent(self, alpha: Floats, b: Floats, image: Floats, Y: Floats) -> tuple[Floats, Floats]:
        """Return the negative gradient in α without its factor K, and f - y on labeled rows.

        f - y is zero on rows beyond their margin; ``image`` is Kα.
        """
        values = image[self.labeled] + b
        residuals = np.where((Y * values < 1) | (not self.hinge), values - Y, 0)
        down = -self.of_norm * alpha - self.of_graph * (self.laplacian @ image)
        down[self.labeled] -= residuals
        return down, residuals


@dataclass(frozen=True)
class _Walk:
    """Where conjugate gradients are: the point, the next direction and the last gradient.

    Every array has one column (``b``, ``down_b`` and so on: one entry) for each column of labels.
    ``image``, ``way_image`` and ``down_image`` are K times α, times the direction and times the
    preconditioned negative gradient.
    """

    Y: Floats
    alpha: Floats
    b: Floats
    image: Floats
    down: Floats
    down_b: Floats
    down_image: Floats
    way: Floats
    way_b: Floats
    way_image: Floats

    def columns(self, kept: Mask) -> _Walk:
        """Return the walk of some columns only."""
        return _Walk(**{name: part[..., kept] for name, part in vars(self).items()})

    @property
    def steepness(self) -> Floats:
        """Squared norm of the gradient that the preconditioner belongs to."""
        return np.asarray(np.sum(self.down * self.down_image, axis=0) + self.down_b**2)


def descend(
    loss: PenalizedLoss, Y: Floats, *, stability: float, max_iter: int
) -> tuple[Floats, Floats, Floats, Ints]:
    """Return α, b, Kα and the number of steps for each column of labels (Melacci and Belkin 2011).

    Polak-Ribière directions with restart and exact line search. The *stability* stop compares the
    decisions for the unlabeled rows every √n/2 steps: a column is finished when less than this
    share of them has changed. With ``stability=0`` only a vanishing gradient stops it.
    """
    n, n_columns = loss.laplacian.shape[0], Y.shape[1]
    every = max(1, round(np.sqrt(n) / 2))
    watched = np.setdiff1d(np.arange(n), loss.labeled)
    watched = watched if len(watched) else np.arange(n)
    alpha, b, image = np.zeros((n, n_columns)), np.zeros(n_columns), np.zeros((n, n_columns))
    counts = np.zeros(n_columns, dtype=np.intp)

    walk = _start(loss, Y)
    goal, going = _SMALL_GRADIENT**2 * walk.steepness, np.arange(n_columns)
    decisions = np.zeros((len(watched), n_columns))
    for count in range(1, max_iter + 1):
        walk = _step(loss, walk)
        done = walk.steepness <= goal[going]
        if count % every == 0:
            now = np.sign(walk.image[watched] + walk.b)
            done |= np.mean(now != decisions[:, going], axis=0) < stability
            decisions[:, going] = now
        done |= count == max_iter
        if done.any():
            which = going[done]
            alpha[:, which], b[which] = walk.alpha[:, done], walk.b[done]
            image[:, which], counts[which] = walk.image[:, done], count
            walk, going = walk.columns(~done), going[~done]
        if not len(going):
            break
    return alpha, b, image, counts


def _start(loss: PenalizedLoss, Y: Floats) -> _Walk:
    """Return the walk at α = 0, b = 0, with the first direction."""
    zero = np.zeros((loss.laplacian.shape[0], Y.shape[1]))
    down, none = zero.copy(), np.zeros(Y.shape[1])
    down[loss.labeled] = Y
    down_b = Y.sum(axis=0) if loss.intercept else none
    image = loss.product(down)
    return _Walk(Y, zero, none, zero, down, down_b, image, down, down_b, image)


def _step(loss: PenalizedLoss, walk: _Walk) -> _Walk:
    """Return the walk after one exact line search, with the next direction."""
    rough = loss.laplacian @ walk.way_image
    slope = loss.of_norm * np.sum(walk.way * walk.image, axis=0)
    slope = slope + loss.of_graph * np.sum(rough * walk.image, axis=0)
    curvature = loss.of_norm * np.sum(walk.way * walk.way_image, axis=0)
    curvature = curvature + loss.of_graph * np.sum(rough * walk.way_image, axis=0)
    margins = 1 - walk.Y * (walk.image[loss.labeled] + walk.b)
    changes = -walk.Y * (walk.way_image[loss.labeled] + walk.way_b)
    if not loss.hinge:  # every row counts at every step: part of the quadratic function
        slope, curvature = slope + np.sum(margins * changes, 0), curvature + np.sum(changes**2, 0)
        margins, changes = margins[:0], changes[:0]
    step = exact_step(slope, curvature, margins, changes)

    alpha, b = walk.alpha + step * walk.way, walk.b + step * walk.way_b
    image = walk.image + step * walk.way_image
    down, residuals = loss.descent(alpha, b, image, walk.Y)
    down_b = -residuals.sum(axis=0) if loss.intercept else np.zeros_like(b)
    down_image = loss.product(down)
    gain = np.sum(down_image * (down - walk.down), axis=0) + down_b * (down_b - walk.down_b)
    steepness = walk.steepness
    turn = np.divide(gain, steepness, out=np.zeros_like(gain), where=steepness > 0)
    turn = np.maximum(turn, 0)
    return replace(
        walk,
        alpha=alpha,
        b=b,
        image=image,
        down=down,
        down_b=down_b,
        down_image=down_image,
        way=down + turn * walk.way,
        way_b=down_b + turn * walk.way_b,
        way_image=down_image + turn * walk.way_image,
    )
