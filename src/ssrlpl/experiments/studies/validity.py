"""How often certificates claim more than the truth."""

from __future__ import annotations

from collections.abc import Sequence

from ..certificate_truth import measure_breaks
from ..drawn_problems import Drawn, load_drawn
from ..harness.averages import mean_measures
from ..harness.cell_store import Row
from ..harness.measuring import Measurement, Workbench
from ..harness.study import Plan, Report, Section, Study, flat_table
from ..shown_names import full_name
from ..worlds import LARGE_WORLDS, WORLDS

REAL = (
    "digits",
    "USPS",
    *(f"book {n}" for n in ("Digit1", "USPS", "BCI", "g241c", "COIL", "g241d")),
)
PROBLEMS = tuple((f"world {name}", Drawn(60)) for name in (*WORLDS, *LARGE_WORLDS))
KERNEL = tuple(f"world {name}" for name in ("adversarial cluster", "flipped cluster", "leverage"))
"""Worlds of the kernel map, which takes longer. ``make test-long`` has it in all worlds and on real
data, with fewer draws."""


def _takes(dataset: str, method: str) -> bool:
    return method == "linear" or dataset in KERNEL


def report(rows: Sequence[Row]) -> Report:
    """Count the draws in which each certificate was broken."""
    flat = []
    for (data, protocol, map_), means in mean_measures(rows).items():
        draws = means.pop("seeds")
        counts = {name: round(draws * share) for name, share in means.items()}
        labels = int(protocol.split()[0])
        flat.append(
            {"data": full_name(data), "map": map_, "labels": labels, "draws": draws} | counts
        )
    return Report(flat, [Section("Certificates that claim more than the truth", flat_table(flat))])


STUDY = Study(
    name="validity",
    title="How often certificates claim more than the truth",
    about=(
        "Labels are drawn many times, and with them the rows of the made-up worlds."
        " “calibration 80%” may break in a fifth of the draws, and so on; “every look” has 20"
        " teaching labels and breaks if it is too high after any ten of 40 held-out rows; “loo”"
        " promises nothing. A draw in which no certificate is issued, or a class has no label,"
        " breaks nothing."
    ),
    full=Plan(PROBLEMS, ("linear", "kernel"), 500, _takes),
    quick=Plan(PROBLEMS[: len(WORLDS)], ("linear", "kernel"), 3, _takes),
    report=report,
    bench=Workbench(
        {name: Measurement(name, name, measure_breaks) for name in ("linear", "kernel")}, load_drawn
    ),
)
