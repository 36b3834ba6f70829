"""What several tests of certificates draw and compare with."""

import numpy as np

DELTA = 0.05


def draw_labels(truth, n_labeled, rng):
    y = np.full(len(truth), -1)
    rows = rng.permutation(len(truth))[:n_labeled]
    y[rows] = truth[rows]
    return y


def true_retained(geometry, best, truth):
    return geometry.objective(np.eye(truth.max() + 1)[truth]) / best
