"""Labels propagated over a graph of all rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..._core.folds import class_folds
from ..._core.readout import log_scores
from ..._utils.types import Floats
from ...labelers.graph import DISCRIMINANT, GraphLabeler
from ._base import Bench, Candidate, Scored

_FOLDS = 5
"""In which labels are hidden if the graph itself depends on them."""


@dataclass(frozen=True)
class GraphLabels(Candidate):
    """Candidate with the settings of the graph."""

    n_neighbors: int
    alpha: float
    sharpness: float
    metric: str = "euclidean"

    effort = 20

    @property
    def needs_labels(self) -> bool:
        """Whether the graph itself depends on the labels."""
        return self.metric == DISCRIMINANT

    def labeler(self) -> GraphLabeler:
        """Return the unfitted labeler."""
        return GraphLabeler(
            self.n_neighbors, alpha=self.alpha, sharpness=self.sharpness, metric=self.metric
        )

    def build(self, bench: Bench, labels: Floats) -> Any:
        """Return the estimator, see :class:`Candidate`."""
        # An estimator that is fitted again would not know the weights.
        if bench.weight is not None:
            return super().build(bench, labels)
        return bench.map_of_labels(labels, self.labeler())

    @classmethod
    def loo_scores(cls, bench: Bench, candidates: Sequence[GraphLabels]) -> Scored:
        """Yield scores, exact; in a discriminant space labels are hidden in five folds."""
        for candidate in candidates:
            labeler = candidate.labeler()
            if not candidate.needs_labels:
                few = bench.has_few_of_a_class
                settings = (bench.target, bench.shared, bench.weight)
                Y = labeler.loo_scores(bench.X, *settings, keep_classes=few)
            else:
                Y = np.empty_like(bench.given)
                folds = class_folds(bench.codes, _FOLDS)
                hidden = [bench.labeled[fold] for fold in folds]
                found = labeler.labels_without(bench.X, bench.target, hidden, bench.labeled)
                for fold, (_, left_out) in zip(folds, found, strict=True):
                    Y[fold] = left_out[0, fold]
            yield candidate, log_scores(Y)

    def scores_among_all(self, bench: Bench) -> Floats:
        """Return the scores of labeled rows left out of a large table, estimated."""
        settings = (bench.target, bench.shared, bench.weight)
        few = bench.has_few_of_a_class
        found = self.labeler().loo_scores(bench.X, *settings, keep_classes=few, estimated=True)
        return log_scores(found)

    def row_scores(self, bench: Bench) -> Floats:
        """Return the scores of all rows."""
        weight = bench.row_weights()
        labeler = self.labeler().fit_checked(bench.X, bench.target, weight, bench.shared)
        return log_scores(labeler.label_distributions_)

    def words(self) -> str:
        """Return a description of the setting."""
        spread = f"alpha={self.alpha}, sharpness={self.sharpness:g}"
        where = f"discriminants of {self.space}" if self.metric == DISCRIMINANT else self.space
        return f"graph labels (k={self.n_neighbors}, {spread}), {where}"
