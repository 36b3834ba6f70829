"""The bound of Theorem 3 beside the deviation it bounds, on every problem of the paper."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..._utils.printing import Table
from ..harness.averages import mean_measures
from ..harness.cell_store import Row
from ..harness.measuring import OK, Workbench
from ..harness.rendering import pyplot, save_figure
from ..harness.study import Plan, Report, Section, Study
from ..method_registry import Method
from ..problems import Given, Halves, Protocol, load_problem
from ..shown_names import shown_name
from ..theorem import deviation_and_bounds, winner_take_all_map
from . import benchmarks, real_sets

PROBLEMS: tuple[tuple[str, Protocol], ...] = (
    ("two moons", Given(8)),
    ("USPS", Halves(0.1, train=2000)),
    *benchmarks.PROBLEMS,
    *real_sets.PROBLEMS,
)
MEASURES = {
    "error": "wrong labels (true)", "error_loo": "wrong labels (leave-one-out)",
    "root_best": "√f*", "deviation": "true √f* - √f†", "first_order": "first-order bound",
    "theorem_3": "Theorem 3, true error", "theorem_3_loo": "Theorem 3, estimated error",
    "retained": "retained f†/f*",
}  # fmt: skip


def means(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """Return the mean of each measure for each problem."""
    return [
        {"dataset": dataset, "protocol": protocol, "seeds": found["seeds"]}
        | {name: found[name] for name in MEASURES}
        for (dataset, protocol, _), found in mean_measures(rows).items()
    ]


def report(rows: Sequence[Row]) -> Report:
    """Return the table of bounds and how many of them say anything."""
    flat = means(rows)
    table = Table(
        ("data", "labels", *MEASURES.values()),
        tuple(
            (shown_name(r["dataset"]), r["protocol"], *(f"{r[name]:.4f}" for name in MEASURES))
            for r in flat
        ),
    )
    holds = sum(
        row["measures"]["deviation"] <= row["measures"]["theorem_3"] + 1e-6
        for row in rows
        if row["status"] == OK
    )
    vacuous = sum(r["theorem_3"] >= r["root_best"] for r in flat)
    text = (
        f"The bound holds in {holds} of {sum(row['status'] == OK for row in rows)} cells. It is"
        f" vacuous, larger than √f* itself, on {vacuous} of {len(flat)} problems, although it is"
        " handed the true error. `ssrlpl.certify` gives a statement that is not, see"
        " `docs/guarantee.md`."
    )
    return Report(flat, [Section("Bound and deviation, means over seeds", table, text)])


def draw(rows: Sequence[Row], stem: Path) -> list[Path]:
    """Draw deviation, first-order bound and Theorem 3, each as a share of √f*."""
    flat = means(rows)
    figure, ax = pyplot().subplots(figsize=(8, 0.32 * len(flat) + 1.6), layout="constrained")
    heights = list(range(len(flat)))[::-1]
    styles = {
        "deviation": ("true deviation", "#0072B2", "o"),
        "first_order": ("first-order bound", "#009E73", "s"),
        "theorem_3": ("Theorem 3 (true error)", "#D55E00", "D"),
    }
    for name, (label, color, marker) in styles.items():
        shares = [max(r[name] / r["root_best"], 1e-4) for r in flat]
        ax.scatter(shares, heights, color=color, marker=marker, label=label, zorder=3)
    ax.axvline(1, color="black", linewidth=1, linestyle="--")
    ax.text(1.08, max(heights) + 0.75, "vacuous beyond", fontsize="small", va="center")
    ax.set(xscale="log", xlabel="share of √f*", ylim=(-0.6, max(heights) + 1.2))
    ax.set_yticks(heights, [f"{shown_name(r['dataset'])}, {r['protocol']}" for r in flat])
    ax.grid(axis="y", linewidth=0.4)
    figure.legend(loc="outside lower center", ncols=3, frameon=False)
    return save_figure(figure, stem)


STUDY = Study(
    name="bound",
    title="Theorem 3: the bound beside the true deviation",
    about=(
        "The winner-take-all kernel map with C-1 components; the RBF kernel puts rows on the unit"
        " sphere. f* is the objective of the map that knows all labels, f† that of the map found,"
        " both measured with the true labels."
    ),
    full=Plan(PROBLEMS, ("theorem",), 10),
    quick=Plan(PROBLEMS[:6], ("theorem",), 1),
    report=report,
    draw=draw,
    bench=Workbench(
        {
            "theorem": Method(
                "theorem", "winner-take-all map", winner_take_all_map,
                deviation_and_bounds.__module__, measure=deviation_and_bounds,
            )
        },
        load_problem,
    ),
)  # fmt: skip
