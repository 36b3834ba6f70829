"""
Texts, four labels a topic
==========================

Words become columns by TF-IDF, which stay sparse all the way. The texts are those with which
scikit-learn documents its own estimators; the topic is the module an estimator comes from.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.utils import all_estimators

from ssrlpl import SSRLPL, GraphLabeler
from ssrlpl.datasets import hide_labels
from ssrlpl.plotting import plot_representation

topics = ("cluster", "decomposition", "ensemble", "linear_model", "preprocessing")
documented = [(kind.__module__.split(".")[1], kind.__doc__) for _, kind in all_estimators()]
texts = [text for topic, text in documented if topic in topics]
truth = np.array([topic for topic, _ in documented if topic in topics])

words = TfidfVectorizer(sublinear_tf=True, stop_words="english", token_pattern="[a-z]{3,}")
X = words.fit_transform(texts)
y = hide_labels(truth, keep_per_class=4, random_state=0)
unlabeled = np.array([label is None for label in y])
print(f"{X.shape[0]} texts, {X.shape[1]} words, {(~unlabeled).sum()} labels")

# %%
# Cosines suit counts of words better than distances.

model = SSRLPL(labeler=GraphLabeler(5, metric="cosine")).fit(X, y)
print(f"right: {np.mean(model.transduction_[unlabeled] == truth[unlabeled]):.0%}")

figure, ax = plt.subplots(figsize=(7, 4.5), layout="constrained")
plot_representation(model.transform(X), y, colored_by=truth, ax=ax, title=f"{len(texts)} texts")

# %%
# The words that weigh most in each component of the map:

names = words.get_feature_names_out()
for number, component in enumerate(model.components_, start=1):
    print(number, *names[np.argsort(-np.abs(component))[:6]])
