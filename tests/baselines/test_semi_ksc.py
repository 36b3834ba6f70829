"""SemiKSC: stationarity of its objective, its published system, and kernel spectral clustering."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import linalg

from baseline_problems import overlapping, predicted_by_refits
from ssrlpl._core.kernels import Kernel
from ssrlpl._core.shared import SharedRows
from ssrlpl._utils import limits
from ssrlpl.baselines import SemiKSC
from ssrlpl.model_selection import loo_predict


def signs(y):
    return np.where(y[:, None] == np.arange(3), 1.0, -1.0) * (y >= 0)[:, None]


@pytest.mark.parametrize(("gamma_1", "gamma_2"), [(1, 100), (0.5, 0.01), (3, 2)])
def test_the_gradient_of_the_objective_vanishes(gamma_1, gamma_2):
    """With a linear kernel w is a vector, so that the objective itself can be differentiated."""
    X, y, _ = overlapping()
    X = np.abs(X)  # row sums of the kernel matrix must be positive
    fitted = SemiKSC("linear", gamma_1=gamma_1, gamma_2=gamma_2).fit(X, y)
    w, b = X.T @ fitted.dual_coef_, fitted.intercept_
    e, V = X @ w + b, 1 / (X @ X.sum(axis=0))
    pull = gamma_1 * V[:, None] * e - gamma_2 * (y >= 0)[:, None] * (e - signs(y))
    size = np.abs(pull).max() * np.abs(X).sum()
    assert_allclose((w - X.T @ pull) / size, 0, atol=1e-10)
    assert_allclose(pull.sum(axis=0) / size, 0, atol=1e-10)
    assert_allclose(fitted.dual_coef_ / np.abs(pull).max(), pull / np.abs(pull).max(), atol=1e-10)


@pytest.mark.parametrize(("gamma_1", "gamma_2"), [(1, 100), (0.5, 1)])
def test_it_solves_the_system_of_the_docstring(gamma_1, gamma_2):
    X, y, _ = overlapping(1)
    fitted = SemiKSC(gamma=0.3, gamma_1=gamma_1, gamma_2=gamma_2).fit(X, y)
    K, c = Kernel("rbf", 0.3).square(X), signs(y)
    r = gamma_1 / K.sum(axis=1) - gamma_2 * (y >= 0)
    s = r.sum()
    S = np.eye(len(X)) - np.outer(np.ones(len(X)), r) / s
    alpha = np.linalg.solve(np.eye(len(X)) - r[:, None] * (S @ K), gamma_2 * S.T @ c)
    assert_allclose(fitted.dual_coef_, alpha, atol=1e-8 * np.abs(alpha).max())
    assert_allclose(fitted.intercept_, -(gamma_2 * c.sum(axis=0) + r @ K @ alpha) / s, atol=1e-8)


def test_weak_labels_leave_the_direction_of_kernel_spectral_clustering():
    X, y, _ = overlapping(2)
    y[y == 2] = -1
    K = Kernel("rbf", 0.3).square(X)
    V = 1 / K.sum(axis=1)
    centering = np.eye(len(X)) - np.outer(np.ones(len(X)), V) / V.sum()
    values, vectors = linalg.eig(V[:, None] * (centering @ K))
    first = np.argmax(values.real)
    assert values[first].imag == 0
    gamma_1 = (1 - 1e-7) / values[first].real
    found = SemiKSC(gamma=0.3, gamma_1=gamma_1, gamma_2=1e-12).fit(X, y).dual_coef_[:, 0]
    cosine = found @ vectors[:, first].real / np.linalg.norm(found)
    assert_allclose(abs(cosine), 1, atol=1e-6)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_labels_left_out_are_those_of_refits(n_classes):
    X, y, _ = overlapping(3)
    y[y >= n_classes] = -1
    model = SemiKSC(sharpness=2)
    assert_array_equal(loo_predict(model, X, y), predicted_by_refits(model, X, y))


def test_a_nearly_singular_system_is_reported():
    X, y, _ = overlapping(4)
    model = SemiKSC(gamma=0.3, gamma_1=1.0).fit(X, y)
    assert 1 < model.condition_ < 1e6
    lowest = np.linalg.eigvalsh(model._deform(SharedRows(X), np.flatnonzero(y >= 0)).kernel)[0]
    model = SemiKSC(gamma=0.3, gamma_2=-1 / lowest)
    with pytest.warns(UserWarning, match="nearly singular.*change gamma_1=1.0 or gamma_2="):
        model.fit(X, y)


def test_bad_input(monkeypatch):
    X, y, _ = overlapping()
    with pytest.raises(ValueError, match="must have positive row sums. Got -.*kernel='rbf'"):
        SemiKSC("linear").fit(X - X.mean(axis=0), y)
    monkeypatch.setattr(limits, "KERNEL_MEMORY_ROWS", 10)
    with pytest.raises(ValueError, match="takes at most 10 rows"):
        SemiKSC().fit(X, y)
