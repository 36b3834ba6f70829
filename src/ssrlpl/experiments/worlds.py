"""Populations with known truth, made to try to break a certificate."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from sklearn.datasets import make_blobs, make_moons

from .._utils.types import Array, Ints

Population = tuple[Array, Ints]
"""Rows and all their labels."""


def gaussians(distance: float, n: int = 300, d: int = 5) -> Callable[..., Population]:
    """Return a function that draws three classes; ``distance`` scales their centers."""

    def draw(rng: np.random.Generator) -> Population:
        truth = rng.integers(0, 3, n)
        centers = distance * rng.normal(size=(3, d))
        return centers[truth] + rng.normal(size=(n, d)), truth

    return draw


def moons(rng: np.random.Generator) -> Population:
    """Draw two half circles."""
    return make_moons(300, noise=0.15, random_state=rng.integers(2**31))


def imbalanced(rng: np.random.Generator) -> Population:
    """Draw two classes, one of them rare."""
    truth = (rng.random(300) < 0.06).astype(int)
    return rng.normal(size=(300, 4)) + 2.5 * truth[:, None], truth


def ten_classes(rng: np.random.Generator) -> Population:
    """Draw ten classes that overlap."""
    return make_blobs(
        300, n_features=6, centers=10, cluster_std=3, random_state=rng.integers(2**31)
    )


def heavy_tails(rng: np.random.Generator) -> Population:
    """Draw two classes with noise that has no variance."""
    truth = rng.integers(0, 2, 300)
    return rng.standard_t(1.5, size=(300, 3)) + 3 * truth[:, None], truth


def adversarial(rng: np.random.Generator) -> Population:
    """Draw a tight cluster far away with contradictory labels, few of which are seen."""
    X, truth = gaussians(1.5)(rng)
    odd = rng.choice(300, 30, replace=False)
    X[odd] = 12 + 0.01 * rng.normal(size=(30, X.shape[1]))
    truth[odd] = np.arange(30) % 3
    return X, truth


def flipped_cluster(n: int = 300) -> Callable[..., Population]:
    """Return a function that draws two classes, and 4 % of the rows in a cluster of the other."""

    def draw(rng: np.random.Generator) -> Population:
        truth = rng.integers(0, 2, n)
        X = rng.normal(size=(n, 3)) + 4 * truth[:, None]
        hidden = rng.permutation(n)[: n // 25]
        X[hidden] = 4 + 0.3 * rng.normal(size=(len(hidden), 3))
        truth[hidden] = 0
        return X, truth

    return draw


def leverage(rng: np.random.Generator) -> Population:
    """Draw a few rows so far away that they count more than all others."""
    X, truth = gaussians(1.5)(rng)
    far = rng.permutation(300)[:9]
    X[far] *= 30
    truth[far] = rng.integers(0, 3, 9)
    return X, truth


def near_duplicates(rng: np.random.Generator) -> Population:
    """Draw 40 rows and repeat them, nearly the same, with their labels."""
    X, truth = gaussians(1.0, n=40)(rng)
    source = rng.integers(0, 40, 300)
    return X[source] + 1e-3 * rng.normal(size=(300, X.shape[1])), truth[source]


WORLDS = {
    "gaussians near": gaussians(0.7),
    "gaussians far": gaussians(4.0),
    "moons": moons,
    "imbalanced": imbalanced,
    "ten classes": ten_classes,
    "heavy tails": heavy_tails,
    "adversarial cluster": adversarial,
    "flipped cluster": flipped_cluster(),
    "leverage": leverage,
    "near duplicates": near_duplicates,
}
LARGE_WORLDS = {"flipped cluster, 4,500 rows": flipped_cluster(4500)}
"""Above the size at which certificates once had fewer folds."""
