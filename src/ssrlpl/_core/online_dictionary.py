r"""Online dictionary learning: atoms from moments of codes.

The objective :math:`\sum_i w_i |x_i - z_iD|^2` depends on the atoms through
:math:`S = \sum_i w_i z_i^\top z_i` and :math:`P = \sum_i w_i z_i^\top x_i` alone (Mairal, Bach,
Ponce and Sapiro 2010). These add up over batches, and older batches, whose codes are out of date,
fade.
"""

from __future__ import annotations

import numpy as np

from .._utils.types import Floats


class Moments:
    """The two sums for ``n_atoms`` atoms of ``n_columns`` entries."""

    def __init__(self, n_atoms: int, n_columns: int):
        self.pairs = np.zeros((n_atoms, n_atoms))
        self.products = np.zeros((n_atoms, n_columns))

    def add(self, X: Floats, Z: Floats, weights: Floats, keep: float) -> None:
        """Add a batch of rows; the rows before it keep a share of their weight."""
        weighted = weights[:, None] * Z
        self.pairs = keep * self.pairs + weighted.T @ Z
        self.products = keep * self.products + weighted.T @ X

    def better_atoms(self, D: Floats) -> Floats:
        """Return unit atoms, each in turn the best beside the others; unused ones stay."""
        D = D.copy()
        for k in np.flatnonzero(np.diag(self.pairs) > np.finfo(float).tiny):
            best = self.products[k] - self.pairs[k] @ D + self.pairs[k, k] * D[k]
            length = np.linalg.norm(best)
            if length > 0:
                D[k] = best / length
        return D
