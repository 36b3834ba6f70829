"""Labels chosen by ``label_next`` against labels drawn at random."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from ..._utils.printing import Table
from ..drawn_problems import Drawn, load_drawn
from ..growing_labels import STEPS, WAYS, measure_curve
from ..harness.cell_store import Row
from ..harness.measuring import OK, Measurement, Workbench
from ..harness.rendering import pyplot, save_figure
from ..harness.study import Plan, Report, Section, Study

PROBLEMS = tuple((name, Drawn(STEPS[-1])) for name in ("digits", "MNIST-10K"))


def curves(rows: Sequence[Row]) -> dict[tuple[str, str], np.ndarray]:
    """Return the retained objective by data set and way: a row for each seed, a column a step."""
    found: dict[tuple[str, str], list[list[float]]] = {}
    for row in rows:
        if row["status"] == OK:
            values = [row["measures"][f"retained_{count}"] for count in STEPS]
            found.setdefault((row["dataset"], row["method"]), []).append(values)
    return {key: np.array(values) for key, values in found.items()}


def report(rows: Sequence[Row]) -> Report:
    """Return every value, and a table of means."""
    flat = [
        {
            "data": row["dataset"], "way": row["method"], "seed": row["seed"], "labels": count,
            "retained": row["measures"][f"retained_{count}"],
        }
        for row in rows
        if row["status"] == OK
        for count in STEPS
    ]  # fmt: skip
    lines = tuple(
        (*key, len(values), *(f"{mean:.3f}" for mean in values.mean(axis=0)))
        for key, values in curves(rows).items()
    )
    table = Table(("data", "way", "seeds", *(f"{count} labels" for count in STEPS)), lines)
    return Report(flat, [Section("Retained objective f†/f*, means over seeds", table)])


def draw(rows: Sequence[Row], stem: Path) -> list[Path]:
    """Draw mean and standard deviation over seeds."""
    found = curves(rows)
    names = list(dict.fromkeys(data for data, _ in found))
    figure, axes = pyplot().subplots(
        1, len(names), figsize=(5 * len(names), 3.6), squeeze=False, layout="constrained"
    )
    for ax, name in zip(axes[0], names, strict=True):
        for way, color in (("random", "#8A8A8A"), ("label_next", "#0072B2")):
            if (name, way) in found:
                values = found[name, way]
                mean, sd = values.mean(axis=0), values.std(axis=0)
                ax.plot(STEPS, mean, marker="o", color=color, label=way)
                ax.fill_between(STEPS, mean - sd, mean + sd, color=color, alpha=0.2, linewidth=0)
        ax.set(title=name, xlabel="labels", ylabel="retained objective f†/f*")
        ax.legend(frameon=False, loc="lower right")
    return save_figure(figure, stem)


STUDY = Study(
    name="label_next",
    title="Labels chosen by label_next against labels drawn at random",
    about=(
        "Both ways begin with the same 20 labels, drawn at random with one for each class. The map"
        " is the kernel map with labels by the nearest labeled row; the objective is measured with"
        " the true labels, as a share of that of the map that knows all labels."
    ),
    full=Plan(PROBLEMS, tuple(WAYS), 10),
    quick=Plan(PROBLEMS[:1], tuple(WAYS), 1),
    report=report,
    bench=Workbench({way: Measurement(way, way, measure_curve) for way in WAYS}, load_drawn),
    draw=draw,
)
