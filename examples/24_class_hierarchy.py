"""
Classes below classes
=====================

The library knows no hierarchies; two models make one. The first tells even digits from odd ones,
the second tells them apart within each group. Compare with one model for all ten: parity is no
property of the picture, so nothing is gained here.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

from ssrlpl import GraphLabeler
from ssrlpl.datasets import hide_labels

X, truth = load_digits(return_X_y=True)
y = hide_labels(truth, keep=60, random_state=0)
unlabeled = y < 0

flat = GraphLabeler(10).fit(X, y)
parent = np.where(unlabeled, -1, y % 2)
top = GraphLabeler(10).fit(X, parent)
deep = np.zeros((len(X), 10))
for group in (0, 1):
    members = np.where(y % 2 == group, y, -1)
    below = GraphLabeler(10).fit(X, np.where(unlabeled, -1, members))
    deep[:, below.classes_] = (
        top.label_distributions_[:, [group]] * below.label_distributions_
    )  # P(group) P(class | group)

# %%

results = {
    "ten classes at once": flat.transduction_,
    "group, then class": deep.argmax(axis=1),
}
figure, ax = plt.subplots(figsize=(7, 1.9), layout="constrained")
for place, (name, labels) in enumerate(results.items()):
    right = np.mean(labels[unlabeled] == truth[unlabeled])
    group_right = np.mean(labels[unlabeled] % 2 == truth[unlabeled] % 2)
    ax.barh(place - 0.2, right, 0.36, color="#0072B2", label="class" if not place else None)
    ax.barh(place + 0.2, group_right, 0.36, color="#56B4E9", label="group" if not place else None)
    print(f"{name}: class {right:.1%}, group {group_right:.1%}")
ax.set(yticks=range(2), yticklabels=results, xlim=(0.5, 1), xlabel="right")
ax.xaxis.set_major_formatter(lambda value, _: f"{value:.0%}")
figure.legend(loc="outside right upper")
