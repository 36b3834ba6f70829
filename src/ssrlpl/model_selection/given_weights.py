"""What a user knows of classes and rows: shares of the classes, and weights of the labeled rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.utils.class_weight import compute_sample_weight

from .._utils.types import Array, Floats, VectorLike
from .._utils.validation import check_weights
from ..labels import PartialLabels


def read_class_prior(prior: Any, classes: Array) -> Floats | None:
    """Return the class shares in the order of the classes, or None if they are not known."""
    if prior is None:
        return None
    # A Series, as of value_counts(normalize=True), is sorted by share and not by class.
    by_class = prior.to_dict() if hasattr(prior, "to_dict") else prior
    if isinstance(by_class, Mapping):
        known = classes.tolist()
        missing = [label for label in known if label not in by_class]
        if missing:
            raise ValueError(f"class_prior must name every class. Got none for {missing[0]!r}.")
        unknown = [label for label in by_class if label not in known]
        if unknown:
            raise ValueError(
                "class_prior must name classes of labeled rows only. Got a share of a class with"
                f" no labeled row, {unknown[0]!r}: label a row of it, or leave it out."
            )
        by_class = [by_class[label] for label in known]
    try:
        shares = np.asarray(by_class, dtype=np.float64)
    except (TypeError, ValueError):
        shares = np.empty(0)
    right = shares.shape == (len(classes),) and np.all(shares > 0)
    if not right or abs(shares.sum() - 1) > 1e-3:
        raise ValueError(
            f"class_prior must hold {len(classes)} positive shares that sum to one, in the order"
            f" of the sorted classes, or be a dict by class. Got {prior!r}."
        )
    return np.asarray(shares / shares.sum())


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
