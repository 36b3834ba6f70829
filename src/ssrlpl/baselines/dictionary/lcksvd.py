"""Label-consistent K-SVD."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..._utils.types import Floats, Ints
from ..._utils.validation import check_share
from ._base import atoms_of_classes, drawn_atoms
from .stacked_ksvd import LABELS, StackedKSVD


class LCKSVD(StackedKSVD):
    r"""Label-consistent K-SVD (Jiang, Lin and Davis 2013): atoms belong to classes.

    Only labeled rows are used. With their label vectors H, and
    :math:`Q_{ik} = 1` if row i and atom k are of one class, else 0,

    .. math::

        \min_{D, A, W, Z} |X - ZD|_F^2 + \alpha |Q - ZA|_F^2 + \beta |H - ZW|_F^2,
        \qquad |z_i|_0 \le T,

    by K-SVD on :math:`[X, \sqrt\alpha Q, \sqrt\beta H]`. Variant 1 has no last term: its
    classifier is fitted to the codes afterwards. A new row gets the class of the largest entry of
    :math:`zW` with z its code over D alone.

    Parameters
    ----------
    n_atoms : int, default=30
        Atoms for each class, at most as many as the class has labels.
    variant : {1, 2}, default=2
        LC-KSVD1 or LC-KSVD2.
    n_nonzero : int, default=3
        T: a row is a sum of at most so many atoms.
    alpha : float, default=0.01
        Weight α of label consistency, ≥ 0.
    beta : float, default=1
        Weight β of the label vectors, ≥ 0; variant 1 does not use it. With α = β = 0 it is K-SVD,
        then least squares.
    ridge : float, default=1
        Penalty of the label maps that the search starts from, and of the classifier of variant 1,
        > 0.
    n_sweeps : int, default=10
        Sweeps of K-SVD, first within each class, then of all rows.
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
        The objective after each sweep.
    atom_classes_ : ndarray of shape (n_atoms_in_all,)
        Position in ``classes_`` of the class of each atom.
    limits_hit_ : tuple of str
        Size limits of ``docs/limits.md`` that the table exceeds: none here.
    n_features_in_ : int
        Number of columns of X.

    Notes
    -----
    Known to differ from the authors' program: rows begin at length one; there is no further K-SVD
    of all rows without labels between the two; a row keeps its code where the greedy one is
    worse, so that the objective cannot rise; the classifier of variant 1 is fitted to codes as new
    rows get them. The authors' weights depend on the data: :math:`\sqrt\alpha = 4`,
    :math:`\sqrt\beta = 2` for faces, about 0.001 for objects.

    References
    ----------
    Z. Jiang, Z. Lin, L. Davis: Label consistent K-SVD: learning a discriminative dictionary for
    recognition. IEEE Transactions on Pattern Analysis and Machine Intelligence 35, 2013.

    Examples
    --------
    >>> from ssrlpl.baselines import LCKSVD
    >>> X, y = [[0.0, 1.0], [0.1, 1.0], [1.0, 0.0], [1.0, 0.2]], ["up", None, "right", None]
    >>> LCKSVD().fit(X, y).predict([[0.2, 3.0], [2.0, 0.1]])
    array(['up', 'right'], dtype=object)
    """

    def __init__(
        self,
        n_atoms: int = 30,
        *,
        variant: int = 2,
        n_nonzero: int = 3,
        alpha: float = 0.01,
        beta: float = 1.0,
        ridge: float = 1.0,
        n_sweeps: int = 10,
        unlabeled: Any = "auto",
        random_state: Any = 0,
    ):
        self.n_atoms = n_atoms
        self.variant = variant
        self.n_nonzero = n_nonzero
        self.alpha = alpha
        self.beta = beta
        self.ridge = ridge
        self.n_sweeps = n_sweeps
        self.unlabeled = unlabeled
        self.random_state = random_state

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if self.variant not in (1, 2):
            raise ValueError(f"variant must be 1 or 2. Got {self.variant!r}.")
        for name in ("alpha", "beta"):
            check_share(name, getattr(self, name), high=np.inf, zero=True)

    def _start(self, X: Floats, codes: Ints, random: np.random.RandomState) -> tuple[Floats, Ints]:
        atoms, classes = drawn_atoms(X, codes, self.n_atoms, random)
        n_nonzero, n_sweeps = self.n_nonzero, self.n_sweeps
        return atoms_of_classes(X, codes, atoms, classes, n_nonzero, n_sweeps), classes

    def _targets(self, codes: Ints) -> Mapping[str, tuple[float, Floats]]:
        same = (codes[:, None] == self.atom_classes_).astype(np.float64)
        beta = self.beta if self.variant == 2 else 0.0
        return {
            "consistency": (self.alpha, same),
            LABELS: (beta, np.eye(len(self.classes_))[codes]),
        }
