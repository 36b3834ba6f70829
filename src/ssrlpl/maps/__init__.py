"""Maps from rows to a representation: linear, kernel, and least squares on the labeled rows."""

from .kernel import KernelSSRLPL
from .linear import SSRLPL
from .ridge import LabeledRidge

__all__ = ["SSRLPL", "KernelSSRLPL", "LabeledRidge"]
