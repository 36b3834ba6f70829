r"""Orthogonal matching pursuit of many rows at once.

For a row x and unit atoms :math:`d_1, \dots, d_K` the code is found greedily: take the atom with
the largest :math:`|d_k^\top r|`, where r is what the atoms taken so far leave of x, until T atoms
are taken.

With :math:`q_t` the atoms taken so far made orthonormal, only the products :math:`Dq_t` are
needed: they follow from the Gram matrix of the atoms, so the columns of the table are not touched
again, and all rows of a block take a step together. scikit-learn's ``orthogonal_mp_gram`` takes
the same steps row by row, in Python: the answers agree, and the test says so.
"""

from __future__ import annotations

import numpy as np

from .._utils.types import Floats, Ints
from .blocks import block_rows, row_slices

_NOTHING = 1e-10
"""Share of the largest product, or of an atom's square, below which it counts as zero."""


def pursue(gram: Floats, products: Floats, n_nonzero: int) -> Floats:
    """Return the codes of all rows, each with at most ``n_nonzero`` entries that are not zero.

    Parameters
    ----------
    gram : ndarray of shape (n_atoms, n_atoms)
        Products of the atoms, which have length one (or zero: such an atom is not taken).
    products : ndarray of shape (n_rows, n_atoms)
        Products of rows and atoms.
    n_nonzero : int
        T: a row is a sum of at most so many atoms.

    Returns
    -------
    ndarray of shape (n_rows, n_atoms)

    Examples
    --------
    >>> import numpy as np
    >>> from ssrlpl._core.matching_pursuit import pursue
    >>> pursue(np.eye(3), np.array([[0.5, -2.0, 1.0]]), 2)
    array([[ 0., -2.,  1.]])
    """
    codes = np.zeros(products.shape)
    steps = min(n_nonzero, products.shape[1])
    for part in row_slices(len(products), block_rows(8 * steps * products.shape[1])):
        atoms, values = _pursue_block(gram, products[part], steps)
        # A step without an atom has the value zero, and may name an atom that has a value.
        np.add.at(codes[part], (np.arange(len(atoms))[:, None], atoms), values)
    return codes


def _pursue_block(gram: Floats, products: Floats, steps: int) -> tuple[Ints, Floats]:
    """Return atoms and their values in the code, one column for each step."""
    n, k = products.shape
    rows = np.arange(n)
    rest = products.copy()  # products of the atoms with r
    least = _NOTHING * np.abs(products).max(axis=1)
    taken = np.zeros((n, steps), dtype=np.intp)
    along = np.zeros((n, steps))  # products of the row with q_t
    turned = np.empty((n, steps, k))  # products of all atoms with q_t
    lower = np.zeros((n, steps, steps))  # atom t is the sum of lower[t, s] q_s
    for t in range(steps):
        size = np.abs(rest)
        size[rows[:, None], taken[:, :t]] = 0
        best = size.argmax(axis=1)
        known = turned[rows, :t, best]
        square = gram[best, best] - np.einsum("it,it->i", known, known)
        new = (size[rows, best] > least) & (square > _NOTHING)
        length = np.sqrt(np.where(new, square, 1))
        q = gram[best] - np.matmul(known[:, None], turned[:, :t])[:, 0]
        q *= (new / length)[:, None]
        along[:, t] = np.where(new, rest[rows, best] / length, 0)
        rest -= along[:, t, None] * q
        taken[:, t], turned[:, t] = best, q
        lower[:, t, :t], lower[:, t, t] = known * new[:, None], length
    values = np.zeros((n, steps))
    for t in reversed(range(steps)):
        later = np.einsum("is,is->i", lower[:, t + 1 :, t], values[:, t + 1 :])
        values[:, t] = (along[:, t] - later) / lower[:, t, t]
    return taken, values
