"""Published methods for few labels, to compare with: one file each, listed in ``registry.py``."""

from .harmonic import HarmonicFunctions
from .lap_rls import LapRLS
from .lap_svm import LapSVM
from .lap_svm_primal import LapSVMPrimal
from .lds import LDS
from .poisson import PoissonLearning
from .registry import BASELINES, Published
from .semi_ksc import SemiKSC
from .transductive_svm import TransductiveSVM

__all__ = [
    "BASELINES",
    "LDS",
    "HarmonicFunctions",
    "LapRLS",
    "LapSVM",
    "LapSVMPrimal",
    "PoissonLearning",
    "Published",
    "SemiKSC",
    "TransductiveSVM",
]
