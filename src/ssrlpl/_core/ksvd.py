r"""K-SVD (Aharon, Elad and Bruckstein 2006): a dictionary of unit atoms and sparse codes.

.. math::

    \min_{D, Z} |X - ZD|_F^2, \quad |d_k| = 1, \quad |z_i|_0 \le T,

rows are samples, atoms are the rows of D. A sweep finds codes, then replaces one atom after the
other, together with its column of Z where it is not zero, by the best pair: the first singular
vectors of what the other atoms leave of these rows. Entries of either sign take part (two public
programs update atoms where the code is positive only, which is not this minimum).

The objective cannot rise: a row keeps its code if the greedy one is worse. scikit-learn has no
K-SVD.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import eigh, solve

from .._utils.types import Floats
from .blocks import squared_norms, unit_rows
from .matching_pursuit import pursue


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
