"""Scores of the classes from a representation, and probabilities from scores."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import minimize, minimize_scalar
from scipy.special import log_softmax, logsumexp, softmax

from .._utils.types import Array, Floats, Ints
from .blocks import block_rows, row_slices, squares_between
from .moments import CrossMoment

_LOG_RANGE = (-7.0, 5.0)
"""Range of log τ that is searched: τ from 0.001 to 150."""


_MOST_SCORES = 5_000_000
"""Scores by which a temperature is chosen; of more, evenly spaced rows."""


@dataclass(frozen=True)
class LabelReading:
    r"""Least-squares prediction of label vectors from a whitened representation.

    .. math:: \hat y(z) = \bar y + (z - \bar z)\, Z^\top B \cdot n / \sum_i w_i

    with B = w(Y - ȳ): ridge regression of the label vectors on the rows, see
    :mod:`ssrlpl._core.whitening`. The factor n/Σw corrects for unlabeled rows that have less
    weight in B than in the scatter.
    """

    center: Floats
    weights: Floats
    offset: Floats

    def __call__(self, Z: Array) -> Floats:
        """Return the predicted label vector of each row of Z."""
        return np.asarray(self.offset + (Z - self.center) @ self.weights)


def decision_values(scores: Floats) -> Floats:
    """Return scores as ``decision_function`` does: for two classes the second minus the first."""
    return scores[:, 1] - scores[:, 0] if scores.shape[1] == 2 else scores


def read_labels(Z: Array, Y: Array, weight: Floats | None = None) -> LabelReading:
    """Return the least-squares prediction for represented rows Z with label vectors Y."""
    w = np.ones(len(Y)) if weight is None else weight
    mean = w @ Y / w.sum()
    B = w[:, None] * (Y - mean)
    Z = Z.astype(np.float64)
    return LabelReading(Z.mean(axis=0), Z.T @ B * (len(Y) / w.sum()), mean)


def reading_of_moments(moment: CrossMoment, rows: CrossMoment) -> LabelReading:
    """Return the same from moments of Z and Y, and of Z with the weights of the rows."""
    scale = rows.weight / moment.weight
    return LabelReading(rows.mean_x, moment.cross * scale, moment.mean_y)


@dataclass(frozen=True)
class NearestReading:
    """Nearest-neighbor classification with scores of all classes."""

    rows: Array
    codes: Ints
    n_classes: int

    def __call__(self, Z: Array) -> Floats:
        """Return the scores of each row of Z, in blocks, see :func:`nearest_scores`."""
        scores = np.empty((len(Z), self.n_classes))
        for part in row_slices(len(Z), block_rows(17 * len(self.rows))):
            distances = squares_between(self.rows, Z[part]).T
            scores[part] = nearest_scores(distances, self.codes, self.n_classes)
        return scores


def nearest_scores(distances: Floats, codes: Ints, n_classes: int) -> Floats:
    """Return minus the squared distance to the nearest row of each class, divided by its mean.

    The mean is taken over the classes of one row, so that the scores of a row do not depend on
    other rows in the same call. A class without a row gets the distance of the farthest row; an
    infinite distance excludes a row.
    """
    farthest = np.where(np.isfinite(distances), distances, 0).max(axis=1, keepdims=True, initial=0)
    scores = np.repeat(-farthest, n_classes, axis=1)
    for c in np.unique(codes):
        scores[:, c] = -np.minimum(distances[:, codes == c].min(axis=1), farthest[:, 0])
    scale = np.abs(scores).mean(axis=1, keepdims=True)
    return scores / np.where(scale > 0, scale, 1)


def log_scores(shares: Array, floor: float = 1e-4) -> Floats:
    """Return scores whose softmax are the shares of the classes; ``floor`` keeps them finite."""
    return np.asarray(np.log(shares + floor), dtype=np.float64)


def best_temperature(scores: Floats, codes: Ints) -> float:
    """Return the temperature τ that maximizes the likelihood of the labels under softmax(scores/τ).

    If all l rows are classified correctly, the best τ would be zero, although the next row may be
    wrong. So a share of 1/(l + 2) of each label (Laplace's rule of succession) is given to the
    other classes.
    """
    n, n_classes = scores.shape
    doubt = 1 / (n + 2)
    wanted = np.full(scores.shape, doubt / max(n_classes - 1, 1))
    wanted[np.arange(n), codes] = 1 - doubt
    return closest_temperature(scores, wanted)


def left_out_temperature(scores: Floats, codes: Ints, chosen: Any = slice(None)) -> float:
    """Return the best temperature for left-out scores of the ``chosen`` rows of ``codes``.

    A row with the only label of its class is never right when it is left out, and says nothing;
    without any other row τ is 1.
    """
    judged = (np.bincount(codes)[codes] > 1)[chosen]
    return best_temperature(scores[judged], codes[chosen][judged]) if judged.any() else 1.0


def closest_temperature(scores: Floats, wanted: Floats) -> float:
    """Return the τ for which softmax(scores/τ) has the lowest cross-entropy to given vectors."""
    step = 1 + scores.size // _MOST_SCORES  # one number needs no more rows than that
    scores, wanted = scores[::step], wanted[::step]
    n = len(scores)

    def loss(log_temperature: float) -> float:
        return -float(np.vdot(wanted, log_softmax(scores / np.exp(log_temperature), axis=1))) / n

    found = minimize_scalar(loss, bounds=_LOG_RANGE, method="bounded")
    return float(np.exp(found.x))


def probabilities(scores: Floats, temperature: float) -> Floats:
    """Return softmax(scores/τ)."""
    return np.asarray(softmax(scores / temperature, axis=1))


def share_offsets(scores: Floats, shares: Floats) -> Floats:
    r"""Return offsets a such that argmax(scores + a) gives each class its share of the rows.

    They minimize the convex function

    .. math:: \epsilon \frac1n \sum_i \log \sum_c e^{(s_{ic} + a_c)/\epsilon} - b^\top a,

    whose slope is the difference between the class shares of a softmax and b; ε decreases to a
    hundredth of the spread of the scores, where softmax is nearly argmax.
    """
    spread = float(scores.std()) or 1.0

    def loss(a: Floats, scaled: Floats) -> tuple[float, Array]:
        z = scaled + a
        slope = softmax(z, axis=1).mean(axis=0) - shares
        return float(logsumexp(z, axis=1).mean() - shares @ a), slope

    offsets = np.zeros(len(shares))
    for sharpness in (1.0, 10.0, 100.0):
        unit = spread / sharpness
        found = minimize(loss, offsets / unit, args=(scores / unit,), jac=True, method="L-BFGS-B")
        offsets = found.x * unit
    return np.asarray(offsets - offsets.mean())
