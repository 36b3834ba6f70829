"""All published methods of this room: their names, their origin and the grids they are tuned on.

Parameters are chosen by leave-one-label-out (:func:`ssrlpl.model_selection.loo_predict`); of
equally good settings the first is taken, so each list begins with the most ordinary value.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ._base import Baseline
from .harmonic import HarmonicFunctions
from .poisson import PoissonLearning

GRAPH_NEIGHBORS = (10, 5, 20)


@dataclass(frozen=True)
class Published:
    """A published method.

    Parameters
    ----------
    title, origin : str
        Its name and its reference, for tables.
    estimator : type
        The class.
    grid : mapping
        Values of its parameters to choose from, most ordinary first.
    """

    title: str
    origin: str
    estimator: type[Baseline]
    grid: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)


BASELINES: dict[str, Published] = {
    "harmonic": Published(
        "harmonic functions",
        "Zhu, Ghahramani, Lafferty 2003",
        HarmonicFunctions,
        {"n_neighbors": GRAPH_NEIGHBORS, "sharpness": (1.0, 4.0)},
    ),
    "poisson": Published(
        "Poisson learning",
        "Calder et al. 2020",
        PoissonLearning,
        {"n_neighbors": GRAPH_NEIGHBORS},
    ),
}
"""The registry."""
