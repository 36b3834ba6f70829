"""Fig. 2: 2,000 images of USPS, 10 % labeled, in three dimensions; 9,000 images held out."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import numpy as np

from ..._utils.printing import Table
from ...plotting import class_style
from .. import ours
from ..harness.averages import ACCURACY_ON_TEST, ACCURACY_ON_UNLABELED, over_seeds
from ..harness.cell_store import Row
from ..harness.measuring import Workbench
from ..harness.rendering import pyplot, save_figure
from ..harness.study import Plan, Report, Section, Study
from ..method_registry import Method
from ..problems import DATASETS, Halves, Hints, load_problem

PROBLEM = ("USPS", Halves(0.1, train=2000))


def report(rows: Sequence[Row]) -> Report:
    """Return the accuracy on unlabeled training rows and on the rows held out."""
    pairs = list(
        zip(
            over_seeds(rows, ACCURACY_ON_UNLABELED), over_seeds(rows, ACCURACY_ON_TEST), strict=True
        )
    )
    flat = [
        {
            "method": seen.method, "seeds": len(seen.values), "unlabeled": seen.mean,
            "unlabeled_sd": seen.sd, "test": new.mean, "test_sd": new.sd, "seconds": seen.seconds,
        }
        for seen, new in pairs
    ]  # fmt: skip
    table = Table(
        ("map", "draws", ACCURACY_ON_UNLABELED.label, ACCURACY_ON_TEST.label),
        tuple((METHODS[s.method].title, len(s.values), str(s), str(t)) for s, t in pairs),
    )
    text = (
        "The paper gives no numbers; it says that the map “is generalizable as its performance on"
        " the training set and the large unseen test set is the same”. The nearest labeled row in"
        " three dimensions:"
    )
    return Report(flat, [Section("Does the map generalize?", table, text)])


def draw(_rows: Sequence[Row], stem: Path) -> list[Path]:
    """Draw labeled rows on the left, others on the right, of one draw that is fitted here."""
    from matplotlib.lines import Line2D

    problem = load_problem(*PROBLEM, seed=0)
    map_ = ours.usps_in_three_dimensions(Hints())
    map_.fit(problem.X[problem.train], problem.target())
    figure = pyplot().figure(figsize=(10.5, 5.2), layout="constrained")
    rest = np.concatenate([problem.unlabeled, problem.test])
    panels = {
        f"(a) {len(problem.labeled)} labeled images": (problem.labeled, 22, 0.9),
        f"(b) {len(problem.unlabeled):,} unlabeled and {len(problem.test):,} test images":
            (rest, 3, 0.4),
    }  # fmt: skip
    transform = map_.estimator_.representation_.transform
    Z = transform(problem.X[problem.train])
    low, high = Z.min(axis=0), Z.max(axis=0)
    pad = 0.04 * (high - low)
    limits = np.column_stack([low - pad, high + pad])  # the same axes for both panels
    for place, (title, (rows, size, alpha)) in enumerate(panels.items(), start=1):
        ax = figure.add_subplot(1, 2, place, projection="3d")
        # Drawn in random order, so that no digit lies on top of the others.
        shuffled = np.random.default_rng(0).permutation(rows)
        colors = [class_style(int(digit))["color"] for digit in problem.truth[shuffled]]
        ax.scatter(
            *transform(problem.X[shuffled]).T, s=size, c=colors, alpha=alpha, linewidths=0,
            depthshade=False, rasterized=True,
        )  # fmt: skip
        ax.set(title=title, xlabel="component 1", ylabel="component 2", zlabel="component 3")
        ax.set(xlim=limits[0], ylim=limits[1], zlim=limits[2])
        ax.tick_params(labelsize=7)
        ax.view_init(elev=22, azim=-52)
        ax.set_box_aspect(None, zoom=0.9)  # room for the label of the vertical axis
    handles = [
        Line2D([], [], linestyle="", markersize=7, label=str(label), **class_style(code))
        for code, label in enumerate(np.unique(DATASETS["USPS"]()[1]))
    ]
    figure.legend(
        handles=handles, ncols=10, loc="outside lower center", frameon=False, title="digit"
    )
    return save_figure(figure, stem)


METHODS = {
    "ball": Method("ball", "σ = 2, rows scaled into the unit ball", ours.usps_in_three_dimensions),
    "pixels": Method(
        "pixels", "σ = 2, pixels in [0, 1]", partial(ours.usps_in_three_dimensions, ball=False)
    ),
}

STUDY = Study(
    name="usps3d",
    title="Fig. 2: USPS in three dimensions",
    about=(
        "2,000 of 11,000 images for training, 10 % of them labeled, RBF kernel with σ = 2, k = 1,"
        " three components. The paper takes its data from the unit ball; only with images scaled"
        " into it (divided by the longest one) is σ = 2 wide enough. Left: labeled images. Right:"
        " unlabeled training images and the 9,000 images held out."
    ),
    full=Plan((PROBLEM,), ("ball", "pixels"), 10),
    quick=Plan((PROBLEM,), ("ball", "pixels"), 1),
    report=report,
    draw=draw,
    bench=Workbench(METHODS, load_problem),
)
