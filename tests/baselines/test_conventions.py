"""LapSVMPrimal, LapRLS and TransductiveSVM against a second program, for many settings.

The programs here follow the published recipes word by word, with dense matrices and no shortcut.
They share no code with the package.
"""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import minimize
from sklearn.datasets import load_digits

from ssrlpl.baselines import LapRLS, LapSVMPrimal, TransductiveSVM


def threes_and_eights(n_labels=(8, 8), n=180):
    X, digit = load_digits(return_X_y=True)
    rows = np.flatnonzero((digit == 3) | (digit == 8))[:n]
    X, sign = X[rows] / 16, np.where(digit[rows] == 3, 1, -1)
    y = np.zeros(n)
    for c, count in zip((-1, 1), n_labels, strict=True):
        y[np.flatnonzero(sign == c)[:count]] = c
    return X, y


def squared_distances(X):
    return ((X[:, None] - X) ** 2).sum(axis=2)


def kernel_matrix(kind, X, gamma):
    if kind == "rbf":
        return np.exp(-gamma * squared_distances(X))
    if kind == "laplacian":
        return np.exp(-gamma * np.abs(X[:, None] - X).sum(axis=2))
    if kind == "cosine":
        X = X / np.linalg.norm(X, axis=1, keepdims=True)
    return X @ X.T


def laplacian(X, n_neighbors, weights, normalized):
    squares = squared_distances(X)
    np.fill_diagonal(squares, np.inf)
    nearest = np.argsort(squares, axis=1, kind="stable")[:, :n_neighbors]
    near = np.take_along_axis(squares, nearest, axis=1)
    t = np.sqrt(near).mean()
    A = np.zeros(squares.shape)
    edges = np.ones_like(near) if weights == "binary" else np.exp(-near / (2 * t**2))
    np.put_along_axis(A, nearest, edges, axis=1)
    W = A + (A.T != A) * A.T
    W = np.where((A > 0) & (A.T > 0), A, W)
    degree = W.sum(axis=1)
    if normalized:
        return np.eye(len(X)) - W / np.sqrt(degree[:, None] * degree)
    return np.diag(degree) - W


def newton(K, L, y, gamma_A, gamma_I, *, intercept, hinge):
    """Solve for all coefficients at once, with the labeled rows inside their margin, until these
    stay the same."""
    n = len(y)
    active = y != 0
    for _ in range(100):
        E = np.diag(active.astype(float))
        system = np.zeros((n + 1, n + 1))
        system[1:, 1:] = gamma_A * np.eye(n) + E @ K + gamma_I * L @ K
        system[1:, 0], system[0, 1:] = active, 1
        right = np.concatenate([[0], active * y])
        if intercept:
            b, *alpha = np.linalg.solve(system, right)
        else:
            b, alpha = 0.0, np.linalg.solve(system[1:, 1:], right[1:])
        f = K @ alpha + b
        now = (y != 0) & (y * f < 1)
        if not hinge or (now == active).all():
            break
        active = now
    loss = np.sum(np.maximum(0, 1 - y * f)[y != 0] ** 2)
    alpha = np.asarray(alpha)
    rough = (K @ alpha) @ L @ (K @ alpha)
    return f, b, (loss + gamma_A * alpha @ K @ alpha + gamma_I * rough) / 2


SETTINGS = [
    {},
    {"normalized": True},
    {"fit_intercept": True},
    {"gamma_I": 0.0},
    {"gamma_I": 0.0, "fit_intercept": True},
    {"gamma_A": 1e-4, "gamma_I": 1.0, "n_neighbors": 3},
    {"gamma_A": 1e-5, "gamma_I": 1e-2, "n_neighbors": 12, "normalized": True},
    {"gamma": 0.5, "n_neighbors": 10, "fit_intercept": True},
    {"kernel": "linear", "gamma_A": 1e-1},
    {"kernel": "linear", "gamma_A": 1e-1, "fit_intercept": True, "n_neighbors": 4},
    {"kernel": "cosine", "gamma_A": 1e-1, "normalized": True},
    {"kernel": "laplacian", "gamma": 0.1},
    {"weights": "binary", "gamma_I": 0.1},
]


@pytest.mark.parametrize("labels", [(8, 8), (4, 15)])
@pytest.mark.parametrize("settings", SETTINGS, ids=str)
@pytest.mark.parametrize("kind", [LapSVMPrimal, LapRLS])
def test_laplacian_machines_follow_the_recipe(kind, settings, labels):
    X, y = threes_and_eights(labels)
    full = {"kernel": "rbf", "gamma": 0.02, "gamma_A": 1e-3, "gamma_I": 1e-3, **settings}
    fitted = kind(**full, unlabeled=0).fit(X, y.astype(int))
    K = kernel_matrix(full["kernel"], X, full["gamma"])
    L = laplacian(X, full.get("n_neighbors", 6), full.get("weights"), full.get("normalized", False))
    f, b, objective = newton(
        K, L, y, full["gamma_A"], full["gamma_I"],
        intercept=full.get("fit_intercept", False), hinge=kind is LapSVMPrimal,
    )  # fmt: skip
    assert_allclose(fitted.decision_function(X), f, atol=1e-7)
    assert_allclose(fitted.intercept_, [b], atol=1e-7)
    assert_allclose(fitted.objective_, objective, rtol=1e-7)


@pytest.mark.parametrize("labels", [(6, 6), (3, 12)])
@pytest.mark.parametrize("settings", [{}, {"C": 0.1}, {"C": 1.0, "unlabeled_cost": 0.3}], ids=str)
def test_transductive_machine_follows_the_recipe(settings, labels):
    """Here (w, b) moves along a basis of the points that keep the constraint."""
    X, y = threes_and_eights(labels, 120)
    fitted = TransductiveSVM(**settings, unlabeled=0).fit(X, y.astype(int))
    C = settings.get("C", 1 / X.var(axis=0, ddof=1).sum())
    last = C * settings.get("unlabeled_cost", 1.0)
    free = y == 0
    start, ratio = 0.01 * last, 100 ** (1 / 11)
    # Any (w, b) with the right mean value: a particular one, and a basis of the others.
    constraint = np.append(X[free].mean(axis=0), 1)
    basis = np.linalg.svd(constraint[None])[2][1:].T
    fixed = constraint * y[~free].mean() / (constraint @ constraint)

    def objective(point, C_unlabeled):
        wb = fixed + basis @ point
        f = X @ wb[:-1] + wb[-1]
        hinge = np.maximum(0, 1 - y[~free] * f[~free])
        bumps = C_unlabeled * np.exp(-3 * f[free] ** 2)
        by_f = np.zeros(len(f))
        by_f[~free] = -2 * C * y[~free] * hinge
        by_f[free] = -6 * f[free] * bumps
        gradient = np.append(wb[:-1] + X.T @ by_f, by_f.sum())
        return wb[:-1] @ wb[:-1] / 2 + C * hinge @ hinge + bumps.sum(), basis.T @ gradient

    point = np.linalg.lstsq(basis, np.append(np.zeros(X.shape[1]), y[~free].mean()) - fixed)[0]
    for step in range(1, 12):
        point = minimize(
            objective, point, (start * ratio**step,), "L-BFGS-B", jac=True,
            options={"maxiter": 9999, "maxfun": 99999, "ftol": 1e-13, "gtol": 1e-9},
        ).x  # fmt: skip
    wb = fixed + basis @ point
    assert_allclose(fitted.objective_, objective(point, last)[0], rtol=1e-5)
    assert_allclose(fitted.decision_function(X), X @ wb[:-1] + wb[-1], atol=0.02)
