"""
What is in the mixture
======================

``SSRLPLCV`` does not bet on one method. It weighs 40 to 70 of them by how well they predict the
given labels with the label itself left out, and mixes the best: up to eight that divide the classes
by straight lines, eight by curves, and forests.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_wine
from sklearn.preprocessing import StandardScaler

from ssrlpl import SSRLPLCV
from ssrlpl.datasets import hide_labels

X, truth = load_wine(return_X_y=True)
X = StandardScaler().fit_transform(X)
y = hide_labels(truth, keep=30, random_state=1)
model = SSRLPLCV().fit(X, y)
print(model.summary())

# %%
# The errors that a person would compare, each with the tested row left out:

for entry in model.score_board_:
    print(f"{entry['name']:22} {entry['loo_error']:.1%}")

# %%
# The first sixteen candidates: leave-one-out loss, and the weight as the size of the dot. Those
# without a blue dot are not in the mixture.

results = model.cv_results_
order = np.argsort(results["squared_loss"])[:16]
weights = results["weight"][order]
figure, ax = plt.subplots(figsize=(9, 4.6), layout="constrained")
places = np.arange(len(order))
ax.scatter(results["squared_loss"][order], places, s=8, color="#8A8A8A")
ax.scatter(results["squared_loss"][order], places, s=900 * weights, color="#0072B2")
ax.set(yticks=places, yticklabels=results["candidate"][order], xlabel="Brier score, left out")
ax.invert_yaxis()
