"""Fig. 3: accuracy against the number of labels in three scenarios."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import product
from pathlib import Path

from ..harness.averages import ACCURACY_ON_TEST, over_seeds
from ..harness.cell_store import Row
from ..harness.rendering import pyplot, save_figure
from ..harness.study import Plan, Study
from ..method_registry import METHODS, WORKBENCH
from ..paper_comparison import compare_with_paper
from ..problems import Halves
from ..shown_names import shown_name

LABELS = {"MNIST-10K": (50, 100, 200, 500, 1000), "COIL-20": (36, 72, 144, 216, 288)}
PROBLEMS = tuple((name, Halves(count)) for name, counts in LABELS.items() for count in counts)
STYLES = {
    "labeled_only": ("#E69F00", "s", ":"),
    "kernel@paper": ("#0072B2", "o", "-"),
    "full_map": ("#56B4E9", "v", "--"),
    "fully_labeled": ("#009E73", "^", "--"),
}


def draw(rows: Sequence[Row], stem: Path) -> list[Path]:
    """Draw a panel for each data set, a line for each scenario, bars of one sd."""
    summaries = over_seeds(rows, ACCURACY_ON_TEST)  # in the order of LABELS
    names = list(dict.fromkeys(s.dataset for s in summaries))
    figure, axes = pyplot().subplots(1, len(names), figsize=(5 * len(names), 3.8), squeeze=False,
                                layout="constrained")  # fmt: skip
    for (ax, name), (method, (color, marker, line)) in product(
        zip(axes[0], names, strict=True), STYLES.items()
    ):
        found = [s for s in summaries if (s.dataset, s.method) == (name, method) and s.values]
        labels = [int(s.protocol.split()[0]) for s in found]
        ax.errorbar(
            labels, [s.mean for s in found], [s.sd for s in found], color=color, marker=marker,
            linestyle=line, capsize=2, label=METHODS[method].title if found else None,
        )  # fmt: skip
        ax.set(title=shown_name(name), xlabel="labeled training rows")
        ax.grid(linewidth=0.4)
    axes[0, 0].set_ylabel(ACCURACY_ON_TEST.label)
    axes[0, -1].legend(frameon=False, fontsize="small", loc="lower right")
    return save_figure(figure, stem)


STUDY = Study(
    name="scenarios",
    title="Fig. 3: three scenarios",
    about=(
        "Random halves; the map is found (1) from the labeled rows alone, (2) from all rows"
        " (SSRL-PL), (3) from all rows with all their labels, each by the kernel version with the"
        " paper's p and k. In (1) and (2) the classifier is the nearest labeled row; in (3) every"
        " training row is labeled (“fully labeled”). “Fully labeled map” is in between: the map"
        " knows all labels, the classifier those of the labeled rows, so it shows what the best"
        " labeler could do for the map. The paper prints no numbers for this figure; it says that"
        " SSRL-PL is close to the case in which all labels are known. Here it is close to the"
        " labeled rows alone from 100 labels on. A perfect labeler would gain the map 4 to 11"
        " points with few labels and 1 to 3 with many; the rest are labels the classifier lacks."
    ),
    full=Plan(PROBLEMS, tuple(STYLES), 10),
    quick=Plan(PROBLEMS[5:], ("labeled_only", "kernel@paper", "full_map"), 1),
    bench=WORKBENCH,
    report=partial(compare_with_paper, metric=ACCURACY_ON_TEST, published={}),
    draw=draw,
)
