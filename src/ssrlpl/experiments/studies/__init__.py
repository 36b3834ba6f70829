"""The studies: one file for each figure, table or experiment."""

from __future__ import annotations

from ..harness.study import Study
from . import (
    benchmarks,
    book_benchmark,
    bound,
    certified_labels,
    dictionaries,
    label_curve,
    label_validity,
    league,
    moons,
    ordinary,
    real_sets,
    rivals,
    scenarios,
    sharpness,
    unseen,
    usps3d,
    validity,
    variants,
    verdict_counts,
)

STUDIES: dict[str, Study] = {
    study.name: study
    for study in (
        moons.STUDY, usps3d.STUDY, benchmarks.STUDY, real_sets.STUDY, scenarios.STUDY,
        bound.STUDY, book_benchmark.STUDY, variants.STUDY, sharpness.STUDY, validity.STUDY,
        certified_labels.STUDY, label_validity.STUDY, *verdict_counts.STUDIES, label_curve.STUDY,
        league.STUDY, unseen.STUDY, ordinary.STUDY, rivals.STUDY, dictionaries.STUDY,
    )
}  # fmt: skip
"""By the name on the command line."""
