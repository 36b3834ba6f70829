"""Published methods for few labels, to compare with: one file each, listed in ``registry.py``."""

from .harmonic import HarmonicFunctions
from .linear_neighborhood import LinearNeighborhoodPropagation
from .mincut import GraphMincut
from .pairwise import PairwisePropagation
from .poisson import PoissonLearning
from .registry import BASELINES, Published
from .sparse_neighborhood import SparseNeighborhoodPropagation

__all__ = [
    "BASELINES",
    "GraphMincut",
    "HarmonicFunctions",
    "LinearNeighborhoodPropagation",
    "PairwisePropagation",
    "PoissonLearning",
    "Published",
    "SparseNeighborhoodPropagation",
]
