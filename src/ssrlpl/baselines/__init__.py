"""Published methods for few labels, to compare with: one file each, listed in ``registry.py``."""

from .harmonic import HarmonicFunctions
from .poisson import PoissonLearning
from .registry import BASELINES, Published

__all__ = ["BASELINES", "HarmonicFunctions", "PoissonLearning", "Published"]
