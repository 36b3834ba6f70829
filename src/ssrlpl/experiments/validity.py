"""How often certificates claim more than the truth: ``python -m ssrlpl.experiments.validity``.

Labels are drawn many times. "calibration" may break in 5 % of the draws; "loo" promises nothing.
A draw in which no certificate is issued, or a class has no label, breaks nothing.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray

from .._core.geometry import MapGeometry
from .._utils.printing import Table as PrintedTable
from .._utils.progress import Progress
from ..datasets import load_ssl_book
from ..guarantee.findings import cross_fitted, rigorous
from ..guarantee.held_out import cross_fitted_errors, draw_split, held_out_errors
from ..labels import UNLABELED, PartialLabels, encode_labels
from ..maps.kernel import KernelSSRLPL
from ..maps.linear import SSRLPL
from .files import write_csv
from .sharpness import DATA
from .worlds import WORLDS

DELTA = 0.05
MAPS = {"linear": SSRLPL(), "kernel": KernelSSRLPL()}
BOOK = ("Digit1", "USPS", "BCI", "g241c", "COIL", "g241d")

Draw = Callable[[int], tuple[Any, NDArray[np.intp]]]
"""From a seed to rows and all their labels."""


def calibration_breaks(
    estimator: Any, X: Any, truth: NDArray[np.intp], n_labeled: int, seed: int
) -> bool:
    """Tell whether one calibration certificate claims more than the truth."""
    target = _labeled(truth, n_labeled, seed)
    if target is None:
        return False
    fit_rows, calibration = draw_split(target, np.random.RandomState(seed))
    if len(np.unique(truth[fit_rows])) < 2:
        return False
    _, sample = held_out_errors(estimator, X, target, calibration)
    found = rigorous(sample, DELTA)
    return found.retained_lower > _retained(estimator, X, truth, sample.geometry) + 1e-9


def loo_breaks(
    estimator: Any, X: Any, truth: NDArray[np.intp], n_labeled: int, seed: int
) -> bool:  # fmt: skip
    """Tell whether one cross-fitted certificate claims more than the truth."""
    target = _labeled(truth, n_labeled, seed)
    samples = [] if target is None else cross_fitted_errors(estimator, X, target)
    if target is None or not samples:
        return False
    _, _, Z = estimator.refit(X, target)
    geometry = estimator.products(X, None).geometry(Z)
    found = cross_fitted(samples, DELTA)
    return found.retained_lower > _retained(estimator, X, truth, geometry) + 1e-9


def _labeled(truth: NDArray[np.intp], n_labeled: int, seed: int) -> PartialLabels | None:
    y = np.full(len(truth), UNLABELED)
    rows = np.random.default_rng(seed).permutation(len(truth))[:n_labeled]
    y[rows] = truth[rows]
    if len(np.unique(truth[rows])) < len(np.unique(truth)):
        return None
    return encode_labels(y)


def _retained(estimator: Any, X: Any, truth: NDArray[np.intp], geometry: MapGeometry) -> float:
    codes = np.unique(truth, return_inverse=True)[1]
    best = type(estimator)().fit(X, codes).objective_
    return float(geometry.objective(np.eye(codes.max() + 1)[codes]) / best)


def world(name: str, seed: int) -> tuple[Any, NDArray[np.intp]]:
    """Return a fresh draw of a world."""
    return WORLDS[name](np.random.default_rng(1000 + seed))


def real_sets() -> Iterator[tuple[str, Callable[[], tuple[Any, NDArray[Any]]]]]:
    """Yield names and loaders of the real sets."""
    yield "digits", DATA["digits"]
    yield "USPS", DATA["USPS"]
    for name in BOOK:
        yield f"SSL book {name}", partial(load_ssl_book, name, return_X_y=True)


def some_rows(X: Any, y: NDArray[Any]) -> tuple[Any, NDArray[np.intp]]:
    """Return 1,000 rows, in float64, and the codes of their labels."""
    rows = np.random.default_rng(0).permutation(X.shape[0])[:1000]
    return np.asarray(X[rows], dtype=np.float64), np.unique(y[rows], return_inverse=True)[1]


def _cases() -> Iterator[tuple[str, str, int, Draw]]:
    """Yield data, map, number of labels and what draws the data."""
    for name in WORLDS:
        for map_ in MAPS:
            yield name, map_, 60, partial(world, name)
    for name, load in real_sets():
        X, truth = some_rows(*load())
        yield name, "kernel", 100, partial(_same, X, truth)


def _same(X: Any, truth: NDArray[np.intp], _: int) -> tuple[Any, NDArray[np.intp]]:
    return X, truth


def _both(estimator: Any, draw: Draw, n_labeled: int, seed: int) -> tuple[bool, bool]:
    X, truth = draw(seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of few labeled rows
        return (
            calibration_breaks(estimator, X, truth, n_labeled, seed),
            loo_breaks(estimator, X, truth, n_labeled, seed),
        )


def main(arguments: list[str] | None = None) -> None:
    """Count broken certificates and write the counts as CSV."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--draws", type=int, default=200)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--out", type=Path, default=Path("results/validity.csv"))
    options = parser.parse_args(arguments)
    cases, found = list(_cases()), []
    with Progress("validity", len(cases), verbose=True) as progress:
        for data, map_, n_labeled, draw in cases:
            broken = Parallel(options.jobs)(
                delayed(_both)(MAPS[map_], draw, n_labeled, seed) for seed in range(options.draws)
            )
            counts = np.sum(broken, axis=0)
            found.append(
                {"data": data, "map": map_, "labels": n_labeled, "draws": options.draws,
                 "calibration_broken": int(counts[0]), "loo_broken": int(counts[1])}
            )  # fmt: skip
            write_csv(found, options.out)
            progress.advance()
    print(PrintedTable(tuple(found[0]), tuple(tuple(row.values()) for row in found)))


if __name__ == "__main__":
    main()
