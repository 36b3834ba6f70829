"""
Which columns matter
====================

The linear map says it: each component is a weighted sum of the columns.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_wine
from sklearn.preprocessing import StandardScaler

from ssrlpl import SSRLPL
from ssrlpl.datasets import hide_labels
from ssrlpl.plotting import plot_representation

wine = load_wine()
X = StandardScaler().fit_transform(wine.data)
y = hide_labels(wine.target, keep=18, random_state=0)
model = SSRLPL().fit(X, y)

figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4), layout="constrained")
plot_representation(
    model.transform(X), y, colored_by=model.transduction_, ax=left,
    class_names=list(wine.target_names), title="178 wines, 18 labels",
)  # fmt: skip
places = np.arange(len(wine.feature_names))
right.barh(places - 0.2, model.components_[0], 0.38, color="#0072B2", label="component 1")
right.barh(places + 0.2, model.components_[1], 0.38, color="#D55E00", label="component 2")
right.set(yticks=places, yticklabels=wine.feature_names, xlabel="weight")
right.invert_yaxis()
right.legend(loc="upper center", bbox_to_anchor=(0.5, -0.14), ncols=2, frameon=False)
