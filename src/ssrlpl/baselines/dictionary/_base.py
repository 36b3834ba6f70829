"""Base class of the dictionary methods: rows of length one, atoms for each class, scores."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from ..._core.blocks import block_rows, dense_product, row_slices, unit_rows
from ..._core.ksvd import ksvd
from ..._core.readout import decision_values
from ..._core.shared import SharedRows
from ..._utils.types import Floats, Ints
from ..._utils.validation import check_count
from ...labels import PartialLabels
from .._base import MarginBaseline


class DictionaryBaseline(MarginBaseline):
    """A baseline that writes rows as sparse combinations of learned atoms.

    Rows are divided by their length first, as in the original experiments; a row of zeros stays
    zero. Subclasses offer ``_learn`` and ``_scores``.
    """

    n_atoms: int
    random_state: Any
    components_: Floats

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        # Length one and sparse codes mean nothing in the two columns of scikit-learn's checks.
        tags.classifier_tags.poor_score = True
        return tags

    @abstractmethod
    def _check_parameters(self) -> None:
        """Raise if a setting of the subclass is wrong."""

    @abstractmethod
    def _learn(self, X: Any, rows: Ints, codes: Ints, random: np.random.RandomState) -> None:
        """Learn atoms from checked rows.

        ``rows`` holds the numbers of all rows, in an order that does not depend on how they came;
        ``codes`` are their classes in this order, -1 for unlabeled.
        """

    @abstractmethod
    def _scores(self, X: Floats) -> Floats:
        """Return a score for each class of dense rows of length one."""

    def fit_checked(
        self,
        X: Any,
        target: PartialLabels,
        *,
        shared: SharedRows | None = None,  # noqa: ARG002
    ) -> Any:
        """Check the settings, then fit to checked rows and a decoded target."""
        check_count("n_atoms", self.n_atoms)
        self._check_parameters()
        self.n_features_in_, self.classes_ = X.shape[1], target.classes
        random = check_random_state(self.random_state)
        # What is drawn must not depend on the order of rows: they are sorted along a direction.
        place = dense_product(X, random.standard_normal(X.shape[1]))
        order = np.lexsort((target.codes, place))
        self._learn(X, order, target.codes[order], random)
        return self

    def _decide(self, X: Any) -> Floats:
        scores = np.empty((X.shape[0], len(self.classes_)))
        for part in row_slices(X.shape[0], block_rows(8 * X.shape[1])):
            scores[part] = self._scores(dense_unit_rows(X[part]))
        return decision_values(scores)


def dense_unit_rows(X: Any) -> Floats:
    """Return dense rows of length one in double precision."""
    dense = X.toarray() if hasattr(X, "toarray") else X
    return np.asarray(unit_rows(dense.astype(np.float64, copy=False)))


def drawn_atoms(
    X: Floats, codes: Ints, n_atoms: int, random: np.random.RandomState
) -> tuple[Floats, Ints]:
    """Return ``n_atoms`` rows of each class, all rows of a class with fewer, and their classes."""
    drawn = []
    for label in np.unique(codes):
        members = np.flatnonzero(codes == label)
        drawn.append(random.choice(members, min(n_atoms, len(members)), replace=False))
    rows = np.concatenate(drawn)
    return X[rows], codes[rows]


def atoms_of_classes(
    X: Floats, codes: Ints, atoms: Floats, classes: Ints, n_nonzero: int, n_sweeps: int
) -> Floats:
    """Return the atoms of each class after K-SVD on its own rows."""
    learned = np.empty_like(atoms)
    for label in np.unique(classes):
        own = classes == label
        learned[own] = ksvd(X[codes == label], atoms[own], n_nonzero, n_sweeps)[0]
    return learned
