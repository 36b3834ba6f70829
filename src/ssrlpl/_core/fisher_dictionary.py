r"""The objective of Fisher discrimination dictionary learning, its code step and its atom step.

Rows of class c are :math:`X_c`, their codes :math:`Z_c`, the part of them over the atoms
:math:`D_j` of class j is :math:`Z_c^j`; :math:`M_c` repeats the mean code of class c, M that of all
rows. Yang et al. 2011, with η = 1:

.. math::

    \tfrac12 \Big[|X - ZD|^2 + \sum_c \big(|X_c - Z_c^c D_c|^2
    + \sum_{j \ne c} |Z_c^j D_j|^2\big)\Big] + \lambda_1 |Z|_1
    + \tfrac{\lambda_2}{2} \Big[\sum_c \big(|Z_c - M_c|^2 - |M_c - M|^2\big) + |Z|^2\Big].

In Z the last bracket is :math:`2 \sum_c |Z_c - M_c|^2 + |M|^2`, so it is convex, and its gradient
is :math:`2\,[2(Z - M_c) + M]`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .._utils.types import Floats, Ints
from .fista import minimize_l1


@dataclass(frozen=True)
class FisherDictionary:
    """The problem of some labeled rows: no class 0..C-1 of their ``codes`` is empty.

    ``atom_classes`` are the classes of the atoms.
    """

    X: Floats
    codes: Ints
    atom_classes: Ints
    lambda_1: float
    lambda_2: float

    def class_means(self, Z: Floats) -> Floats:
        """Return the mean code of each class."""
        Y = np.eye(self.codes.max() + 1)[self.codes]
        return np.asarray((Y.T @ Z) / Y.sum(axis=0)[:, None])

    def fisher_gradient(self, Z: Floats) -> Floats:
        """Return the gradient of half the bracket with λ₂."""
        return 2 * (Z - self.class_means(Z)[self.codes]) + Z.mean(axis=0)

    def objective(self, D: Floats, Z: Floats) -> float:
        """Return the objective, term by term."""
        own = self.codes[:, None] == self.atom_classes
        fit = np.sum((self.X - Z @ D) ** 2) + np.sum((self.X - (own * Z) @ D) ** 2)
        for c in range(self.codes.max() + 1):
            others = self.codes != c
            atoms = self.atom_classes == c
            fit += np.sum((Z[np.ix_(others, atoms)] @ D[atoms]) ** 2)
        means, mean = self.class_means(Z)[self.codes], Z.mean(axis=0)
        scatter = np.sum((Z - means) ** 2) - np.sum((means - mean) ** 2) + np.sum(Z**2)
        return float((fit + self.lambda_2 * scatter) / 2 + self.lambda_1 * np.abs(Z).sum())

    def better_codes(self, D: Floats, Z: Floats, max_iter: int) -> Floats:
        """Return codes after steps of FISTA from Z; the objective cannot rise."""
        own = self.codes[:, None] == self.atom_classes
        gram = D @ D.T
        gram += gram * (self.atom_classes[:, None] == self.atom_classes)
        # The Fisher term's map has the eigenvalues 0, 1 and 2 times λ₂.
        largest = float(np.linalg.eigvalsh(gram)[-1]) + 2 * self.lambda_2
        return minimize_l1(
            lambda Z: Z @ gram + self.lambda_2 * self.fisher_gradient(Z),
            (self.X @ D.T) * (1.0 + own), self.lambda_1, largest, Z, max_iter=max_iter,
        )  # fmt: skip

    def better_atoms(self, D: Floats, Z: Floats, rounds: int) -> Floats:
        r"""Return atoms no longer than one, each in turn the best beside the others.

        The objective of D is :math:`\tfrac12\langle D, FD\rangle - \langle E, D\rangle`: the
        best atom in the ball is the free minimum, moved onto the ball.
        """
        own = self.codes[:, None] == self.atom_classes
        F = Z.T @ Z
        F += F * (self.atom_classes[:, None] == self.atom_classes)
        E = (Z * (1.0 + own)).T @ self.X
        D = D.copy()
        for _ in range(rounds):
            for k in np.flatnonzero(np.diag(F) > np.finfo(float).tiny):
                atom = D[k] + (E[k] - F[k] @ D) / F[k, k]
                D[k] = atom / max(1.0, float(np.linalg.norm(atom)))
        return D
