"""Candidates as models: what is fitted once a candidate is chosen."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.pipeline import Pipeline, make_pipeline

from .._core.readout import LabelReading, nearest_scores, read_labels
from ..labelers.graph import GraphLabeler
from ..labelers.knn import KNNLabeler
from ..labels import UNLABELED, PartialLabels
from ..maps.kernel import KernelSSRLPL
from ..maps.linear import SSRLPL
from ..maps.ridge import LabeledRidge
from .family import Candidate


class Member:
    """A fitted candidate: where rows are compared, how they are mapped, how labels are read.

    ``map_`` is a :class:`SSRLPL`, :class:`KernelSSRLPL` or :class:`LabeledRidge` that works with
    codes.
    """

    def __init__(self, candidate: Candidate, gamma: float, seed: Any = 0):
        self.candidate = candidate
        self.gamma = gamma
        self.seed = seed

    def fit(self, X: Any, target: PartialLabels) -> Member:
        """Fit all steps to all rows."""
        self.fit_scores(X, target)
        return self

    def fit_scores(self, X: Any, target: PartialLabels) -> NDArray[np.float64]:
        """Fit all steps to all rows and return their scores."""
        steps = self.candidate.space.transformers(hasattr(X, "tocsr"), self.seed)
        self.space_: Pipeline | None = chain(steps) if steps else None
        rows = X if self.space_ is None else self.space_.fit_transform(X)
        self.map_ = build_map(self.candidate, self.gamma, self.seed, target.n_labeled)
        if self.candidate.kind == "ridge":
            return np.asarray(self.map_.fit(rows, target.codes).label_scores(rows))
        Z = np.asarray(self.map_.fit_transform(rows, target.codes))
        self.reading_: LabelReading | None = None
        if self.candidate.kind == "plain":
            self._labeled_Z = Z[target.is_labeled]
            self._labeled_codes = target.codes[target.is_labeled]
            self._n_classes = len(target.classes)
        else:
            self.reading_ = read_labels(Z, *self._labels_read(target))
        return self._read(Z)

    def _labels_read(
        self, target: PartialLabels
    ) -> tuple[NDArray[Any], NDArray[np.float64] | None]:
        Y = self.map_.label_distributions_
        weight = target.is_labeled.astype(float) if self.candidate.kind == "discriminant" else None
        return Y, weight

    def _rows(self, X: Any) -> Any:
        return X if self.space_ is None else self.space_.transform(X)

    def transform(self, X: Any) -> NDArray[Any]:
        """Return the representation of rows."""
        return np.asarray(self.map_.transform(self._rows(X)))

    def scores(self, X: Any) -> NDArray[np.float64]:
        """Return a score for each class; the largest wins."""
        if self.candidate.kind == "ridge":
            return np.asarray(self.map_.label_scores(self._rows(X)))
        return self._read(self.transform(X))

    def _read(self, Z: NDArray[Any]) -> NDArray[np.float64]:
        if self.reading_ is not None:
            return self.reading_(Z)
        distances = euclidean_distances(Z, self._labeled_Z, squared=True)
        return nearest_scores(distances, self._labeled_codes, self._n_classes)


def chain(steps: list[Any]) -> Pipeline:
    """Return the steps as one that gives arrays, whatever output scikit-learn is set to."""
    return make_pipeline(*steps).set_output(transform="default")


def graph_labeler(candidate: Candidate) -> GraphLabeler:
    """Return the labeler of a candidate with graph labels."""
    return GraphLabeler(
        given(candidate.n_neighbors),
        alpha=given(candidate.alpha),
        sharpness=given(candidate.sharpness),
    )


def build_map(candidate: Candidate, gamma: float, seed: Any, n_labeled: int) -> Any:
    """Return the unfitted map of a candidate; no more rows vote than have a label."""
    kind = candidate.kind
    if kind == "ridge":
        return LabeledRidge(
            candidate.kernel, gamma, ridge=given(candidate.rho), unlabeled=UNLABELED
        )
    if kind == "discriminant":
        return SSRLPL(
            constraint="whitened", rho=given(candidate.rho), unlabeled_weight=0.0,
            labeler=KNNLabeler(1), unlabeled=UNLABELED,
        )  # fmt: skip
    if kind == "plain":
        labeler = KNNLabeler(min(given(candidate.n_neighbors), n_labeled), gamma=gamma)
        return KernelSSRLPL(gamma=gamma, labeler=labeler, unlabeled=UNLABELED, random_state=seed)
    return KernelSSRLPL(
        gamma=gamma, labeler=graph_labeler(candidate), constraint="whitened",
        rho=given(candidate.rho), unlabeled=UNLABELED, random_state=seed,
    )  # fmt: skip


def given(value: Any) -> Any:
    """Return a setting that this kind of candidate has."""
    assert value is not None
    return value
