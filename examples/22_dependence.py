"""
Do two variables depend on each other?
======================================

A correlation sees straight lines, HSIC with two RBF kernels every form of dependence. For labels
the kernel of ``Y`` is "delta", for a table of numbers it is "linear" unless you say "rbf".
"""

import matplotlib.pyplot as plt
import numpy as np

from ssrlpl import hsic_test

rng = np.random.default_rng(0)
angle = rng.uniform(0, 2 * np.pi, 200)
x = rng.uniform(-1, 1, 200)
pairs = {
    "independent": (x, rng.uniform(-1, 1, 200)),
    "line": (x, x + 0.5 * rng.standard_normal(200)),
    "parabola": (x, x**2 + 0.2 * rng.standard_normal(200)),
    "circle": (np.cos(angle), np.sin(angle)),
}

figure, axes = plt.subplots(1, 4, figsize=(11, 3.2), layout="constrained")
for ax, (name, (a, b)) in zip(axes, pairs.items(), strict=True):
    result = hsic_test(a[:, None], b[:, None], kernel_y="rbf")
    correlation = np.corrcoef(a, b)[0, 1]
    ax.scatter(a, b, s=8, color="#0072B2")
    ax.set(xticks=[], yticks=[])
    ax.set_title(f"{name}\nr = {correlation:+.2f}, p = {result.p_value:.3f}", fontsize="medium")
    print(f"{name}: {result}")
