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

_FEW = 20
"""Rows of a kind below which the gamma approximation calls random samples suspect: of 6 rows with
30 columns of rare marks 3.5 % instead of 0.1 %, of 2 rows up to 13 %."""

_NAMED = 3
"""Columns that are named at most."""


def sampling_p_value(X: Any, sample: Ints, others: Ints) -> float:
    """Return the p-value of a test that some rows and others have the same distribution.

    On at most 500 rows of each, and two tests in one, each with half of the level (Bonferroni). An
    HSIC test of independence between a row and whether it is in the sample sees differences in
    many columns at once. It measures distances of rows, in which a column of ages beside a column
    of incomes does not count, so each column is also tested on its own (Kolmogorov-Smirnov).
    """
    some, in_sample = _tested_rows(X, sample, others)
    n_sample = int(np.count_nonzero(in_sample))
    n_others = len(in_sample) - n_sample
    if min(n_sample, n_others) < 2 or len(in_sample) < 6:
        return 1.0
    whole = hsic_test(some, in_sample, method="gamma").p_value
    if whole < LEVEL and min(n_sample, n_others) < _FEW:  # an exact test, where it may matter
        whole = hsic_test(some, in_sample, n_permutations=4999).p_value
    if X.shape[1] > limits.SAMPLING_TEST_COLUMNS:
        return whole
    gap = float(_gaps(some, in_sample).max(initial=0.0))
    # Smirnov's tail, with the constant that Wei and Dudley (2012) proved for samples of equal size.
    tail = 2.17 * np.exp(-2 * gap**2 * n_sample * n_others / (n_sample + n_others))
    return float(min(1.0, 2 * min(whole, X.shape[1] * tail)))


def how_sample_differs(X: Any, sample: Ints, is_labeled: Mask, names: Any = None) -> str:
    """Return in which columns a sample differs from the rows without a label; empty if in none.

    The sample is the labeled rows that measure: all of them, or those that audit. ``names`` are
    those of the columns.
    """
    groups = np.sort(sample), np.flatnonzero(~is_labeled)
    p_value = sampling_p_value(X, *groups)
    if p_value >= LEVEL:
        return ""
    gaps = _gaps(*_tested_rows(X, *groups))
    worst = np.argsort(-gaps, kind="stable")[:_NAMED]
    columns = ", ".join(
        f"column {column}" if names is None else str(names[column])
        for column in worst
        if gaps[column] >= 0.8 * gaps[worst[0]]  # only those that differ about as much
    )
    return f"differ from the others in {columns} (two-sample test, p = {p_value:.1g})"


def _gaps(some: Any, in_sample: Mask) -> Floats:
    """Return the largest difference of the two distribution functions in each column."""
    steps = np.where(in_sample, 1 / in_sample.sum(), -1 / (~in_sample).sum())
    gaps = np.zeros(some.shape[1])
    for part in row_slices(some.shape[1], limits.SAMPLING_TEST_ROWS):  # bounds the memory
        block = some[:, part].toarray() if issparse(some) else np.asarray(some[:, part])
        order = np.argsort(block, axis=0, kind="stable")
        heights = np.cumsum(steps[order], axis=0)
        sorted_ = np.take_along_axis(block, order, axis=0)
        ends = np.vstack([sorted_[1:] != sorted_[:-1], np.ones((1, block.shape[1]), bool)])
        gaps[part] = np.max(np.abs(heights) * ends, axis=0)
    return gaps


def _tested_rows(X: Any, sample: Ints, others: Ints) -> tuple[Any, Mask]:
    """Return rows of both kinds, drawn at random, and which of them are of the sample."""
    rng = np.random.RandomState(0)
    drawn = [rng.permutation(rows)[: limits.SAMPLING_TEST_ROWS] for rows in (sample, others)]
    return X[np.concatenate(drawn)], np.arange(sum(map(len, drawn))) < len(drawn[0])
