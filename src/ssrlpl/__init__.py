"""Learn a representation when only a few rows are labeled, with a guarantee (SSRL-PL)."""

from .classify import LabeledOnly, SSRLPLClassifier
from .kernel import KernelSSRLPL
from .labeling import KNNLabeler
from .labels import PartialLabels, encode_labels
from .linear import SSRLPL

__version__ = "0.1.0"

__all__ = [
    "SSRLPL",
    "KNNLabeler",
    "KernelSSRLPL",
    "LabeledOnly",
    "PartialLabels",
    "SSRLPLClassifier",
    "encode_labels",
]
