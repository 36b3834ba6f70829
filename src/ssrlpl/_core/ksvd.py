r"""K-SVD (Aharon, Elad and Bruckstein 2006): a dictionary of unit atoms and sparse codes.

.. math::

    \min_{D, Z} |X - ZD|_F^2, \quad |d_k| = 1, \quad |z_i|_0 \le T,

rows are samples, atoms are the rows of D. A sweep finds codes, then replaces one atom after the
other, together with its column of Z where it is not zero, by the best pair: the first singular
vectors of what the other atoms leave of these rows. Entries of either sign take part (two public
programs update atoms where the code is positive only, which is not this minimum).

The objective cannot rise: a row keeps its code if the greedy one is worse. scikit-learn has no
K-SVD.

Codes come from orthogonal matching pursuit: take the atom with the largest :math:`|d_k^\top r|`,
where r is what the atoms taken so far leave of the row, until T atoms are taken. With :math:`q_t`
these atoms made orthonormal, only the products :math:`Dq_t` are needed: they follow from the Gram
matrix of the atoms, so the columns of the table are not touched again, and all rows of a block take
a step together. scikit-learn's ``orthogonal_mp_gram`` takes the same steps row by row, in Python:
the answers agree, and the test says so.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import eigh, solve

from .._utils.types import Floats, Ints
from .blocks import block_rows, row_slices, squared_norms, unit_rows

_NOTHING = 1e-10
"""Share of the largest product, or of an atom's square, below which it counts as zero."""


def ksvd(X: Floats, D: Floats, n_nonzero: int, n_sweeps: int) -> tuple[Floats, Floats, Floats]:
    """Return atoms, codes and the objective after each sweep.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_columns)
        Rows. A row that is to count w times is passed as √w times the row: its code is √w times
        as large, and nothing else changes.
    D : ndarray of shape (n_atoms, n_columns)
        Atoms to start from.
    n_nonzero, n_sweeps : int
        T, and how many sweeps.

    Examples
    --------
    >>> import numpy as np
    >>> from ssrlpl._core.ksvd import ksvd
    >>> X = np.array([[1.0, 1.0], [-2.0, -2.0], [1.0, -1.0]])
    >>> D, Z, objective = ksvd(X, np.eye(2), 1, 5)
    >>> float(objective[-1].round(12)), np.count_nonzero(Z, axis=1)
    (0.0, array([1, 1, 1]))
    """
    D, Z = unit_rows(D), None
    objective = np.empty(n_sweeps)
    for sweep in range(n_sweeps):
        D, Z = ksvd_sweep(X, D, n_nonzero, Z)
        objective[sweep] = squared_norms(X - Z @ D).sum()
    return D, codes_over(X, D, n_nonzero) if Z is None else Z, objective


def codes_over(X: Floats, D: Floats, n_nonzero: int) -> Floats:
    """Return the codes of rows over unit atoms."""
    return pursue(D @ D.T, X @ D.T, n_nonzero)


def pursue(gram: Floats, products: Floats, n_nonzero: int) -> Floats:
    """Return the codes of all rows, each with at most ``n_nonzero`` entries that are not zero.

    ``gram`` holds products of the atoms, which have length one (or zero: such an atom is not
    taken), ``products`` those of rows (first) and atoms.

    Examples
    --------
    >>> import numpy as np
    >>> from ssrlpl._core.ksvd import pursue
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


def ksvd_sweep(X: Floats, D: Floats, n_nonzero: int, Z: Floats | None) -> tuple[Floats, Floats]:
    """Return atoms and codes after one sweep from unit atoms."""
    found = codes_over(X, D, n_nonzero)
    rest = X - found @ D
    if Z is not None:
        kept = X - Z @ D
        worse = squared_norms(rest) > squared_norms(kept)
        found[worse], rest[worse] = Z[worse], kept[worse]
    D = D.copy()
    unused = []
    for k in range(len(D)):
        users = np.flatnonzero(found[:, k])
        if not len(users):
            unused.append(k)
            continue
        E = rest[users] + found[users, k, None] * D[k]
        D[k], found[users, k] = _best_pair(E, D[k])
        rest[users] = E - found[users, k, None] * D[k]
    worst = np.argsort(-squared_norms(rest), kind="stable")[: len(unused)]
    for k, row in zip(unused, worst, strict=False):  # costs nothing: no code uses these atoms
        if rest[row].any():
            D[k] = unit_rows(rest[row, None])[0]
    return D, found


def _best_pair(E: Floats, old: Floats) -> tuple[Floats, Floats]:
    """Return the unit d and the z that minimize |E - z dᵀ|, with d on the side of the old atom."""
    wide = len(E) <= E.shape[1]
    S = E @ E.T if wide else E.T @ E
    last = len(S) - 1
    top = eigh(S, subset_by_index=[last, last], overwrite_a=True, check_finite=False)[1][:, 0]
    d = top @ E if wide else top
    length = np.linalg.norm(d)
    if length == 0:
        return old, np.zeros(len(E))
    d = d / (length if d @ old >= 0 else -length)
    return d, E @ d


def ridge_map(Z: Floats, targets: Floats, ridge: float) -> Floats:
    r"""Return W that minimizes :math:`|H - ZW|^2 + \beta |W|^2`."""
    return ridge_solution(Z.T @ Z, Z.T @ targets, ridge)


def ridge_solution(pairs: Floats, products: Floats, ridge: float) -> Floats:
    r"""Return the same W from :math:`Z^\top Z` and :math:`Z^\top H`."""
    S = pairs.copy()
    S[np.diag_indices_from(S)] += ridge
    return np.asarray(solve(S, products, assume_a="pos"))


def ridge_left_out(Z: Floats, targets: Floats, ridge: float) -> Floats:
    """Return what each row would get from the map that is fitted without it."""
    pairs = Z.T @ Z
    own = np.einsum("ik,ki->i", Z, ridge_solution(pairs, Z.T, ridge))[:, None]
    values = Z @ ridge_solution(pairs, Z.T @ targets, ridge)
    return np.asarray((values - own * targets) / (1 - own))
