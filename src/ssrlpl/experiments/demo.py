"""The main job on built-in data: ``python -m ssrlpl.experiments.demo``.

Two moons as in Fig. 1 of the paper, then scikit-learn's digits with 5 % of the labels.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

from .. import SSRLPL, KernelSSRLPL, KNNLabeler, LabeledOnly, SSRLPLClassifier
from .._utils.printing import Table
from .._utils.types import Array
from ..datasets import hide_labels, make_two_moons
from ..plotting import plot_representation
from .harness.rendering import save_figure

MOONS_SIGMA = 0.15
MOONS_SEED = 5  # picked by eye among MOONS_DRAWS: labels spread along both moons
MOONS_DRAWS = 20
DIGITS_DRAWS = 10


def moons_maps() -> dict[str, Any]:
    """Return the two maps of Fig. 1 with the paper's parameters.

    Two classes determine one component; the second one is the direction of largest variance in
    the complement, drawn only so that there is a plane to look at.
    """
    gamma = 1 / (2 * MOONS_SIGMA**2)
    return {
        "linear, k=1": SSRLPL(2, labeler=KNNLabeler(1)),
        "RBF, sigma=0.15, k=3": KernelSSRLPL(2, gamma=gamma, labeler=KNNLabeler(3, gamma=gamma)),
    }


def straight_line_accuracy(Z: Array, truth: Array) -> float:
    """Return the share of points on the right side of the best straight line that we can find."""
    return float(SVC(kernel="linear", C=1e4).fit(Z, truth).score(Z, truth))


def moons_table() -> Table:
    """Run Fig. 1 for the seed that is drawn, and over many draws of points and labels."""
    rows = []
    for name, estimator in moons_maps().items():
        scores = np.array([_moons_scores(estimator, seed) for seed in range(MOONS_DRAWS)])
        mean = scores.mean(axis=0)
        pairs = zip(scores[MOONS_SEED], mean, strict=True)
        rows.append((name, *(f"{drawn:.1%} (mean {mean:.1%})" for drawn, mean in pairs)))
    return Table(
        ("map", "right labels on unlabeled rows", "separated by a straight line"), tuple(rows)
    )


def _moons_scores(estimator: Any, seed: int) -> tuple[float, float]:
    X, y, truth = make_two_moons(random_state=seed)
    fitted = clone(estimator).fit(X, y)
    right = fitted.transduction_[y < 0] == truth[y < 0]
    return float(right.mean()), straight_line_accuracy(fitted.transform(X), truth)


def moons_figure() -> Any:
    """Draw Fig. 1: the data, the linear and the kernel representation."""
    import matplotlib.pyplot as plt

    X, y, truth = make_two_moons(random_state=MOONS_SEED)
    pictures = {"data, 4 labels in each class": X}
    pictures |= {name: clone(e).fit_transform(X, y) for name, e in moons_maps().items()}
    figure, axes = plt.subplots(1, 3, figsize=(11, 3.4), layout="constrained")
    for ax, letter, (title, Z) in zip(axes, "abc", pictures.items(), strict=True):
        last, title = ax is axes[-1], f"({letter}) {title}"
        plot_representation(Z, y, colored_by=truth, title=title, ax=ax, legend=last)
    axes[0].set(xlabel="x", ylabel="y")
    return figure


def digits_methods(k: int = 1) -> dict[str, Any]:
    """Return what is compared: the same vote of k labeled rows on five representations."""
    nearest = KNNLabeler(k)
    kernel, linear = KernelSSRLPL(labeler=nearest), SSRLPL(labeler=nearest)
    return {
        "raw pixels": LabeledOnly(nearest),
        "linear map, labeled rows only": LabeledOnly(make_pipeline(linear, nearest)),
        "linear map, all rows (SSRL-PL)": SSRLPLClassifier(linear, nearest),
        "kernel map, labeled rows only": LabeledOnly(make_pipeline(kernel, nearest)),
        "kernel map, all rows (SSRL-PL)": SSRLPLClassifier(kernel, nearest),
    }


def digits_split(seed: int) -> tuple[Array, ...]:
    """Return training rows, their partial target, their truth, held-out rows and their truth."""
    X, y = load_digits(return_X_y=True)
    X_train, X_test, y_train, y_test = train_test_split(
        X / 16, y, test_size=0.5, random_state=seed, stratify=y
    )
    return X_train, hide_labels(y_train, keep=0.05, random_state=seed), y_train, X_test, y_test


def digits_table() -> Table:
    """Return accuracies over random splits of the digits, half held out, 5 % labeled."""
    rows = []
    compared = [(k, *item) for k in (1, 5) for item in digits_methods(k).items()]
    for k, name, method in compared:
        scores = np.array([_digits_scores(method, seed) for seed in range(DIGITS_DRAWS)]) * 100
        cells = (f"{m:.1f} ± {s:.1f}" for m, s in zip(scores.mean(0), scores.std(0), strict=True))
        rows.append((k, name, *cells))
    return Table(("k", "representation", "unlabeled rows, %", "held-out rows, %"), tuple(rows))


def _digits_scores(method: Any, seed: int) -> tuple[float, float]:
    X, y, truth, X_test, y_test = digits_split(seed)
    fitted = clone(method).fit(X, y)
    hidden = y < 0
    return fitted.score(X[hidden], truth[hidden]), fitted.score(X_test, y_test)


def digits_figure() -> Any:
    """Draw the held-out digits in the learned space, the labeled training rows among them."""
    import matplotlib.pyplot as plt

    X, y, _, X_test, y_test = digits_split(0)
    map_ = KernelSSRLPL(3, labeler=KNNLabeler(1)).fit(X, y)
    labeled = y >= 0
    Z = np.vstack([map_.transform(X[labeled]), map_.transform(X_test)])
    target = np.concatenate([y[labeled], np.full(len(X_test), -1)])
    figure = plt.figure(figsize=(7, 5), layout="constrained")
    ax = figure.add_subplot(projection="3d")
    truth = np.concatenate([y[labeled], y_test])
    title = f"digits: {labeled.sum()} labeled rows (large), {len(X_test)} held-out rows (small)"
    plot_representation(Z, target, colored_by=truth, ax=ax, title=title)
    return figure


def main(out: Path = Path("demo-output")) -> None:
    """Print the tables and write the figures to a folder."""
    print("Two moons (Fig. 1 of the paper): 200 points, 4 labels in each class.")
    print(f"The figure's draw was picked among {MOONS_DRAWS}: its labels are well spread, and a")
    print("line separates the classes. Beside it is the mean over all of these draws.\n")
    print(moons_table(), "\n")
    print("Digits: half of 1,797 images held out; of the others 5 % keep their label.")
    print(f"Accuracy of the vote of k labeled rows, mean ± sd of {DIGITS_DRAWS} splits.\n")
    print(digits_table(), "\n")
    save_figure(moons_figure(), out / "two_moons", ".png")
    save_figure(digits_figure(), out / "digits", ".png")
    print(f"Figures: {out / 'two_moons.png'}, {out / 'digits.png'}")


if __name__ == "__main__":
    import typer

    typer.run(main)
