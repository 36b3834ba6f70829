"""Weights of the labeled rows, as a user gives them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.utils.class_weight import compute_sample_weight

from .._utils.types import Floats, VectorLike
from .._utils.validation import check_weights
from ..labels import PartialLabels, shown

_LIGHTEST = 1e-10
"""Share of the largest weight that every row has at least: with less, the systems of least squares
cannot be solved in float64, and no answer would show the difference."""


def labeled_weights(
    sample_weight: VectorLike | None, class_weight: Any, X: Any, target: PartialLabels
) -> Floats | None:
    """Return the weights of the labeled rows, with mean one, or None if all are equal."""
    if not (class_weight is None or isinstance(class_weight, Mapping)) and (
        not isinstance(class_weight, str) or class_weight != "balanced"
    ):
        raise ValueError(f"class_weight must be a dict, 'balanced' or None. Got {class_weight!r}.")
    if isinstance(class_weight, Mapping):
        classes = target.classes.tolist()
        unknown = [label for label in class_weight if label not in classes]
        if unknown and not all(label in class_weight for label in classes):
            raise ValueError(
                f"class_weight must name classes of the labeled rows, {shown(classes)}. Got"
                f" {shown(unknown[0])}: write it as in y, or leave it out."
            )
    weight = check_weights(sample_weight, X, total_above=0)
    weight = np.ones(target.n_labeled) if weight is None else weight[target.labeled]
    if np.any(weight <= 0):
        raise ValueError(
            "sample_weight must be positive for labeled rows, or a class may lose its rows. Got"
            f" {np.count_nonzero(weight <= 0)} zeros: leave such rows unlabeled instead."
        )
    of_class = compute_sample_weight(class_weight, target.labels_of_labeled())
    if not np.all((of_class > 0) & np.isfinite(of_class)):
        raise ValueError(
            "class_weight must hold positive and finite numbers. Got"
            f" {class_weight!r}: leave the rows of a class that shall not count unlabeled."
        )
    weight = weight * of_class
    weight = np.maximum(weight, _LIGHTEST * weight.max())
    weight = weight / weight.mean()
    return None if np.all(weight == weight[0]) else np.asarray(weight)
