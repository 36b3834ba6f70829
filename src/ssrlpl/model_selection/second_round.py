"""Large tables: the search on a sample is corrected by what graph labels do among all rows.

Labels that spread over a graph get better with every row between the labeled ones, so a sample
makes them look worse than they are. The best of them are scored again in the graph of all rows;
the other ones that need a graph leave. Candidates of the labeled rows alone are the same in the
sample, if it has all labels.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from .._utils import limits
from .candidates import Bench, Candidate, GraphLabels, Space
from .scoreboard import Scoreboard

_MEMBERS = 5
"""Graph candidates that are scored again; they share one search for neighbors."""


def with_all_rows(
    board: Scoreboard, bench_of: Callable[[Space], Bench], sampled: NDArray[np.bool_]
) -> Scoreboard:
    """Return the scoreboard in which graph labels are scored among all rows.

    Parameters
    ----------
    board : Scoreboard
        What the search found on a sample.
    bench_of : callable
        Gives all rows in a space.
    sampled : ndarray of shape (n_labeled,)
        Which of all labeled rows are in the sample.
    """
    losses = board.mean(board.losses)
    on_graph = [p for p, c in enumerate(board.candidates) if _spreads(c)]
    if not on_graph or board.scores[0].shape[1] > limits.FEWER_CANDIDATES_CLASSES:
        return board
    order = sorted(on_graph, key=lambda place: losses[place])
    best = board.candidates[order[0]]
    alike = [p for p in order if _neighbors(board.candidates[p]) == _neighbors(best)][:_MEMBERS]
    kept = [p for p in range(len(board.candidates)) if p in alike or p not in on_graph]
    scores = list(board.scores)
    for place in alike:
        candidate = board.candidates[place]
        assert isinstance(candidate, GraphLabels)
        scores[place] = candidate.scores_among_all(bench_of(candidate.space))[sampled]
    return Scoreboard(
        [board.candidates[p] for p in kept], [scores[p] for p in kept], board.codes, board.weight
    )


def _spreads(candidate: Candidate) -> bool:
    return isinstance(candidate, GraphLabels) and not candidate.needs_labels


def _neighbors(candidate: Candidate) -> tuple[Space, int]:
    assert isinstance(candidate, GraphLabels)
    return candidate.space, candidate.n_neighbors
