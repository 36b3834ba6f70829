"""
Side by side with what you would pick otherwise
===============================================

Five labels a class on three tables of scikit-learn. Every method gets the same standardized rows
and the same labels; the accuracy is that on the unlabeled rows, a mean of three draws of labels.
One table is no evidence: the `league <../results/league.html>`_ has 27, and says where a rival is
better.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import StandardScaler
from sklearn.semi_supervised import LabelSpreading, SelfTrainingClassifier
from sklearn.svm import SVC

from ssrlpl import SSRLPLCV, LabeledOnly
from ssrlpl.baselines import HarmonicFunctions
from ssrlpl.datasets import hide_labels

rivals = {
    "SSRLPLCV": SSRLPLCV(),
    "logistic regression": LabeledOnly(LogisticRegression()),
    "RBF-SVM": LabeledOnly(SVC()),
    "1-NN": LabeledOnly(KNeighborsClassifier(1)),
    "self-training": SelfTrainingClassifier(LogisticRegression()),
    "LabelSpreading": LabelSpreading(kernel="knn"),
    "harmonic functions": HarmonicFunctions(),
}
tables = {"iris": load_iris, "wine": load_wine, "breast cancer": load_breast_cancer}

scores = np.zeros((len(rivals), len(tables), 3))
for column, load in enumerate(tables.values()):
    X, truth = load(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    for seed in range(3):
        y = hide_labels(truth, keep_per_class=5, random_state=seed)
        for row, rival in enumerate(rivals.values()):
            predicted = rival.fit(X, y).predict(X[y < 0])
            scores[row, column, seed] = np.mean(predicted == truth[y < 0])

# %%

figure, ax = plt.subplots(figsize=(8, 3.8), layout="constrained")
colors = ("#0072B2", "#D55E00", "#009E73")
for column, (name, color) in enumerate(zip(tables, colors, strict=True)):
    places = np.arange(len(rivals)) + 0.26 * (column - 1)
    ax.barh(places, scores.mean(axis=2)[:, column], height=0.24, color=color, label=name)
ax.set(yticks=range(len(rivals)), yticklabels=rivals, xlim=(0.7, 1), xlabel="right")
ax.xaxis.set_major_formatter(lambda value, _: f"{value:.0%}")
ax.invert_yaxis()
figure.legend(loc="outside right upper")

for name, score in zip(rivals, scores.mean(axis=2), strict=True):
    print(f"{name:20}", *(f"{value:.1%}" for value in score))
