"""Which estimator does the work, and how to ask it for what the job needs."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from .. import SSRLPL, KernelSSRLPL, KNNLabeler, SSRLPLClassifier
from .._utils import limits
from .._utils.progress import on_progress
from .._utils.types import Array
from ..baselines.registry import BASELINES
from ..model_selection import SSRLPLCV
from ..model_selection.candidates import params_of
from ..tables import TableError
from .options import FitOptions, Steps
from .published_model import PublishedModel


def settle_method(options: FitOptions) -> tuple[str, list[str]]:
    """Return the method to use, and a sentence if another option decided."""
    if options.method != "auto":
        return options.method, []
    if options.neighbors or options.sigma:
        return "kernel", ["--neighbors and --sigma fix the map, so no search was made: kernel."]
    return "auto", []


def approximated(estimator: Any, n_rows: int) -> list[str]:
    """Return a sentence on what a search approximated because the table is large."""
    if "EXACT_KERNEL_ROWS" not in getattr(estimator, "limits_hit_", ()):
        return []
    recall = getattr(estimator, "neighbor_recall_", 1.0)
    found = "" if recall == 1 else f", {recall:.1%} of the nearest rows of each row were found"
    return [
        f"With {n_rows:,} rows (more than {limits.EXACT_KERNEL_ROWS:,}) settings were compared on a"
        f" sample, and the map has landmarks{found}: docs/limits.md says what that costs."
    ]


SECONDS_A_CLASS = 0.05
"""Processor seconds of a search for each class, measured once each with ten rows a class: 3.5 for
``SSRLPLCV.fit`` with 100 classes, 13.5 with 500, 49 with 1,000. More columns take longer."""


def how_long(n_classes: int, n_certifying: int) -> str:
    """Say about how long a search with many classes takes, and further ones that certify it."""
    seconds = SECONDS_A_CLASS * n_classes * (1 + n_certifying)
    about = f"{seconds:.0f} seconds" if seconds < 100 else f"{seconds / 60:.0f} minutes"
    takes, fewer = "the search takes", ""
    if n_certifying:
        takes = "the search and those that certify its labels take"
        fewer = ", --no-certify only the first"
    return (
        f"{n_classes:,} classes: {takes} about {about} of one processor or more;"
        f" --method linear makes none{fewer}."
    )


def make_estimator(options: FitOptions, method: str) -> Any:
    """Return the estimator of a method, not fitted; its unlabeled rows are None."""
    if method == "auto":
        return SSRLPLCV(options.components, unlabeled=None, random_state=options.seed)
    if method in BASELINES:
        return PublishedModel(method, options.components, random_state=options.seed)
    return SSRLPLClassifier(make_map(options, method), unlabeled=None)


def fit_estimator(options: FitOptions, method: str, X: Any, y: Any, steps: Steps) -> Any:
    """Return the estimator of a method, fitted while a bar shows how far it is."""
    n_classes = len({label for label in y.tolist() if label is not None})
    if method not in ("linear", "kernel") and (options.components or 0) >= n_classes:
        raise TableError(
            f"--components must be at most {n_classes - 1} with {n_classes} classes. Got"
            f" {options.components}: leave it out, or take further directions with --method kernel."
        )
    done = 0.0
    total = None if method in BASELINES else 1.0  # published methods do not tell
    with steps.step("Fitting the model", total) as advance:

        def show(_: str, share: float) -> None:
            nonlocal done
            advance(share - done)
            done = share

        with on_progress(show):
            return make_estimator(options, method).fit(X, y)


def make_map(options: FitOptions, method: str) -> Any:
    """Return the linear or the kernel map with the parameters that were asked for."""
    gamma = "median" if options.sigma is None else 1 / (2 * options.sigma**2)
    labeler = KNNLabeler(options.neighbors or 5, gamma=gamma, random_state=options.seed)
    if method == "linear":
        return SSRLPL(options.components, labeler=labeler, unlabeled=None)
    return KernelSSRLPL(
        options.components, gamma=gamma, labeler=labeler, unlabeled=None, random_state=options.seed
    )


def map_of(estimator: Any) -> Any:
    """Return the fitted map inside an estimator."""
    if hasattr(estimator, "map_"):
        return estimator.map_
    found = estimator.representation_
    found = found[-1] if hasattr(found, "steps") else found
    return getattr(found, "estimator", found)  # taken out of FrozenEstimator


def linear_weights(estimator: Any) -> Array | None:
    """Return the weights of the columns in each component, None if the map is not linear.

    A search may have put a step between the columns and the map; then there are none either.
    """
    fitted = map_of(estimator)
    return None if _has_steps(estimator) else getattr(fitted, "components_", None)


def _has_steps(estimator: Any) -> bool:
    """Tell whether a search has put a step between the columns and the map."""
    found = getattr(estimator, "best_estimator_", None)
    return hasattr(getattr(found, "reader_", found), "steps")


def map_to_certify(estimator: Any) -> tuple[Any, str | None]:
    """Return a map like the one in use, not fitted, and a sentence if it is another one.

    The guarantee covers the paper's maps. In place of a variant the plain kernel map is certified.
    """
    if isinstance(estimator, PublishedModel):
        return KernelSSRLPL(unlabeled=None), (
            "The guarantee of the objective is about maps, so this certificate is about the plain"
            " kernel map on the same rows."
        )
    fitted = map_of(estimator)
    plain = {"constraint": "orthonormal", "unlabeled_weight": 1, "relabel_rounds": 0}
    is_plain = not _has_steps(estimator) and fitted.get_params().items() >= plain.items()
    if is_plain:
        return clone(fitted).set_params(unlabeled=None), None
    return KernelSSRLPL(unlabeled=None), (
        "The guarantee does not cover the variant that was chosen, so the certificate is about the"
        " plain kernel map on the same rows."
    )


def represent(estimator: Any, X: Array) -> NDArray[np.float32]:
    """Return the representation of encoded rows."""
    return in_blocks(estimator.transform, X).astype(np.float32)


def in_blocks(function: Any, X: Array) -> Array:
    """Apply a function of rows block by block, so that its working memory stays small."""
    step = limits.BLOCK_ROWS
    return np.concatenate([function(X[i : i + step]) for i in range(0, len(X), step)])


def describe(estimator: Any) -> dict[str, Any]:
    """Return the method's part of the summary."""
    if isinstance(estimator, PublishedModel):
        return _published(estimator)
    fitted = map_of(estimator)
    is_search = isinstance(estimator, SSRLPLCV)
    params = _settings(estimator.best_estimator_) if is_search else _map_params(fitted)
    return {
        "name": {SSRLPL: "linear map", KernelSSRLPL: "kernel map"}.get(
            type(fitted), "labeled rows only"
        ),
        "summary": str(estimator.summary()) if is_search else _in_words(fitted),
        "params": {name: as_json(value) for name, value in params.items()},
    }


def _published(estimator: PublishedModel) -> dict[str, Any]:
    entry = BASELINES[estimator.method]
    chosen = {name: getattr(estimator.estimator_, name) for name in entry.grid}
    settings = ", with settings that left-out labels chose" if chosen else ""
    return {
        "name": entry.title,
        "summary": f"{entry.title} ({entry.origin}){settings}; the map, of which the picture is"
        " made, is a kernel map fitted to its labels.",
        "params": {name: as_json(value) for name, value in chosen.items()},
    }


def _settings(estimator: Any) -> dict[str, Any]:
    """Return what differs from the defaults in an estimator and its parts, by class and name."""
    found: dict[str, Any] = {}
    for step in [part for _, part in getattr(estimator, "steps", [("", estimator)])]:
        for name, value in params_of(step).items():
            parts = value if isinstance(value, list) else [value]
            if all(hasattr(part, "get_params") for part in parts):
                for part in parts:
                    found |= _settings(part)
            elif np.isscalar(value) and name not in ("random_state", "unlabeled"):
                found[f"{type(step).__name__}.{name}"] = value
    return found


def _map_params(fitted: Any) -> dict[str, Any]:
    labeler = fitted.labeler_
    params = {"n_neighbors": labeler.n_neighbors_, "labeler_gamma": labeler.gamma_}
    if isinstance(fitted, KernelSSRLPL):
        params |= {"kernel": fitted.kernel, "gamma": fitted.gamma_}
    return params | {"n_components": fitted.n_components_}


def _in_words(fitted: Any) -> str:
    labeler = fitted.labeler_
    kind = "an RBF kernel map" if isinstance(fitted, KernelSSRLPL) else "a linear map"
    return (
        f"Each unlabeled row takes the weighted vote of its {labeler.n_neighbors_} nearest labeled"
        f" rows; {kind} to {fitted.n_components_} components is fitted to those votes, and"
        " logistic regression on the labeled rows gives the probabilities."
    )


def as_json(value: Any) -> Any:
    """Return a value that JSON can hold: None for a number that is not finite."""
    value = value.item() if isinstance(value, np.generic) else value
    if isinstance(value, float) and not np.isfinite(value):
        return None
    return value if isinstance(value, str | int | float | bool | None) else str(value)
