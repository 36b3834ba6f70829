"""Semi-supervised discriminative dictionaries with latent classes."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.linalg import eigh, solve

from ..._core.blocks import squared_norms, unit_rows
from ..._core.ksvd import codes_over, ksvd_sweep
from ..._core.readout import probabilities
from ..._utils.types import Floats, Ints
from ..._utils.validation import check_count, check_share
from ...labels import UNLABELED
from ._base import DictionaryBaseline, atoms_of_classes, dense_unit_rows, drawn_atoms

_LEAST_SHARE = 0.05
"""Rows that belong to a class with a smaller probability do not enter its dictionary."""
_FARTHEST = 0.5
"""Share of the way to the end of convexity that the discriminative step may go."""


class S2D2(DictionaryBaseline):
    r"""Semi-supervised dictionaries of classes, after Shrivastava et al. 2012.

    Each class c has a dictionary :math:`D_c`. The class of an unlabeled row is a latent variable
    with probabilities :math:`p_{ic}`; a labeled row has :math:`p_{ic} = 1` for its class. In turn,

    .. math::

        r_{ic} = \min_{|z|_0 \le T} |x_i - zD_c|^2, \qquad
        p_{ic} \propto \exp(-\kappa\, r_{ic} / 2\sigma^2),

        \min_{D_c, Z} \sum_i p_{ic} |x_i - z_i D_c|^2
        - \eta_c \sum_{i \in L,\, y_i \ne c} |x_i - z_i D_c|^2,

    the latter by a weighted sweep of K-SVD, then by the best atoms for the codes of both sums. A
    new row gets the class with the smallest residual.

    Parameters
    ----------
    n_atoms : int, default=30
        Atoms for each class, at most as many as the class has labels.
    n_nonzero : int, default=5
        T, at most half the number of columns: with as many atoms as columns every class would leave
        no residual.
    sharpness : float, default=10
        κ > 0. σ² is the mean over the unlabeled rows of the smallest residual.
    discrimination : float, default=0.1
        η ≥ 0; :math:`\eta_c` is η times the weight of the rows of class c over the number of the
        others, and half as much as would make the problem unbounded at most.
    n_rounds : int, default=5
        How often probabilities and dictionaries are found in turn.
    n_sweeps : int, default=10
        Sweeps of K-SVD on the labeled rows of each class before.
    unlabeled : "auto", None, a value or a list, default="auto"
        What marks an unlabeled row, see :func:`ssrlpl.encode_labels`.
    random_state : int, RandomState or None, default=0
        Draws the rows that atoms begin as.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes in sorted order.
    components_ : ndarray of shape (n_atoms_in_all, n_features)
        The dictionaries below each other, atoms of length one.
    atom_classes_ : ndarray of shape (n_atoms_in_all,)
        Position in ``classes_`` of the class of each atom.
    n_nonzero_ : int
        T that was used.
    variance_ : float
        σ² of the last round; NaN if all rows are labeled.
    limits_hit_ : tuple of str
        Size limits of ``docs/limits.md`` that the table exceeds: none here.
    n_features_in_ : int
        Number of columns of X.

    Notes
    -----
    Written from the published abstract and what is generally known of the method; the equations of
    the paper were not at hand, so this is in its style. Ours are: one σ for all classes (the
    labeled rows of a class with few labels are their own atoms, and leave no residual), κ, the form
    of the discriminative term and its limit, and that rows with a small probability are passed
    over. With all rows labeled the probabilities are the labels, and only the dictionaries are
    improved. A dense copy of all rows is kept during the fit.

    References
    ----------
    A. Shrivastava, J. K. Pillai, V. M. Patel, R. Chellappa: Learning discriminative dictionaries
    with partially labeled data. ICIP 2012.

    Examples
    --------
    >>> from ssrlpl.baselines import S2D2
    >>> X, y = [[0.0, 1.0], [0.1, 1.0], [1.0, 0.0], [1.0, 0.2]], ["up", None, "right", None]
    >>> S2D2(n_nonzero=1).fit(X, y).predict([[0.2, 3.0], [2.0, 0.1]])
    array(['up', 'right'], dtype=object)
    """

    def __init__(
        self,
        n_atoms: int = 30,
        *,
        n_nonzero: int = 5,
        sharpness: float = 10.0,
        discrimination: float = 0.1,
        n_rounds: int = 5,
        n_sweeps: int = 10,
        unlabeled: Any = "auto",
        random_state: Any = 0,
    ):
        self.n_atoms = n_atoms
        self.n_nonzero = n_nonzero
        self.sharpness = sharpness
        self.discrimination = discrimination
        self.n_rounds = n_rounds
        self.n_sweeps = n_sweeps
        self.unlabeled = unlabeled
        self.random_state = random_state

    def _check_parameters(self) -> None:
        for name in ("n_nonzero", "n_rounds", "n_sweeps"):
            check_count(name, getattr(self, name))
        check_share("sharpness", self.sharpness, high=np.inf)
        check_share("discrimination", self.discrimination, high=np.inf, zero=True)

    def _learn(self, X: Any, rows: Ints, codes: Ints, random: np.random.RandomState) -> None:
        self.n_nonzero_ = min(self.n_nonzero, max(1, X.shape[1] // 2))
        unit, labeled = dense_unit_rows(X[rows]), codes != UNLABELED
        own, known = unit[labeled], codes[labeled]
        atoms, self.atom_classes_ = drawn_atoms(own, known, self.n_atoms, random)
        self.components_ = atoms_of_classes(
            own, known, atoms, self.atom_classes_, self.n_nonzero_, self.n_sweeps
        )
        self.variance_ = np.nan
        P = np.zeros((len(unit), len(self.classes_)))
        P[labeled, known] = 1
        for _ in range(self.n_rounds):
            P[~labeled] = self._probabilities(unit[~labeled])
            for c in range(len(self.classes_)):
                part = self.atom_classes_ == c
                chosen = P[:, c] > _LEAST_SHARE
                scaled = np.sqrt(P[chosen, c, None]) * unit[chosen]
                D, Z = ksvd_sweep(scaled, self.components_[part], self.n_nonzero_, None)
                self.components_[part] = self._discriminating(D, Z, scaled, own[known != c])

    def _probabilities(self, X: Floats) -> Floats:
        residuals = -self._scores(X)
        if not len(X):
            return residuals
        self.variance_ = float(residuals.min(axis=1).mean())
        return probabilities(-residuals, 2 * max(self.variance_, 1e-12) / self.sharpness)

    def _discriminating(self, D: Floats, Z: Floats, X: Floats, others: Floats) -> Floats:
        """Return atoms that fit their rows and do not fit labeled rows of other classes."""
        if self.discrimination == 0:
            return D
        V = codes_over(others, D, self.n_nonzero_)
        F, G = Z.T @ Z, V.T @ V
        F[np.diag_indices_from(F)] += 1e-6 * max(np.trace(F) / len(F), 1e-12)
        last = len(F) - 1
        steepest = float(eigh(G, F, eigvals_only=True, subset_by_index=[last, last])[0])
        eta = min(
            self.discrimination * squared_norms(X).sum() / len(others),
            _FARTHEST / max(steepest, 1e-12),
        )
        return np.asarray(
            unit_rows(solve(F - eta * G, Z.T @ X - eta * V.T @ others, assume_a="pos"))
        )

    def _scores(self, X: Floats) -> Floats:
        scores = np.empty((len(X), len(self.classes_)))
        for c in range(len(self.classes_)):
            D = self.components_[self.atom_classes_ == c]
            scores[:, c] = -squared_norms(X - codes_over(X, D, self.n_nonzero_) @ D)
        return scores
