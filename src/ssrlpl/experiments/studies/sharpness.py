"""How much of the truth certificates show."""

from __future__ import annotations

from collections.abc import Sequence

from ..certificate_truth import measure_sharpness
from ..drawn_problems import Drawn, load_drawn
from ..harness.averages import mean_measures
from ..harness.cell_store import Row
from ..harness.measuring import Measurement, Workbench
from ..harness.study import Plan, Report, Section, Study, flat_table
from ..shown_names import shown_name

TITLES = {"5 nearest": "5 nearest", "graph": "graph", "graph-40": "graph, 40 components"}
HEADS = {
    "theorem_3": "Theorem 3", "first_order": "first order",
    "truth_of_that_map": "truth, map without the calibration's labels",
    "loo": "cross-fitted", "truth": "truth, map of all labels",
    "loo_estimate": "estimate of the cross-fitted",
}  # fmt: skip
PROBLEMS = tuple(
    (name, Drawn(labels))
    for name in ("digits", "book Digit1", "USPS", "MNIST-10K")
    for labels in (50, 100, 200, 400, 800)
)


def report(rows: Sequence[Row]) -> Report:
    """Return the mean of every bound, and of the truth, by data set, map and number of labels."""
    flat = [
        {"data": shown_name(data), "map": TITLES[map_], "labels": int(protocol.split()[0])} | means
        for (data, protocol, map_), means in mean_measures(rows).items()
    ]
    shown = flat_table(flat, HEADS)
    return Report(flat, [Section("Certified and true share of the objective", shown)])


STUDY = Study(
    name="guarantee",
    title="How much of the truth certificates show",
    about=(
        "The share of the objective that a map retains, and what Theorem 3, the first-order bound,"
        " the calibration and the cross-fitted certificate say of it at 95 %; means over"
        " draws of labels, 0 if nothing is certified. RBF kernel, labels by the 5 nearest labeled"
        " rows or by a graph. Draws in which a class has no label are left out."
    ),
    full=Plan(PROBLEMS, tuple(TITLES), 5),
    quick=Plan(PROBLEMS[:2], tuple(TITLES), 2),
    report=report,
    bench=Workbench(
        {name: Measurement(name, title, measure_sharpness) for name, title in TITLES.items()},
        load_drawn,
    ),
)
