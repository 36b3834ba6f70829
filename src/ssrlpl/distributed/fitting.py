"""Fit maps and labelers to tables in chunks."""

from __future__ import annotations

from copy import copy
from functools import singledispatch
from typing import Any

import numpy as np
from sklearn.base import clone

from .._core.moments import RowSums
from .._utils import limits
from .._utils.types import VectorLike
from ..labelers._base import BaseLabeler
from ..maps._base import BaseMap
from .chunked_labels import chunk_vectors, fit_labeler, keep_labels, seed_of
from .chunked_table import Chunk, ChunkedTable, open_table


def fit(estimator: Any, X: Any, y: VectorLike, sample_weight: VectorLike | None = None) -> Any:
    """Fit an estimator to rows in chunks; if that fails, the estimator stays as it was."""
    fresh = clone(estimator)
    table = open_table(fresh, X, y, sample_weight)
    fit_table(fresh, table)
    given = estimator.get_params(deep=False)
    fitted = {name: value for name, value in vars(fresh).items() if name not in given}
    estimator.__dict__.update(fitted)
    return estimator


@singledispatch
def fit_table(estimator: Any, table: ChunkedTable) -> None:  # noqa: ARG001
    """Fit an estimator of a kind to a table in chunks."""
    raise TypeError(
        f"{type(estimator).__name__} does not take tables in chunks: pass an array in memory, as"
        " X.compute() returns it."
    )


@fit_table.register
def fit_map(map_: BaseMap, table: ChunkedTable) -> None:
    """Fit a map: one pass for the labeled rows, one for a sample if it needs any, one for sums."""
    start_map(map_, table)
    map_.labeler_ = fit_labeler(map_.chosen_labeler(), table)
    solve_map(map_, table, map_.labeler_)
    landmarks = table.n_rows if map_.sample_for_chunks() else 0
    map_.limits_hit_ = limits.hit(map_.labeler_, LANDMARKS=landmarks)
    before = None
    for _ in range(map_.relabel_rounds):
        before = copy(map_)
        Z = before.represent(table.labeled.X)
        map_.labeler_ = fit_labeler(map_.relabeler(), table, Z)
        solve_map(map_, table, map_.labeler_, before)
    map_.end_chunks()
    keep_labels(map_, table, map_.labeler_, before)


def start_map(map_: BaseMap, table: ChunkedTable) -> None:
    """Settle what a map must know before it sees chunks."""
    needed, sample = map_.sample_for_chunks(), None
    if needed:
        drawn = table.sample(needed, seed_of(map_))
        if drawn.weight is not None:
            drawn = drawn.take(np.flatnonzero(drawn.weight))
        sample = drawn.X, drawn.weight
    map_.start_chunks(table.source.names.shape[1], table.classes, sample)


def solve_map(
    map_: BaseMap, table: ChunkedTable, labeler: Any, before: BaseMap | None = None
) -> None:
    """Compute a map from label vectors of all chunks, given in the representation ``before``."""
    sums = table.merge(_chunk_sums, RowSums.merge, map_, labeler, before)
    if sums is None or sums.moment is None or sums.moment.weight <= 1:
        raise ValueError(
            "The rows must count as more than one. Got rows whose weights sum to one or less:"
            " multiply sample_weight by n_samples / sum(sample_weight)."
        )
    map_.solve_sums(sums, table.source.dtype)


def _chunk_sums(
    chunk: Chunk, map_: BaseMap, labeler: Any, before: BaseMap | None
) -> RowSums | None:
    if chunk.weight is not None and not chunk.weight.any():
        return None
    Y = chunk_vectors(chunk, labeler, before)
    return map_.chunk_sums(chunk.X, map_.labeled_rows(Y, chunk.target, chunk.weight))


@fit_table.register
def fit_labels(labeler: BaseLabeler, table: ChunkedTable) -> None:
    """Fit a labeler to the labeled rows, or to a sample with all of them."""
    fitted = fit_labeler(labeler, table)
    given = labeler.get_params(deep=False)
    labeler.__dict__.update({k: v for k, v in vars(fitted).items() if k not in given})
    keep_labels(labeler, table, fitted)
