"""How much of the truth the certificates show: ``python -m ssrlpl.experiments.sharpness``.

For each data set and number of labels: the retained objective of the map, and what Theorem 3, the
first-order bound, the calibration and the cross-fitted certificate say of it. Labels are drawn at
random; the truth uses all labels and nothing is chosen by it.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_digits
from sklearn.utils import check_random_state

from .._utils.printing import Table as PrintedTable
from .._utils.progress import Progress
from ..datasets import load_mnist, load_ssl_book, load_usps
from ..guarantee.bounds import retained_from_first_order, retained_from_second_order, theorem_bound
from ..guarantee.findings import cross_fitted, rigorous
from ..guarantee.held_out import cross_fitted_errors, draw_split, held_out_errors
from ..labelers.graph import GraphLabeler
from ..labels import encode_labels
from ..maps.kernel import KernelSSRLPL
from .files import write_csv

LABELS = (50, 100, 200, 400, 800)
LABELERS: dict[str, Any] = {
    "5 nearest": None,
    "graph": GraphLabeler(10, alpha=0.9, sharpness=4),
}
MAPS = {name: KernelSSRLPL(labeler=labeler) for name, labeler in LABELERS.items()} | {
    "graph, 40 components": KernelSSRLPL(40, labeler=LABELERS["graph"])
}
"""Maps of C-1 components by their labeler, and one with further components by variance."""

COLUMNS = (
    "data", "map", "labels", "seeds", "theorem_3", "first_order", "calibration",
    "truth_of_that_map", "loo", "truth", "loo_estimate",
)  # fmt: skip


def _digits() -> tuple[Any, NDArray[Any]]:
    X, y = load_digits(return_X_y=True)
    return (X / 16).astype(np.float32), y


DATA: dict[str, Callable[[], tuple[Any, NDArray[Any]]]] = {
    "digits": _digits,
    "Digit1": lambda: load_ssl_book("Digit1", return_X_y=True),
    "USPS": lambda: load_usps(return_X_y=True),
    "MNIST-10K": lambda: load_mnist("10k", return_X_y=True),
}


def measure(
    estimator: Any, X: Any, truth: NDArray[np.intp], best: float, n_labeled: int, seed: int
) -> dict[str, float] | None:
    """Return what each bound says for one draw of labels, or None if a class has no label."""
    rng = check_random_state(seed)
    y = np.full(len(truth), -1)
    rows = rng.permutation(len(truth))[:n_labeled]
    y[rows] = truth[rows]
    target, products = encode_labels(y), estimator.products(X, None)
    T = np.eye(truth.max() + 1)
    if len(target.classes) < len(T):
        return None
    _, calibration = draw_split(target, rng)
    _, sample = held_out_errors(estimator, X, target, calibration, products)
    found = rigorous(sample, 0.05)
    wrong = float(np.mean(sample.used[calibration].argmax(axis=1) != truth[calibration]))
    crossed = cross_fitted(cross_fitted_errors(estimator, X, target, products), 0.05)
    geometry = products.geometry(estimator.refit(X, target)[2])
    theorem = theorem_bound(len(X), len(sample.population), wrong)
    return {
        "theorem_3": max(1 - theorem / np.sqrt(best), 0.0) ** 2,
        "first_order": retained_from_first_order(found.used_root, found.epsilon_upper),
        "calibration": found.retained_lower,
        "truth_of_that_map": sample.geometry.objective(T[truth]) / best,
        "loo": crossed.retained_lower,
        "truth": geometry.objective(T[truth]) / best,
        "loo_estimate": retained_from_second_order(crossed.root, crossed.residual),
    }


def run(names: list[str], seeds: int) -> list[dict[str, Any]]:
    """Return one row for each data set, map and number of labels, means over seeds."""
    results = []
    cells = len(names) * len(MAPS) * len(LABELS) * seeds
    with Progress("sharpness", cells, verbose=True) as progress:
        for name in names:
            X, y = DATA[name]()
            truth = np.unique(y, return_inverse=True)[1]
            best = KernelSSRLPL().fit(X, truth).objective_
            for (map_, estimator), n_labeled in product(MAPS.items(), LABELS):
                found = []
                for seed in range(seeds):
                    found.append(measure(estimator, X, truth, best, n_labeled, seed))
                    progress.advance()
                cell = {"data": name, "map": map_, "labels": n_labeled}
                results.append(cell | _means([row for row in found if row is not None]))
    return results


def _means(rows: list[dict[str, float]]) -> dict[str, float]:
    means = {k: float(np.mean([row[k] for row in rows])) for k in rows[0]} if rows else {}
    return {"seeds": len(rows)} | means


def main(arguments: list[str] | None = None) -> None:
    """Print the table of sharpness and write it as CSV."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("names", nargs="*", help=f"any of {', '.join(DATA)}; default all")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--out", type=Path, default=Path("results/guarantee.csv"))
    options = parser.parse_args(arguments)
    rows = run(options.names or list(DATA), options.seeds)
    write_csv(rows, options.out)
    cells = tuple(tuple(row.get(column, "") for column in COLUMNS) for row in rows)
    print(PrintedTable(COLUMNS, cells))
    print(f"\nWritten to {options.out}")


if __name__ == "__main__":
    main()
