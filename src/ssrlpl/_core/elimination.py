"""Sparse positive definite systems of which a block of the inverse is wanted, too.

Rows that are not joined to each other have a diagonal block, so that all of them are eliminated at
once by one sparse product. That is repeated while many such rows are found: those with the fewest
entries first, because they fill the rest least. What is left is factorized as a dense matrix. Of
3,000 images in a graph of ten neighbors 2,041 rows are left, 500 of them labeled.
"""

from __future__ import annotations

import numpy as np
from scipy import linalg, sparse

from .._utils.types import Floats, Ints, Mask

_FEWEST = 100
"""Rows that must be found in a round; fewer cost less in the dense matrix."""


def solve_with_corner(A: sparse.csr_matrix, B: Floats, corner: Ints) -> tuple[Floats, Floats]:
    r"""Return :math:`A^{-1} B` and the rows and columns ``corner`` (sorted) of :math:`A^{-1}`.

    With the rows I to eliminate, of diagonal block D, and the others R, each round leaves

    .. math:: A_{RR} - A_{RI} D^{-1} A_{IR}, \qquad B_R - A_{RI} D^{-1} B_I,

    whose inverse is that block of the whole inverse. The last block of a Cholesky factor belongs
    to the Schur complement of the rows before it in the same way, so ``corner`` is put last.
    """
    found, rounds = np.empty_like(B), []
    left, wanted = np.arange(len(B)), np.isin(np.arange(len(B)), corner)
    own = _apart(A, ~wanted)
    while np.count_nonzero(own) >= _FEWEST:
        across, pivot = A[own][:, ~own], A.diagonal()[own]
        scaled = sparse.diags(1 / pivot) @ across
        given = B[own] / pivot[:, None]
        rounds.append((left[own], left[~own], scaled, given))
        A, B = A[~own][:, ~own] - across.T @ scaled, B[~own] - across.T @ given
        left, wanted = left[~own], wanted[~own]
        own = _apart(A, ~wanted)
    order = np.argsort(wanted, kind="stable")
    # NumPy's, because SciPy's would keep every other thread of Python waiting for it.
    factor = np.linalg.cholesky(A[order][:, order].toarray()).T
    if len(left):  # SciPy 1.11 refuses empty systems
        found[left[order]] = linalg.cho_solve((factor, False), B[order], check_finite=False)
    for eliminated, others, scaled, given in reversed(rounds):
        found[eliminated] = given - scaled @ found[others]
    last = slice(len(left) - len(corner), None)
    block = np.eye(len(corner))
    if len(corner):
        block = linalg.cho_solve((factor[last, last], False), block, check_finite=False)
    return found, block


def _apart(A: sparse.csr_matrix, allowed: Mask) -> Mask:
    """Return which of the allowed rows are chosen such that no two of them are joined."""
    free, chosen = allowed.copy(), np.zeros(len(allowed), dtype=bool)
    for row in np.argsort(np.diff(A.indptr), kind="stable"):
        if free[row]:
            chosen[row] = True
            free[A.indices[A.indptr[row] : A.indptr[row + 1]]] = False
    return chosen
