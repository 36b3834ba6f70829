"""Base class of the methods that learn atoms and label maps by one K-SVD on stacked columns."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..._core.ksvd import codes_over, ksvd, ridge_map
from ..._utils.types import Floats, Ints
from ..._utils.validation import check_count, check_share
from ...labels import UNLABELED
from ._base import DictionaryBaseline, dense_unit_rows

LABELS = "labels"
"""The name of the block of columns whose map classifies."""


class StackedKSVD(DictionaryBaseline):
    r"""A supervised dictionary with label targets as further columns of the labeled rows.

    With targets :math:`T_m` and weights :math:`w_m` K-SVD on
    :math:`[X, \sqrt{w_1} T_1, \dots]` minimizes
    :math:`|X - ZD|^2 + \sum_m w_m |T_m - Z A_m|^2`. Subclasses offer ``_start`` and ``_targets``.
    """

    n_nonzero: int
    n_sweeps: int
    ridge: float
    atom_classes_: Ints

    @abstractmethod
    def _start(self, X: Floats, codes: Ints, random: np.random.RandomState) -> tuple[Floats, Ints]:
        """Return atoms to start from and their classes."""

    @abstractmethod
    def _targets(self, codes: Ints) -> Mapping[str, tuple[float, Floats]]:
        """Return targets of the labeled rows and their weights, by name."""

    def _check_parameters(self) -> None:
        check_count("n_nonzero", self.n_nonzero)
        check_count("n_sweeps", self.n_sweeps)
        check_share("ridge", self.ridge, high=np.inf)

    def _learn(self, X: Any, rows: Ints, codes: Ints, random: np.random.RandomState) -> None:
        labeled = codes != UNLABELED
        own, codes = dense_unit_rows(X[rows[labeled]]), codes[labeled]
        start, self.atom_classes_ = self._start(own, codes, random)
        targets = self._targets(codes)
        used = {name: (np.sqrt(w), T) for name, (w, T) in targets.items() if w > 0}
        Z = codes_over(own, start, self.n_nonzero)
        maps = {name: root * ridge_map(Z, T, self.ridge) for name, (root, T) in used.items()}
        stacked, _, self.objective_ = ksvd(
            np.hstack([own, *(root * T for root, T in used.values())]),
            np.hstack([start, *maps.values()]),
            self.n_nonzero,
            self.n_sweeps,
        )
        # New rows have no label columns: atoms get length one without them, maps follow.
        ends = np.cumsum([own.shape[1], *(T.shape[1] for _, T in used.values())])
        atoms, *parts = np.split(stacked, ends[:-1], axis=1)
        lengths = np.linalg.norm(atoms, axis=1, keepdims=True)
        inverse = np.divide(1, lengths, out=np.zeros_like(lengths), where=lengths > 0)
        self.components_ = atoms * inverse
        found = {
            name: part * inverse / root
            for (name, (root, _)), part in zip(used.items(), parts, strict=True)
        }
        if LABELS not in found:
            Z = codes_over(own, self.components_, self.n_nonzero)
            found[LABELS] = ridge_map(Z, np.eye(len(self.classes_))[codes], self.ridge)
        self.coef_ = found[LABELS]

    def _scores(self, X: Floats) -> Floats:
        return codes_over(X, self.components_, self.n_nonzero) @ self.coef_
