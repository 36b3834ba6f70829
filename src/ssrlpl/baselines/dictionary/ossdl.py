"""Online semi-supervised discriminative dictionary learning."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..._core.ksvd import codes_over, ridge_left_out, ridge_solution
from ..._core.online_dictionary import Moments
from ..._core.readout import left_out_temperature, probabilities
from ..._utils.types import Floats, Ints
from ..._utils.validation import check_count, check_share
from ...labels import UNLABELED
from ._base import DictionaryBaseline, atoms_of_classes, dense_unit_rows, drawn_atoms


class OSSDL(DictionaryBaseline):
    r"""Online semi-supervised dictionary learning, after Zhang, Jiang and Davis 2013.

    One dictionary D, whose atoms belong to classes, writes all rows, and a linear classifier W
    reads the codes. With label vectors h, and L the labeled set,

    .. math::

        \min_{D, Z} \sum_{i \in L} |x_i - z_i D|^2 + \omega \sum_{i \notin L} |x_i - z_i D|^2,
        \qquad |d_k| = 1, \; |z_i|_0 \le T,

        \min_W \sum_{i \in L} |h_i - \hat z_i W|^2 + \beta |W|^2,

    where rows of L are written by atoms of their class alone, and :math:`\hat z_i` are codes over
    all atoms, as new rows get them. Rows come in batches. After each pass over them, unlabeled
    rows whose most probable class, by a model of their codes, is probable enough join L for the
    next pass. A new row gets the class of the largest entry of :math:`\hat zW`.

    Parameters
    ----------
    n_atoms : int, default=30
        Atoms for each class, at most as many as the class has labels.
    n_nonzero : int, default=5
        T: a row is a sum of at most so many atoms.
    unlabeled_weight : float, default=0.1
        ω ≥ 0.
    ridge : float, default=1
        β > 0.
    confidence : float, default=0.9
        Probability from which on an unlabeled row joins L, in (0, 1]. With one label a class
        nothing tells how sure one may be, and with the default no row joins.
    batch_size : int, default=500
        Rows of a batch.
    n_passes : int, default=5
        Passes over all rows.
    n_sweeps : int, default=10
        Sweeps of K-SVD on the labeled rows of each class before.
    unlabeled : "auto", None, a value or a list, default="auto"
        What marks an unlabeled row, see :func:`ssrlpl.encode_labels`.
    random_state : int, RandomState or None, default=0
        Draws the rows that atoms begin as, and the order of batches.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes in sorted order.
    components_ : ndarray of shape (n_atoms_in_all, n_features)
        D: the atoms, one in each row.
    coef_ : ndarray of shape (n_atoms_in_all, n_classes)
        W: what each atom says about each class.
    atom_classes_ : ndarray of shape (n_atoms_in_all,)
        Position in ``classes_`` of the class of each atom.
    n_joined_ : ndarray of shape (n_passes,)
        Unlabeled rows in L after each pass.
    temperature_ : float
        Scale of the probabilities after the last pass.
    limits_hit_ : tuple of str
        Size limits of ``docs/limits.md`` that the table exceeds: none here.
    n_features_in_ : int
        Number of columns of X.

    Notes
    -----
    Written from the published abstract, which names the terms (reconstruction of labeled and
    unlabeled rows, discriminative codes, classification error), the online updates, and the
    expansion of the labeled set by a probabilistic model of codes. The equations of the paper were
    not at hand, so this is in its style. Ours are: the discriminative codes as a constraint, the
    label consistency of :class:`LCKSVD` with α → ∞ (a penalty on the codes, tried first, made the
    online atoms worse); ω; the updates (those of Mairal, Bach, Ponce and Sapiro 2010, with moments
    that fade over one pass); the model (softmax of :math:`\hat zW` with a temperature fitted to
    left-out values of the labeled rows); the threshold; and that L is drawn up anew after each
    pass. With all rows labeled nothing is expanded and K-SVD of the classes is continued online.

    Beside the table, memory holds a batch, the labeled rows with their codes, a label for each
    row, and moments of the sizes of D and of all pairs of atoms, whatever the number of rows.

    References
    ----------
    G. Zhang, Z. Jiang, L. Davis: Online semi-supervised discriminative dictionary learning for
    sparse representation. ACCV 2012, LNCS 7724, 2013.

    Examples
    --------
    >>> from ssrlpl.baselines import OSSDL
    >>> X, y = [[0.0, 1.0], [0.1, 1.0], [1.0, 0.0], [1.0, 0.2]], ["up", None, "right", None]
    >>> OSSDL().fit(X, y).predict([[0.2, 3.0], [2.0, 0.1]])
    array(['up', 'right'], dtype=object)
    """

    def __init__(
        self,
        n_atoms: int = 30,
        *,
        n_nonzero: int = 5,
        unlabeled_weight: float = 0.1,
        ridge: float = 1.0,
        confidence: float = 0.9,
        batch_size: int = 500,
        n_passes: int = 5,
        n_sweeps: int = 10,
        unlabeled: Any = "auto",
        random_state: Any = 0,
    ):
        self.n_atoms = n_atoms
        self.n_nonzero = n_nonzero
        self.unlabeled_weight = unlabeled_weight
        self.ridge = ridge
        self.confidence = confidence
        self.batch_size = batch_size
        self.n_passes = n_passes
        self.n_sweeps = n_sweeps
        self.unlabeled = unlabeled
        self.random_state = random_state

    def _check_parameters(self) -> None:
        for name in ("n_nonzero", "batch_size", "n_passes", "n_sweeps"):
            check_count(name, getattr(self, name))
        check_share("ridge", self.ridge, high=np.inf)
        if self.confidence != 1:
            check_share("confidence", self.confidence)
        check_share("unlabeled_weight", self.unlabeled_weight, high=np.inf, zero=True)

    def _learn(self, X: Any, rows: Ints, codes: Ints, random: np.random.RandomState) -> None:
        labeled = codes != UNLABELED
        own, known = dense_unit_rows(X[rows[labeled]]), codes[labeled]
        atoms, self.atom_classes_ = drawn_atoms(own, known, self.n_atoms, random)
        self.components_ = atoms_of_classes(
            own, known, atoms, self.atom_classes_, self.n_nonzero, self.n_sweeps
        )
        moments = Moments(*self.components_.shape)
        self.n_joined_ = np.zeros(self.n_passes, dtype=np.intp)
        taught = codes
        for step in range(self.n_passes):
            for places in self._batches(random.permutation(len(codes))):
                batch, given = dense_unit_rows(X[rows[places]]), taught[places]
                weights = np.where(given == UNLABELED, self.unlabeled_weight, 1.0)
                Z = self._class_codes(batch, given)
                moments.add(batch, Z, weights, keep=1 - len(places) / len(codes))
                self.components_ = moments.better_atoms(self.components_)
            taught = self._expanded(X, rows, codes, own)
            self.n_joined_[step] = np.count_nonzero(taught != codes)

    def _batches(self, places: Ints) -> Iterator[Ints]:
        for start in range(0, len(places), self.batch_size):
            yield places[start : start + self.batch_size]

    def _class_codes(self, X: Floats, codes: Ints) -> Floats:
        """Return codes over the atoms of the row's class, of unlabeled rows over all atoms."""
        Z = np.zeros((len(X), len(self.components_)))
        for c in np.unique(codes):
            rows = np.flatnonzero(codes == c)
            atoms = np.flatnonzero((self.atom_classes_ == c) | (c == UNLABELED))
            found = codes_over(X[rows], self.components_[atoms], self.n_nonzero)
            Z[np.ix_(rows, atoms)] = found
        return Z

    def _expanded(self, X: Any, rows: Ints, codes: Ints, own: Floats) -> Ints:
        """Return the labels with those of confident rows, and fit the classifier to all of them."""
        labeled, H = codes != UNLABELED, np.eye(len(self.classes_))
        Z, given = codes_over(own, self.components_, self.n_nonzero), H[codes[labeled]]
        pairs, products = Z.T @ Z, Z.T @ given
        W = ridge_solution(pairs, products, self.ridge)
        left_out = ridge_left_out(Z, given, self.ridge)
        self.temperature_ = left_out_temperature(left_out, codes[labeled])
        taught = codes.copy()
        for places in self._batches(np.flatnonzero(~labeled)):
            Z = codes_over(dense_unit_rows(X[rows[places]]), self.components_, self.n_nonzero)
            P = probabilities(Z @ W, self.temperature_)
            sure = P.max(axis=1) >= self.confidence
            guessed = P[sure].argmax(axis=1)
            taught[places[sure]] = guessed
            pairs += Z[sure].T @ Z[sure]
            products += Z[sure].T @ H[guessed]
        self.coef_ = ridge_solution(pairs, products, self.ridge)
        return taught

    def _scores(self, X: Floats) -> Floats:
        return codes_over(X, self.components_, self.n_nonzero) @ self.coef_
