"""
Two moons with eight labels
===========================

The paper's Fig. 1: two interleaved half circles, four labels in each. A linear map cannot tell
the moons apart, a kernel map makes a straight line enough.
"""

import matplotlib.pyplot as plt
from sklearn.svm import SVC

from ssrlpl import SSRLPL, KernelSSRLPL, KNNLabeler
from ssrlpl.datasets import make_two_moons
from ssrlpl.plotting import plot_representation

X, y, truth = make_two_moons(random_state=5)
gamma = 1 / (2 * 0.15**2)
maps = {
    "linear map": SSRLPL(2, labeler=KNNLabeler(1)),
    "kernel map": KernelSSRLPL(2, gamma=gamma, labeler=KNNLabeler(3, gamma=gamma)),
}

figure, axes = plt.subplots(1, 3, figsize=(11, 3.4), layout="constrained")
plot_representation(X, y, colored_by=truth, title="the rows, 8 labels", ax=axes[0], legend=False)
for ax, (name, estimator) in zip(axes[1:], maps.items(), strict=True):
    Z = estimator.fit_transform(X, y)
    plot_representation(Z, y, colored_by=truth, title=name, ax=ax, legend=False)

# %%
# The large points are the labeled ones; colors show the truth, which no map has seen. How many
# points the best straight line puts on the right side:

for name, estimator in maps.items():
    Z = estimator.transform(X)
    line = SVC(kernel="linear", C=1e4).fit(Z, truth)
    print(f"{name}: {line.score(Z, truth):.1%}")
