"""Classifiers of the labeled rows alone."""

from .labeled_forest import LabeledForest

__all__ = ["LabeledForest"]
