"""HSIC by its definition, and a small sample to try it on."""

from __future__ import annotations

import numpy as np
from scipy.spatial.distance import cdist

GAMMA, GAMMA_Y, DEGREE, COEF0 = 0.3, 0.7, 2, 0.5


NAMES = ("rbf", "laplacian", "polynomial", "linear", "cosine")


def dense_kernel(name, A, g):
    """The kernels by their definitions, entry by entry where it matters."""
    if name == "delta":
        return (A[:, None] == A).astype(float)
    unit = A / np.linalg.norm(A, axis=1, keepdims=True)
    return {
        "rbf": lambda: np.exp(-g * cdist(A, A, "sqeuclidean")),
        "laplacian": lambda: np.exp(-g * cdist(A, A, "cityblock")),
        "polynomial": lambda: (g * A @ A.T + COEF0) ** DEGREE,
        "linear": lambda: A @ A.T,
        "cosine": lambda: unit @ unit.T,
    }[name]()


def dense_biased(K, L):
    n = len(K)
    H = np.eye(n) - np.ones((n, n)) / n
    return np.trace(K @ H @ L @ H) / (n - 1) ** 2


def dense_unbiased(K, L):
    """Song et al. (2012), eq. 5."""
    n, one = len(K), np.ones(len(K))
    K, L = K - np.diag(np.diag(K)), L - np.diag(np.diag(L))
    cross = one @ K @ L @ one
    return (np.trace(K @ L) + K.sum() * L.sum() / ((n - 1) * (n - 2)) - 2 / (n - 2) * cross) / (
        n * (n - 3)
    )


def dependent_sample():
    """Return a table, one that depends on it, and labels that do."""
    rng = np.random.default_rng(3)
    X = rng.standard_normal((37, 3)) + 1.0
    Y = X[:, :2] ** 2 + rng.standard_normal((37, 2))
    labels = np.array(["ant", "bee", "cow"])[np.digitize(X[:, 0], [0.5, 1.5])]
    return X, Y, labels


def params(kernel, kernel_y, gamma=GAMMA, gamma_y=GAMMA_Y):
    """The arguments of two kernels, γ only for those that have one."""
    found = {"kernel": kernel, "kernel_y": kernel_y, "degree": DEGREE, "coef0": COEF0}
    if kernel in NAMES[:3]:
        found["gamma"] = gamma
    if kernel_y in NAMES[:3]:
        found["gamma_y"] = gamma_y
    return found
