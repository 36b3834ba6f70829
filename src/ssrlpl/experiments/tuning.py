"""How parameters are chosen: by the errors on labeled rows left out.

No label of an unlabeled or a test row is seen. Rows left out stay in the table as unlabeled rows,
so the map that labels them was fitted on them like on every other unlabeled row.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.model_selection import KFold
from sklearn.neighbors import KNeighborsClassifier

from .._utils.types import Ints
from ..classify import SSRLPLClassifier
from ..labels import UNLABELED
from ..model_selection.loo import loo_predict

Params = Mapping[str, Any]
Build = Callable[[Params, Any], Any]
"""Takes parameters and the rows, returns an estimator with ``fit(X, y)`` and ``predict(X)``."""

EXACT_LABELS = 1000
"""Labels up to which every row is left out alone, if that is quick; with more, folds."""
FOLDS = 5


def predict_left_out(estimator: Any, X: Any, y: Ints, *, exact: bool = False) -> Ints:
    """Return a code for each labeled row, predicted without its own label.

    Exact leave-one-out where it is quick (see :func:`is_quick`) and asked for; otherwise five
    folds of the labeled rows, because each takes a fit.
    """
    if exact:
        return np.asarray(loo_predict(estimator.representation, X, y, unlabeled=UNLABELED))
    labeled = np.flatnonzero(y != UNLABELED)
    predicted = np.empty(len(labeled), dtype=np.intp)
    folds = KFold(min(FOLDS, len(labeled)), shuffle=True, random_state=0)
    for kept, left in folds.split(labeled):
        hidden = y.copy()
        hidden[labeled[left]] = UNLABELED
        classes = np.unique(y[labeled[kept]])
        predicted[left] = (
            estimator.fit(X, hidden).predict(X[labeled[left]]) if len(classes) > 1 else classes[0]
        )
    return predicted


def is_quick(estimator: Any, y: Ints) -> bool:
    """Tell whether exact leave-one-out is cheap: 1-NN after a map of C-1 components, few labels."""
    return bool(
        isinstance(estimator, SSRLPLClassifier)
        and isinstance(estimator.classifier, KNeighborsClassifier)
        and estimator.classifier.n_neighbors == 1
        and estimator.representation.n_components is None
        and int(np.count_nonzero(y != UNLABELED)) <= EXACT_LABELS
    )


def choose_by_loo(build: Build, grid: Sequence[Params], X: Any, y: Ints) -> tuple[Params, float]:
    """Return the parameters with the fewest errors on labeled rows left out, and that error.

    The first of several equally good candidates is taken, so put the simplest first. y holds codes,
    -1 for unlabeled.

    Examples
    --------
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from ssrlpl import LabeledOnly
    >>> from ssrlpl.experiments.tuning import choose_by_loo
    >>> X, y = np.arange(8.0)[:, None], np.array([0, 0, 0, -1, -1, 1, 1, 1])
    >>> def build(params, X):
    ...     return LabeledOnly(KNeighborsClassifier(params["k"]))
    >>> choose_by_loo(build, [{"k": 4}, {"k": 1}], X, y)
    ({'k': 1}, 0.0)
    """
    truth = y[y != UNLABELED]
    candidates = [build(params, X) for params in grid]
    exact = all(is_quick(candidate, y) for candidate in candidates)  # the same measure for all
    errors = [np.mean(predict_left_out(c, X, y, exact=exact) != truth) for c in candidates]
    best = int(np.argmin(errors))
    return grid[best], float(errors[best])


class ChosenByLOO(ClassifierMixin, BaseEstimator):
    """An estimator with the parameters that leave-one-out on labeled rows prefers.

    Candidates come in stages, the simplest first. Each stage adds to what the stages before it
    chose, so that parameters can be chosen one after the other where all pairs would take too long.
    """

    def __init__(self, build: Build, stages: Sequence[Sequence[Params]]):
        self.build = build
        self.stages = stages

    def fit(self, X: Any, y: Ints) -> ChosenByLOO:
        """Choose parameters and fit with them; y holds codes, -1 for unlabeled."""
        chosen: Params = {}
        for stage in self.stages:
            grid = [{**chosen, **params} for params in stage]
            chosen, self.loo_error_ = choose_by_loo(self.build, grid, X, y)
        self.chosen_params_ = chosen
        self.estimator_ = self.build(chosen, X).fit(X, y)
        return self

    def predict(self, X: Any) -> Ints:
        """Predict with the fitted estimator."""
        return np.asarray(self.estimator_.predict(X))
