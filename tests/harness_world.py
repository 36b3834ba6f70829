"""Problems and methods that cost nothing, for tests of the harness."""

from __future__ import annotations

import os
import time
from pathlib import Path

import numpy as np
from sklearn.neighbors import KNeighborsClassifier

from ssrlpl import LabeledOnly
from ssrlpl.experiments.harness.cell_store import Cell
from ssrlpl.experiments.harness.measuring import Workbench
from ssrlpl.experiments.method_registry import Method
from ssrlpl.experiments.problems import Halves, Problem

PROTOCOL = Halves(6)


def load(dataset: str, protocol: Halves, seed: int) -> Problem:
    if dataset == "absent":
        raise FileNotFoundError("absent.npz is missing: put it there.")
    rng = np.random.RandomState(seed)
    truth = np.arange(60) % 3
    X = truth[:, None] + rng.normal(scale=0.6, size=(60, 2))
    order = rng.permutation(60)
    return Problem(X, truth, order[:9], order[9:30], order[30:])


def nearest(hints):
    return LabeledOnly(KNeighborsClassifier(1))


class Broken:
    def fit(self, X, y):
        raise ZeroDivisionError("no pivot")


def broken(hints):
    return Broken()


def missing(hints):
    raise ImportError("pip install something")


class Slow(LabeledOnly):
    """Notes each fit in a file and takes its time, so that a run can be killed in the middle."""

    def fit(self, X, y):
        time.sleep(0.2)
        with Path(os.environ["HARNESS_LOG"]).open("a") as file:
            file.write("fit\n")
        return super().fit(X, y)


def slow(hints):
    return Slow(KNeighborsClassifier(1))


METHODS = {
    name: Method(name, name, build)
    for name, build in {
        "nearest": nearest,
        "broken": broken,
        "missing": missing,
        "slow": slow,
    }.items()
}


class FixedCode(Workbench):
    """A workbench whose code never changes, whoever edits the package during the test."""

    def fingerprint(self, cell):
        return "aaaaaaaaaaaa"


BENCH = FixedCode(METHODS, load)


def cells(method: str = "nearest", count: int = 4, dataset: str = "made up") -> list[Cell]:
    return [Cell("fake", dataset, PROTOCOL, method, seed) for seed in range(count)]
