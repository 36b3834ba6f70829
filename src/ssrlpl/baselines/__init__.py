"""Published methods for few labels, to compare with: one file each, listed in ``registry.py``."""

from .dictionary import DKSVD, FDDL, LCKSVD, OSSDL, S2D2
from .harmonic import HarmonicFunctions
from .lap_rls import LapRLS
from .lap_svm import LapSVM
from .lap_svm_primal import LapSVMPrimal
from .lds import LDS
from .linear_neighborhood import LinearNeighborhoodPropagation
from .mincut import GraphMincut
from .pairwise import PairwisePropagation
from .poisson import PoissonLearning
from .registry import BASELINES, Published
from .semi_ksc import SemiKSC
from .sparse_neighborhood import SparseNeighborhoodPropagation
from .transductive_svm import TransductiveSVM

__all__ = [
    "BASELINES",
    "DKSVD",
    "FDDL",
    "LCKSVD",
    "LDS",
    "OSSDL",
    "S2D2",
    "GraphMincut",
    "HarmonicFunctions",
    "LapRLS",
    "LapSVM",
    "LapSVMPrimal",
    "LinearNeighborhoodPropagation",
    "PairwisePropagation",
    "PoissonLearning",
    "Published",
    "SemiKSC",
    "SparseNeighborhoodPropagation",
    "TransductiveSVM",
]
