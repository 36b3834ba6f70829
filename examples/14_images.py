"""
Images in a plane
=================

Digits with ten labels a class: the representation has nine dimensions, of which two are drawn.
"""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.offsetbox import AnnotationBbox, OffsetImage
from sklearn.datasets import load_digits

from ssrlpl import GraphLabeler, KernelSSRLPL
from ssrlpl.datasets import hide_labels
from ssrlpl.plotting import plot_representation

X, truth = load_digits(return_X_y=True)
y = hide_labels(truth, keep_per_class=10, random_state=0)
model = KernelSSRLPL(labeler=GraphLabeler(10)).fit(X, y)
Z = model.transform(X)

figure, ax = plt.subplots(figsize=(8.5, 6), layout="constrained")
plot_representation(Z, y, colored_by=truth, ax=ax, title="the first two of nine components")
rng = np.random.default_rng(0)
for row in rng.choice(len(X), 30, replace=False):
    picture = OffsetImage(X[row].reshape(8, 8), cmap="gray_r", zoom=2)
    frame = {"edgecolor": "0.6", "linewidth": 0.8}
    ax.add_artist(AnnotationBbox(picture, Z[row, :2], pad=0.1, bboxprops=frame))
print(f"unlabeled rows that are right: {np.mean(model.transduction_[y < 0] == truth[y < 0]):.1%}")
