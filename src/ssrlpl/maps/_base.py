"""Base class of the linear and the kernel map."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin, clone

from .._core import loo_maps
from .._core.moments import RowSums
from .._core.shared import SharedRows
from .._core.whitening import ridge_of_share, shrinkage_share
from .._utils.arrays import in_numpy, is_foreign, like, to_numpy
from .._utils.left_behind import LeavesRowsBehind
from .._utils.types import Array, Floats, Ints, VectorLike
from .._utils.validation import (
    check_choice,
    check_count,
    check_magnitude,
    check_share,
    check_table,
    check_weights,
    row_types,
)
from ..labelers._base import Hidden, LeftOut, label_rows, labels_without
from ..labelers.knn import KNNLabeler
from ..labels import PartialLabels, encode_labels
from .memory import ProblemSize

CONSTRAINTS = ("orthonormal", "whitened")

_BATCH_BYTES = 1 << 25
"""Bytes of label vectors that are processed in one pass over the rows."""

FitsWithout = Iterator[tuple[slice, Floats, Floats]]
"""Batches: a slice of the hidden sets; label vectors of all rows (n_sets, n_rows, n_classes); the
representation of the requested rows by each fit (n_sets, n_wanted, n_classes), padded with zeros.
"""


Sample = tuple[Any, Floats | None] | None
"""Checked rows and their weights, which are above zero (None: all are one)."""


class LabeledRows(NamedTuple):
    """Label vectors and weights of all rows (None: all weights are one).

    ``weight`` is the weight of a row in the dependence on the labels, ``row_weight`` its weight
    in the scatter of the rows: ``unlabeled_weight`` reduces only ``weight``.
    """

    Y: Array
    weight: Floats | None
    row_weight: Floats | None = None

    @property
    def total_weight(self) -> float:
        """Number of rows, repetitions included."""
        return float(self.Y.shape[0] if self.weight is None else self.weight.sum())


class BaseMap(
    LeavesRowsBehind, ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator, ABC
):
    """Common parts of the maps: labeling, fitted attributes, and fits without some labels.

    ``fit`` checks the rows and decodes the target; ``fit_checked`` is for callers that have done
    so. Leave-one-out and certificates use ``products`` (which also gives the geometry of the
    map) and ``fit_without``.
    """

    n_components: int | None
    labeler: Any
    constraint: str
    rho: str | float
    unlabeled_weight: float
    relabel_rounds: int
    unlabeled: Any
    n_components_: int
    limits_hit_: tuple[str, ...] = ()
    _only_of_training_rows = ("label_distributions_",)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.sparse = True
        tags.array_api_support = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    def chosen_labeler(self) -> Any:
        """Return the unfitted labeler that is used."""
        return KNNLabeler() if self.labeler is None else self.labeler

    def check_rows(self, X: Any, *, reset: bool = True) -> Any:
        """Return rows as ``fit`` (or, without ``reset``, ``transform``) accepts them."""
        fewest = 2 if reset else 1
        X = check_table(
            self, X, accept_sparse="csr", dtype=row_types(X), reset=reset, ensure_min_samples=fewest
        )
        if reset and not is_foreign(X):
            check_magnitude(X, only_squared=self.constraint != "whitened")
        return X

    def _read(
        self, X: Any, y: VectorLike, sample_weight: VectorLike | None
    ) -> tuple[Any, PartialLabels, Floats | None]:
        """Return checked rows, decoded target and checked weights."""
        self._check_parameters()
        X = self.check_rows(X)
        target = encode_labels(y, unlabeled=self.unlabeled, n_samples=X.shape[0])
        weight = check_weights(sample_weight, X)
        return X, (target if weight is None else target.without(weight == 0)), weight

    def _check_parameters(self) -> None:
        if self.n_components is not None:
            check_count("n_components", self.n_components)
        check_choice("constraint", self.constraint, CONSTRAINTS, or_callable=False)
        check_share("rho", self.rho, high=np.inf, or_auto=True)
        check_share("unlabeled_weight", self.unlabeled_weight, open_=False)
        check_count("relabel_rounds", self.relabel_rounds, low=0)

    @abstractmethod
    def fit_checked(
        self,
        X: Any,
        target: PartialLabels,
        sample_weight: Floats | None = None,
        shared: SharedRows | None = None,
    ) -> Array | None:
        """Fit to checked rows; return their representation if it needs no extra computation.

        ``shared`` caches what other fits have computed from the same rows.
        """

    def sample_for_chunks(self) -> int:
        """Return how many rows :meth:`start_chunks` needs, if rows come in chunks."""
        return 0

    @abstractmethod
    def start_chunks(self, n_features: int, classes: Array, sample: Sample = None) -> None:
        """Check the parameters and settle sizes, for rows that come in chunks.

        ``sample`` are seeded random rows, as many as :meth:`sample_for_chunks` says, or all.
        """

    @abstractmethod
    def chunk_sums(self, X: Any, table: LabeledRows) -> RowSums:
        """Return what the map needs from the checked rows of a chunk."""

    @abstractmethod
    def solve_sums(self, sums: RowSums, dtype: Any) -> None:
        """Compute the map from the sums of all chunks, for rows of a dtype."""

    def end_chunks(self) -> None:
        """Forget what only chunks needed."""
        return

    @abstractmethod
    def represent(self, X: Any) -> Array:
        """Return the representation of checked rows."""

    def _label(
        self, X: Any, target: PartialLabels, weight: Floats | None, shared: SharedRows | None = None
    ) -> LabeledRows:
        """Fit the labeler, in NumPy, and return label vectors and weights of the rows."""
        labeler = self.chosen_labeler()
        self.labeler_, Y = label_rows(labeler, in_numpy(X), target, weight, shared)
        return self._weighted(X, Y, target, weight)

    def _weighted(
        self, X: Any, Y: Array, target: PartialLabels, weight: Floats | None
    ) -> LabeledRows:
        self.classes_ = target.classes
        self.label_distributions_ = like(Y, X)
        self.transduction_ = like(self.classes_[Y.argmax(axis=1)], X)
        return self.labeled_rows(self.label_distributions_, target, weight)

    def labeled_rows(self, Y: Array, target: PartialLabels, weight: Floats | None) -> LabeledRows:
        """Return label vectors with the weights of their rows in the two sums of a map."""
        if self.unlabeled_weight == 1:
            return LabeledRows(Y, weight, weight)
        counts = np.ones(len(target.codes)) if weight is None else weight
        lowered = np.where(target.is_labeled, counts, self.unlabeled_weight * counts)
        return LabeledRows(Y, lowered, weight)

    def _relabel(self, Z: Array, target: PartialLabels, weight: Floats | None) -> LabeledRows:
        """Return new label vectors of the rows, from their neighbors in the representation."""
        self.labeler_, Y = label_rows(self.relabeler(), to_numpy(Z), target, weight)
        return self._weighted(Z, Y, target, weight)

    def relabeler(self) -> Any:
        """Return the unfitted labeler that is used in the representation."""
        is_matrix = getattr(self.labeler, "similarity", None) == "precomputed"
        return KNNLabeler() if self.labeler is None or is_matrix else self.labeler

    def _ridge(self, trace: float, squared_norm: float, dim: float, n_rows: float) -> float:
        """Return ρ of the whitened constraint and store it as a share in ``rho_``."""
        chosen = self.rho
        if isinstance(chosen, str):
            chosen = shrinkage_share(trace, squared_norm, dim, n_rows)
        self.rho_ = float(chosen)
        return ridge_of_share(self.rho_, trace)

    def _drop_unused_rho(self) -> None:
        """Remove the share of an earlier fit with the whitened constraint."""
        if self.constraint != "whitened":
            self.__dict__.pop("rho_", None)

    def _check_whitened_components(self, n_classes: int) -> None:
        if self.constraint == "whitened" and (self.n_components or 0) > n_classes - 1:
            raise ValueError(
                "n_components must be an int in [1, n_classes - 1] with constraint='whitened'. Got"
                f" {self.n_components} with {n_classes} classes: lower it, or use"
                " constraint='orthonormal'."
            )

    @abstractmethod
    def products(self, X: Any, rows: Ints | None) -> loo_maps.Products:
        """Return the products that compute this map for several label matrices at once.

        ``rows`` are the rows whose representation is returned, by default all.
        """

    @abstractmethod
    def follows_from_labels(self, n_rows: int) -> bool:
        """Return whether ``products`` gives this map: not for tables that need landmarks."""

    def _changed_products(
        self, X: Any, Y: Floats, rows: Ints | None
    ) -> loo_maps.ChangedLabels | None:
        """Return products for label vectors that differ from Y in few rows, or None."""

    def fit_without(
        self,
        X: Any,
        target: PartialLabels,
        hidden: Hidden,
        rows: Ints | None = None,
        products: loo_maps.Products | None = None,
    ) -> FitsWithout:
        """Yield label vectors and representations of fits without each hidden set, in batches.

        The results equal those of one fit for each set, but all fits share one pass over the rows
        where ``follows_from_labels``. ``products`` may be passed if they are already computed.
        """
        self._check_parameters()
        counts = np.bincount(target.codes[target.is_labeled], minlength=len(target.classes))
        lost = np.array([np.bincount(target.codes[r], minlength=len(counts)) for r in hidden])
        components = np.count_nonzero(counts > lost, axis=1) - 1
        asked = self.n_components
        # More components than the labels determine need variances, which products do not give.
        determined = asked is None or asked <= components.min()
        if self.relabel_rounds or not (determined and self.follows_from_labels(X.shape[0])):
            yield from self._refit_without(X, target, hidden, rows)
            return
        if asked is not None:
            components = np.minimum(components, asked)
        labeler, single = self.chosen_labeler(), all(len(one) == 1 for one in hidden)
        changed = None
        if single and getattr(labeler, "is_local", False):
            _, known = label_rows(labeler, X, target)
            changed = self._changed_products(X, known.astype(np.float64), rows)
        products = self.products(X, rows) if products is None else products
        for part, Y in _merged(labels_without(labeler, X, target, hidden)):
            quick = None if changed is None else changed(Y)
            if quick is not None:
                Z = loo_maps.along_eigenvectors(*quick, components[part])
            else:
                B = loo_maps.centered_labels(Y, target.labeled, hidden[part], self.unlabeled_weight)
                Z = loo_maps.representations(B, products, components[part])
            if self.constraint == "orthonormal":  # whitened fits leave missing directions zero
                most = np.minimum(components[part], self._most_directions(X))
                # Equal rows with different labels may determine fewer directions than a fit has:
                # a fit then adds those of largest variance, which the products do not know.
                for fit in np.flatnonzero(np.count_nonzero(Z.any(axis=1), axis=1) < most):
                    position = part.start + fit
                    one = self._refit_without(X, target, hidden[position : position + 1], rows)
                    Z[fit] = next(one)[2][0]
            yield part, Y, Z

    def _most_directions(self, X: Any) -> int:
        """Return an upper bound on the number of directions in which checked rows can differ."""
        return int(X.shape[0] - 1)

    def _refit_without(
        self, X: Any, target: PartialLabels, hidden: Hidden, rows: Ints | None
    ) -> FitsWithout:
        n_rows, n_classes = X.shape[0], len(target.classes)
        for position, one in enumerate(hidden):
            rest = target.hiding(one)
            left = np.unique(rest.codes[rest.is_labeled])
            if len(left) > 1:
                _, Y, Z = self.refit(X, rest)
            else:  # a single class: the same label for all rows, and no direction
                Y, Z = np.eye(n_classes)[np.repeat(left, n_rows)], np.zeros((n_rows, 1))
            Z = Z if rows is None else Z[rows]
            Z = np.pad(Z, ((0, 0), (0, max(n_classes - Z.shape[1], 0))))
            yield slice(position, position + 1), Y[None], Z[None]

    def refit(self, X: Any, target: PartialLabels) -> tuple[Any, Floats, Floats]:
        """Return a fitted copy, its label vectors (all classes) and the represented rows.

        Classes without a label have a column of zeros.
        """
        rest = target.without(np.zeros(0, dtype=np.intp))
        fitted = clone(self)
        found = fitted.fit_checked(X, rest)
        Z = fitted.represent(X) if found is None else found
        Y = np.zeros((X.shape[0], len(target.classes)))
        Y[:, np.searchsorted(target.classes, rest.classes)] = fitted.label_distributions_
        return fitted, Y, np.asarray(Z)

    def loo_codes(self, X: Any, target: PartialLabels) -> Iterator[tuple[slice, Ints]]:
        """Yield the 1-NN code of each labeled row when its label is hidden, in batches."""
        labeled = target.labeled
        codes, X = target.codes[labeled], clone(self).check_rows(X)
        for part, _, Z in self.fit_without(X, target, labeled[:, None], labeled):
            yield part, codes[loo_maps.distances_to_hidden(Z, part).argmin(axis=1)]

    @property
    @abstractmethod
    def spans_labels(self) -> bool:
        """Whether the map has all directions that the labels determine."""

    def estimate_memory(
        self,
        n_samples: int,
        n_features: int,
        n_classes: int,
        *,
        n_labeled: int = 1000,
        dtype: Any = np.float64,
    ) -> int:
        """Return the peak memory in bytes that ``fit`` needs beyond X, with the default labeler.

        Parameters
        ----------
        n_samples, n_features, n_classes : int
            Size of the problem.
        n_labeled : int, default=1000
            Number of labeled rows.
        dtype : dtype, default=float64
            Type of X.

        Returns
        -------
        int
        """
        itemsize = np.dtype(dtype).itemsize
        size = ProblemSize(n_samples, n_features, n_classes, n_labeled, itemsize)
        extra = max((self.n_components or 0) - (n_classes - 1), 0)
        return int(self._peak_bytes(size, extra, self.constraint == "whitened"))

    @abstractmethod
    def _peak_bytes(self, size: ProblemSize, n_extra: int, whitened: bool) -> float:
        """Return the peak bytes by a formula of :mod:`ssrlpl.maps.memory`."""

    @property
    def _n_features_out(self) -> int:
        """Number of components, for the names of the output columns."""
        return self.n_components_


def _merged(parts: LeftOut) -> LeftOut:
    """Yield larger batches, because each batch costs a pass over the rows."""
    waiting: list[tuple[slice, Floats]] = []
    for part, Y in parts:
        if not waiting and Y.nbytes >= _BATCH_BYTES:
            yield part, Y
            continue
        waiting.append((part, Y))
        if sum(found.nbytes for _, found in waiting) >= _BATCH_BYTES:
            yield slice(waiting[0][0].start, part.stop), np.concatenate([y for _, y in waiting])
            waiting = []
    if len(waiting) == 1:
        yield waiting[0]  # without a copy
    elif waiting:
        together = np.concatenate([y for _, y in waiting])
        yield slice(waiting[0][0].start, waiting[-1][0].stop), together
