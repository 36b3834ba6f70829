"""Choice of a candidate by leave-one-out errors with the one-standard-error rule."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._core.readout import best_temperature, closest_temperature, probabilities
from .._core.shared import SharedRows
from .._utils import limits
from .._utils.quiet_learners import quiet_learners
from .._utils.workers import in_order
from ..labels import PartialLabels, read_markers
from .candidates import Bench, Candidate, ForestLabels, LogisticLabels, PlainMap, Space
from .sampled_map import in_single_precision, map_of_sample
from .sampled_rows import rows_of_map

LOGISTIC = "logistic regression"

_UNJUDGED_CLASSES = 0.25
"""Share of classes with one label from which only preferred candidates are mixed."""


@dataclass(frozen=True)
class Scoreboard:
    """Leave-one-out scores of all candidates, in order of preference."""

    candidates: list[Candidate]
    scores: list[NDArray[np.float64]]
    codes: NDArray[np.intp]
    weight: NDArray[np.float64]

    @property
    def is_blind(self) -> bool:
        """Whether leave-one-out says nothing: a class without its only label is never right."""
        return bool(np.bincount(self.codes).max() == 1)

    @cached_property
    def judged(self) -> NDArray[np.bool_]:
        """Rows at which candidates are judged: all but those with the only label of their class.

        Without that label no candidate is right, and the least wrong one is the least certain.
        """
        alone = np.bincount(self.codes)[self.codes] == 1
        return np.ones(len(self.codes), dtype=bool) if self.is_blind else ~alone

    @property
    def n_judged(self) -> int:
        """Number of these rows."""
        return int(np.count_nonzero(self.judged))

    @property
    def is_hardly_judged(self) -> bool:
        """Whether so many classes have one label that candidates are judged by the others only."""
        counts = np.bincount(self.codes)
        return bool(np.mean(counts[counts > 0] == 1) >= _UNJUDGED_CLASSES)

    @cached_property
    def share(self) -> NDArray[np.float64]:
        """The weight of each row in means, zero where candidates are not judged."""
        weight = np.where(self.judged, self.weight, 0.0)
        if not weight.any():
            weight[self.judged] = 1.0
        return np.asarray(weight / weight.sum())

    def mean(self, values: NDArray[Any]) -> Any:
        """Return the weighted mean over labeled rows (last axis)."""
        return values @ self.share

    @cached_property
    def temperatures(self) -> list[float]:
        """The scale of the probabilities of each candidate, the same for all rows."""
        if self.is_blind:
            return [1.0] * len(self.scores)
        rows = self.judged
        return [best_temperature(found[rows], self.codes[rows]) for found in self.scores]

    @cached_property
    def wrong(self) -> NDArray[np.bool_]:
        """Whether a candidate (row) misclassifies a labeled row (column) whose label is hidden."""
        return np.array([found.argmax(axis=1) != self.codes for found in self.scores])

    @cached_property
    def chances(self) -> NDArray[np.float64]:
        """Class probabilities (last axis) by each candidate for each labeled row."""
        return np.array(
            [probabilities(*one) for one in zip(self.scores, self.temperatures, strict=True)]
        )

    @cached_property
    def losses(self) -> NDArray[np.float64]:
        """Brier score (squared loss) of each candidate for each labeled row."""
        return self.brier(self.chances)

    def brier(self, chances: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the squared distance of probabilities (last axis) from the given labels."""
        truth = np.eye(chances.shape[-1])[self.codes]
        return np.asarray(np.sum((chances - truth) ** 2, axis=-1))

    @property
    def tiers(self) -> NDArray[np.intp]:
        """The tier of each candidate."""
        return np.array([candidate.tier for candidate in self.candidates])

    @property
    def labeled_only(self) -> NDArray[np.intp]:
        """Positions of the labeled-only candidates."""
        return np.flatnonzero(~self.uses_unlabeled)

    @property
    def uses_unlabeled(self) -> NDArray[np.bool_]:
        """Whether each candidate uses unlabeled rows."""
        return np.array([candidate.uses_unlabeled for candidate in self.candidates])

    def compared(self, named: dict[str, NDArray[np.bool_]]) -> list[dict[str, Any]]:
        """Return left-out errors beside each other, lowest first.

        ``named`` tells which rows are wrong by name; added are the best of some kinds of
        candidates, chosen without the row that is tested, and the largest class.
        """
        n, rows = self.n_judged, np.arange(len(self.codes))
        kinds = {LOGISTIC: LogisticLabels, "random forest": ForestLabels, "plain SSRL-PL": PlainMap}
        for name, kind in kinds.items():
            places = np.flatnonzero([isinstance(c, kind) for c in self.candidates])
            if len(places):
                losses = self.losses[places]
                best = (losses @ self.share - losses.T * self.share[:, None]).argmin(axis=1)
                named = {**named, name: self.wrong[places[best], rows]}
        of_class = np.bincount(self.codes, self.weight)
        # Leaving one of two equal classes out would make the other one larger: not left out.
        errors = {"largest class": float(1 - of_class.max() / of_class.sum())}
        if not self.is_blind:
            errors |= {name: float(self.mean(wrong)) for name, wrong in named.items()}
        board = [
            {"name": name, "loo_error": error, "standard_error": float(standard_error(error, n))}
            for name, error in sorted(errors.items(), key=lambda one: one[1])
        ]
        nothing = {"loo_error": None, "standard_error": None}
        return board + [{"name": name, **nothing} for name in named if name not in errors]

    def choose(self, among: NDArray[np.intp] | None = None) -> int:
        """Return the position of the winner among all candidates, or among some."""
        places = np.arange(len(self.candidates)) if among is None else among
        found = choose(self.wrong[places], self.losses[places], self.tiers[places], self.share)
        return int(places[found])

    def nested(self, among: NDArray[np.intp] | None = None) -> NDArray[np.intp]:
        """Return for each labeled row the position of the winner chosen by all other rows."""
        places = np.arange(len(self.candidates)) if among is None else among
        of_places = (self.wrong[places], self.losses[places], self.tiers[places])
        return places[nested_choice(*of_places, self.share)]


def standard_error(error: Any, n_labeled: int) -> Any:
    """Return the standard error of an error rate, never zero (Laplace's rule of succession)."""
    rate = (error * n_labeled + 1) / (n_labeled + 2)
    return np.sqrt(rate * (1 - rate) / n_labeled)


def choose(
    wrong: NDArray[np.bool_],
    losses: NDArray[np.float64],
    tiers: NDArray[np.intp],
    weight: NDArray[np.float64] | None = None,
) -> int:
    """Return the position of the winner: the one-standard-error rule.

    Rows of ``wrong`` and ``losses`` are candidates, columns are labeled rows. The winner is in
    the most preferred tier with a candidate within one standard error of the lowest error; in
    that tier the lowest error wins, then the lowest squared loss. Rows of weight zero do not count.
    """
    share = np.full(wrong.shape[1], 1.0) if weight is None else weight
    share = share / share.sum()
    errors = wrong @ share
    lowest = errors.min()
    # 1e-12 so that rounding does not exclude an error exactly one standard error above.
    close = errors <= lowest + standard_error(lowest, int(np.count_nonzero(share))) + 1e-12
    tier = tiers[close].min()
    places = np.flatnonzero(tiers == tier)
    return int(places[np.lexsort((losses[places] @ share, errors[places]))[0]])


def nested_choice(
    wrong: NDArray[np.bool_],
    losses: NDArray[np.float64],
    tiers: NDArray[np.intp],
    weight: NDArray[np.float64] | None = None,
) -> NDArray[np.intp]:
    """Return for each labeled row the candidate that the other rows would choose.

    The error of the winner is too optimistic, because the winner was chosen for its low error.
    The error of these candidates on their own rows includes the effect of the choice.
    """
    weight = np.ones(wrong.shape[1]) if weight is None else weight
    others = ~np.eye(wrong.shape[1], dtype=bool)
    return np.array(
        [choose(wrong[:, rest], losses[:, rest], tiers, weight[rest]) for rest in others]
    )


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
        weight: NDArray[np.float64] | None = None,
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

    def labels_of(self, places: list[int]) -> Iterator[tuple[int, NDArray[np.float64]]]:
        """Yield candidates and the probabilities they give to all rows, labeled ones included."""
        groups: dict[Any, list[int]] = {}
        for place in places:  # of a kind and space, because these share neighbors
            candidate = self.board.candidates[place]
            groups.setdefault((type(candidate), candidate.space), []).append(place)
            self.bench(candidate.space)  # made before threads could make it twice

        def labels(group: list[int]) -> list[tuple[int, NDArray[np.float64]]]:
            return [(place, self.labels(place)) for place in group]

        with (
            quiet_learners(),
            closing(in_order(labels, groups.values(), workers=self._workers)) as found,
        ):
            for pairs in found:
                yield from pairs

    def labels(self, place: int) -> NDArray[np.float64]:
        """Return the probabilities that a candidate gives to all rows; labeled rows included."""
        candidate = self.board.candidates[place]
        scores = candidate.row_scores(self.bench(candidate.space))
        return probabilities(scores, self.board.temperatures[place])

    def fit(
        self, estimator: Any, space: Space, labels: NDArray[np.float64]
    ) -> tuple[Any, NDArray[np.float64]]:
        """Fit an estimator behind the steps of a space; return it and all rows' probabilities.

        Its probabilities come as close as they can to the labels.
        """
        bench = self.bench(space)
        return self._fit(
            estimator, bench, bench.X, self.target, labels, bench.row_weights(), bench.shared
        )

    def fit_sample(
        self, space: Space, labels: NDArray[np.float64]
    ) -> tuple[Any, NDArray[np.float64]]:
        """Fit a map to the label vectors of a sample; return it and the vectors of all rows."""
        bench, rows = self.bench(space), rows_of_map(self.target, self.seed)
        X, weight = in_single_precision(bench.X[rows]), bench.row_weights()
        estimator = map_of_sample(X, labels[rows], bench.gamma, self.seed)
        target = PartialLabels(self.target.classes, self.target.codes[rows])
        weight = None if weight is None else weight[rows]
        fitted, _ = self._fit(estimator, bench, X, target, labels[rows], weight)
        return fitted, labels

    def _fit(
        self,
        estimator: Any,
        bench: Bench,
        X: Any,
        target: PartialLabels,
        labels: NDArray[np.float64],
        weight: NDArray[np.float64] | None,
        shared: SharedRows | None = None,
    ) -> tuple[Any, NDArray[np.float64]]:
        read_markers(estimator, self._unlabeled)
        scores = estimator.fit_scores(X, target, shared, sample_weight=weight)
        temperature = closest_temperature(scores, labels)
        estimator.set_params(temperature=temperature)
        if hasattr(estimator, "temperature_"):
            estimator.temperature_ = temperature
        return bench.behind_steps(estimator), probabilities(scores, temperature)


class Winner:
    """The one candidate that the rule chooses.

    Attributes
    ----------
    weights : ndarray of shape (n_candidates,)
        How much each candidate has to say.
    loo_probabilities : ndarray of shape (n_labeled, n_classes)
        Probabilities of the labeled rows left out.
    wrong, nested_wrong, alone_wrong : ndarray of shape (n_labeled,)
        Which labeled rows are wrong when left out: as chosen; if the choice is made without the
        row, too; and for that choice among candidates of the labeled rows alone.
    loss_gain : ndarray of shape (n_labeled,)
        How much the latter's loss is larger than that of the former.
    """

    def __init__(self, board: Scoreboard):
        self._board, self.place = board, board.choose()
        self.weights = np.eye(len(board.candidates))[self.place]
        self.loo_probabilities = board.chances[self.place]
        self.wrong = board.wrong[self.place]
        rows, chosen = np.arange(len(board.codes)), board.nested()
        alone = board.nested(board.labeled_only)
        self.nested_wrong, self.alone_wrong = board.wrong[chosen, rows], board.wrong[alone, rows]
        self.loss_gain = board.losses[alone, rows] - board.losses[chosen, rows]

    def words(self) -> str:
        """Return the candidate in words."""
        return self._board.candidates[self.place].words()

    def fit(self, refits: Refits, _prior: Any = None) -> tuple[Any, NDArray[np.float64]]:
        """Fit the candidate; return its estimator and all rows' probabilities."""
        candidate, labels = self._board.candidates[self.place], refits.labels(self.place)
        refits.advance(0.3)
        if refits.is_large and candidate.is_read_by_map:
            return refits.fit_sample(candidate.space, labels)
        estimator = candidate.build(refits.bench(candidate.space), labels)
        return refits.fit(estimator, candidate.space, labels)
