"""Fits of candidates to all rows, after the search has scored them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Any

import numpy as np

from .._core.blocks import row_slices
from .._core.readout import closest_temperature, probabilities
from .._core.shared import SharedRows
from .._utils import limits
from .._utils.quiet_learners import quiet_learners
from .._utils.types import Floats
from .._utils.workers import in_order
from ..labels import PartialLabels, read_markers
from ..mixture import MixtureClassifier
from .candidates import Bench, Space
from .sampled_map import in_single_precision, map_of_sample
from .sampled_rows import rows_of_map
from .scoreboard import Scoreboard

LEAST_WEIGHT = 0.03
"""Weight below which a candidate is not fitted to all rows of a large table, and below which the
map stands for one that would read rows better itself."""


class Refits:
    """Fits candidates to all rows, with what the search has computed where it saw all of them.

    Parameters
    ----------
    board : Scoreboard
        What the search found.
    searched : dict
        The benches of the search, by space.
    X, target, weight, seed
        All rows, their labels, the weights of labeled rows, and the seed of the search.
    is_whole : bool
        Whether the search saw all rows.
    unlabeled
        What marks an unlabeled row, for later targets.
    workers : int
        Number of threads in which candidates label all rows.
    advance : callable
        Is told which share of the refits is done: 0.3 to score candidates again, 0.3 to label all
        rows, 0.4 for the map.
    """

    def __init__(
        self,
        board: Scoreboard,
        searched: dict[Space, Bench],
        X: Any,
        target: PartialLabels,
        seed: int,
        *,
        is_whole: bool,
        weight: Floats | None = None,
        unlabeled: Any = "auto",
        workers: int = 1,
        advance: Callable[[float], None] = lambda _: None,
    ):
        self.advance, self._workers = advance, workers
        self.board, self.target, self.seed = board, target, seed
        self._searched, self._weight, self._unlabeled = searched, weight, unlabeled
        self._X, self._benches = X, dict(searched) if is_whole else {}

    def bench(self, space: Space) -> Bench:
        """Return all rows in a space."""
        if space not in self._benches:
            self._benches[space] = Bench(
                space, self._X, self.target, self.seed, self._weight, self._searched[space]
            )
        return self._benches[space]

    @property
    def neighbor_recall(self) -> float:
        """The lowest share of nearest rows found in the searches among all rows."""
        return min((bench.shared.lowest_recall for bench in self._benches.values()), default=1.0)

    @property
    def is_large(self) -> bool:
        """Whether the map is fitted to a sample of the rows, with landmarks."""
        return bool(self._X.shape[0] > limits.EXACT_KERNEL_ROWS)

    def labels_of(self, places: list[int]) -> Iterator[tuple[int, Floats]]:
        """Yield candidates and the probabilities they give to all rows, labeled ones included."""
        kinds = []
        for place in places:
            candidate = self.board.candidates[place]
            self.bench(candidate.space)  # made before threads could make it twice
            kinds.append((type(candidate), candidate.space))
        # Those of a kind and space share neighbors, and the first of them finds these for the
        # others. So the others come last, and as far from the first as they can.
        turns = sorted(range(len(places)), key=lambda i: kinds[:i].count(kinds[i]))
        order = [places[i] for i in turns]
        with quiet_learners, closing(in_order(self.labels, order, workers=self._workers)) as found:
            yield from zip(order, found, strict=True)

    def labels(self, place: int) -> Floats:
        """Return the probabilities that a candidate gives to all rows; labeled rows included."""
        candidate = self.board.candidates[place]
        scores = candidate.row_scores(self.bench(candidate.space))
        return probabilities(scores, self.board.temperatures[place])

    def mixed(self, reader: Any, Y: Floats, weights: Floats) -> tuple[Any, Floats]:
        """Return a fitted map together with candidates that read rows better themselves.

        Y are the probabilities of all rows, of a small table by the map; returned are those of
        both together. Those of a large table are the mixture: what the model says replaces them,
        because it was right more often (docs/choosing.md).
        """
        others: dict[int, Any] = {}
        for place in map(int, np.flatnonzero(weights >= LEAST_WEIGHT)):
            candidate = self.board.candidates[place]
            bench = self.bench(candidate.space)
            other = candidate.own_reader(bench, self.board.temperatures[place])
            if other is not None:
                others[place] = bench.behind_steps(other)
        if not others:
            return reader, self._said_by(reader) if self.is_large else Y
        say = weights[list(others)]
        rest = max(1 - float(say.sum()), 0.0)
        parts = (reader, list(others.values()), [rest, *say])
        model = MixtureClassifier.of_fitted(*parts, self.target.classes, self._unlabeled)
        if self.is_large:
            return model, self._said_by(model)
        Y = rest * Y
        for place in others:
            Y += weights[place] * self.labels(place)
        return model, Y

    def _said_by(self, model: Any) -> Floats:
        """Return the probabilities that a fitted model gives to all rows, block by block."""
        blocks = row_slices(self._X.shape[0], limits.BLOCK_ROWS)
        return np.concatenate([model.predict_proba(self._X[rows]) for rows in blocks])

    def fit(self, estimator: Any, space: Space, labels: Floats) -> tuple[Any, Floats]:
        """Fit an estimator behind the steps of a space; return it and all rows' probabilities.

        Its probabilities come as close as they can to the labels.
        """
        bench = self.bench(space)
        return self._fit(
            estimator, bench, bench.X, self.target, labels, bench.row_weights(), bench.shared
        )

    def fit_sample(self, space: Space, labels: Floats) -> tuple[Any, Floats]:
        """Fit a map to the label vectors of a sample; return it and the vectors of all rows."""
        bench, rows = self.bench(space), rows_of_map(self.target, self.seed)
        X, weight = in_single_precision(bench.X[rows]), bench.row_weights()
        estimator = map_of_sample(X, labels[rows], bench.gamma, self.seed)
        target = self.target.of_rows(rows)
        weight = None if weight is None else weight[rows]
        fitted, _ = self._fit(estimator, bench, X, target, labels[rows], weight)
        return fitted, labels

    def _fit(
        self,
        estimator: Any,
        bench: Bench,
        X: Any,
        target: PartialLabels,
        labels: Floats,
        weight: Floats | None,
        shared: SharedRows | None = None,
    ) -> tuple[Any, Floats]:
        read_markers(estimator, self._unlabeled)
        scores = estimator.fit_scores(X, target, shared, sample_weight=weight)
        temperature = closest_temperature(scores, labels)
        estimator.set_params(temperature=temperature)
        estimator.temperature_ = temperature
        return bench.behind_steps(estimator), probabilities(scores, temperature)
