"""Small problems that several test files use."""

import numpy as np
import pytest


def problem(n=60, d=7, n_classes=3, share=0.4, seed=0):
    """Gaussian classes with different means; about ``share`` of the rows keep their label."""
    rng = np.random.default_rng(seed)
    truth = np.arange(n) % n_classes
    X = rng.normal(size=(n, d)) + 2 * rng.normal(size=(n_classes, d))[truth]
    y = np.where(rng.random(n) < share, truth, -1)
    y[:n_classes] = truth[:n_classes]
    return X, y, truth


def centering(n):
    return np.eye(n) - np.full((n, n), 1 / n)


@pytest.fixture
def small():
    return problem()
