"""Labels chosen by ``label_next`` against labels drawn at random.

``python -m ssrlpl.experiments.active_curve`` writes results/label_next.csv and .png.
"""

from __future__ import annotations

import argparse
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._utils.progress import Progress
from ..active import label_next
from ..datasets import hide_labels
from ..labelers.knn import KNNLabeler
from ..maps.kernel import KernelSSRLPL
from .files import write_csv
from .sharpness import DATA

STEPS = (20, 30, 40, 60, 80, 100)
SETS = ("digits", "MNIST-10K")


def retained(X: Any, y: NDArray[Any], truth: NDArray[np.intp], best: float) -> float:
    """Return f†/f* of the map for a partially labeled target."""
    Z = estimator().fit_transform(X, y).astype(np.float64)
    T = np.eye(truth.max() + 1)[truth]
    return float(np.sum((Z.T @ (T - T.mean(axis=0)) / (len(X) - 1)) ** 2) / best)


def estimator() -> KernelSSRLPL:
    """Return the map of this experiment."""
    return KernelSSRLPL(labeler=KNNLabeler(1))


def curve(X: Any, truth: NDArray[np.intp], best: float, seed: int, *, active: bool) -> list[float]:
    """Return the retained objective at each number of labels; both ways start alike."""
    rng = np.random.RandomState(seed)
    y = hide_labels(truth, keep=STEPS[0], random_state=seed)
    values = [retained(X, y, truth, best)]
    for before, after in pairwise(STEPS):
        hidden = np.flatnonzero(y < 0)
        count = after - before
        rows = label_next(estimator(), X, y, count) if active else rng.permutation(hidden)[:count]
        y[rows] = truth[rows]
        values.append(retained(X, y, truth, best))
    return values


def run(names: list[str], seeds: int) -> list[dict[str, Any]]:
    """Return one row for each set, way, seed and number of labels."""
    results = []
    with Progress("label_next", len(names) * seeds * 2, verbose=True) as progress:
        for name in names:
            X, y = DATA[name]()
            truth = np.unique(y, return_inverse=True)[1]
            best = estimator().fit(X, truth).objective_
            for seed in range(seeds):
                for active in (False, True):
                    values = curve(X, truth, best, seed, active=active)
                    way = "label_next" if active else "random"
                    results += [
                        {"data": name, "way": way, "seed": seed, "labels": k, "retained": v}
                        for k, v in zip(STEPS, values, strict=True)
                    ]
                    progress.advance()
    return results


def draw(rows: list[dict[str, Any]], path: Path) -> None:
    """Draw mean and standard deviation over seeds."""
    import matplotlib.pyplot as plt

    names = list(dict.fromkeys(row["data"] for row in rows))
    figure, axes = plt.subplots(1, len(names), figsize=(5 * len(names), 3.6), layout="constrained")
    for ax, name in zip(np.atleast_1d(axes), names, strict=True):
        for way, color in (("random", "#8A8A8A"), ("label_next", "#0072B2")):
            mean, sd = summary(rows, name, way)
            ax.plot(STEPS, mean, marker="o", color=color, label=way)
            ax.fill_between(STEPS, mean - sd, mean + sd, color=color, alpha=0.2, linewidth=0)
        ax.set(title=name, xlabel="labels", ylabel="retained objective f†/f*")
        ax.legend(frameon=False, loc="lower right")
    figure.savefig(path, dpi=150)
    plt.close(figure)


def summary(
    rows: list[dict[str, Any]], name: str, way: str
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return mean and standard deviation at each number of labels."""
    values = np.array(
        [
            [r["retained"] for r in rows if (r["data"], r["way"], r["labels"]) == (name, way, k)]
            for k in STEPS
        ]
    )
    return values.mean(axis=1), values.std(axis=1)


def main(arguments: list[str] | None = None) -> None:
    """Write the curves and print their means."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("names", nargs="*", help=f"any of {', '.join(SETS)}; default all")
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--out", type=Path, default=Path("results"))
    options = parser.parse_args(arguments)
    names = options.names or list(SETS)
    rows = run(names, options.seeds)
    write_csv(rows, options.out / "label_next.csv")
    draw(rows, options.out / "label_next.png")
    for name in names:
        for way in ("random", "label_next"):
            cells = " ".join(f"{value:.3f}" for value in summary(rows, name, way)[0])
            print(f"{name:10} {way:10} {cells}")


if __name__ == "__main__":
    main()
