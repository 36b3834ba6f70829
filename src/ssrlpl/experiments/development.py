"""Tables on which the rule for verdicts was developed; it is judged on others."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from sklearn import datasets as toys
from sklearn.decomposition import TruncatedSVD
from sklearn.preprocessing import StandardScaler

from ..datasets import load_reuters21578
from .problems import Labeled, load_rows


def _digits_of(*wanted: int) -> Labeled:
    X, y = load_rows("MNIST-10K")
    some = np.isin(y, wanted)
    return X[some], y[some]


def _parity() -> Labeled:
    X, y = load_rows("MNIST-10K")
    return X, y % 2


def _reuters() -> Labeled:
    X, y = load_reuters21578(n_topics=6, return_X_y=True)
    return TruncatedSVD(150, random_state=0).fit_transform(X), y


def _scaled(load: Callable[..., Labeled], noise_columns: int = 0) -> Labeled:
    X, y = load(return_X_y=True)
    noise = np.random.default_rng(7).normal(size=(len(y), noise_columns))
    return np.hstack([StandardScaler().fit_transform(X), noise]), y


def _near_gaussians() -> Labeled:
    rng = np.random.default_rng(7)
    y = rng.integers(0, 2, 1200)
    return rng.normal(size=(1200, 20)) + y[:, None] * (np.arange(20) < 3), y


def _misleading_clusters() -> Labeled:
    """Two clusters far apart, each with both classes side by side."""
    rng = np.random.default_rng(7)
    kind = rng.integers(0, 4, 1500)
    centers, apart = 0.28 * rng.normal(size=(2, 60)), 0.5 * rng.normal(size=60)
    noise = 0.5 * rng.normal(size=(1500, 60))
    return centers[kind % 2] + np.outer(kind // 2, apart) + noise, kind % 2


def _smooth_surface() -> Labeled:
    """Eighty waves of three hidden numbers; a curve in these separates the classes."""
    rng = np.random.default_rng(7)
    hidden = rng.normal(size=(1500, 3))
    waves = np.cos(hidden @ rng.normal(size=(3, 80)) + rng.uniform(0, 6, 80))
    y = np.sin(1.5 * hidden[:, 0]) + hidden[:, 1] > 0
    return waves + 0.1 * rng.normal(size=waves.shape), y.astype(int)


def _linear_factors() -> Labeled:
    rng = np.random.default_rng(7)
    factors = rng.normal(size=(1200, 6))
    X = factors @ rng.normal(size=(6, 100)) + rng.normal(size=(1200, 100))
    return X, (factors[:, 0] + 0.5 * factors[:, 1] > 0).astype(int)


def _random_walks() -> Labeled:
    """Weak waves in strong random walks, as in recordings of the brain."""
    rng = np.random.default_rng(7)
    walks, y = 0.2 * rng.normal(size=(500, 117)).cumsum(axis=1), rng.integers(0, 2, 500)
    walks[:, :40] += 0.35 * y[:, None] * np.sin(np.arange(40) / 3)
    return walks, y


def _made(n: int, d: int, informative: int, seed: int, **more: Any) -> Labeled:
    return toys.make_classification(n, d, n_informative=informative, random_state=seed, **more)


SOURCES: dict[str, Callable[[], Labeled]] = {
    "MNIST": partial(load_rows, "MNIST-10K"),
    "MNIST, odd": _parity,
    "MNIST, 4 and 9": lambda: _digits_of(4, 9),
    "MNIST, 3, 5 and 8": lambda: _digits_of(3, 5, 8),
    "COIL-20": partial(load_rows, "COIL-20"),
    "UMIST": partial(load_rows, "UMIST"),
    "Reuters": _reuters,
    "wine": lambda: _scaled(toys.load_wine),
    "iris": lambda: toys.load_iris(return_X_y=True),
    "breast cancer": lambda: _scaled(toys.load_breast_cancer),
    "breast cancer and noise": lambda: _scaled(toys.load_breast_cancer, noise_columns=60),
    "moons": lambda: toys.make_moons(1000, noise=0.15, random_state=0),
    "circles": lambda: toys.make_circles(1000, noise=0.1, factor=0.5, random_state=0),
    "near Gaussians": _near_gaussians,
    "misleading clusters": _misleading_clusters,
    "smooth surface": _smooth_surface,
    "linear factors": _linear_factors,
    "random walks": _random_walks,
    "made, weak": lambda: _made(500, 117, 8, 1, n_redundant=0, flip_y=0.1, class_sep=0.6),
    "made, 3 classes": lambda: _made(1500, 50, 10, 2, n_classes=3, class_sep=1.3),
    "made, 4 classes": lambda: _made(
        1500, 30, 6, 3, n_classes=4, n_clusters_per_class=1, class_sep=1.6
    ),
}
