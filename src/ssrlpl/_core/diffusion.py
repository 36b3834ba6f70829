r"""Label propagation on a sparse neighborhood graph of all rows.

W is the matrix of edge weights and D the diagonal matrix of its row sums. Two methods, both linear
in the given labels, :math:`F = P Y_L` with one column of P for each labeled row:

* *spreading* (Zhou et al. 2004, local and global consistency):
  :math:`P = (I - \alpha S)^{-1}_{\cdot L}` with :math:`S = D^{-1/2} W D^{-1/2}`;
* *harmonic* (Zhu, Ghahramani and Lafferty 2003): :math:`P_U = (D - W)_{UU}^{-1} W_{UL}`, and
  labeled rows keep their own label.

Hiding label i changes one row of Y_L, so all leave-one-out label matrices are computed from the
same P.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy import linalg, sparse
from scipy.sparse import csgraph
from sklearn.exceptions import ConvergenceWarning

from .._utils import limits
from .._utils.types import Array, Floats, Ints, Mask
from .._utils.user_warnings import warn_user
from .blocks import row_slices
from .cholesky import positive_solver
from .elimination import solve_with_corner
from .neighbor_graph import NeighborGraph, reached

TOLERANCE = 1e-10
"""Relative residual norm at which conjugate gradients stop."""
_MAX_STEPS = 5000

_COLUMN_ROWS = 50
"""Rows for each column of the right-hand side up to which a factorization is faster."""

_COLUMN_ENTRIES = 1 << 24
"""Entries of the right-hand sides that are solved together (five arrays of 128 MB)."""

_BAND = 8
"""Entries of a band matrix for each entry of the graph up to which it is factorized."""

_SINGLE = 1e-5
"""Relative residual norm in large tables, in single precision. On 70,000 images (alpha=0.997) it
takes 2.7 CPU-seconds instead of 9.4, and changes no label."""

_PROBES = 16
_ROUGH = 1e-3
"""Relative residual norm of columns from which something is estimated that varies more."""

_SLIGHTLY_MORE = 1 + 1e-11
"""Factor on the degrees that keeps the harmonic system regular when edges to a component are
nearly zero."""


def spread(graph: NeighborGraph, labeled: Ints, Y: Floats, alpha: float) -> Floats:
    """Return (I - αS)⁻¹ applied to Y on the labeled rows and zero elsewhere."""
    given = np.zeros((graph.n_rows, Y.shape[1]))
    given[labeled] = Y
    many = graph.n_rows > limits.DENSE_GRAPH_ROWS and Y.shape[1] > limits.FEWER_CANDIDATES_CLASSES
    if graph.n_rows > limits.EXACT_NEIGHBOR_ROWS or many:
        found = _spread_in_single(graph, given.astype(np.float32), alpha, _SINGLE)
        return found.astype(np.float64)
    system = _spreading_system(graph, alpha)
    # A factorization takes n³/3 operations however few the columns; conjugate gradients need few
    # steps, because the condition number is at most (1+α)/(1-α).
    if graph.n_rows > _COLUMN_ROWS * Y.shape[1]:
        return conjugate_gradients(system, given, overwrite=True)
    return solve(system, given)


def spread_parts(
    graph: NeighborGraph, labeled: Ints, Y: Floats, alpha: float
) -> tuple[Floats, Floats, Floats]:
    """Return the diagonal of P at labeled rows, the column sums of P, and P·Y, for spreading.

    Eliminating rows gives them without P, whose columns would cost several times as much.
    """
    n, n_labeled = graph.n_rows, len(labeled)
    if n > min(_COLUMN_ROWS * n_labeled, limits.DENSE_GRAPH_ROWS):
        P = spread(graph, labeled, np.eye(n_labeled), alpha)
        return np.diag(P[labeled]), P.sum(axis=0), P @ Y
    right = np.zeros((n, Y.shape[1] + 1))
    right[labeled, :-1], right[:, -1] = Y, 1
    found, P_LL = solve_with_corner(_spreading_system(graph, alpha), right, labeled)
    return np.diag(P_LL), found[labeled, -1], found[:, :-1]


def estimated_parts(
    graph: NeighborGraph, labeled: Ints, Y: Floats, alpha: float
) -> tuple[Floats, Floats, Floats]:
    r"""Return the diagonal of P at labeled rows, nearly, the column sums of P, and P·Y.

    For random signs z, :math:`z_i (Pz)_i = P_{ii} + \sum_{j \ne i} z_i z_j P_{ij}` has the mean
    P_ii; the mean over a few draws is taken (Hutchinson's estimate of a diagonal). It takes a few
    columns instead of one for each label. With so few labels all columns are computed.
    """
    n, n_labeled = graph.n_rows, len(labeled)
    exact = n_labeled <= _PROBES
    draws = np.random.RandomState(0)
    signs = np.eye(n_labeled) if exact else draws.choice([-1.0, 1.0], size=(n_labeled, _PROBES))
    right = np.zeros((n, Y.shape[1] + 1 + signs.shape[1]), dtype=np.float32)
    right[labeled, : Y.shape[1]] = Y
    right[:, Y.shape[1]] = 1
    right[labeled, Y.shape[1] + 1 :] = signs
    tolerance = np.where(np.arange(right.shape[1]) < Y.shape[1], _SINGLE, _ROUGH)
    found = _spread_in_single(graph, right, alpha, tolerance)
    at_labeled = found[labeled].astype(np.float64)
    answers = signs * at_labeled[:, Y.shape[1] + 1 :]
    diagonal = answers.sum(axis=1) if exact else answers.mean(axis=1)
    # P = I + αS + …, all of whose entries are non-negative.
    everywhere = found[:, : Y.shape[1]].astype(np.float64)
    return np.maximum(diagonal, 1.0), at_labeled[:, Y.shape[1]], everywhere


def _spread_in_single(
    graph: NeighborGraph, right: NDArray[np.float32], alpha: float, tolerance: float | Floats
) -> NDArray[np.float32]:
    """Return (I - αS)⁻¹ applied to columns in single precision, for large tables.

    Rows are put into an order in which neighbors are close to each other in memory (Cuthill and
    McKee 1969). On 70,000 images products with 27 columns then take 15 instead of 43 ms.
    """
    system = _spreading_system(graph, alpha).astype(np.float32)
    order = csgraph.reverse_cuthill_mckee(system, symmetric_mode=True)
    system = system[order][:, order]
    system.sort_indices()
    found = np.empty_like(right)
    found[order] = conjugate_gradients(system, right[order], tolerance, overwrite=True)
    return found


def _spreading_system(graph: NeighborGraph, alpha: float) -> sparse.csr_matrix:
    W, inverse = graph.weights, 1 / np.sqrt(graph.degree)
    # Products with diagonal matrices would make two more copies of the graph.
    scaled = W.data * inverse[W.indices]
    scaled *= np.repeat(-alpha * inverse, np.diff(W.indptr))
    negative = sparse.csr_matrix((scaled, W.indices, W.indptr), shape=W.shape)
    return (sparse.identity(graph.n_rows, format="csr") + negative).tocsr()


def harmonic(graph: NeighborGraph, labeled: Ints, Y: Floats, _alpha: float | None = None) -> Floats:
    """Return the harmonic function: Y on labeled rows, elsewhere the weighted mean of neighbors.

    It is zero on rows that are not connected to a labeled row. ``_alpha`` is ignored.
    """
    n = graph.n_rows
    free = np.setdiff1d(np.flatnonzero(reached(graph, labeled)), labeled)
    degree = np.asarray(graph.weights.sum(axis=1)).ravel()
    F = np.zeros((n, Y.shape[1]))
    F[labeled] = Y
    if len(free):
        among = graph.weights[free]
        laplacian = sparse.diags(degree[free] * _SLIGHTLY_MORE) - among[:, free]
        F[free] = solve(laplacian.tocsr(), among[:, labeled] @ Y)
    return F


WAYS: dict[str, Callable[..., Floats]] = {"spreading": spread, "harmonic": harmonic}
"""Label propagation methods by name; both return P·Y without forming P."""


def solve(A: sparse.csr_matrix, B: Floats) -> Floats:
    """Return the solution F of the positive definite sparse system A F = B, all columns at once."""
    n = A.shape[0]
    if n <= limits.DENSE_GRAPH_ROWS:
        return positive_solver(A.toarray())(B)
    # Each step of conjugate gradients reaches one neighbor further: along a path of n rows they
    # need n steps. But then an order of the rows puts all entries close to the diagonal.
    order = csgraph.reverse_cuthill_mckee(A, symmetric_mode=True)
    entries = A[order][:, order].tocoo()
    below = entries.row - entries.col
    if n * below.max() > _BAND * A.nnz:
        return conjugate_gradients(A, B)
    band = np.zeros((below.max() + 1, n), order="F")  # as LAPACK wants it
    band[below[below >= 0], entries.col[below >= 0]] = entries.data[below >= 0]
    F = np.empty_like(B)
    F[order] = linalg.solveh_banded(band, B[order], lower=True, overwrite_ab=True)
    return F


def conjugate_gradients(
    A: sparse.csr_matrix,
    B: Array,
    tolerance: float | Floats = TOLERANCE,
    *,
    overwrite: bool = False,
) -> Array:
    """Return the solution of A F = B by conjugate gradients with a Jacobi preconditioner.

    Each column has its own step sizes, and its own ``tolerance`` if several are given, but all
    columns share the products with A, which take most of the time. Many columns of a large table
    are solved in groups, to limit memory. With ``overwrite`` B is used up, which saves a copy.
    """
    tolerance = np.broadcast_to(tolerance, B.shape[1:])
    if B.size > _COLUMN_ENTRIES and B.shape[1] > 1:
        group = max(1, _COLUMN_ENTRIES // len(B))
        F = np.empty_like(B)
        for some in row_slices(B.shape[1], group):
            part = np.ascontiguousarray(B[:, some])
            F[:, some] = conjugate_gradients(A, part, tolerance[some], overwrite=True)
        return F
    inverse = (1 / A.diagonal()[:, None]).astype(B.dtype)
    found, columns = np.zeros_like(B), np.arange(B.shape[1])
    F, residual = found, B if overwrite else B.copy()
    direction, scaled = inverse * residual, np.empty_like(B)
    energy = np.einsum("ij,ij->j", residual, direction)
    goal = tolerance**2 * energy  # squared, because energy is a squared norm
    for _ in range(_MAX_STEPS):
        active = energy > goal
        if not active.any():
            break
        if 2 * np.count_nonzero(active) <= len(active):  # the others need no more products
            found[:, columns] = F
            columns, energy, goal = columns[active], energy[active], goal[active]
            F, residual, direction = F[:, active], residual[:, active], direction[:, active]
            scaled, active = np.empty_like(F), active[active]
        image = A @ direction
        curvature = np.einsum("ij,ij->j", direction, image)
        # A column that has converged makes no further step: the rest of its residual is rounding
        # error, which a singular matrix would multiply without end.
        goes_on = active & (curvature > 0)
        step = np.divide(energy, curvature, out=np.zeros_like(energy), where=goes_on)
        # In place, because large tables take their time to reach the memory.
        F += np.multiply(step, direction, out=scaled)
        residual -= np.multiply(step, image, out=image)
        del image  # before the next one is made
        np.multiply(inverse, residual, out=scaled)
        previous, energy = energy, np.einsum("ij,ij->j", residual, scaled)
        ratio = np.divide(energy, previous, out=np.zeros_like(energy), where=previous > 0)
        direction *= ratio
        direction += scaled
    found[:, columns] = F
    if (energy > goal).any():
        times = np.sqrt(energy / np.where(goal > 0, goal, 1))
        warn_unsolved(tolerance[columns[times.argmax()]], times.max())
    return found


def warn_unsolved(tolerance: float, times: float) -> None:
    """Warn that the residual of a system is ``times`` its tolerance, so labels may be wrong."""
    warn_user(
        "The equations of labels on a graph must be solved to a relative residual of"
        f" {tolerance:.1g}. Got {tolerance * times:.1g} in as many steps as are allowed, because"
        " some rows are hardly connected to a label: raise n_neighbors, lower sharpness, label such"
        " rows, or let labels fade on their way (method='spreading' with a smaller alpha, or a"
        " larger damping).",
        ConvergenceWarning,
    )


def class_mass(F: Floats, counts: Floats) -> Floats:
    """Return a factor for each column that makes class masses proportional to the label counts.

    This is the class mass normalization of Zhu et al. One is added to each count, as in Zhu's
    program, because the share of a class with one label is very uncertain.
    """
    # A product, because sums over a middle axis are slow.
    return mass_factors(np.ones(F.shape[-2]) @ F, counts)


def mass_factors(mass: Floats, counts: Floats) -> Floats:
    """Return the factors of :func:`class_mass` for given column sums; zero where they are zero."""
    wanted = np.where(counts > 0, counts + 1, 0)
    return np.divide(wanted, mass, out=np.zeros_like(mass), where=mass > 0)


def label_distributions(F: Floats, counts: Floats, *, balance: bool) -> tuple[Floats, Mask]:
    """Return rows scaled to probability vectors, and which rows received a label.

    Parameters
    ----------
    F : ndarray of shape (..., n_rows, n_classes)
        Propagated labels; overwritten by the result.
    counts : ndarray of shape (..., n_classes)
        Number of labels of each class; rows that no label reached get the class shares.
    balance : bool
        Apply :func:`class_mass` first.
    """
    np.maximum(F, 0, out=F)
    # Values within the error of the solver count as zero.
    has_mass = F @ np.ones(F.shape[-1]) > 100 * TOLERANCE * F.max(axis=(-2, -1))[..., None]
    if balance:
        F *= class_mass(F, counts)[..., None, :]
    total = np.where(has_mass, F @ np.ones(F.shape[-1]), 1)
    F /= total[..., None]
    if not has_mass.all():
        shares = (counts / counts.sum(axis=-1, keepdims=True))[..., None, :]
        F[...] = np.where(has_mass[..., None], F, shares)
    return F, has_mass


def hidden_distributions(F: Floats, counts: Floats, largest: float) -> Floats:
    """Return rows scaled to probability vectors, where each row comes from a fit of its own.

    ``counts`` has a row for each fit; ``largest`` is the largest value in such a fit.
    """
    has_mass = F.sum(axis=1, keepdims=True) > 100 * TOLERANCE * largest
    return label_distributions(np.where(has_mass, F, 0)[:, None], counts, balance=False)[0][:, 0]


def hidden_value(graph: NeighborGraph, labeled: Ints, P: Floats, Y: Floats) -> Floats:
    r"""Return the value of the harmonic function at each labeled row when its label is hidden.

    With the Schur complement :math:`S = (D-W)_{LL} - W_{LU} P_U` of the labeled rows, the value
    is :math:`-\sum_{j \ne i} S_{ij} y_j / S_{ii}`; it is zero if the row is not connected to
    another labeled row.
    """
    degree = np.asarray(graph.weights.sum(axis=1)).ravel()[labeled]
    S = np.diag(degree * _SLIGHTLY_MORE) - graph.weights[labeled] @ P
    diagonal = np.diag(S).copy()
    np.fill_diagonal(S, 0)
    in_reach = diagonal > 1e-12 * degree
    return np.where(in_reach[:, None], -(S @ Y) / np.where(in_reach, diagonal, 1)[:, None], 0)
