"""Check which estimators the guarantee covers, and find the map inside a pipeline."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from sklearn.base import clone
from sklearn.pipeline import Pipeline

from ..maps._base import BaseMap


class Opened(NamedTuple):
    """A map, its input rows, and a function that puts a fitted map back into its pipeline."""

    map_: Any
    X: Any
    wrap: Callable[[Any], Any]


def open_up(estimator: Any, X: Any) -> Opened:
    """Return the map to certify; the steps before it in a pipeline are fitted to all rows.

    They do not get y, because the theorem requires rows that do not depend on the labels.
    """
    if not isinstance(estimator, Pipeline):
        check_covered(estimator)
        return Opened(estimator, X, lambda fitted: fitted)
    name, map_ = estimator.steps[-1]
    check_covered(map_)
    if len(estimator.steps) == 1:
        return Opened(map_, X, lambda fitted: Pipeline([(name, fitted)]))
    before = clone(estimator[:-1])
    return Opened(
        map_, _transformed(before, X), lambda fitted: Pipeline([*before.steps, (name, fitted)])
    )


def check_covered(estimator: Any) -> None:
    """Raise if the guarantee does not cover an estimator."""
    if hasattr(estimator, "loo_probabilities_") or type(estimator).__name__ == "SSRLPLCV":
        raise TypeError(
            "estimator must be a map of the paper. Got SSRLPLCV, which chooses among variants the"
            " guarantee does not cover: certify a plain map, such as KernelSSRLPL(), on the same"
            " rows, or the labels that it fills in, with ssrlpl.guarantee.certify_labels."
        )
    if not isinstance(estimator, BaseMap):
        raise TypeError(
            "estimator must be SSRLPL, KernelSSRLPL or a pipeline that ends with one. Got"
            f" {type(estimator).__name__}: pass the map itself, or certify the labels that a"
            " classifier fills in, with ssrlpl.guarantee.certify_labels."
        )
    if estimator.constraint != "orthonormal":
        raise ValueError(
            "certify covers maps with orthonormal directions only. Got"
            f" constraint={estimator.constraint!r}: set constraint='orthonormal'."
        )
    if estimator.unlabeled_weight != 1:
        raise ValueError(
            "certify covers maps in which every row counts the same. Got"
            f" unlabeled_weight={estimator.unlabeled_weight!r}: set unlabeled_weight=1."
        )


def _transformed(before: Pipeline, X: Any) -> Any:
    try:
        return before.fit_transform(X)
    except (TypeError, ValueError) as error:
        raise ValueError(
            "Steps before the map must not use labels, so they were fitted on the rows alone."
            f" That failed ({error}): transform X by other means before certify."
        ) from error
