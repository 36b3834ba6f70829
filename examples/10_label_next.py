"""
Which row to label next
=======================

A person can label a few more rows. ``label_next`` says which ones would improve the map most;
here ten rounds of six labels, against rows drawn at random.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

from ssrlpl import KernelSSRLPL, label_next
from ssrlpl.datasets import hide_labels

X, truth = load_digits(return_X_y=True)
X, truth = X[:700], truth[:700]
start = hide_labels(truth, keep=20, random_state=0)
rng = np.random.default_rng(0)


def right(y):
    """Return the share of the unlabeled rows whose label vector points to the true class."""
    unlabeled = y < 0
    return np.mean(KernelSSRLPL().fit(X, y).transduction_[unlabeled] == truth[unlabeled])


curves = {"label_next": [right(start)], "at random": [right(start)]}
chosen, drawn = start.copy(), start.copy()
for _ in range(10):
    rows = label_next(KernelSSRLPL(), X, chosen, n=6)
    chosen[rows] = truth[rows]
    rows = rng.choice(np.flatnonzero(drawn < 0), 6, replace=False)
    drawn[rows] = truth[rows]
    curves["label_next"].append(right(chosen))
    curves["at random"].append(right(drawn))

# %%

counts = 20 + 6 * np.arange(11)
figure, ax = plt.subplots(figsize=(7, 3.6), layout="constrained")
for (name, curve), color in zip(curves.items(), ("#0072B2", "#8A8A8A"), strict=True):
    ax.plot(counts, curve, "o-", color=color, label=name)
ax.set(xlabel="labels", ylabel="unlabeled rows that are right")
ax.yaxis.set_major_formatter(lambda value, _: f"{value:.0%}")
ax.legend()

# %%
# Rows that were chosen teach; they must not audit. :doc:`/gallery/17_labels_not_at_random` shows
# how both go together.
