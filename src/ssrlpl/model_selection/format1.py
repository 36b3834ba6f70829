"""Conversion of SSRLPLCV objects in model files of format 1, which stored no plain pipelines."""

from __future__ import annotations

from typing import Any

from .._core.readout import NearestReading
from ..classify import SSRLPLClassifier
from .candidates import Bench


class Part:
    """A candidate, a space or a fitted member in such a file, as plain attributes."""


def upgraded(state: dict[str, Any]) -> dict[str, Any]:
    """Return the state of a search with its fitted member converted to ``best_estimator_``."""
    state = dict(state)
    member, temperature = state.pop("_member"), state.pop("_temperature")
    map_, kind = member.map_, member.candidate.kind
    fitted = map_
    if kind == "ridge":
        fitted.temperature = fitted.temperature_ = temperature
    else:
        name = "nearest" if kind == "plain" else "least_squares"
        fitted = SSRLPLClassifier(map_, name, temperature=temperature)
        fitted.temperature_, fitted.representation_ = temperature, map_
        fitted.n_features_in_ = map_.n_features_in_
        fitted._n_features_out = map_.n_components_
        fitted.classifier_ = member.reading_
        if kind == "plain":
            parts = (member._labeled_Z, member._labeled_codes, member._n_classes)
            fitted.classifier_ = NearestReading(*parts)
    fitted.classes_ = state["classes_"]
    bench = Bench.__new__(Bench)
    bench.steps = member.space_
    return {**state, "best_estimator_": bench.behind_steps(fitted), "limits_hit_": ()}
