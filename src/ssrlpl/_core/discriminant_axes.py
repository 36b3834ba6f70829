"""Axes of linear discriminant analysis from few labeled rows."""

from __future__ import annotations

import numpy as np
from scipy import linalg
from sklearn.covariance import ledoit_wolf

from .._utils.types import Floats, Ints

_FLOOR = 1e-6
"""Share of the total variance that is added to every within-class variance: none is zero."""


def discriminant_axes(rows: Floats, codes: Ints) -> Floats:
    r"""Return the axes (columns) along which classes differ most, at most C-1 of them.

    They maximize :math:`a^\top S_B a` subject to :math:`a^\top S_W a = 1`, where the within-class
    covariance :math:`S_W` is shrunk toward a multiple of the identity (Ledoit and Wolf 2004).
    With such a matrix the axes lie in the span of the labeled rows, in which they are computed.
    """
    classes, places = np.unique(codes, return_inverse=True)
    centered = rows - rows.mean(axis=0)
    _, lengths, basis = np.linalg.svd(centered, full_matrices=False)
    basis = basis[lengths > 1e-10 * max(lengths[0], np.finfo(float).tiny)]
    if not len(basis):  # equal rows: nothing tells them apart
        return np.zeros((rows.shape[1], 1))
    Z = centered @ basis.T
    sums = np.zeros((len(classes), Z.shape[1]))
    np.add.at(sums, places, Z)
    means = sums / np.bincount(places)[:, None]
    within, _ = ledoit_wolf(Z - means[places], assume_centered=True)
    total = float(np.sum(Z**2)) / max(Z.size, 1)
    within[np.diag_indices_from(within)] += _FLOOR * total
    between = means[places].T @ means[places] / len(Z)
    _, axes = linalg.eigh(between, within)
    return np.asarray(basis.T @ axes[:, ::-1][:, : len(classes) - 1])
