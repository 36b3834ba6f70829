"""
Sets of classes that hold the truth
===================================

Where one label is too bold, give a set of labels that holds the true one with a probability of
99 %. Sure rows get one class, doubtful ones two or three.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

from ssrlpl import GraphLabeler
from ssrlpl.datasets import hide_labels
from ssrlpl.guarantee import certify_labels

X, truth = load_digits(return_X_y=True)
y = hide_labels(truth, keep=400, random_state=0)
certificate = certify_labels(GraphLabeler(10), X, y)
sets = certificate.prediction_sets(coverage=0.99)
sizes, true_class = sets.sum(axis=1), truth[certificate.rows]
print(f"The truth is in {sets[np.arange(len(sets)), true_class].mean():.1%} of the sets.")

# %%
# Four rows with the largest sets, and what the sets hold:

figure, (chart, *pictures) = plt.subplots(
    1, 5, figsize=(11, 2.8), layout="constrained", width_ratios=[2.4, 1, 1, 1, 1]
)
chart.bar_label(chart.bar(*np.unique(sizes, return_counts=True), color="#0072B2"))
chart.set(xlabel="classes in the set", ylabel="rows", xticks=np.unique(sizes))
for ax, place in zip(pictures, np.argsort(-sizes, kind="stable")[:4], strict=True):
    ax.imshow(X[certificate.rows[place]].reshape(8, 8), cmap="gray_r")
    held = ", ".join(map(str, np.flatnonzero(sets[place])))
    ax.set_title(f"{{{held}}}\ntruth {true_class[place]}")
    ax.axis("off")
