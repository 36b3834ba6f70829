"""Fill in the missing labels of a table, and know how many of them are right (SSRL-PL).

Nothing is imported before it is used: the help of the command line needs no scikit-learn.
"""

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._utils.progress import on_progress
    from .active import label_next
    from .any_estimator import LabeledOnly
    from .classify import SSRLPLClassifier
    from .guarantee import Certificate, GuaranteeWarning, certify, labels_needed, wta_error
    from .hsic import HSICTestResult, hsic, hsic_test
    from .labelers import GivenLabels, GraphLabeler, KNNLabeler
    from .labels import PartialLabels, encode_labels
    from .learners import LabeledForest
    from .maps import SSRLPL, KernelSSRLPL, LabeledRidge
    from .mixture import MixtureClassifier
    from .model_selection import SSRLPLCV, loo_predict
    from .persistence import load, save
    from .root_scaler import RootScaler
    from .tables import TableTransformer

__version__ = "0.2.0"

_HOME = {
    "Certificate": "guarantee",
    "GivenLabels": "labelers",
    "GraphLabeler": "labelers",
    "GuaranteeWarning": "guarantee",
    "HSICTestResult": "hsic",
    "KNNLabeler": "labelers",
    "KernelSSRLPL": "maps",
    "LabeledForest": "learners",
    "LabeledOnly": "any_estimator",
    "LabeledRidge": "maps",
    "MixtureClassifier": "mixture",
    "PartialLabels": "labels",
    "RootScaler": "root_scaler",
    "SSRLPL": "maps",
    "SSRLPLCV": "model_selection",
    "SSRLPLClassifier": "classify",
    "TableTransformer": "tables",
    "certify": "guarantee",
    "encode_labels": "labels",
    "hsic": "hsic",
    "hsic_test": "hsic",
    "label_next": "active",
    "labels_needed": "guarantee",
    "load": "persistence",
    "loo_predict": "model_selection",
    "on_progress": "_utils.progress",
    "save": "persistence",
    "wta_error": "guarantee",
}
"""The room of every public name."""

_ROOMS = ("baselines", "datasets", "distributed", "guarantee", "labelers", "labels", "maps",
          "model_selection", "plotting", "tables")  # fmt: skip
"""Rooms that are there after ``import ssrlpl``."""

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
    "LabeledForest",
    "LabeledOnly",
    "LabeledRidge",
    "MixtureClassifier",
    "PartialLabels",
    "RootScaler",
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
    "on_progress",
    "save",
    "wta_error",
]


def __getattr__(name: str) -> Any:
    if name in _ROOMS:
        return import_module(f".{name}", __name__)
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{_HOME[name]}", __name__), name)


def __dir__() -> list[str]:
    return [*__all__, *_ROOMS, "__version__"]


class _Package(ModuleType):
    """The class of the package: its ``hsic`` is the function, although a room has the same name."""

    @property
    def hsic(self) -> Any:
        return __getattr__("hsic")

    @hsic.setter
    def hsic(self, room: ModuleType) -> None:
        """Whoever imports the room sets it here: the function stays."""


sys.modules[__name__].__class__ = _Package
