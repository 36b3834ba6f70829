"""Stratified folds and samples of labeled rows, without chance."""

from __future__ import annotations

import numpy as np

from .._utils.types import Ints


def class_folds(codes: Ints, n_folds: int) -> list[Ints]:
    """Return the positions of each fold; the rows of a class go to the folds in turn.

    Classes start at different folds, so that classes with few rows do not fill the same ones.
    """
    fold = np.empty(len(codes), dtype=np.intp)
    for code in np.unique(codes):
        rows = np.flatnonzero(codes == code)
        fold[rows] = (np.arange(len(rows)) + code) % n_folds
    parts = (np.flatnonzero(fold == number) for number in range(n_folds))
    return [part for part in parts if len(part)]


def each_class_first(codes: Ints) -> Ints:
    """Return all positions in order, after the first one of each class."""
    first = np.unique(codes, return_index=True)[1]
    return np.concatenate([first, np.delete(np.arange(len(codes)), first)])
