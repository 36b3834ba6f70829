"""Base class of the candidates of the search, their column spaces, and shared computations."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from inspect import signature
from itertools import groupby
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import TransformerMixin
from sklearn.decomposition import PCA, TruncatedSVD
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

from ..._core.bandwidth import median_gamma
from ..._core.shared import SharedRows
from ...labels import PartialLabels

_UNEVEN = 10.0
"""Ratio of the largest to the median column scale above which standardized columns are tried."""


@dataclass(frozen=True)
class Space:
    """Preprocessing of the columns: none, standardized, or leading principal components."""

    standardized: bool = False
    n_principal: int | None = None

    def transformers(self, is_sparse: bool, seed: Any) -> list[TransformerMixin]:
        """Return the unfitted preprocessing steps."""
        steps: list[TransformerMixin] = []
        if self.standardized:
            steps.append(StandardScaler(with_mean=not is_sparse))
        if self.n_principal is not None:
            reduce = TruncatedSVD if is_sparse else PCA
            steps.append(reduce(self.n_principal, random_state=seed))
        return steps

    def __str__(self) -> str:
        columns = "standardized columns" if self.standardized else "all columns"
        if self.n_principal is None:
            return columns
        of = " of standardized columns" if self.standardized else ""
        return f"{self.n_principal} principal components{of}"


class Bench:
    """Rows in a space, their target, and the computations that candidates share there.

    Parameters
    ----------
    space : Space
        The steps before the map; they are fitted to all rows, without labels.
    X : ndarray or sparse matrix
        Checked rows.
    target : PartialLabels
        Their labels.
    seed : int
        For principal components and the sample of the median distance.
    """

    def __init__(self, space: Space, X: Any, target: PartialLabels, seed: Any):
        steps = space.transformers(hasattr(X, "tocsr"), seed)
        # Arrays, even if scikit-learn is configured to return DataFrames.
        self.steps = make_pipeline(*steps).set_output(transform="default") if steps else None
        self.X = X if self.steps is None else self.steps.fit_transform(X)
        self.target, self.seed = target, seed
        self.labeled, self.given = target.labeled, target.one_hot()
        self.gamma = median_gamma(self.X, seed=seed)
        self.shared = SharedRows(self.X)

    def behind_steps(self, fitted: Any) -> Any:
        """Return a pipeline of the fitted steps of the space and a fitted estimator."""
        if self.steps is None:
            return fitted
        return Pipeline([*self.steps.steps, (type(fitted).__name__.lower(), fitted)])


class TableFacts(NamedTuple):
    """Properties of a table that the estimator of a candidate depends on."""

    gamma: float
    seed: Any
    n_labeled: int
    temperature: float = 1.0


Scored = Iterator[tuple["Candidate", NDArray[np.float64]]]
"""A candidate and its leave-one-out scores: a row for each labeled row, a column for each class."""


@dataclass(frozen=True)
class Candidate(ABC):
    """One setting of the search; candidates of a lower ``tier`` are preferred."""

    tier: int
    space: Space

    @property
    def uses_unlabeled(self) -> bool:
        """Whether the candidate uses unlabeled rows."""
        return True

    @classmethod
    @abstractmethod
    def loo_scores(cls, bench: Bench, candidates: Sequence[Any]) -> Scored:
        """Yield the exact leave-one-out scores of candidates of this kind in one space.

        They are computed together because they share factorizations.
        """

    @abstractmethod
    def gamma(self, bench: Bench) -> float:
        """Return γ of the candidate for a table."""

    @abstractmethod
    def build(self, table: TableFacts) -> Any:
        """Return the unfitted estimator, without the steps of the space, made of public parts."""

    @abstractmethod
    def words(self) -> str:
        """Return a description of the setting."""

    @staticmethod
    def params(estimator: Any) -> dict[str, Any]:
        """Return the parameters of an estimator that differ from the defaults.

        Its constructor and ``set_params`` take them.
        """
        known = signature(type(estimator)).parameters
        shallow = estimator.get_params(deep=False)
        return {
            name: value
            for name, value in shallow.items()
            if not np.isscalar(value) or value != known[name].default
        }


Kind = TypeVar("Kind", bound=Candidate)


def grouped(candidates: Sequence[Kind], *names: str) -> Iterator[tuple[Any, list[Kind]]]:
    """Yield groups of candidates that have equal values of the named settings."""

    def key(candidate: Kind) -> Any:
        return tuple(getattr(candidate, name) for name in names)

    for value, group in groupby(sorted(candidates, key=key), key):
        yield value, list(group)


def base_spaces(X: Any) -> list[Space]:
    """Return the unchanged columns, preceded by standardized ones if scales differ widely."""
    scale = np.sort(column_scale(X))
    scale = scale[scale > 0]
    # The lower median: with two columns the upper median would be the largest scale itself.
    uneven = len(scale) > 0 and scale[-1] > _UNEVEN * scale[(len(scale) - 1) // 2]
    is_table = not hasattr(X, "tocsr")
    return [Space(standardized=True), Space()] if uneven and is_table else [Space()]


def column_scale(X: Any) -> NDArray[np.float64]:
    """Return the standard deviation of each column."""
    if hasattr(X, "tocsr"):
        mean = np.asarray(X.mean(axis=0)).ravel()
        square = np.asarray(X.multiply(X).mean(axis=0)).ravel()
        return np.sqrt(np.maximum(square - mean**2, 0))
    return np.asarray(X.std(axis=0), dtype=np.float64)
