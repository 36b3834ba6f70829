"""
Labels with errors
==================

Twelve of 150 given labels are wrong. Predict each given label from all the others: where the
prediction contradicts the label, look at the row.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

from ssrlpl import SSRLPLCV
from ssrlpl.datasets import hide_labels
from ssrlpl.model_selection import suspect_labels

X, truth = load_digits(return_X_y=True)
X, truth = X[:1000], truth[:1000]
y = hide_labels(truth, keep=150, random_state=0)
labeled = np.flatnonzero(y >= 0)
rng = np.random.default_rng(0)
spoiled = rng.choice(labeled, 12, replace=False)
y[spoiled] = (truth[spoiled] + rng.integers(1, 10, 12)) % 10

model = SSRLPLCV().fit(X, y)
found = {row for row, *_ in suspect_labels(model).rows}
print(f"listed: {len(found)}, of these wrong: {len(found & set(spoiled.tolist()))}")
given = model.loo_probabilities_[np.arange(len(labeled)), y[labeled]]

# %%
# The probability that each label gets from the other labels, smallest first:

order = np.argsort(given)
is_spoiled = np.isin(labeled[order], spoiled)
figure, ax = plt.subplots(figsize=(8, 3.2), layout="constrained")
ax.bar(range(40), given[order][:40], color=np.where(is_spoiled[:40], "#D55E00", "#0072B2"))
ax.set(xlabel="labels, the least probable first", ylabel="probability")
ax.set_title("orange: labels that are wrong")
