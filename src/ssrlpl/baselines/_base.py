"""Base classes of the published methods: what they share, so that each file holds its own idea.

:class:`Baseline` checks rows and decodes the target; a method offers ``fit_checked``. On it stand
:class:`MarginBaseline` for methods with decision values (:class:`GroupedBaseline` for those that
leave out labels at little cost), :class:`LabelingBaseline` for methods that give each row of the
table a label vector, and :class:`GraphBaseline` for those of them that work on a graph of nearest
neighbors.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from typing import Any, Self

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from .._core.neighbor_graph import METRICS, WEIGHTS, as_searched, join, neighbor_graph
from .._core.shared import SharedRows
from .._utils import limits
from .._utils.types import Array, Floats, Ints, MatrixLike
from .._utils.validation import check_choice, check_count, check_share
from ..labelers._base import (
    BaseLabeler,
    Hidden,
    LeftOut,
    PartlyLabeledClassifier,
    refuse_weights,
    spread_columns,
)
from ..labels import PartialLabels

_GROUPS = 5


class Baseline(PartlyLabeledClassifier):
    """A published classifier for partially labeled targets."""

    fit = PartlyLabeledClassifier.fit  # those that are labelers, too, take no rows in chunks

    @abstractmethod
    def fit_checked(
        self, X: Any, target: PartialLabels, *, shared: SharedRows | None = None
    ) -> Any:
        """Check the settings, then fit to checked rows and a decoded target.

        ``shared`` caches what other fits have computed from the same rows.
        """

    @abstractmethod
    def loo_scores(self, X: Any, target: PartialLabels, shared: SharedRows | None = None) -> Floats:
        """Return the scores of each labeled row by the fit without its label.

        X are checked rows. The largest score is what ``predict`` would give.
        """

    def choice_scores(
        self, X: Any, target: PartialLabels, shared: SharedRows | None = None
    ) -> Floats:
        """Return the scores by which settings are chosen: those of ``loo_scores``.

        Methods that have to be fitted again for each label leave out groups of labels here.
        """
        return self.loo_scores(X, target, shared)


def label_groups(target: PartialLabels) -> list[Ints]:
    """Return sets of labeled rows to leave out together.

    Each row alone, if labels are few; of more than ``limits.SINGLE_LABELS`` five sets in which the
    classes have their shares.
    """
    labeled = target.labeled
    if len(labeled) <= limits.SINGLE_LABELS:
        return list(labeled[:, None])
    by_class = labeled[np.argsort(target.codes[labeled], kind="stable")]
    return [by_class[start::_GROUPS] for start in range(_GROUPS)]


class MarginBaseline(Baseline):
    """A baseline with decision values.

    Subclasses offer ``_decide``: decision values of checked rows, in the shape of
    ``decision_function``.
    """

    @abstractmethod
    def _decide(self, X: Any) -> Floats: ...

    def decision_function(self, X: MatrixLike) -> Floats:
        """Return a score for each class; for two classes one value, positive for the second.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)
            Training rows or new rows.

        Returns
        -------
        ndarray of shape (n_rows, n_classes), or (n_rows,) for two classes
        """
        check_is_fitted(self)
        return self._decide(self.check_rows(X, reset=False))

    def predict(self, X: MatrixLike) -> Array:
        """Return the class with the largest decision value; in a tie the first class."""
        values = self.decision_function(X)
        codes = values.argmax(axis=1) if values.ndim == 2 else (values > 0).astype(np.intp)
        return self.classes_[codes]

    def loo_scores(self, X: Any, target: PartialLabels, shared: SharedRows | None = None) -> Floats:
        """Return one for the class that the fit without its label gives to each labeled row.

        X are checked rows; the method is fitted again for each label.
        """
        scores = np.zeros((target.n_labeled, len(target.classes)))
        for place, row in enumerate(target.labeled):
            rest = target.without(np.array([row]), min_classes=1)
            found = rest.classes
            if len(found) > 1:
                fitted = clone(self)
                fitted.n_features_in_ = X.shape[1]
                fitted.fit_checked(X, rest, shared=shared)
                found = fitted.predict(X[[row]])
            scores[place, target.classes == found[0]] = 1
        return scores


class GroupedBaseline(MarginBaseline):
    """A baseline with decision values for which labels are left out without preparing rows again.

    Subclasses offer ``_left_out``: the scores of each labeled row by the fit without the labels of
    its group. A class without a remaining label has the score -∞.
    """

    _linear = False
    """Whether leaving out a single label has a closed form."""

    @abstractmethod
    def _left_out(
        self, X: Any, target: PartialLabels, groups: Hidden, shared: SharedRows | None
    ) -> Floats: ...

    def loo_scores(self, X: Any, target: PartialLabels, shared: SharedRows | None = None) -> Floats:
        """Return the scores of each labeled row by the fit without its label.

        X are checked rows; a class without a remaining label has the score -∞.
        """
        return self._left_out(X, target, target.labeled[:, None], shared)

    def choice_scores(
        self, X: Any, target: PartialLabels, shared: SharedRows | None = None
    ) -> Floats:
        """Return the scores by which settings are chosen.

        Without the label of the row if that has a closed form, otherwise without its group of
        labels.
        """
        groups = target.labeled[:, None] if self._linear else label_groups(target)
        return self._left_out(X, target, groups, shared)

    def loo_codes(self, X: Any, target: PartialLabels) -> Iterator[tuple[slice, Ints]] | None:
        """Yield the predicted code of each labeled row when its label is hidden."""
        X = clone(self).check_rows(X)
        return iter([(slice(0, target.n_labeled), self.loo_scores(X, target).argmax(axis=1))])


class LabelingBaseline(Baseline, BaseLabeler):
    """A baseline that gives a label vector to each row of the table; it serves as a labeler, too.

    What depends on the rows alone is computed once, also for leave-one-out: subclasses offer
    ``_prepare`` for it, and ``_label``, which returns the label vectors of all rows.
    """

    @abstractmethod
    def _prepare(self, X: Any, shared: SharedRows) -> None:
        """Check the settings and compute what does not depend on labels."""

    @abstractmethod
    def _label(self, target: PartialLabels) -> Floats:
        """Return the label vectors of all rows; those of labeled rows are ignored.

        In leave-one-out ``target`` may have fewer classes than ``classes_``.
        """

    def fit_checked(
        self,
        X: Any,
        target: PartialLabels,
        sample_weight: Floats | None = None,
        shared: SharedRows | None = None,
    ) -> Self:
        """Fit to checked rows and a decoded target.

        ``shared`` caches the neighbors of the rows, which do not depend on the labels.
        """
        if sample_weight is not None:
            refuse_weights(self)
        self.n_features_in_, self.classes_ = X.shape[1], target.classes
        self._prepare(X, SharedRows(X) if shared is None else shared)
        Y = self._label(target)
        Y[target.labeled] = target.one_hot()
        self._keep(target, Y.astype(X.dtype, copy=False))
        return self

    def _prepared(self, X: Any, target: PartialLabels, shared: SharedRows | None) -> Self:
        """Return a copy that is ready to label for any set of labels."""
        fresh = clone(self)
        fresh.classes_ = target.classes
        fresh._prepare(X, SharedRows(X) if shared is None else shared)
        return fresh

    def labels_without(
        self,
        X: Any,
        target: PartialLabels,
        hidden: Hidden,
        rows: Ints | None = None,
        shared: SharedRows | None = None,
    ) -> LeftOut:
        """Yield the label vectors without each hidden set; rows are prepared once."""
        fresh = self._prepared(X, target, shared)
        for position, one in enumerate(hidden):
            rest = target.without(one, min_classes=1)
            Y = np.ones((X.shape[0], 1))  # if only one class remains
            if len(rest.classes) > 1:
                Y = fresh._label(rest)
                Y[rest.labeled] = rest.one_hot()
            yield slice(position, position + 1), spread_columns(Y, rest, target, rows)[None]

    def loo_scores(self, X: Any, target: PartialLabels, shared: SharedRows | None = None) -> Floats:
        """Return the scores of each labeled row by the fit without its label.

        X are checked rows. The largest score is what ``predict`` would give.
        """
        labeled = target.labeled
        found = self.labels_without(X, target, labeled[:, None], labeled, shared)
        return np.concatenate([Y[:, part.start] for part, Y in found])


class GraphBaseline(LabelingBaseline):
    """A baseline on a graph of nearest neighbors.

    Its parameters ``n_neighbors``, ``weights``, ``sharpness``, ``mutual`` and ``metric`` are those
    of :mod:`ssrlpl._core.neighbor_graph`. A new row gets the mean label vector of its neighbors.
    """

    def __init__(
        self,
        n_neighbors: int = 10,
        *,
        weights: str = "self_tuning",
        sharpness: float = 1.0,
        mutual: bool = False,
        metric: str = "euclidean",
        unlabeled: Any = "auto",
    ):
        self.n_neighbors = n_neighbors
        self.weights = weights
        self.sharpness = sharpness
        self.mutual = mutual
        self.metric = metric
        self.unlabeled = unlabeled

    def _prepare(self, X: Any, shared: SharedRows) -> None:
        check_count("n_neighbors", self.n_neighbors)
        check_choice("weights", self.weights, WEIGHTS, or_callable=False)
        check_share("sharpness", self.sharpness, high=np.inf)
        check_choice("metric", self.metric, METRICS, or_callable=False)
        if self.weights == "cosine" and self.metric != "cosine":
            raise ValueError(
                f"weights='cosine' needs neighbors by cosine. Got metric={self.metric!r}: pass"
                " metric='cosine' as well."
            )
        self.n_neighbors_ = min(self.n_neighbors, X.shape[0] - 1)
        self._search = shared.neighbor_search(self.metric)
        self.limits_hit_ = limits.hit(self._search)
        found = shared.neighbors(self.metric, self.n_neighbors_)
        self._graph = neighbor_graph(
            *found, self.sharpness, kind=self.weights, mutual=bool(self.mutual)
        )

    def _mean_of_neighbors(self, X: Any, values: Array) -> Floats:
        """Return the weighted mean of values of training rows over the neighbors of new rows."""
        return np.asarray(join(self._graph, self._search, as_searched(X, self.metric)) @ values)

    def _label_new(self, X: Any) -> Array:
        return self._mean_of_neighbors(X, self.label_distributions_).astype(X.dtype, copy=False)
