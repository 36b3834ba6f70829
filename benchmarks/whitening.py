"""Landmarks in place of all rows: what they save and what they cost."""

from unittest.mock import patch

import numpy as np

from ssrlpl import GraphLabeler, KernelSSRLPL
from ssrlpl._core.bandwidth import median_gamma
from ssrlpl._core.readout import read_labels
from ssrlpl._utils import limits
from ssrlpl._utils.printing import Table

from .tools import GivenLabels, mnist_part, seconds


def landmarks(n=10_000) -> Table:
    """Whitened kernel map by landmarks beside the exact one: MNIST-10K, 1,000 labels.

    "Off" is the share of the exact representation's variance that the other one does not explain;
    "right" are the unlabeled rows whose label least squares reads off the representation.
    """
    X, y, truth = mnist_part(n, 1000)
    given = GivenLabels(GraphLabeler(alpha=0.97, sharpness=12.0).fit(X, y).label_distributions_)
    map_ = KernelSSRLPL(gamma=4 * median_gamma(X), labeler=given, constraint="whitened", rho=1e-4)
    exact, rows = None, []
    for name, limit, count in (
        ("all rows", n, 0),
        ("2,000 landmarks (the default)", 5000, 2000),
        ("500 landmarks", 5000, 500),
    ):
        with patch.multiple(limits, EXACT_KERNEL_ROWS=limit, LANDMARKS=count):
            took = seconds(lambda: map_.fit(X, y), repeat=1)
            Z = map_.transform(X).astype(np.float64)
        exact = Z if exact is None else exact
        reading = read_labels(Z, map_.label_distributions_)(Z).argmax(axis=1)
        right = np.mean(reading[y < 0] == truth[y < 0])
        rows.append((name, round(took, 1), f"{_off(exact, Z):.1e}", round(100 * right, 2)))
    return Table((f"n = {n:,}, float32", "seconds", "off", "right, %"), tuple(rows))


def _off(exact, Z):
    exact, Z = exact - exact.mean(axis=0), Z - Z.mean(axis=0)
    rest = exact - Z @ np.linalg.lstsq(Z, exact, rcond=None)[0]
    return np.sum(rest**2) / np.sum(exact**2)
