"""Labelers: from rows and a partially labeled target to a label vector for each row."""

from .given import GivenLabels
from .graph import GraphLabeler
from .knn import KNNLabeler

__all__ = ["GivenLabels", "GraphLabeler", "KNNLabeler"]
