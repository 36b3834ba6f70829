"""Fit estimators to tables in chunks."""

from __future__ import annotations

from copy import copy
from functools import singledispatch
from typing import Any

import numpy as np
from sklearn.base import clone

from .._core.moments import RowSums, cross_moment
from .._core.readout import LabelReading, reading_of_moments
from .._utils import limits
from .._utils.chunked import is_chunked
from .._utils.progress import Progress
from .._utils.types import VectorLike
from ..classify import SSRLPLClassifier
from ..labelers._base import BaseLabeler
from ..labels import read_codes_only
from ..maps._base import BaseMap
from ..maps.kernel import KernelSSRLPL
from .chunked_labels import ByLabeler, Labels, fit_labeler, keep_labels, seed_of
from .chunked_table import Chunk, ChunkedTable, open_table


def fit(estimator: Any, X: Any, y: VectorLike, sample_weight: VectorLike | None = None) -> Any:
    """Fit an estimator to rows in chunks; if that fails, the estimator stays as it was."""
    fresh = clone(estimator)
    with Progress("passes", is_chunked(y) + _passes(fresh), inside=1):
        fit_table(fresh, open_table(fresh, X, y, sample_weight))
    _take_over(estimator, fresh)
    return estimator


def _passes(estimator: Any) -> int:
    """Return how many passes over the chunks a fit makes, but for those that count rows."""
    if isinstance(estimator, SSRLPLClassifier):
        return 1 + _passes(estimator.representation)
    map_ = KernelSSRLPL() if estimator is None else estimator
    if not isinstance(map_, BaseMap):
        return 2
    return 2 + bool(map_.sample_for_chunks()) + map_.relabel_rounds


def _take_over(estimator: Any, fitted: Any) -> None:
    """Give an estimator what a fitted copy of it has."""
    given = estimator.get_params(deep=False)
    estimator.__dict__.update({k: v for k, v in vars(fitted).items() if k not in given})


@singledispatch
def fit_table(estimator: Any, table: ChunkedTable) -> None:  # noqa: ARG001
    """Fit an estimator of a kind to a table in chunks."""
    raise TypeError(
        f"{type(estimator).__name__} does not take tables in chunks: pass an array in memory, as"
        " X.compute() returns it."
    )


@fit_table.register
def fit_labels(labeler: BaseLabeler, table: ChunkedTable) -> None:
    """Fit a labeler to the labeled rows, or to a sample with all of them."""
    fitted = fit_labeler(labeler, table)
    _take_over(labeler, fitted)
    keep_labels(labeler, table, ByLabeler(fitted))


@fit_table.register
def fit_map(map_: BaseMap, table: ChunkedTable) -> None:
    """Fit a map to the label vectors of its labeler."""
    keep_labels(map_, table, _fit_by_labeler(map_, table))


def _fit_by_labeler(map_: BaseMap, table: ChunkedTable) -> Labels:
    """Fit a map; return the label vectors that it was fitted to.

    One pass for the labeled rows, one for a sample if the map needs any, one for the sums.
    """
    _start(map_, table)
    map_.labeler_ = fit_labeler(map_.chosen_labeler(), table)
    labels = ByLabeler(map_.labeler_)
    solve(map_, table, labels)
    for _ in range(map_.relabel_rounds):
        before = copy(map_)
        Z = before.represent(table.labeled.X)
        map_.labeler_ = fit_labeler(map_.relabeler(), table, Z)
        labels = ByLabeler(map_.labeler_, before)
        solve(map_, table, labels)
    map_.end_chunks()
    landmarks = table.n_rows if map_.sample_for_chunks() else 0
    map_.limits_hit_ = limits.hit(map_.labeler_, LANDMARKS=landmarks)
    return labels


def _start(map_: BaseMap, table: ChunkedTable) -> None:
    """Settle what a map must know before it sees chunks."""
    needed, sample, n_features = map_.sample_for_chunks(), None, table.source.names.shape[1]
    if needed:
        drawn, _ = table.sample(needed, seed_of(map_))
        if drawn.weight is not None:
            drawn = drawn.take(np.flatnonzero(drawn.weight))
        sample, n_features = (drawn.X, drawn.weight), drawn.X.shape[1]
    map_.start_chunks(n_features, table.classes, sample)


def solve(map_: BaseMap, table: ChunkedTable, labels: Labels) -> None:
    """Compute a map from sums over all chunks."""
    sums = table.merge(_map_sums, RowSums.merge, map_, labels)
    if sums is None or sums.moment is None or sums.moment.weight <= 1:
        raise ValueError(
            "The rows must count as more than one. Got rows whose weights sum to one or less:"
            " multiply sample_weight by n_samples / sum(sample_weight)."
        )
    map_.solve_sums(sums, table.source.dtype)


def _map_sums(chunk: Chunk, map_: BaseMap, labels: Labels) -> RowSums | None:
    if chunk.weight is not None and not chunk.weight.any():
        return None
    table = map_.labeled_rows(labels(chunk), chunk.target, chunk.weight)
    return map_.chunk_sums(chunk.X, table)


@fit_table.register
def fit_classifier(model: SSRLPLClassifier, table: ChunkedTable) -> None:
    """Fit the representation to all rows, the classifier to the labeled ones."""
    map_ = clone(KernelSSRLPL() if model.representation is None else model.representation)
    if not isinstance(map_, BaseMap):
        raise TypeError(
            "representation must be SSRLPL or KernelSSRLPL if X comes in chunks. Got"
            f" {type(map_).__name__}: transform the chunks first, as X.map_blocks does."
        )
    labels = _fit_by_labeler(read_codes_only(map_), table)
    keep_labels(map_, table, labels)
    map_.classes_ = np.arange(len(table.classes))
    is_reading = isinstance(model.classifier, str) and model.classifier == "least_squares"
    reading = read_chunks(map_, table, labels) if is_reading else None
    model.fit_parts(map_, map_.represent(table.labeled.X), table.labeled.target, reading)


def read_chunks(map_: BaseMap, table: ChunkedTable, labels: Labels) -> LabelReading:
    """Return the least-squares prediction of label vectors from the representation of all rows."""
    sums = table.merge(_reading_sums, RowSums.merge, map_, labels)
    return reading_of_moments(sums.moment, sums.spread)


def _reading_sums(chunk: Chunk, map_: BaseMap, labels: Labels) -> RowSums:
    """Return moments of the representation: with the label vectors, and of the rows alone."""
    table = map_.labeled_rows(labels(chunk), chunk.target, chunk.weight)
    Z = map_.represent(chunk.X).astype(np.float64)
    moment = cross_moment(Z, table.Y, table.weight) if table.total_weight > 0 else None
    return RowSums(moment, cross_moment(Z, np.zeros((len(Z), 1))))
