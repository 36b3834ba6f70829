"""
A rare class
============

One row in twenty is of the rare class. Left alone, every method finds the large class easily and
the rare one badly; ``class_weight="balanced"`` makes its mistakes count as much.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.metrics import recall_score
from sklearn.preprocessing import StandardScaler

from ssrlpl import SSRLPLCV
from ssrlpl.datasets import hide_labels
from ssrlpl.plotting import plot_representation

breast = load_breast_cancer()
rng = np.random.default_rng(0)
benign = np.flatnonzero(breast.target == 1)
malignant = rng.choice(np.flatnonzero(breast.target == 0), 19, replace=False)
rows = np.concatenate([benign, malignant])
X = StandardScaler().fit_transform(breast.data[rows])
truth = np.where(breast.target[rows] == 0, "malignant", "benign")
y = hide_labels(truth, keep=60, random_state=3)
unlabeled = np.array([label is None for label in y])
print(f"{(y == 'malignant').sum()} of 60 labels are of the rare class.")

figure, axes = plt.subplots(1, 2, figsize=(10, 3.4), layout="constrained")
for ax, weight in zip(axes, (None, "balanced"), strict=True):
    model = SSRLPLCV(class_weight=weight).fit(X, y)
    predicted = model.predict(X[unlabeled])
    found = recall_score(truth[unlabeled], predicted, average=None)
    title = f"class_weight={weight}: found {found[1]:.0%} of the rare, {found[0]:.0%} of the others"
    plot_representation(model.transform(X), y, colored_by=truth, ax=ax, legend=weight is None)
    ax.set_title(title.replace(": ", "\n"), fontsize="medium")
    ax.locator_params(axis="x", nbins=5)
    print(title)
