"""Landmarks whose kernel matrix is nearly singular."""

import numpy as np
import pytest

from ssrlpl._core.kernels import Kernel
from ssrlpl._core.landmarks import landmark_moments, whitened_landmarks


@pytest.mark.parametrize("gamma", [1.0, 0.01])
def test_a_wide_kernel_of_few_columns_in_single_precision(gamma):
    X = np.random.default_rng(0).normal(size=(900, 3))
    B = np.sign(X[:, :2]) - np.sign(X[:, :2]).mean(axis=0)

    def directions(rows):
        kernel = Kernel("rbf", gamma, shift=rows.mean(axis=0))
        moments = landmark_moments(kernel, rows[:400], rows, B, None)
        beta, _ = whitened_landmarks(moments, lambda trace, *_: 1e-3 * trace, 1e-7)
        return kernel(rows, rows[:400]) @ beta

    single, double = directions(X.astype(np.float32)), directions(X)
    for j in range(2):
        assert abs(np.corrcoef(single[:, j], double[:, j])[0, 1]) > 0.999
