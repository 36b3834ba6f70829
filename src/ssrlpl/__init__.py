"""Learn a representation when only a few rows are labeled, with a guarantee (SSRL-PL)."""

from .active import label_next
from .any_estimator import LabeledOnly
from .classify import SSRLPLClassifier
from .guarantee import Certificate, GuaranteeWarning, certify, labels_needed, wta_error
from .hsic import HSICTestResult, hsic, hsic_test
from .labelers import GivenLabels, GraphLabeler, KNNLabeler
from .labels import PartialLabels, encode_labels
from .maps import SSRLPL, KernelSSRLPL, LabeledRidge
from .model_selection import SSRLPLCV, loo_predict
from .persistence import load, save
from .tables import TableTransformer

__version__ = "0.2.0"

__all__ = [
    "SSRLPL",
    "SSRLPLCV",
    "Certificate",
    "GivenLabels",
    "GraphLabeler",
    "GuaranteeWarning",
    "HSICTestResult",
    "KNNLabeler",
    "KernelSSRLPL",
    "LabeledOnly",
    "LabeledRidge",
    "PartialLabels",
    "SSRLPLClassifier",
    "TableTransformer",
    "certify",
    "encode_labels",
    "hsic",
    "hsic_test",
    "label_next",
    "labels_needed",
    "load",
    "loo_predict",
    "save",
    "wta_error",
]
