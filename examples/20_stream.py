"""
A stream of rows
================

The linear map needs one small matrix of the data, which adds up: chunks that come one after the
other give the map of the whole table, and memory stays that of one chunk.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

from ssrlpl import SSRLPL
from ssrlpl.datasets import hide_labels

X, truth = load_digits(return_X_y=True)
y = hide_labels(truth, keep=300, random_state=0)
labeled, unlabeled = np.flatnonzero(y >= 0), np.flatnonzero(y < 0)
chunks = [labeled, *np.array_split(unlabeled, 12)]

whole = SSRLPL().fit(X, y)
stream = SSRLPL()
angles = []
for rows in chunks:
    stream.partial_fit(X[rows], y[rows], classes=np.arange(10))
    cosines = np.linalg.svd(stream.components_ @ whole.components_.T, compute_uv=False)
    angles.append(np.degrees(np.arccos(np.clip(cosines.min(), 0, 1))))

figure, ax = plt.subplots(figsize=(7, 3.4), layout="constrained")
ax.plot(np.cumsum([len(rows) for rows in chunks]), angles, "o-", color="#0072B2")
ax.set(xlabel="rows seen", ylabel="largest angle to the map\nof the whole table, degrees")
print(f"At the end: {angles[-1]:.1f} degrees.")

# %%
# A row is labeled by the labels that came before it: so the labeled rows come first. In another
# order the maps differ a little, because early rows know fewer labels.
