"""A table as a picture: a line for each problem, marks for the paper and some methods."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from .harness.averages import Metric, over_seeds
from .harness.cell_store import Row
from .harness.rendering import pyplot, save_figure
from .method_registry import METHODS
from .published import PAPER_NAME, Key, Printed
from .shown_names import shown_name

Mark = tuple[float, float]
"""Mean and standard deviation."""

_STYLES = (("#000000", "D"), ("#0072B2", "o"), ("#D55E00", "^"), ("#009E73", "s"), ("#999999", "v"))
"""Color and marker of the paper, then of the methods in their order."""


def draw_dots(
    rows: Sequence[Row], stem: Path, *, metric: Metric, published: Printed, methods: Sequence[str]
) -> list[Path]:
    """Draw the paper's number and those of some methods, bars of one sd."""
    columns: dict[str, Mapping[Key, Mark]] = {
        "paper": {key: printed[PAPER_NAME] for key, printed in published.items()}
    }
    summaries = over_seeds(rows, metric)
    keys = list(dict.fromkeys(summary.key for summary in summaries))
    for name in methods:
        columns[METHODS[name].title] = {
            s.key: (s.mean, s.sd) for s in summaries if s.method == name and s.mean is not None
        }
    height = 1.2 + 0.36 * len(keys)
    figure, ax = pyplot().subplots(figsize=(8, height), layout="constrained")
    for place, (title, marks) in enumerate(columns.items()):
        color, marker = _STYLES[place]
        lift = 0.13 * (place - (len(columns) - 1) / 2)
        shown = [(*marks[key], row + lift) for row, key in enumerate(keys) if key in marks]
        if shown:  # not in a run of some methods only
            means, bars, heights = zip(*shown, strict=True)
            ax.errorbar(
                means, heights, xerr=bars, linestyle="none", markersize=5, elinewidth=1,
                color=color, marker=marker, label=title,
            )  # fmt: skip
    ax.set_yticks(range(len(keys)), [f"{shown_name(data)}, {labels}" for data, labels in keys])
    ax.set(xlabel=metric.label, ylim=(len(keys) - 0.5, -0.5))
    ax.grid(axis="x", linewidth=0.4)
    figure.legend(loc="outside lower center", ncols=3, frameon=False, fontsize="small")
    return save_figure(figure, stem)
