"""
Published methods on two moons
==============================

The package holds methods of the literature to compare with, under one interface. What each makes
of eight labels:
"""

import matplotlib.pyplot as plt
import numpy as np

from ssrlpl import SSRLPLCV
from ssrlpl.baselines import (
    GraphMincut,
    HarmonicFunctions,
    LapSVM,
    PoissonLearning,
    TransductiveSVM,
)
from ssrlpl.datasets import make_two_moons
from ssrlpl.plotting import plot_representation

X, y, truth = make_two_moons(random_state=5)
methods = {
    "SSRLPLCV": SSRLPLCV(),
    "harmonic functions": HarmonicFunctions(),
    "Poisson learning": PoissonLearning(),
    "graph mincut": GraphMincut(),
    "LapSVM": LapSVM(),
    "transductive SVM": TransductiveSVM(),
}

figure, axes = plt.subplots(2, 3, figsize=(10, 5.6), layout="constrained")
for ax, (name, method) in zip(axes.flat, methods.items(), strict=True):
    predicted = method.fit(X, y).predict(X)
    wrong = np.mean(predicted[y < 0] != truth[y < 0])
    plot_representation(X, y, colored_by=predicted, ax=ax, legend=False)
    ax.set(title=f"{name}: {wrong:.0%} wrong", xticks=[], yticks=[], xlabel="", ylabel="")
