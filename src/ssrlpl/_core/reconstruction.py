r"""Rows as combinations of other rows, and labels as the same combinations of labels.

Two codes of a row x over candidate rows n_j:

* *linear neighborhood* (Wang and Zhang 2008):
  :math:`\min_w |x - \sum_j w_j n_j|^2 + \epsilon \bar q |w|^2` on the simplex, with
  :math:`\bar q` the mean of :math:`|x - n_j|^2`;
* *sparse neighborhood* (Zang and Zhang 2012):
  :math:`\min_{w \ge 0} \tfrac12 |x - \sum_j w_j n_j|^2 + \lambda q \sum_j w_j
  + \tfrac{\delta}{2} |w|^2` for rows of length one, with :math:`q = \max_j n_j^\top x`, so that the
  code is not zero for :math:`\lambda < 1`, and a tiny δ.

Codes are the rows of a matrix W that leads one way: W is not symmetric.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import sparse
from scipy.optimize import nnls
from scipy.sparse import csgraph
from scipy.sparse.linalg import bicgstab

from .._utils import limits
from .._utils.types import Array, Floats, Ints
from .blocks import BLOCK_BYTES, row_slices
from .diffusion import hidden_distributions, label_distributions, mass_factors, warn_unsolved

_ROUNDS = 20
"""Rounds of iterative refinement; each gains about five digits."""
_TOLERANCE = 1e-10
"""Relative residual at which refinement stops."""
UNIQUE = 1e-6
"""δ, which makes sparse codes unique and is too small to change them otherwise."""


def simplex_codes(X: Any, rows: Any, columns: Ints, ridge: float) -> Floats:
    r"""Return the linear-neighborhood code of each row of X over ``rows[columns]``.

    With B the differences in units of :math:`\sqrt{\bar q}` and the ridge as further rows,
    :math:`\min_{v \ge 0} |Bv|^2 + (1 - \sum_j v_j)^2` has the solution v = sw with the wanted w:
    for a fixed direction w the best s gives the value q/(1 + q), which grows with q = |Bw|².
    """
    k = columns.shape[1]
    codes = np.empty(columns.shape)
    wanted = np.zeros(k + 1)
    wanted[-1] = 1
    for part in _blocks(columns, X.shape[1]):
        B = _dense(rows, columns[part]) - _dense(X, np.arange(len(columns))[part, None])
        squares = np.einsum("ijd,ijd->ij", B, B).mean(axis=1)
        B /= np.sqrt(np.where(squares > 0, squares, 1))[:, None, None]
        penalty = np.broadcast_to(np.sqrt(ridge) * np.eye(k), (len(B), k, k))
        # A triangular factor has the same products as B and is small, whatever the columns of X.
        R = np.linalg.qr(np.concatenate([B, penalty], axis=2).transpose(0, 2, 1), mode="r")
        for i, triangle in enumerate(R):
            codes[part.start + i], _ = nnls(np.vstack([triangle, np.ones(k)]), wanted)
    return codes / codes.sum(axis=1, keepdims=True)


def sparse_codes(X: Any, rows: Any, columns: Ints, penalty: float) -> Floats:
    r"""Return the sparse-neighborhood code of each unit row of X over unit rows ``rows[columns]``.

    With :math:`G = N N^\top + \delta I = R^\top R` the problem is
    :math:`\min_{w \ge 0} |Rw - r|^2` with :math:`R^\top r = Nx - \lambda q`, which an active-set
    method solves in finitely many steps. A row without a similar candidate (no positive product)
    has a code of zeros.
    """
    k = columns.shape[1]
    codes = np.zeros(columns.shape)
    for part in _blocks(columns, X.shape[1]):
        N, own = _dense(rows, columns[part]), _dense(X, np.arange(len(columns))[part, None])
        products = N @ own.transpose(0, 2, 1)
        lower = np.linalg.cholesky(N @ N.transpose(0, 2, 1) + UNIQUE * np.eye(k))
        most = products.max(axis=1, keepdims=True)
        wanted = np.linalg.solve(lower, products - penalty * most)
        for i in np.flatnonzero(most > 0):
            codes[part.start + i], _ = nnls(lower[i].T, wanted[i, :, 0], maxiter=30 * k)
    return codes


def _blocks(columns: Ints, n_features: int) -> Iterator[slice]:
    """Yield slices of rows whose candidates fit in one working block."""
    n, k = columns.shape
    return row_slices(n, max(1, BLOCK_BYTES // (8 * k * n_features)))


def _dense(rows: Any, columns: Ints) -> Floats:
    """Return rows as an array of shape (n, k, d) in float64."""
    found = rows[columns.ravel()]
    found = found.toarray() if hasattr(found, "toarray") else found
    return np.asarray(found, dtype=np.float64).reshape(*columns.shape, -1)


def one_way(codes: Array, columns: Ints, n_rows: int) -> sparse.csr_matrix:
    """Return codes as a sparse matrix with one column for each row of the table."""
    n, k = columns.shape
    start = np.arange(0, n * k + 1, k)
    W = sparse.csr_matrix((codes.ravel(), columns.ravel(), start), shape=(n, n_rows))
    W.eliminate_zeros()
    return W


def rows_to_one(W: sparse.csr_matrix) -> sparse.csr_matrix:
    """Return W with rows scaled to sum to one; rows of zeros stay zero."""
    total = np.asarray(W.sum(axis=1)).ravel()
    return (sparse.diags(1 / np.where(total > 0, total, 1)) @ W).tocsr()


def reconstructed_labels(W: sparse.csr_matrix, labeled: Ints, Y: Floats) -> Floats:
    r"""Return labels of which each unlabeled one is the combination W of the others.

    .. math:: F_U = (I - W_{UU})^{-1} W_{UL} Y_L

    Rows from which no walk along W ends at a labeled row have zeros.
    """
    steps = csgraph.dijkstra(W.T, indices=labeled, min_only=True, unweighted=True)
    free = np.setdiff1d(np.flatnonzero(np.isfinite(steps)), labeled)
    F = np.zeros((W.shape[0], Y.shape[1]))
    F[labeled] = Y
    if len(free):
        F[free] = walk_solution(W[free][:, free], W[free][:, labeled] @ Y)
    return F


def reconstructed_distributions(
    W: sparse.csr_matrix, labeled: Ints, Y: Floats, *, balance: bool
) -> Floats:
    """Return reconstructed labels as probability vectors.

    ``balance`` scales columns by :func:`~.diffusion.class_mass` first.
    """
    F = reconstructed_labels(W, labeled, Y)
    return label_distributions(F, Y.sum(axis=0), balance=balance)[0]


def left_out_distributions(
    W: sparse.csr_matrix, labeled: Ints, Y: Floats, *, balance: bool
) -> Floats:
    r"""Return the probability vector of each labeled row when its own label is hidden.

    With the columns P of :math:`F = P Y_L` and :math:`A = W_{L \cdot} P`, the label v of row i
    solves :math:`v = \sum_{j \ne i} A_{ij} y_j + A_{ii} v`, and F changes by
    :math:`P_{\cdot i} (v - y_i)^\top`.
    """
    P = reconstructed_labels(W, labeled, np.eye(len(labeled)))
    A = np.asarray(W[labeled] @ P)
    own = np.diag(A).copy()
    np.fill_diagonal(A, 0)
    ends = 1 - own > 1e-12  # otherwise all walks from the row return to it
    values = np.where(ends[:, None], A @ Y / np.where(ends, 1 - own, 1)[:, None], 0)
    counts, reach = Y.sum(axis=0) - Y, P.sum(axis=0)
    if balance:
        values = values * mass_factors(reach @ Y + reach[:, None] * (values - Y), counts)
    return hidden_distributions(values, counts, values.max())


def walk_solution(W: sparse.csr_matrix, B: Floats) -> Floats:
    """Return F = (I - W)⁻¹ B for weights W ≥ 0 whose walks end: row sums of at most one."""
    n = W.shape[0]
    if n <= limits.DENSE_GRAPH_ROWS:
        return np.linalg.solve(np.eye(n) - W.toarray(), B)
    A = sparse.identity(n, format="csr") - W
    F = np.zeros_like(B)
    goal = _TOLERANCE * np.linalg.norm(B, axis=0)
    for _ in range(_ROUNDS):
        residual = B - A @ F
        open_ = np.flatnonzero(np.linalg.norm(residual, axis=0) > goal)
        if not len(open_):
            return F
        for c in open_:
            # Before SciPy 1.14 the default of atol is not zero, and later rounds would do nothing.
            step, failed = bicgstab(A, residual[:, c], atol=0, maxiter=1000)
            # Where the solver breaks down, a step of the plain iteration F = WF + B goes on.
            F[:, c] += residual[:, c] if failed else step
    left = np.linalg.norm(B - A @ F, axis=0)
    if (left > goal).any():
        warn_unsolved(_TOLERANCE, (left / np.where(goal > 0, goal, 1)).max())
    return F
