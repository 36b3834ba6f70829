"""
Classes below classes
=====================

The library knows no hierarchies; two models make one. Often the group of a row is cheaper to tell
than its class. Here 60 digits have a class, and of 400 more we know only whether they have a loop.
One model learns the group from all 460; one for each group learns the class from the 60.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

from ssrlpl import GraphLabeler
from ssrlpl.datasets import hide_labels

X, truth = load_digits(return_X_y=True)
y = hide_labels(truth, keep=60, random_state=0)
rng = np.random.default_rng(0)
has_loop = np.isin(np.arange(10), [0, 6, 8, 9]).astype(int)  # the group of each class
parent = np.where(y < 0, -1, has_loop[y])
cheap = rng.choice(np.flatnonzero(y < 0), 400, replace=False)
parent[cheap] = has_loop[truth[cheap]]

flat = GraphLabeler(10).fit(X, y)
top = GraphLabeler(10).fit(X, parent)
deep = np.zeros((len(X), 10))
for group in (0, 1):
    below = GraphLabeler(10).fit(X, np.where(has_loop[y] == group, y, -1))
    deep[:, below.classes_] = (
        top.label_distributions_[:, [group]] * below.label_distributions_
    )  # P(group) P(class | group)

# %%
# Judged on the rows about which nothing was said:

results = {
    "ten classes at once": flat.transduction_,
    "group, then class": deep.argmax(axis=1),
}
asked = parent < 0
figure, ax = plt.subplots(figsize=(7, 1.9), layout="constrained")
for place, (name, labels) in enumerate(results.items()):
    right = np.mean(labels[asked] == truth[asked])
    group_right = np.mean(has_loop[labels[asked]] == has_loop[truth[asked]])
    ax.barh(place - 0.2, right, 0.36, color="#0072B2", label="class" if not place else None)
    ax.barh(place + 0.2, group_right, 0.36, color="#56B4E9", label="group" if not place else None)
    print(f"{name}: class {right:.1%}, group {group_right:.1%}")
ax.set(yticks=range(2), yticklabels=results, xlim=(0.5, 1), xlabel="right")
ax.xaxis.set_major_formatter(lambda value, _: f"{value:.0%}")
figure.legend(loc="outside right upper")
