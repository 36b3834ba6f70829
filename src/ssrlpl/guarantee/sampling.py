"""Do the labeled rows look like a random sample? A two-sample test, and the columns that differ."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import issparse

from .._core.blocks import row_slices
from .._utils import limits
from .._utils.types import Floats, Ints, Mask
from ..hsic import hsic_test

LEVEL = 0.001
"""Level of the test; small, so that a random sample rarely causes a warning."""

_NAMED = 3
"""Columns that are named at most."""


def sampling_p_value(X: Any, is_labeled: Mask) -> float:
    """Return the p-value of a test that labeled and unlabeled rows have the same distribution.

    On at most 500 labeled and 500 unlabeled rows, and two tests in one, each with half of the level
    (Bonferroni). An HSIC test of independence between a row and whether it is labeled sees
    differences in many columns at once. It measures distances of rows, in which a column of ages
    beside a column of incomes does not count, so each column is also tested on its own
    (Kolmogorov-Smirnov).
    """
    rows = _tested_rows(is_labeled)
    n_labeled = int(np.count_nonzero(is_labeled[rows]))
    n_others = len(rows) - n_labeled
    if min(n_labeled, n_others) < 2 or len(rows) < 6:
        return 1.0
    whole = hsic_test(X[rows], is_labeled[rows], method="gamma").p_value
    if X.shape[1] > limits.SAMPLING_TEST_COLUMNS:
        return whole
    gap = float(_gaps(X, is_labeled, rows).max(initial=0.0))
    # Smirnov's tail, with the constant that Wei and Dudley (2012) proved for samples of equal size.
    tail = 2.17 * np.exp(-2 * gap**2 * n_labeled * n_others / (n_labeled + n_others))
    return float(min(1.0, 2 * min(whole, X.shape[1] * tail)))


def how_sample_differs(X: Any, sample: Ints, is_labeled: Mask, names: Any = None) -> str:
    """Return in which columns a sample differs from the rows without a label; empty if in none.

    The sample is the labeled rows that measure: all of them, or those that audit. ``names`` are
    those of the columns.
    """
    rows = np.sort(np.concatenate([sample, np.flatnonzero(~is_labeled)]))
    p_value = sampling_p_value(X[rows], is_labeled[rows])
    if p_value >= LEVEL:
        return ""
    columns = ", ".join(columns_that_differ(X[rows], is_labeled[rows], names))
    return f"differ from the others in {columns} (two-sample test, p = {p_value:.1g})"


def columns_that_differ(X: Any, is_labeled: Mask, names: Any) -> list[str]:
    """Return the columns in which labeled and unlabeled rows differ the most, worst first."""
    gaps = _gaps(X, is_labeled, _tested_rows(is_labeled))
    worst = np.argsort(-gaps, kind="stable")[:_NAMED]
    # Only those that differ about as much as the worst one.
    return [
        f"column {column}" if names is None else str(names[column])
        for column in worst
        if gaps[column] >= 0.8 * gaps[worst[0]]
    ]


def _gaps(X: Any, is_labeled: Mask, rows: Ints) -> Floats:
    """Return the largest difference of the two distribution functions in each column."""
    some, labeled = X[rows], is_labeled[rows]
    steps = np.where(labeled, 1 / labeled.sum(), -1 / (~labeled).sum())
    gaps = np.zeros(some.shape[1])
    for part in row_slices(some.shape[1], limits.SAMPLING_TEST_ROWS):  # bounds the memory
        block = some[:, part].toarray() if issparse(some) else np.asarray(some[:, part])
        order = np.argsort(block, axis=0, kind="stable")
        heights = np.cumsum(steps[order], axis=0)
        sorted_ = np.take_along_axis(block, order, axis=0)
        ends = np.vstack([sorted_[1:] != sorted_[:-1], np.ones((1, block.shape[1]), bool)])
        gaps[part] = np.max(np.abs(heights) * ends, axis=0)
    return gaps


def _tested_rows(is_labeled: Mask) -> Ints:
    rng = np.random.RandomState(0)
    parts = [
        rng.permutation(np.flatnonzero(kind))[: limits.SAMPLING_TEST_ROWS]
        for kind in (is_labeled, ~is_labeled)
    ]
    return np.concatenate(parts)
