"""Data sets with known truth."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import make_moons
from sklearn.utils import check_random_state

from .hiding import hide_labels


def make_two_moons(
    n_samples: int = 200,
    *,
    labels_per_class: int = 4,
    noise: float = 0.1,
    random_state: Any = None,
) -> tuple[NDArray[np.float64], NDArray[np.intp], NDArray[np.intp]]:
    """Return the paper's toy problem: two interleaving half circles with a few labels.

    Parameters
    ----------
    n_samples : int, default=200
        Number of points, half in each class.
    labels_per_class : int, default=4
        Labels that are kept.
    noise : float, default=0.1
        Standard deviation of the noise; the paper does not give it.
    random_state : int, RandomState or None
        Seed.

    Returns
    -------
    X : ndarray of shape (n_samples, 2)
        Points.
    y : ndarray of shape (n_samples,)
        Partially labeled target, -1 for unlabeled.
    truth : ndarray of shape (n_samples,)
        All labels.

    Examples
    --------
    >>> from ssrlpl.datasets import make_two_moons
    >>> X, y, truth = make_two_moons(random_state=0)
    >>> X.shape, int((y >= 0).sum())
    ((200, 2), 8)
    """
    rng = check_random_state(random_state)
    X, truth = make_moons(n_samples, noise=noise, random_state=rng)
    return X, hide_labels(truth, keep_per_class=labels_per_class, random_state=rng), truth
