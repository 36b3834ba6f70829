"""Generated data sets, whose true labels are known."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.datasets import make_moons
from sklearn.utils import check_random_state

from .._utils.types import Floats, Ints
from .._utils.validation import check_count
from .hiding import hide_labels

G241_FEATURES = 241


def make_two_moons(
    n_samples: int = 200, *, labels_per_class: int = 4, noise: float = 0.1, random_state: Any = None
) -> tuple[Floats, Ints, Ints]:
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


def make_g241(
    kind: str = "c", n_samples: int = 1500, *, random_state: Any = None
) -> tuple[Floats, Ints]:
    r"""Draw a data set like g241c or g241d of the SSL book, by the book's recipe.

    All Gaussians have 241 dimensions and the identity as covariance.

    * "c", clusters are classes: a Gaussian for each class, centers at distance 2.5 in a random
      direction.
    * "d", clusters mislead: two Gaussians of class +1, centers at distance 6 in a random
      direction; from each of these centers, one step of length 2.5 in a random direction of its
      own leads to the center of a Gaussian of class -1.

    Then every dimension is shifted and scaled to mean 0 and variance 1. The best possible error
    is :math:`\Phi(-2.5/2) = 10.6\,\%` for "c" and nearly that for "d".

    Parameters
    ----------
    kind : "c" or "d", default="c"
        Which of the two.
    n_samples : int, default=1500
        Number of rows, the same for each Gaussian up to one. Rows come in random order.
    random_state : int, RandomState or None
        Seed.

    Returns
    -------
    X : ndarray of shape (n_samples, 241)
        Rows.
    y : ndarray of shape (n_samples,)
        Classes -1 and +1. To hide some, ``hide_labels(y, unlabeled=None, ...)``.

    Notes
    -----
    The error of 1-NN from 100 labels is 40 % for "c", as for the published g241c. For "d" it is
    42 %, while the published g241d gives 37.5 %: the centers of its classes, measured in the
    published file, are about 3.1 apart and not 2.5.

    References
    ----------
    Chapelle, Schölkopf and Zien (eds.), Semi-Supervised Learning, MIT Press, 2006, section 21.2.

    Examples
    --------
    >>> from ssrlpl.datasets import make_g241
    >>> X, y = make_g241("d", random_state=0)
    >>> X.shape, int((y == 1).sum())
    ((1500, 241), 750)
    """
    if kind not in ("c", "d"):
        raise ValueError(f'kind must be "c" or "d". Got {kind!r}.')
    rng = check_random_state(random_state)
    centers, classes = _g241_centers(kind, rng)
    check_count("n_samples", n_samples, low=len(centers))
    member = rng.permutation(np.arange(n_samples) % len(centers))
    X = rng.standard_normal((n_samples, G241_FEATURES)) + centers[member]
    return (X - X.mean(axis=0)) / X.std(axis=0), classes[member]


def _g241_centers(kind: str, rng: np.random.RandomState) -> tuple[Floats, Ints]:
    origin = np.zeros(G241_FEATURES)
    if kind == "c":
        return np.array([origin, 2.5 * _direction(rng)]), np.array([1, -1])
    positive = np.array([origin, 6.0 * _direction(rng)])
    negative = positive + 2.5 * np.array([_direction(rng), _direction(rng)])
    return np.vstack([positive, negative]), np.array([1, 1, -1, -1])


def _direction(rng: np.random.RandomState) -> Floats:
    """Return a unit vector, uniform on the sphere."""
    vector = rng.standard_normal(G241_FEATURES)
    return np.asarray(vector / np.linalg.norm(vector))
