"""Problems that the tests of the baselines share."""

import numpy as np

from conftest import problem


def overlapping(seed=0, n=90, d=4):
    """Classes that mix, so that no label vector is one-hot by accident."""
    X, y, truth = problem(n, d, share=0.2, seed=seed)
    X -= 0.7 * np.array([X[truth == c].mean(axis=0) for c in range(3)])[truth]
    return X, y, truth
