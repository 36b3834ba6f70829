"""Discriminative K-SVD."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..._core.ksvd import ksvd
from ..._utils.types import Floats, Ints
from ..._utils.validation import check_share
from ._base import drawn_atoms
from .stacked_ksvd import LABELS, StackedKSVD


class DKSVD(StackedKSVD):
    r"""Discriminative K-SVD (Zhang and Li 2010): a dictionary and a linear classifier of its codes.

    Only labeled rows are used. With their label vectors H,

    .. math::

        \min_{D, W, Z} |X - ZD|_F^2 + \gamma |H - ZW|_F^2 + \beta |W|_F^2,
        \qquad |z_i|_0 \le T,

    by K-SVD on :math:`[X, \sqrt\gamma H]`. A new row gets the class of the largest entry of
    :math:`zW` with z its code over D alone.

    Parameters
    ----------
    n_atoms : int, default=30
        Atoms for each class, at most as many as the class has labels.
    n_nonzero : int, default=3
        T: a row is a sum of at most so many atoms.
    gamma : float, default=1
        Weight γ of the label vectors, ≥ 0. With 0 it is K-SVD, then least squares.
    ridge : float, default=1
        β of the classifier that the search starts from, > 0.
    n_sweeps : int, default=10
        Sweeps of K-SVD, first without the label vectors, then with them.
    unlabeled : "auto", None, a value or a list, default="auto"
        What marks an unlabeled row, see :func:`ssrlpl.encode_labels`.
    random_state : int, RandomState or None, default=0
        Draws the rows that the search starts from.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes in sorted order.
    components_ : ndarray of shape (n_atoms_in_all, n_features)
        D, atoms of length one.
    coef_ : ndarray of shape (n_atoms_in_all, n_classes)
        W: what each atom says about each class.
    objective_ : ndarray of shape (n_sweeps,)
        The first two terms after each sweep.
    atom_classes_ : ndarray of shape (n_atoms_in_all,)
        Position in ``classes_`` of the row that each atom began as.
    limits_hit_ : tuple of str
        Size limits of ``docs/limits.md`` that the table exceeds: none here.
    n_features_in_ : int
        Number of columns of X.

    Notes
    -----
    The term :math:`\beta|W|^2` is dropped in K-SVD, as in the original, since stacked atoms have
    length one. Known to differ from the original: rows begin at length one; the search starts from
    as many rows of each class; a row keeps its code where the greedy one is worse, so that the
    objective cannot rise.

    References
    ----------
    Zhang, Li: Discriminative K-SVD for dictionary learning in face recognition. CVPR 2010.

    Examples
    --------
    >>> from ssrlpl.baselines import DKSVD
    >>> X, y = [[0.0, 1.0], [0.1, 1.0], [1.0, 0.0], [1.0, 0.2]], ["up", None, "right", None]
    >>> DKSVD().fit(X, y).predict([[0.2, 3.0], [2.0, 0.1]])
    array(['up', 'right'], dtype=object)
    """

    def __init__(
        self,
        n_atoms: int = 30,
        *,
        n_nonzero: int = 3,
        gamma: float = 1.0,
        ridge: float = 1.0,
        n_sweeps: int = 10,
        unlabeled: Any = "auto",
        random_state: Any = 0,
    ):
        self.n_atoms = n_atoms
        self.n_nonzero = n_nonzero
        self.gamma = gamma
        self.ridge = ridge
        self.n_sweeps = n_sweeps
        self.unlabeled = unlabeled
        self.random_state = random_state

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_share("gamma", self.gamma, high=np.inf, zero=True)

    def _start(self, X: Floats, codes: Ints, random: np.random.RandomState) -> tuple[Floats, Ints]:
        atoms, classes = drawn_atoms(X, codes, self.n_atoms, random)
        return ksvd(X, atoms, self.n_nonzero, self.n_sweeps)[0], classes

    def _targets(self, codes: Ints) -> Mapping[str, tuple[float, Floats]]:
        return {LABELS: (self.gamma, np.eye(len(self.classes_))[codes])}
