"""Base class of the candidates of the search, their column spaces, and shared computations."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from inspect import signature
from itertools import groupby
from typing import Any, ClassVar, TypeVar

import numpy as np
from sklearn.base import TransformerMixin
from sklearn.decomposition import PCA, TruncatedSVD
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import QuantileTransformer, StandardScaler

from ..._core.bandwidth import median_gamma
from ..._core.folds import each_class_first
from ..._core.least_squares import FEW_OF_A_CLASS
from ..._core.shared import SharedRows
from ..._utils import limits
from ..._utils.types import Floats
from ...classify import SSRLPLClassifier
from ...labelers.given import GivenLabels
from ...labels import PartialLabels
from ...maps.kernel import KernelSSRLPL
from ...root_scaler import RootScaler
from .map_settings import MapSettings, map_settings

_UNEVEN = 10.0
"""Ratio of the largest to the median column scale above which standardized columns are tried."""

_HEAVY = 10.0
"""Median kurtosis of the columns above which ranks are tried; a normal distribution has 3."""

MANY_PRINCIPAL = 50
"""Principal components that keep what matters of a wide table and leave out much of its noise."""


@dataclass(frozen=True)
class Space:
    """Preprocessing of the columns: none, standardized, ranks, or leading principal components.

    ``rooted`` principal components are half whitened, see :class:`RootScaler`.
    """

    standardized: bool = False
    n_principal: int | None = None
    ranked: bool = False
    rooted: bool = False

    @property
    def is_narrow(self) -> bool:
        """Whether so few principal components are left that details of the classes are lost."""
        return self.n_principal is not None and self.n_principal < MANY_PRINCIPAL

    def transformers(self, n_rows: int, is_sparse: bool, seed: Any) -> list[TransformerMixin]:
        """Return the unfitted preprocessing steps."""
        steps: list[TransformerMixin] = []
        if self.standardized:
            steps.append(StandardScaler(with_mean=not is_sparse))
        if self.ranked:
            steps.append(QuantileTransformer(n_quantiles=min(1000, n_rows), random_state=seed))
        if self.n_principal is not None:
            reduce = TruncatedSVD if is_sparse else PCA
            steps.append(reduce(self.n_principal, random_state=seed))
        if self.rooted:
            steps.append(RootScaler())
        return steps

    @property
    def place_of_reduction(self) -> int:
        """Where the principal components stand among the steps, from the end."""
        return -2 if self.rooted else -1

    def __str__(self) -> str:
        columns = "ranks of columns" if self.ranked else "all columns"
        columns = "standardized columns" if self.standardized else columns
        if self.n_principal is None:
            return columns
        of = f" of {columns}" if self.standardized or self.ranked else ""
        half = ", half whitened" if self.rooted else ""
        return f"{self.n_principal} principal components{of}{half}"


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
    weight : ndarray of shape (n_labeled,), optional
        Weights of the labeled rows.
    like : Bench, optional
        A bench with some of the rows; its γ and variance are used here, too.
    steps : Pipeline, optional
        The fitted steps of the space, if they are known; but for the last of a rooted one.
    """

    def __init__(
        self,
        space: Space,
        X: Any,
        target: PartialLabels,
        seed: Any,
        weight: Floats | None = None,
        like: Bench | None = None,
        steps: Pipeline | None = None,
    ):
        unfitted = space.transformers(X.shape[0], hasattr(X, "tocsr"), seed)
        if steps is None and unfitted:
            steps = _arrays(make_pipeline(*unfitted)).fit(X)
        elif steps is not None and space.rooted:
            last = _arrays(make_pipeline(unfitted[-1])).fit(steps.transform(X))
            steps = Pipeline([*steps.steps, *last.steps])
        if space.n_principal is not None:
            assert steps is not None
            reduce = steps[space.place_of_reduction]
            # As model files hold arrays: another layout would change last bits after loading.
            reduce.components_ = np.ascontiguousarray(reduce.components_)
        self.steps = steps
        self.X = X if steps is None else steps.transform(X)
        self.target, self.seed, self.weight = target, seed, weight
        self.labeled, self.given = target.labeled, target.one_hot()
        self.codes = target.codes[self.labeled]
        self.gamma: float = median_gamma(self.X, seed=seed) if like is None else like.gamma
        self.variance: float = total_variance(self.X) if like is None else like.variance
        self.shared = SharedRows(self.X)

    @property
    def has_few_of_a_class(self) -> bool:
        """Whether classes shall keep their weight when one of their labels is hidden."""
        return len(self.codes) <= FEW_OF_A_CLASS * len(self.target.classes)

    def taught(self) -> Bench:
        """Return a bench with the labeled rows to which least squares are fitted.

        It is this one, unless there are more labels than a dense system can take.
        """
        if len(self.labeled) <= limits.LEAST_SQUARES_LABELED:
            return self
        order = np.random.RandomState(self.seed).permutation(len(self.labeled))
        kept = order[each_class_first(self.codes[order])][: limits.LEAST_SQUARES_LABELED]
        kept = np.sort(kept)
        weight, rows = None if self.weight is None else self.weight[kept], self.labeled[kept]
        part = self.target.of_rows(rows)
        return Bench(Space(), self.X[rows], part, self.seed, weight, self)

    def labeled_unit_rows(self) -> Any:
        """Return the labeled rows, scaled so that all rows have mean squared length one."""
        return self.X[self.labeled] / np.sqrt(self.variance)

    def linear_scores(self, coef: Floats, intercept: Floats) -> Floats:
        """Return the scores of all rows by a fit to :meth:`labeled_unit_rows`."""
        return np.asarray(self.X @ (coef / np.sqrt(self.variance)) + intercept)

    def row_weights(self) -> Floats | None:
        """Return the weights of all rows, one for unlabeled ones; None if all are equal."""
        if self.weight is None:
            return None
        weights = np.ones(self.X.shape[0])
        weights[self.labeled] = self.weight
        return weights

    def behind_steps(self, fitted: Any) -> Any:
        """Return a pipeline of the fitted steps of the space and a fitted estimator."""
        if self.steps is None:
            return fitted
        return Pipeline([*self.steps.steps, (type(fitted).__name__.lower(), fitted)])

    def settings_of_map(self, labels: Floats) -> MapSettings:
        """Return settings of a map to the labels of all rows, by held-out label vectors."""
        return map_settings(self.X, labels, self.gamma, self.seed)

    def map_of_labels(
        self, labels: Floats, labeler: Any | None = None, settings: MapSettings | None = None
    ) -> SSRLPLClassifier:
        """Return an unfitted whitened kernel map to the labels of all rows, with least squares.

        ``labeler`` is what gives these labels, if it is not the caller, and ``settings`` are those
        of :meth:`settings_of_map`, if they are known.
        """
        bandwidth, rho, _ = self.settings_of_map(labels) if settings is None else settings
        map_ = KernelSSRLPL(
            gamma=bandwidth * self.gamma,
            labeler=GivenLabels(labels, keep_rows=False) if labeler is None else labeler,
            constraint="whitened",
            rho=rho,
            far_rows="nearest",
            random_state=self.seed,
        )
        return SSRLPLClassifier(map_, "least_squares")


def _arrays(steps: Pipeline) -> Pipeline:
    """Return steps that give arrays, even if scikit-learn is configured to return DataFrames."""
    return steps.set_output(transform="default")


def leading_of(space: Space, benches: dict[Space, Bench]) -> Pipeline | None:
    """Return the fitted steps of a space of fewer principal components, if one has more.

    They end with the components: those of a rooted space are scaled afterwards.
    """
    if space.n_principal is None:
        return None
    for other, bench in benches.items():
        same = replace(other, n_principal=space.n_principal, rooted=space.rooted) == space
        if same and other != space:
            assert bench.steps is not None
            steps = deepcopy(bench.steps[: -1 if other.rooted else None])
            reduce, kept = steps[-1], space.n_principal
            reduce.n_components = kept
            if hasattr(reduce, "n_components_"):
                reduce.n_components_ = kept
            for name in (
                "components_",
                "explained_variance_",
                "explained_variance_ratio_",
                "singular_values_",
            ):
                setattr(reduce, name, getattr(reduce, name)[:kept])
            return steps
    return None


Scored = Iterator[tuple["Candidate", Floats]]
"""A candidate and its leave-one-out scores: a row for each labeled row, a column for each class."""


@dataclass(frozen=True)
class Candidate(ABC):
    """One setting of the search; candidates of a lower ``tier`` are preferred.

    A candidate labels rows. Its scores become probabilities by softmax(scores/τ).
    """

    tier: int
    space: Space

    takes_weights: ClassVar[bool] = True
    """Whether weights of labeled rows can be considered."""

    effort: ClassVar[int] = 1
    """About how long leave-one-out takes, in multiples of that of least squares."""

    is_read_by_map: ClassVar[bool] = True
    """Whether a map to the candidate's labels stands for it, because it has none of its own."""

    @property
    def uses_unlabeled(self) -> bool:
        """Whether the candidate uses unlabeled rows."""
        return True

    @property
    def border(self) -> str:
        """How classes are divided: by "straight" lines, by "steps", or by "curved" lines.

        The steps are those of trees; kernels and graphs draw curves along the rows.
        """
        return "curved"

    @classmethod
    @abstractmethod
    def loo_scores(cls, bench: Bench, candidates: Sequence[Any]) -> Scored:
        """Yield the scores of labeled rows left out, of candidates of this kind in one space.

        They are computed together because they share factorizations.
        """

    @abstractmethod
    def row_scores(self, bench: Bench) -> Floats:
        """Return the scores of all rows."""

    def build(self, bench: Bench, labels: Floats) -> Any:
        """Return the unfitted estimator, without the steps of the space, made of public parts.

        ``labels`` are the probabilities that the candidate gives to all rows. An estimator that
        has no way of its own to represent rows is a map to these.
        """
        return bench.map_of_labels(labels)

    def own_reader(self, bench: Bench, temperature: float) -> Any | None:  # noqa: ARG002
        """Return a fitted classifier that reads rows better than a map to its labels, or None.

        Smooth candidates have none: a map that also sees the unlabeled rows reads new ones better.
        """
        return None

    @abstractmethod
    def words(self) -> str:
        """Return a description of the setting."""


class OfLabeledRows(Candidate):
    """A candidate that learns from labeled rows."""

    @property
    def uses_unlabeled(self) -> bool:
        """Whether unlabeled rows are used: only in principal components."""
        return self.space.n_principal is not None


Kind = TypeVar("Kind", bound=Candidate)


def grouped(candidates: Sequence[Kind], *names: str) -> Iterator[tuple[Any, list[Kind]]]:
    """Yield groups of candidates that have equal values of the named settings."""

    def key(candidate: Kind) -> Any:
        return tuple(getattr(candidate, name) for name in names)

    for value, group in groupby(sorted(candidates, key=key), key):
        yield value, list(group)


def params_of(estimator: Any) -> dict[str, Any]:
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


def base_spaces(X: Any) -> list[Space]:
    """Return the unchanged columns, preceded by others where these are likely to be better.

    Standardized columns if scales differ widely, ranks if most columns have heavy tails.
    """
    if hasattr(X, "tocsr"):
        return [Space()]
    scale = column_scale(X)
    used = scale > 0
    scale = np.sort(scale[used])
    # The lower median: with two columns the upper median would be the largest scale itself.
    uneven = len(scale) > 0 and scale[-1] > _UNEVEN * scale[(len(scale) - 1) // 2]
    some = X[:: max(1, len(X) // 2000), used].astype(np.float64)
    deviation = some.std(axis=0)
    # Scaled first, so that no fourth power overflows or underflows.
    unit = (some - some.mean(axis=0))[:, deviation > 0] / deviation[deviation > 0]
    kurtosis = np.mean(np.square(unit**2), axis=0)  # NumPy's fourth power takes ten times as long
    heavy = 0 < len(kurtosis) <= limits.RANKED_COLUMNS and np.median(kurtosis) > _HEAVY
    first = [Space(ranked=True)] if heavy else []
    return [*first, *([Space(standardized=True)] if uneven else []), Space()]


def column_scale(X: Any) -> Floats:
    """Return the standard deviation of each column."""
    if hasattr(X, "tocsr"):
        mean = np.asarray(X.mean(axis=0)).ravel()
        square = np.asarray(X.multiply(X).mean(axis=0)).ravel()
        return np.sqrt(np.maximum(square - mean**2, 0))
    return np.asarray(X.std(axis=0), dtype=np.float64)


def total_variance(X: Any) -> float:
    """Return the sum of the variances of the columns, or 1 if all are zero."""
    return float(np.sum(column_scale(X) ** 2)) or 1.0
