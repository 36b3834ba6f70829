"""Tables of many methods: means, marks where a rival is ahead, and what was not computed."""

from __future__ import annotations

import pytest

from ssrlpl.experiments.harness.cell_store import Cell
from ssrlpl.experiments.harness.measuring import compute
from ssrlpl.experiments.method_registry import PUBLISHED, WORKBENCH
from ssrlpl.experiments.method_table import AHEAD, losses, method_table, seconds_table
from ssrlpl.experiments.problems import Given


def cells(method, errors, data="book BCI", **entries):
    return [
        {"dataset": data, "protocol": "10 labels", "method": method, "seed": seed,
         "status": "failed" if error is None else "ok", "error_unlabeled": error,
         "reason": "", "fit_seconds": 1.0, **entries}
        for seed, error in enumerate(errors)
    ]  # fmt: skip


ROWS = [
    *cells("cv", (0.2, 0.4, 0.3)),
    *cells("lap_svm", (0.5, None, 0.2), seconds_alone=7.0),
    *cells("lds", (0.1, 0.3, 0.2)),
    *cells("1nn", (None, None, None)),
]


def test_a_line_for_each_method_with_marks_and_counts():
    table = method_table(ROWS, {("book BCI", "10 labels"): {"LapSVM": (48, 3), "SSRL-PL": (42, 3)}})
    lines = {line[0]: line[1:] for line in table.rows}
    assert lines["**SSRLPLCV**"] == ("30.0 ± 10.0", "2.0", "")
    assert lines["LDS"] == (f"20.0 ± 10.0 {AHEAD}", "1.0", "1 of 1")
    assert lines["LapSVM"] == ("35.0 ± 21.2 (2)", "3.0", "0 of 1")  # behind on common splits
    assert lines["LapSVM *"] == ("48.0 ± 3.0", "", "")
    assert lines["1-NN"] == ("failed", "-", "0 of 1")
    assert [line[0] for line in table.rows][1:3] == ["LapSVM", "LapSVM *"]
    assert table.rows[-1][0] == "SSRL-PL *"


def test_rivals_ahead_are_named_with_their_lead():
    ((_, _, ours, rivals),) = losses(ROWS).rows
    assert (ours, rivals) == ("30.0 ± 10.0", "LDS (10.0)")


def test_seconds_of_published_methods_are_those_of_a_fit_alone():
    seconds = dict(seconds_table(ROWS).rows)
    assert (seconds["LapSVM"], seconds["LDS"]) == ("7.00", "1.00")


@pytest.mark.parametrize("method", [m.name for m in PUBLISHED])
def test_published_methods_are_tuned_and_scored(method):
    rows = [compute(Cell("test", "two moons", Given(8), method, s), WORKBENCH) for s in (0, 1)]
    assert [row["reason"] for row in rows] == ["", ""]
    assert rows[0]["error_unlabeled"] < 0.5
    assert ["seconds_alone" in row for row in rows] == [True, False]
    assert rows[0]["params"]
