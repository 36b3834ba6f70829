"""Rows of a table that are equal to the rows that are asked for, found without any distance.

A model is mostly asked about the rows that it was fitted to. Each row has a fingerprint, a sum of
its bits with fixed random weights; rows of the same fingerprint are compared.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .._utils.types import Array, Ints
from .blocks import block_rows, row_slices


def equal_rows(rows: Any, X: Any, most: int) -> Ints:
    """Return for each row of X the numbers of up to ``most`` rows that equal it, -1 for no row.

    Only arrays of the same type are compared: equal numbers of two types have other bits. So have
    0 and -0, which are not found here either.
    """
    found = np.full((X.shape[0], most), -1)
    dense = isinstance(rows, np.ndarray) and isinstance(X, np.ndarray)
    if not dense or rows.dtype != X.dtype or rows.dtype not in (np.float32, np.float64):
        return found
    table, asked = _fingerprints(rows), _fingerprints(X)
    near = np.flatnonzero(np.isin(table, asked))
    near = near[np.argsort(table[near], kind="stable")]
    start, end = (np.searchsorted(table[near], asked, side=side) for side in ("left", "right"))
    for j in range(most):
        own = np.flatnonzero(start + j < end)
        for part in row_slices(len(own), block_rows(rows.itemsize * rows.shape[1])):
            some = own[part]
            other = near[start[some] + j]
            equal = (rows[other] == X[some]).all(axis=1)
            found[some[equal], j] = other[equal]
    return found


def _fingerprints(rows: Array) -> Array:
    words = np.ascontiguousarray(rows).view(np.uint32)
    weights = np.random.default_rng(0).integers(1 << 64, size=words.shape[1], dtype=np.uint64)
    found = np.empty(len(words), dtype=np.uint64)
    # Sums of 64 bits, because small whole numbers have nothing but zeros in their last 20 bits.
    for part in row_slices(len(words), block_rows(8 * words.shape[1])):
        found[part] = words[part].astype(np.uint64) @ (weights | np.uint64(1))
    return found
