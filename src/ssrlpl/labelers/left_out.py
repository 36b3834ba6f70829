"""The label vectors of all rows, with each given label hidden in turn."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from .._core import votes
from .._core.bandwidth import median_gamma
from .._core.blocks import row_slices
from .._core.loo_votes import VoteTable, median_gammas_without, vote_table, votes_without
from .._utils import limits
from ..labels import UNLABELED, PartialLabels
from ._base import fit_labeler
from .graph import GraphLabeler, clamp_others
from .knn import KNNLabeler

_BATCH_BYTES = 1 << 26


def left_out_label_vectors(
    labeler: Any, X: Any, target: PartialLabels
) -> Iterator[tuple[slice, NDArray[np.float64]]]:
    """Yield positions among the labeled rows and what the labeler says without their labels.

    The arrays have shape (n_hidden, n_rows, n_classes); other labeled rows are one-hot. Equal to
    fitting the labeler once for each hidden label. A class that lost its only label keeps a
    column of zeros.
    """
    if isinstance(labeler, GraphLabeler):
        fitted = clone(labeler).set_params(unlabeled=UNLABELED)
        fitted.build_graph(X)
        yield from fitted.left_out_distributions(target)
    elif isinstance(labeler, KNNLabeler) and labeler.similarity != "precomputed":
        yield from _without_each_voter(labeler, X, target)
    else:
        yield from _refitted(labeler, X, target)


def _without_each_voter(
    labeler: KNNLabeler, X: Any, target: PartialLabels
) -> Iterator[tuple[slice, NDArray[np.float64]]]:
    labeled = np.flatnonzero(target.is_labeled)
    given = votes.one_hot(target.codes[labeled], len(target.classes), np.float64)
    fitted = clone(labeler).set_params(unlabeled=UNLABELED)
    fitted.n_neighbors = min(fitted.n_neighbors, len(labeled) - 1)  # no warning for each fit
    fitted.fit(X[labeled], target.codes[labeled])
    voters = fitted._voters
    table = vote_table(
        X, voters.anchors.nearest, voters.anchors.row_bytes, voters.codes, voters.n_classes,
        fitted.n_neighbors,
    )  # fmt: skip
    gammas = _bandwidths(labeler, X[labeled])

    def weigh(distances: NDArray[Any], gamma: NDArray[Any] | None) -> NDArray[Any]:
        if gamma is None:
            return voters.weigh(distances)
        return votes.rbf_weights(distances, gamma[:, None])

    for part in row_slices(len(labeled), _hidden_at_a_time(table)):
        hidden = np.arange(part.start, part.stop)
        Y = votes_without(table, hidden, weigh, None if gammas is None else gammas[part])
        yield part, clamp_others(fitted._finish(Y), labeled, given, part)


def _hidden_at_a_time(table: VoteTable) -> int:
    return max(1, _BATCH_BYTES // (8 * len(table.columns) * (table.n_voting + table.n_classes)))


def _bandwidths(labeler: KNNLabeler, rows: Any) -> NDArray[np.float64] | None:
    """Return γ for each row left out, or None if the weights do not depend on the others."""
    varies = labeler.similarity == "rbf" and isinstance(labeler.gamma, str)
    if not varies or labeler.n_neighbors == 1:
        return None
    if rows.shape[0] - 1 <= limits.MEDIAN_ROWS:
        return median_gammas_without(rows)
    every = np.arange(rows.shape[0])
    return np.array(
        [median_gamma(rows[every != i], seed=labeler.random_state) for i in every], dtype=float
    )


def _refitted(
    labeler: Any, X: Any, target: PartialLabels
) -> Iterator[tuple[slice, NDArray[np.float64]]]:
    """Fit any labeler again for each hidden label."""
    for position, row in enumerate(np.flatnonzero(target.is_labeled)):
        hidden = np.zeros(len(target.codes), dtype=bool)
        hidden[row] = True
        rest = target.without(hidden)
        _, found = fit_labeler(labeler, X, rest)
        Y = np.zeros((1, len(hidden), len(target.classes)))
        Y[0][:, np.searchsorted(target.classes, rest.classes)] = found
        yield slice(position, position + 1), Y
