"""From scores to labels and probabilities: the last step of a classifier."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar
from scipy.special import log_softmax, softmax
from sklearn.metrics.pairwise import euclidean_distances

_LOG_RANGE = (-7.0, 5.0)


@dataclass(frozen=True)
class LabelReading:
    r"""The least-squares reading of label vectors from a whitened representation.

    .. math:: \hat y(z) = \bar y + (z - \bar z)\, Z^\top B \cdot n / \sum_i w_i

    with B = w(Y - ȳ): ridge regression of the label vectors on the rows, see
    :mod:`ssrlpl._core.whitening`. Where only some rows carry weight in B while the scatter has
    all of them, the factor makes up for it.
    """

    center: NDArray[np.float64]
    weights: NDArray[np.float64]
    offset: NDArray[np.float64]

    def __call__(self, Z: NDArray[Any]) -> NDArray[np.float64]:
        """Return the label vector read from each representation."""
        return np.asarray(self.offset + (Z - self.center) @ self.weights)


def read_labels(
    Z: NDArray[Any], Y: NDArray[Any], weight: NDArray[np.float64] | None = None
) -> LabelReading:
    """Find the reading from the represented rows and their label vectors."""
    w = np.ones(len(Y)) if weight is None else weight
    mean = w @ Y / w.sum()
    B = w[:, None] * (Y - mean)
    Z = Z.astype(np.float64)
    return LabelReading(Z.mean(axis=0), Z.T @ B * (len(Y) / w.sum()), mean)


@dataclass(frozen=True)
class NearestReading:
    """The label of the nearest labeled row, as scores of the classes."""

    rows: NDArray[Any]
    codes: NDArray[np.intp]
    n_classes: int

    def __call__(self, Z: NDArray[Any]) -> NDArray[np.float64]:
        """Return the scores of each representation, see :func:`nearest_scores`."""
        distances = euclidean_distances(Z, self.rows, squared=True)
        return nearest_scores(distances, self.codes, self.n_classes)


def nearest_scores(
    distances: NDArray[np.float64], codes: NDArray[np.intp], n_classes: int
) -> NDArray[np.float64]:
    """Return minus the squared distance to the nearest row of each class, in units of the mean.

    The mean is over the classes, for each row by itself: the scores of a row do not depend on
    the rows that come with it. A class without a row is as far away as the farthest row; a row
    that does not count is at an infinite distance.
    """
    farthest = np.where(np.isfinite(distances), distances, 0).max(axis=1, keepdims=True, initial=0)
    scores = np.repeat(-farthest, n_classes, axis=1)
    for c in np.unique(codes):
        scores[:, c] = -np.minimum(distances[:, codes == c].min(axis=1), farthest[:, 0])
    scale = np.abs(scores).mean(axis=1, keepdims=True)
    return scores / np.where(scale > 0, scale, 1)


def best_temperature(scores: NDArray[np.float64], codes: NDArray[np.intp]) -> float:
    """Return the τ for which softmax(scores/τ) gives the known labels the largest likelihood.

    Of l rows that are all right the next may be wrong: a share of 1/(l + 2) of each label
    (Laplace's rule) goes to the other classes, or τ would be zero there.
    """
    n, n_classes = scores.shape
    doubt = 1 / (n + 2)
    wanted = np.full(scores.shape, doubt / max(n_classes - 1, 1))
    wanted[np.arange(n), codes] = 1 - doubt
    return closest_temperature(scores, wanted)


def closest_temperature(scores: NDArray[np.float64], wanted: NDArray[np.float64]) -> float:
    """Return the τ for which softmax(scores/τ) has the lowest cross-entropy to given vectors."""
    n = len(scores)

    def loss(log_temperature: float) -> float:
        return -float(np.vdot(wanted, log_softmax(scores / np.exp(log_temperature), axis=1))) / n

    found = minimize_scalar(loss, bounds=_LOG_RANGE, method="bounded")
    return float(np.exp(found.x))


def probabilities(scores: NDArray[np.float64], temperature: float) -> NDArray[np.float64]:
    """Return softmax(scores/τ)."""
    return np.asarray(softmax(scores / temperature, axis=1))
