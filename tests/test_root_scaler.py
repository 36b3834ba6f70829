"""RootScaler: each column divided by the square root of its standard deviation."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.decomposition import PCA
from sklearn.pipeline import make_pipeline

from ssrlpl import RootScaler


def test_scales_become_their_square_roots():
    X = np.random.default_rng(0).normal(size=(50, 4)) * [1e-6, 0.5, 3.0, 1e8]
    scaled = RootScaler().fit_transform(X)
    assert_allclose(scaled.std(axis=0), np.sqrt(X.std(axis=0)))
    assert_allclose(scaled * np.sqrt(X.std(axis=0)), X)  # nothing but a factor


def test_twice_is_closer_to_whitened_components():
    """Half of a whitening: the ratio of two scales becomes its square root each time."""
    X = np.random.default_rng(1).normal(size=(80, 3)) * [16.0, 4.0, 1.0]
    components = PCA(3).fit_transform(X)
    once = RootScaler().fit_transform(components)
    twice = make_pipeline(PCA(3), RootScaler(), RootScaler()).fit_transform(X)
    ratios = [Z.std(axis=0)[0] / Z.std(axis=0)[-1] for Z in (components, once, twice)]
    assert_allclose(ratios[1:], [ratios[0] ** 0.5, ratios[0] ** 0.25])


def test_constant_columns_and_single_precision_stay():
    X = np.array([[1.0, 5.0], [9.0, 5.0]], dtype=np.float32)
    scaled = RootScaler().fit(X).transform(X)
    assert scaled.dtype == np.float32
    assert_allclose(scaled, [[0.5, 5.0], [4.5, 5.0]])


def test_a_column_that_only_seems_to_vary_stays():
    X = np.full((1000, 2), [0.1, -0.3])
    assert (X.std(axis=0) > 0).all()  # by rounding
    assert_allclose(RootScaler().fit_transform(X), X)


@pytest.mark.parametrize("unit", [1e160, 1e-160])
def test_numbers_that_cannot_be_squared_are_refused(unit):
    """Their standard deviation is infinity or zero, and the columns would all be zero."""
    with pytest.raises(ValueError, match="largest number of X must be"):
        RootScaler().fit(unit * np.arange(1.0, 5.0)[:, None])
