"""Table 1: three sets of the SSL book, their twelve splits, 10 and 100 labels."""

from __future__ import annotations

from functools import partial

from ..dots import draw_dots
from ..harness.averages import ERROR_ON_UNLABELED
from ..harness.study import Plan, Study
from ..method_registry import WORKBENCH
from ..paper_comparison import compare_with_paper
from ..problems import Given
from ..published import PAPER_TABLE_1

PROBLEMS = tuple(
    (f"book {name}", Given(labels)) for labels in (10, 100) for name in ("g241c", "g241d", "BCI")
)

STUDY = Study(
    name="benchmarks",
    title="Table 1: g241c, g241d and BCI",
    about=(
        "Twelve given splits with 10 and 100 labels. Every method chooses its parameters by"
        " leave-one-out on labeled rows; the classifier in the representation is the nearest"
        " labeled row. Mean ± standard deviation over the splits."
    ),
    full=Plan(
        PROBLEMS, ("linear", "kernel", "wta", "cv", "labeled_only", "1nn", "svm",
                   "label_spreading", "self_training"), 12,
    ),
    quick=Plan(PROBLEMS[2:3] + PROBLEMS[5:], ("linear", "1nn"), 2),
    bench=WORKBENCH,
    report=partial(compare_with_paper, metric=ERROR_ON_UNLABELED, published=PAPER_TABLE_1),
    draw=partial(
        draw_dots, metric=ERROR_ON_UNLABELED, published=PAPER_TABLE_1,
        methods=("kernel", "cv", "svm", "self_training"),
    ),
)  # fmt: skip
