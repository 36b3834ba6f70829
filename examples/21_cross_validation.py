"""
Cross-validation that keeps unlabeled rows in training
======================================================

scikit-learn's splitters would score rows that have no label, and train without most of the others.
These test labeled rows only, and keep every unlabeled row on the training side.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import GridSearchCV

from ssrlpl import KernelSSRLPL, KNNLabeler, SSRLPLClassifier
from ssrlpl.datasets import hide_labels
from ssrlpl.model_selection import StratifiedLabeledKFold, labeled_scorer

X, truth = load_digits(return_X_y=True)
X, truth = X[:600], truth[:600]
y = hide_labels(truth, keep_per_class=6, random_state=1)
neighbors = [1, 2, 3, 5, 8, 12]
search = GridSearchCV(
    SSRLPLClassifier(KernelSSRLPL()),
    {"representation__labeler": [KNNLabeler(k) for k in neighbors]},
    cv=StratifiedLabeledKFold(6),
    scoring=labeled_scorer("accuracy"),
).fit(X, y)

scores = search.cv_results_["mean_test_score"]
unlabeled = y < 0
true = [
    np.mean(SSRLPLClassifier(KernelSSRLPL(labeler=KNNLabeler(k))).fit(X, y)
            .predict(X[unlabeled]) == truth[unlabeled])
    for k in neighbors
]  # fmt: skip
figure, ax = plt.subplots(figsize=(6.5, 3.4), layout="constrained")
ax.plot(neighbors, scores, "o-", color="#0072B2", label="cross-validated, 60 labels")
ax.plot(neighbors, true, "o-", color="#D55E00", label="true, 540 unlabeled rows")
ax.set(xlabel="labeled rows that vote", ylabel="right")
ax.yaxis.set_major_formatter(lambda value, _: f"{value:.1%}")
ax.legend()
print("chosen:", search.best_params_["representation__labeler"])
