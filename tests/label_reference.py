"""Plain loops for the paper's eq. label_vec, and tables to try labelers on."""

import math

import numpy as np


def table(n=60, d=3, n_classes=3, labeled=20, seed=0, dtype=np.float64):
    """Return rows around one center a class, and labels for the first ``labeled`` of them."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % n_classes
    X = rng.normal(size=(n_classes, d))[y] + rng.normal(size=(n, d))
    return X.astype(dtype), np.where(np.arange(n) < labeled, y, -1)


def reference(x, anchors, labels, n_classes, k, similarity, gamma=1.0):
    """Eq. label_vec for one row, one number after the other."""
    near = []
    for j, a in enumerate(anchors):
        d2 = math.fsum((float(p) - float(q)) ** 2 for p, q in zip(x, a, strict=True))
        lengths = math.hypot(*map(float, x)) * math.hypot(*map(float, a))
        dot = math.fsum(float(p) * float(q) for p, q in zip(x, a, strict=True))
        cosine = dot / lengths if lengths else 0.0
        near.append((-cosine if similarity == "cosine" else d2, j))
    near = sorted(near)[:k]
    f = [0.0] * n_classes
    for value, j in near:
        f[labels[j]] += {
            "rbf": lambda v: math.exp(-gamma * (v - near[0][0])),
            "inverse_distance": lambda v: float(v == 0) if near[0][0] == 0 else v**-0.5,
            "uniform": lambda v: 1.0,
            "cosine": lambda v: max(-v, 0.0),
        }[similarity](value)
    if sum(f) == 0:
        f = [sum(labels[j] == c for _, j in near) for c in range(n_classes)]
    return [value / sum(f) for value in f]


def references(model, X, y, rows=slice(None)):
    labeled = y >= 0
    shown = model.n_neighbors_, model.similarity, model.gamma_
    return np.array([reference(x, X[labeled], y[labeled], y.max() + 1, *shown) for x in X[rows]])


def expected_distributions(model, X, y):
    expected = np.eye(y.max() + 1)[y]
    expected[y < 0] = references(model, X, y, y < 0)
    return expected
