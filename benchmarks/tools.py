"""Timing, memory and data for the benchmarks."""

import os
import time
import tracemalloc
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ssrlpl.datasets import hide_labels, load_mnist, load_usps

DATA = Path(os.environ.get("SSRLPL_DATA", "../shared/data"))


class GivenLabels:
    """A labeler that has its answer already, to time a map alone."""

    def __init__(self, Y):
        self.label_distributions_ = Y

    def __sklearn_clone__(self):
        return self

    def fit(self, _X, _y):
        return self


class Spent(NamedTuple):
    """Seconds on the clock, and of all cores together."""

    wall: float
    cpu: float


def spent_in_turns(*works: Callable[[], Any], repeat: int = 3) -> list[Spent]:
    """Return the best of several runs of each, made in turns, so that other load meets them all.

    The threads of BLAS go on spinning for a tenth of a second after a run, on the cores that the
    next work needs; so there is a pause before each that is another one than the last.
    """
    best = [Spent(np.inf, np.inf)] * len(works)
    for _ in range(repeat):
        for place, work in enumerate(works):
            if work is not works[place - 1]:
                time.sleep(0.3)
            start, cpu = time.perf_counter(), time.process_time()
            work()
            now = Spent(time.perf_counter() - start, time.process_time() - cpu)
            best[place] = Spent(*map(min, best[place], now))
    return best


def seconds(work: Callable[[], Any], repeat: int = 3) -> float:
    """Return the best of several runs: the one least disturbed by other programs."""
    return spent_in_turns(work, repeat=repeat)[0].wall


def peak_megabytes(work: Callable[[], Any]) -> float:
    """Return the peak of memory allocated by ``work``."""
    tracemalloc.start()
    work()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / 1e6


@cache
def mnist() -> tuple[NDArray[np.float32], NDArray[Any]]:
    """Return all 70,000 MNIST images, pixels in [0, 1]."""
    X, y = load_mnist(folder=DATA, return_X_y=True)
    return X, y.astype(np.int64)


def mnist_part(n: int, n_labeled: int, seed: int = 0) -> tuple[NDArray[Any], ...]:
    """Return n random rows, a target with n_labeled labels, and the truth."""
    X, y = mnist()
    rows = np.random.default_rng(seed).permutation(len(X))[:n]
    truth = y[rows]
    return X[rows], hide_labels(truth, keep=n_labeled, random_state=seed), truth


def usps_part(n: int, n_labeled: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return n random USPS images in float64 and a target with n_labeled labels."""
    X, y = load_usps(folder=DATA, return_X_y=True)
    rows = np.random.default_rng(0).permutation(len(X))[:n]
    truth = np.unique(y[rows], return_inverse=True)[1]
    return X[rows].astype(np.float64), hide_labels(truth, keep=n_labeled, random_state=0)
