"""Labelers on tables in chunks.

A labeler learns from the labeled rows, or, if it needs the other rows as well, from a sample that
has all labeled rows in it. Then it labels each chunk as it labels new rows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from .._utils import limits
from .._utils.user_warnings import warn_user
from ..labelers._base import BaseLabeler, label_rows, last_step, predict_label_vectors
from ..labelers.given import GivenLabels
from .chunked_table import Chunk, ChunkedTable

Labels: TypeAlias = Callable[[Chunk], NDArray[Any]]
"""Function of a chunk that returns the label vectors of its rows."""


@dataclass(frozen=True)
class ByLabeler:
    """Label vectors by a fitted labeler, in the representation of a map if one is given."""

    labeler: Any
    map_: Any = None

    def __call__(self, chunk: Chunk) -> NDArray[Any]:
        """Return the label vectors of a chunk."""
        rows = chunk.X if self.map_ is None else self.map_.represent(chunk.X)
        return with_given(predict_label_vectors(self.labeler, rows, chunk.target), chunk)


@dataclass(frozen=True)
class ByModel:
    """Label vectors by a fitted classifier."""

    model: Any

    def __call__(self, chunk: Chunk) -> NDArray[Any]:
        """Return the label vectors of a chunk."""
        return with_given(np.array(self.model.predict_proba(chunk.X)), chunk)


def with_given(Y: NDArray[Any], chunk: Chunk) -> NDArray[Any]:
    """Return label vectors in which labeled rows have their own label."""
    Y[chunk.target.is_labeled] = chunk.target.one_hot(Y.dtype)
    return Y


def fit_labeler(labeler: Any, table: ChunkedTable, Z: NDArray[Any] | None = None) -> Any:
    """Return a fitted copy of a labeler, which uses the classes as integers 0..C-1.

    ``Z`` is the representation of the labeled rows, if they are to be labeled there.
    """
    if isinstance(last_step(labeler), GivenLabels):
        raise ValueError(
            "GivenLabels holds a vector for each row in memory, but X comes in chunks: pass"
            " KNNLabeler, GraphLabeler, or a classifier that was fitted to such vectors."
        )
    rows = table.labeled
    if _learns_from_labeled(labeler):
        fitted, _ = label_rows(labeler, rows.X if Z is None else Z, rows.target, rows.weight)
        if isinstance(fitted, BaseLabeler) or not hasattr(
            last_step(fitted), "label_distributions_"
        ):
            return fitted
    if Z is not None:
        raise ValueError(
            f"relabel_rounds with {type(labeler).__name__} needs the representation of all rows,"
            " but X comes in chunks: use KNNLabeler or a classifier, or relabel_rounds=0."
        )
    sample, _ = table.sample(limits.CHUNKED_SAMPLE_ROWS, seed_of(labeler), with_labeled=True)
    if sample.X.shape[0] < table.n_rows:
        warn_user(
            f"{type(labeler).__name__} learns from a sample of {sample.X.shape[0]:,} of"
            f" {table.n_rows:,} rows, the labeled ones among them, because X comes in chunks. Other"
            " rows are labeled as new rows are."
        )
    fitted, _ = label_rows(labeler, sample.X, sample.target, sample.weight)
    fitted.limits_hit_ = limits.hit(fitted, CHUNKED_SAMPLE_ROWS=table.n_rows)
    return fitted


def seed_of(estimator: Any) -> Any:
    """Return the random state of an estimator, zero if it has none."""
    return getattr(estimator, "random_state", 0)


def _learns_from_labeled(labeler: Any) -> bool:
    """Tell whether unlabeled rows teach a labeler nothing; a strange one may show after its fit."""
    last = last_step(labeler)
    if isinstance(last, BaseLabeler):
        return last.learns_from_labeled
    is_classifier = hasattr(labeler, "predict_proba") or not hasattr(labeler, "fit")
    return is_classifier and not type(last).__module__.startswith("sklearn.semi_supervised")


def keep_labels(estimator: Any, table: ChunkedTable, labels: Labels) -> None:
    """Give an estimator the label vectors of all rows, computed when asked for."""
    classes, dtype = table.classes, table.source.dtype
    estimator.classes_ = classes
    estimator.label_distributions_ = table.rows(
        _vectors, labels, n_columns=len(classes), dtype=dtype
    )
    estimator.transduction_ = table.rows(
        _most_probable, labels, classes, n_columns=None, dtype=classes.dtype
    )


def _vectors(chunk: Chunk, labels: Labels) -> NDArray[Any]:
    return labels(chunk)


def _most_probable(chunk: Chunk, labels: Labels, classes: NDArray[Any]) -> NDArray[Any]:
    return np.asarray(classes[labels(chunk).argmax(axis=1)])
