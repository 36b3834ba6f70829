"""Published graph methods as rivals of the league.

The number of neighbors of harmonic functions is chosen by exact leave-one-out; of equally good
ones the first is taken.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..baselines.harmonic import HarmonicFunctions
from ..baselines.poisson import PoissonLearning
from ..labels import UNLABELED
from ..model_selection.loo import loo_predict
from .peers import Trained, peer
from .spreading import Codes

NEIGHBORS = (10, 5, 20)


@peer
def harmonic_functions(X: Any, codes: Codes) -> Trained:
    """Train harmonic functions with class-mass normalization.

    Examples
    --------
    >>> from ssrlpl.experiments.league_baselines import harmonic_functions
    >>> model = harmonic_functions().fit([[0.0], [1.0], [5.0], [6.0]], [0, -1, -1, 1])
    >>> model.predict([[1.0], [5.0]])
    array([0, 1])
    """
    labels = codes[codes != UNLABELED]
    counts = [k for k in NEIGHBORS if k < len(codes)] or [1]
    models = [HarmonicFunctions(k, unlabeled=UNLABELED) for k in counts]
    hits = [np.sum(loo_predict(m, X, codes, unlabeled=UNLABELED) == labels) for m in models]
    model = models[int(np.argmax(hits))].fit(X, codes)
    return Trained(model, {"n_neighbors": model.n_neighbors}, model.transduction_)


@peer
def poisson_learning(X: Any, codes: Codes) -> Trained:
    """Train Poisson learning with ten neighbors, as its authors have it.

    Leave-one-out of one cell with 26 classes would take a minute. Probabilities are not asked for,
    so their scale may be anything.
    """
    model = PoissonLearning(temperature=1.0, unlabeled=UNLABELED).fit(X, codes)
    return Trained(model, {}, model.transduction_)
